"""shapes.py EXECUTABLE TEXT FOLDER [KEY=VALUE ...]: the block of shapes.heddle against the interpreter, with equal bits on every CPU variant and thread
count, and hostile values where nobody may look: behind the mask, in the padding, in other rows."""
import subprocess
import sys

import numpy as np

from executable import Executable, check, same_bits

SEED = "seed:3"
ROWS = ["normal", "weights", "largest", "picked", "total"]


def interpret(text, settings, entry, arguments, results, lengths, starts, folder):
    command = ["heddle", "eval", text, entry, "--weights", SEED] + [word for s in settings for word in ("--set", s)]
    for option, arrays in (("--in", arguments), ("--lengths", lengths), ("--starts", starts)):
        for name, array in arrays.items():
            np.save(f"{folder}/{option}-{name}.npy", array)
            command += [option, f"{name}={folder}/{option}-{name}.npy"]
    for name in results:
        command += ["--out", f"{name}={folder}/{name}.npy"]
    subprocess.run(command, check=True)
    return {name: np.load(f"{folder}/{name}.npy") for name in results}


def variants(path):
    info = subprocess.run([path, "--info"], stdout=subprocess.PIPE, text=True, check=True).stdout
    four = "chosen here: x86-64-v4" in info
    return [("x86-64-v3", 1), ("x86-64-v3", 2)] + ([("x86-64-v4", 1), ("x86-64-v4", 2)] if four else [])


def compare(path, text, settings, folder, width, chance):
    for lengths in ([5, 0, 17], [1], [8, 64], [9, 130], [3, 300, 0, 530]):
        batch, columns = len(lengths), max(lengths) + 3
        x = chance.standard_normal((batch, columns, width)).astype(np.float32)
        memory = chance.standard_normal((batch, 70, width)).astype(np.float32)
        bias = chance.standard_normal((batch, 1, 11, 70)).astype(np.float32)
        bias[:, :, 0] = bias[:, :, 1, :64] = bias[:, :, 2, 64:] = bias[:, :, 3, 1:] = -np.inf
        own = {"x": np.array(lengths, np.int32)}, {"x": chance.integers(0, 100, batch).astype(np.int32)}
        both = own[0] | {"memory": chance.integers(0, 71, batch).astype(np.int32)}, own[1] | {"memory": chance.integers(0, 100, batch).astype(np.int32)}
        for entry, arguments, results, (length, start) in (
                ("only_attends", {"x": x}, ["result"], own), ("forward", {"x": x}, ["result"], own), ("cross", {"x": x, "memory": memory}, ["result"], both),
                ("looks", {"x": x, "parts": memory}, ["result"], own), ("asks", {"parts": memory[:, :11].copy(), "x": x}, ["result"], own),
                ("apart", {"parts": memory[:, :11].copy()}, ["result"], ({}, {})), ("weighs", {"x": x, "parts": memory}, ["looked", "asked"], own), ("biased", {"parts": memory[:, :11].copy(), "x": memory, "bias": bias}, ["result"], ({}, {})),
                ("masked", {"x": x}, ["result"], own), ("rows", {"x": x}, ROWS, own)):
            if max(lengths) > 256 and entry != "only_attends":  # more than attention gives one task
                continue
            expected = interpret(text, settings, entry, arguments, results, length, start, folder)
            got = [Executable(path, cpu, threads).run(entry, arguments, results, length, start) for cpu, threads in variants(path)]
            for name in results:
                check(all(same_bits(got[0][name], other[name]) for other in got), f"{entry} {name} {lengths}: bits differ between CPU variants or threads")
                error = ((got[0][name] - expected[name].astype(float)) ** 2).sum() / max((expected[name].astype(float) ** 2).sum(), 1e-300)
                check(error < 1e-11, f"{entry} {name} {lengths}: normalised mean squared error {error}")


def hostile(path, width, chance):
    """NaN and infinity in padding, in other rows and behind the causal mask change no bit of a row; a row alone is a row of a batch."""
    x = chance.standard_normal((3, 80, width)).astype(np.float32)
    lengths = np.array([70, 33, 8], np.int32)
    run = lambda array, length: Executable(path).run("forward", {"x": array}, ["result"], {"x": np.array(length, np.int32)})["result"]
    clean = run(x, lengths)
    bad = x.copy()
    bad[0, 70:], bad[1, 33:], bad[2] = np.nan, np.inf, np.nan
    check(same_bits(clean[:2], run(bad, lengths)[:2]), "padding or another row is seen")
    check(not clean[0, 70:].any() and not clean[1, 33:].any(), "rows beyond the length are not 0")
    late = x.copy()
    late[0, 40:] = np.nan
    check(same_bits(clean[0, :40], run(late, lengths)[0, :40]), "what is behind the causal mask is seen")
    for row, length in enumerate(lengths):
        check(same_bits(clean[row, :length], run(x[row : row + 1, :length], [length])[0]), f"row {row} alone differs")
    for cut in (1, 7, 8, 9, 31, 64, 65):
        check(same_bits(clean[0, :cut], run(x[:1], [cut])[0, :cut]), f"the first {cut} tokens alone differ")


def main():
    path, text, folder, *settings = sys.argv[1:]
    width = int(dict(s.split("=") for s in settings)["width"])
    chance = np.random.default_rng(width)
    compare(path, text, settings, folder, width, chance)
    if "scores=none" not in settings:
        hostile(path, width, chance)


if __name__ == "__main__":
    main()
