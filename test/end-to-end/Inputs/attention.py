"""attention.py FOLDER ZERO [EXECUTABLE EXECUTABLE]: the seven steps of the lesson on its four characters, against NumPy in float64 and against the lesson's own
values, by the interpreter, or by executables. ZERO is a folder of the same weights with query.weight 0; the second executable has those."""
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np
from executable import Executable, check, same_bits

SHAPES = {"embedded": (1, 4, 512), "positioned": (1, 4, 512), "q": (1, 4, 64), "k": (1, 4, 64), "v": (1, 4, 64), "scores": (1, 4, 4), "scaled": (1, 4, 4),
          "masked": (1, 4, 4), "weights": (1, 4, 4), "attended": (1, 4, 64)}
THIRDS = [[1, 0, 0, 0], [1 / 2, 1 / 2, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0], [1 / 4, 1 / 4, 1 / 4, 1 / 4]]
HIDDEN = np.triu(np.ones((4, 4), bool), 1)


class Interpreter:
    """`heddle eval` of the text with the weights of a folder, called as an executable is."""

    def __init__(self, text, weights):
        self.command = ["heddle", "eval", text], ["--weights", weights]

    def run(self, entry, arguments, results=("result",)):
        with tempfile.TemporaryDirectory() as folder:
            command = [*self.command[0], entry, *self.command[1]]
            for name, array in arguments.items():
                np.save(f"{folder}/in-{name}.npy", array)
                command += ["--in", f"{name}={folder}/in-{name}.npy"]
            for name in results:
                command += ["--out", f"{name}={folder}/{name}.npy"]
            subprocess.run(command, check=True)
            return {name: np.load(f"{folder}/{name}.npy") for name in results}


def load(folder):
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {name: np.frombuffer(data[slice(*one["data_offsets"])], "<f4").reshape(one["shape"]).astype(float) for name, one in header.items()}


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def by_hand(weights, ids):
    """The seven steps, as the lesson writes them."""
    column = np.arange(512)
    angle = np.arange(4)[:, None] * 10000.0 ** (-2.0 * (column // 2) / 512)
    steps = {"embedded": weights["embedding.weight"][ids]}
    steps["positioned"] = steps["embedded"] + np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
    for letter, name in (("q", "query"), ("k", "key"), ("v", "value")):
        steps[letter] = steps["positioned"] @ weights[f"{name}.weight"]
    steps["scores"] = steps["q"] @ steps["k"].T
    steps["scaled"] = steps["scores"] / 8
    steps["masked"] = np.where(HIDDEN, -np.inf, steps["scaled"])
    steps["weights"] = softmax(steps["masked"])
    steps["attended"] = steps["weights"] @ steps["v"]
    return steps


def near(got, expected, what):
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    seen = np.isfinite(expected)
    check(got.shape == expected.shape and (np.isfinite(got) == seen).all() and (got[~seen] == expected[~seen]).all(), f"{what}: shape, or other places of -inf")
    bound = 1e-5 * np.abs(expected[seen]).max()
    check(np.abs(got[seen] - expected[seen]).max() <= bound, f"{what}: off by {np.abs(got[seen] - expected[seen]).max():g}, allowed {bound:g}")


def run(model, ids, **more):
    arrays = {"tokens": np.array([ids], np.int32)} | {name: np.array(value) for name, value in more.items()}
    return {name: array[0] for name, array in model.run("steps", arrays, list(SHAPES)).items()}


def main():
    folder, zero, *programs = sys.argv[1:]
    text = os.path.join(folder, "attention-lesson.heddle")
    model, without_queries = [Executable(path) for path in programs] or [Interpreter(text, folder), Interpreter(text, zero)]
    with open(os.path.join(folder, "vocab.json"), encoding="utf-8") as file:
        letters = json.load(file)
    ids = [letters.index(letter) for letter in "我是小狗"]
    steps, expected = run(model, ids), by_hand(load(folder), ids)
    for name, shape in SHAPES.items():
        check((1, *steps[name].shape) == shape, f"{name}: shape {steps[name].shape}, expected {shape}")
        near(steps[name], expected[name], name)
    check(steps["weights"][0].tolist() == [1, 0, 0, 0], "row 0 of the weights is 1 0 0 0")
    check(np.abs(steps["weights"].sum(axis=-1) - 1).max() < 1e-6, "rows of the weights sum to 1")
    check((steps["weights"][HIDDEN] == 0).all() and np.isneginf(steps["masked"][HIDDEN]).all() and HIDDEN.sum() == 6, "six hidden cells")
    check(same_bits(steps["attended"][0], steps["v"][0]), "row 0 of the result is row 0 of V")

    fused = model.run("forward", {"tokens": np.array([ids], np.int32)})["result"][0]
    near(fused, steps["attended"], "the fused op and the steps")
    check((model.run("hidden", {"tokens": np.array([ids], np.int32)})["result"][0] == HIDDEN).all(), "what is hidden")

    open_run = run(model, ids, hide_future=False)
    check((open_run["weights"] > 0).all(), "without the mask all 16 weights are positive")
    check(same_bits(open_run["weights"][3], steps["weights"][3]) and same_bits(open_run["attended"][3], steps["attended"][3]), "row 3 sees all in both runs")
    other = run(model, ids[:3] + [letters.index("猫")])
    for name in ("weights", "attended"):
        check(same_bits(other[name][:3], steps[name][:3]), f"{name}: rows before a changed character")
    check(not same_bits(other["attended"][3], steps["attended"][3]), "a changed character changes its own row")

    for name, value in (("weights", THIRDS), ("scores", np.zeros((4, 4)))):
        got = run(without_queries, ids)[name]
        check(np.abs(got - value).max() <= 1e-7, f"queries of 0: {name} {got.tolist()}")


if __name__ == "__main__":
    main()
