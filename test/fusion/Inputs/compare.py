"""compare.py TEXT FOLDER OPTION...: every entry of the text, fused and compiled, computes what the interpreter makes of its formulas, on ragged batches
with rows of length 0 and 1, starts, large values and NaN in the padding. Arguments are told by their names in the text: x: f32[batch, s..., width]."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

BOUND = 1e-10  # normalised mean squared error of f32 against float64, the promise of the design
LENGTHS = {"s": [9, 0, 1, 4], "t": [3, 7, 1, 0]}
IDS = 7  # ids are below it


def entries(text):
    """(name, {argument: (element, axes)}) of each entry."""
    for name, signature in re.findall(r"^  entry (\w+)\((.*?)\)\s*->", text, re.MULTILINE | re.DOTALL):
        yield name, {argument: (element, re.split(r",\s*", axes)) for argument, element, axes in re.findall(r"(\w+): (\w+)\[(.*?)\]", signature)}


def options(folder, name, arguments, sizes, chance, large):
    words = []
    for argument, (element, axes) in arguments.items():
        ragged = next((axis.split(".")[0] for axis in axes if "..." in axis), None)
        lengths = np.array(LENGTHS.get(ragged, [0] * 4), np.int32)
        shape = [4 if axis == "batch" else lengths.max() + 2 if "..." in axis else sizes.get(axis) or int(axis) for axis in axes]
        if element == "f32":
            array = (chance.standard_normal(shape) * (30 if large else 1)).astype(np.float32)
        elif element == "bool":
            array = chance.random(shape) < 0.6
        else:
            array = chance.integers(0, IDS, shape).astype(np.int32)
        arrays = {"in": array}
        if ragged:
            if element == "f32":
                array[np.arange(shape[1])[None, :] >= lengths[:, None]] = np.nan
            arrays |= {"lengths": lengths, "starts": np.array([0, 3, 1, 20], np.int32)}
        for option, value in arrays.items():
            path = f"{folder}/{name}-{option}-{argument}.npy"
            np.save(path, value)
            words += [f"--{option}", f"{argument}={path}"]
    return words


def compare(text, folder, model, name, arguments, sizes):
    for large in (False, True):
        words = options(folder, name, arguments, sizes, np.random.default_rng(7), large)
        results = []
        for command in (["heddle", "eval", text, name, *model], [f"{folder}/model", "run", name]):
            out = f"{folder}/{name}.npy"
            done = subprocess.run([*command, *words, "--out", f"result={out}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                return f"{name}: {' '.join(command)} gave {done.returncode}: {done.stdout}"
            results.append(np.load(out).astype(float))
        expected, got = results
        if not np.isfinite(expected).all() or not np.isfinite(got).all():
            return f"{name}: values are not finite{' for large ones' if large else ''}"
        error = ((got - expected) ** 2).sum() / max((expected**2).sum(), 1e-300)
        if error > (BOUND if not large else 1e4 * BOUND):  # scores of some thousands: their rounding grows by exp
            return f"{name}: normalised mean squared error {error:.2g}{' for large values' if large else ''}"
    return None


def main():
    path, folder, *model = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    sizes = {name: int(value) for name, value in re.findall(r"config (\w+): int = (\d+)$", text, re.MULTILINE)}
    found = list(entries(text))
    assert found and len(found) == len(re.findall(r"^  entry ", text, re.MULTILINE)), "an entry's signature is not understood"
    subprocess.run(["heddle", "build", path, *model, "--cpu", "x86-64-v3", "-o", f"{folder}/model"], check=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [line for line in pool.map(lambda entry: compare(path, folder, model, *entry, sizes), found) if line]
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
