"""Entries of rotations.heddle whose names begin with one word give the same bits."""
import subprocess
import sys

import numpy as np

program, folder = sys.argv[1:]
entries = [
    "halves_built", "halves_written", "halves_in_parts", "halves_looked_up", "gain_built", "gain_written", "partial_built", "partial_written",
    "pairs_built", "pairs_written", "pairs_every_two", "paper_built", "paper_written", "apart_built", "apart_written"
]
np.save(f"{folder}/x.npy", np.random.default_rng(1).standard_normal((3, 40, 32)).astype("f4"))
np.save(f"{folder}/l.npy", np.array([40, 0, 13], "i4"))
results = {}
for entry in entries:
    out = f"{folder}/{entry}.npy"
    subprocess.run([program, "run", entry, "--in", f"x={folder}/x.npy", "--lengths", f"x={folder}/l.npy", "--out", f"result={out}"], check=True)
    result = np.load(out)
    assert np.isfinite(result).all() and result[0].any(), entry
    first = results.setdefault(entry.split("_")[0], result)
    assert result.tobytes() == first.tobytes(), f"{entry} has other bits, by up to {abs(result - first).max()}"
