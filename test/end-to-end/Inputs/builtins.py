"""builtins.py FOLDER: every expression of builtins.txt is an entry of one text; the executable and the interpreter agree about each."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from executable import check

ARGUMENTS = {
    "x": "f32[batch, s... <= 64, 8]", "y": "f32[batch, s..., 8]", "z": "f32[batch, u... <= 64, 8]", "c": "f32[batch, 6, 8]",
    "image": "f32[batch, 3, 4, 6]", "k": "f32[]", "t": "i32[batch, s...]", "v": "i32[batch, u...]", "p": "i32[batch]",
    "flag": "bool[]"}
HEAD = "heddle 1\nmodel every {\n  let n = 6\n  let d = 8\n  let hh = 4\n  let ww = 6\n  fn f(x, w) = if w == none { x } else { x + w }\n"


def cases():
    """(type, statements, expression) of each line."""
    result = ""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "builtins.txt"), encoding="utf-8") as text:
        for line in text:
            if line.startswith("  "):
                before, _, expression = line.strip().rpartition(" : ")
                yield result, before, expression
            elif not line.startswith("#"):
                result = line.strip()


def used(before, expression):
    """x is given to every entry: it has the batch and the rows."""
    return [name for name in ARGUMENTS if name == "x" or re.search(rf"\b{name}\b", before + " " + expression)]


def entry(number, result, before, expression):
    parameters = ", ".join(f"{name}: {ARGUMENTS[name]}" for name in used(before, expression))
    return f"  entry e{number}({parameters}) -> {result} {{\n    {before}\n    return {expression}\n  }}\n"


def write_inputs(folder):
    """A row of no tokens, one of all, starts beyond 0; the text's sequences s and u differ in length."""
    chance = np.random.default_rng(5)
    shapes = {"x": (3, 9, 8), "y": (3, 9, 8), "z": (3, 7, 8), "c": (3, 6, 8), "image": (3, 3, 4, 6), "k": ()}
    arrays = {name: np.asarray(chance.standard_normal(shape), np.float32) for name, shape in shapes.items()}
    arrays |= {"t": chance.integers(0, 8, (3, 9)).astype(np.int32), "v": chance.integers(0, 8, (3, 7)).astype(np.int32), "p": np.array([4, 5, 22], np.int32), "flag": np.array(True)}
    arrays |= {"lengths-s": np.array([9, 0, 4], np.int32), "lengths-u": np.array([3, 7, 1], np.int32)}
    arrays |= {"starts-s": np.array([0, 3, 20], np.int32), "starts-u": np.array([0, 2, 20], np.int32)}
    for name, array in arrays.items():
        np.save(os.path.join(folder, name + ".npy"), array)


def run(command, folder, arguments, out):
    for name in arguments:
        command = command + ["--in", f"{name}={folder}/{name}.npy"]
    for argument, rows in (("x", "s"), ("z", "u"), ("v", "u")):
        if argument in arguments and not (argument == "v" and "z" in arguments):
            command = command + ["--lengths", f"{argument}={folder}/lengths-{rows}.npy", "--starts", f"{argument}={folder}/starts-{rows}.npy"]
    done = subprocess.run(command + ["--out", f"result={out}"], stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr if done.returncode else ""


def difference(got, expected):
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{got.dtype} {got.shape}, expected {expected.dtype} {expected.shape}"
    got, expected = got.astype(float), expected.astype(float)
    known = np.isfinite(expected)
    if not np.array_equal(got[~known], expected[~known], equal_nan=True) or not np.isfinite(got[known]).all():
        return "infinity or NaN where the other has none"
    error = ((got[known] - expected[known]) ** 2).sum()
    return "" if error <= 1e-11 * (expected[known] ** 2).sum() else f"normalised mean squared error {error / max((expected[known] ** 2).sum(), 1e-300):g}"


def compare(folder, number, before, expression):
    arguments, paths = used(before, expression), [f"{folder}/{number}-{who}.npy" for who in ("compiled", "reference")]
    problem = run([f"{folder}/every", "run", f"e{number}"], folder, arguments, paths[0])
    problem = problem or run(["heddle", "eval", f"{folder}/{number}.heddle", f"e{number}", "--weights", "seed:1"], folder, arguments, paths[1])
    problem = problem or difference(*map(np.load, paths))
    return f"{expression}: {problem}" if problem else ""


def main():
    folder = sys.argv[1]
    write_inputs(folder)
    entries = [entry(number, *case) for number, case in enumerate(cases())]
    for number, one in enumerate(entries): # the interpreter reads a text of one entry
        with open(f"{folder}/{number}.heddle", "w", encoding="utf-8") as text:
            text.write(HEAD + one + "}\n")
    with open(f"{folder}/every.heddle", "w", encoding="utf-8") as text:
        text.write(HEAD + "".join(entries) + "}\n")
    command = ["heddle", "build", f"{folder}/every.heddle", "--weights", "seed:1", "--cpu", "x86-64-v3", "-o", f"{folder}/every"]
    subprocess.run(command, check=True)
    with ThreadPoolExecutor(2) as pool:
        problems = [one for one in pool.map(lambda at: compare(folder, at[0], *at[1][1:]), enumerate(cases())) if one]
    print(len(entries), "expressions")
    check(not problems, "\n".join(problems))


if __name__ == "__main__":
    main()
