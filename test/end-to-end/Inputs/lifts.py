"""Entries of lifts.heddle whose names begin with one word give the same bits, and each those of the program that joins no products and heads."""
import subprocess
import sys

import numpy as np

fused, apart, folder = sys.argv[1:]
np.save(f"{folder}/x.npy", np.random.default_rng(1).standard_normal((3, 40, 48)).astype("f4"))
np.save(f"{folder}/ids.npy", np.random.default_rng(2).integers(0, 11, (3, 40)).astype("i4"))
np.save(f"{folder}/l.npy", np.array([40, 0, 13], "i4"))


def run(program, entry):
    argument = "ids" if entry.startswith("word") else "x"
    arguments = ["--in", f"{argument}={folder}/{argument}.npy", "--lengths", f"{argument}={folder}/l.npy"]
    subprocess.run([program, "run", entry, *arguments, "--out", f"result={folder}/out.npy"], check=True)
    return np.load(f"{folder}/out.npy")


results = {}
for entry in ["grouped_built", "grouped_written", "separate", "column_built", "column_written", "word_built", "word_written"]:
    result = run(fused, entry)
    assert np.isfinite(result).all() and result[0].any(), entry
    first = results.setdefault(entry.split("_")[0], result)
    assert result.tobytes() == first.tobytes(), f"{entry} has other bits, by up to {abs(result - first).max()}"
    plain = run(apart, entry)
    if entry.endswith("built"):
        assert result.tobytes() == plain.tobytes(), f"{entry} has other bits than without fusions"
    else:
        assert abs(result - plain).max() <= 1e-5 * abs(plain).max(), f"{entry} differs from its formulas by {abs(result - plain).max()}"
# An id that is not in the table gives a row of 0 where it is compared, and is refused where it picks.
np.save(f"{folder}/ids.npy", np.array([[3, 11, -1]], "i4"))
np.save(f"{folder}/l.npy", np.array([3], "i4"))
rows = run(fused, "word_written")[0]
assert rows[0].any() and not rows[1:].any(), rows
