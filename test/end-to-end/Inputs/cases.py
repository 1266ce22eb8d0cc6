"""cases.py TEXT FUSED PLAIN: inputs on which other systems were wrong, by the interpreter, by the executable, and by the one built with --no-fuse. The
figures are NumPy's in float64, or exact."""
import math
import subprocess
import sys
import tempfile

import numpy as np
from executable import Executable, check, same_bits

LOWEST = -3.4028235e38
TO_F32 = 1e-5
chance = np.random.default_rng(1)


def numbers(*shape):
    return chance.standard_normal(shape).astype(np.float32)


class Interpreter:
    """`heddle eval` called as an executable is."""

    def __init__(self, text):
        self.text = text

    def run(self, entry, arguments, results=("result",), lengths=None, starts=None):
        with tempfile.TemporaryDirectory() as folder:
            command = ["heddle", "eval", self.text, entry, "--weights", "seed:1"]
            for option, arrays in (("--in", arguments), ("--lengths", lengths), ("--starts", starts)):
                for name, array in (arrays or {}).items():
                    np.save(f"{folder}/{option}-{name}.npy", np.asarray(array))
                    command += [option, f"{name}={folder}/{option}-{name}.npy"]
            for name in results:
                command += ["--out", f"{name}={folder}/{name}.npy"]
            subprocess.run(command, check=True)
            return {name: np.load(f"{folder}/{name}.npy") for name in results}


def weights(scores, seen=True):
    """Softmax along the last axis; a row that sees nothing is 0."""
    scores = np.where(seen, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return np.nan_to_num(e / e.sum(-1, keepdims=True))


def attention(q, k, v, seen=True):
    q, k, v = (x.astype(float) for x in (q, k, v))
    return weights(q @ np.swapaxes(k, -1, -2) / math.sqrt(8), seen) @ v


def near(got, expected, what, bound=TO_F32):
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    check(got.shape == expected.shape and np.isfinite(got).all(), f"{what}: shape {got.shape}, or values are not finite: {got}")
    error = np.abs(got - expected).max() / max(np.abs(expected).max(), 1e-30)
    check(error <= bound, f"{what}: off by {error:.2g} of the largest\n{got}\nexpected\n{expected}")


def pairs(model, row, key, what, length=None):
    """One mask in five spellings."""
    row, key = np.array(row, np.int32), np.array(key, np.int32)
    batch, s, t = len(row), row.shape[1], key.shape[1]
    q, k, v = numbers(batch, s, 8), numbers(batch, t, 8), numbers(batch, t, 8)
    expected = attention(q, k, v, (row[:, :, None] > 0) & (key[:, None] > 0))
    for name in ("chosen", "refused", "added", "swapped", "built"):
        got = model.run(name, {"q": q, "k": k, "v": v, "row": row, "key": key})["result"]
        near(got, expected, f"{what}, {name}")
        check(not got[row == 0].any(), f"{what}, {name}: rows that see nothing are exactly 0")
        if name == "swapped":  # B025: both orders of operands give the same
            check(same_bits(got, before), f"{what}: scores + mask and mask + scores differ")
        before = got


def masks(model):
    pairs(model, [[1] * 4 + [0] * 4], [[1] * 4 + [0] * 4], "B001, an open corner of 4 by 4")
    for s in (1, 7, 16, 33):
        row = np.ones((1, s), int)
        row[0, s // 2] = 0
        pairs(model, row, np.ones((1, s), int), f"B002, a hidden row of {s}")
    pairs(model, [[1, 0, 1, 1]], [[1] * 4], "B004, row 1 of 4")
    pairs(model, [[1] * 3], [[1, 1, 0]], "B010, columns are hidden")  # a mask of keys
    pairs(model, [[1, 1, 0]], [[1] * 3], "B010, rows are hidden")  # and one of queries does what its shape says
    got = [model.run("built", {"q": numbers(1, 3, 8), "k": numbers(1, 3, 8), "v": np.eye(3, 8, dtype=np.float32)[None], "row": np.ones((1, 3), np.int32),
                               "key": np.array([key], np.int32)})["result"][0] for key in ([1, 1, 0], [1, 0, 1])]
    check(not got[0][:, 2].any() and not got[1][:, 1].any() and got[0][:, 1].all(), "B010, B023: weights of hidden keys are 0, another mask gives others")

    # B005: padding in front of a causal row hides all its keys from the padding itself; a and b are what they are without.
    x = numbers(1, 4, 8)
    got = model.run("padded", {"x": x, "ids": np.array([[0, 0, 5, 7]], np.int32)}, ["written", "built"])
    alone = model.run("padded", {"x": x[:, 2:], "ids": np.array([[5, 7]], np.int32)}, ["written", "built"])
    for name in got:
        check(not got[name][0, :2].any(), f"B005, {name}: the padding's rows are 0")
        near(got[name][0, 2:], alone[name][0], f"B005, {name}")

    # B020: of 8 query heads on 2 one row is hidden.
    x, y, row = numbers(1, 5, 64), numbers(1, 5, 16), np.array([[1, 1, 0, 1, 1]], np.int32)
    got = model.run("grouped", {"x": x, "y": y, "row": row}, ["written", "built"])
    q, k = x.reshape(1, 5, 8, 8).swapaxes(1, 2), np.repeat(y.reshape(1, 5, 2, 8).swapaxes(1, 2), 4, axis=1)
    expected = attention(q, k, k, row[:, None, :, None] > 0).swapaxes(1, 2).reshape(1, 5, 64)
    for name in got:
        near(got[name], expected, f"B020, {name}")
        check(not got[name][0, 2].any(), f"B020, {name}: the hidden row is 0 in all heads")

    for entry, left in (("three", 3), ("four", 4)):  # B073: 1, 2, 3, 3, 3, 3 keys; B074: a query at position 8 of 9 keys sees 5 to 8
        eye = np.eye(9, 8, -1, dtype=np.float32)[None]  # the weights of keys 1 to 8
        got = model.run(entry, {"q": numbers(1, 6, 8), "k": numbers(1, 6, 8), "v": np.eye(6, 8, dtype=np.float32)[None]})["result"][0]
        check(((got > 0).sum(-1) == np.minimum(np.arange(6) + 1, left)).all(), f"B073, window {left}: {(got > 0).sum(-1)}")
        got = model.run(entry, {"q": numbers(1, 1, 8), "k": numbers(1, 9, 8), "v": eye}, starts={"q": np.array([8], np.int32)})["result"][0, 0]
        check((np.flatnonzero(got) == np.arange(8 - left, 8)).all(), f"B074, window {left}: sees {np.flatnonzero(got) + 1}")


def finite_masks(model, exact):
    """Large finite numbers are numbers: those of a row are added in its element type, f64 in the interpreter."""
    q, k, v = numbers(1, 2, 8), numbers(1, 3, 8), numbers(1, 3, 8)
    run = lambda first, second: model.run("finite", {"q": q, "k": k, "v": v, "first": np.array([first], np.float32), "second": np.array([second], np.float32)}, ["both", "biased"])
    got = run([LOWEST, LOWEST, LOWEST], [0, 0, LOWEST])["both"]
    near(got, np.broadcast_to(v[:, :2].mean(1, keepdims=True), (1, 2, 8)), "B007: keys 0 and 1, whose scores are lost in the number, weigh the same, key 2 nothing")
    got = run([LOWEST] * 3, [LOWEST] * 3)["both"]
    check(np.isfinite(got).all() and (exact or not got.any()), f"B007: every key hidden twice: {got}")
    got = run([0, LOWEST, 0], [0] * 3)["biased"]
    near(got, attention(q, k, v, np.array([True, False, True])), "B008: a bias after the mask does not bring a key back")
    got = run([LOWEST] * 3, [0] * 3)["biased"]
    near(got, np.broadcast_to(v.mean(1, keepdims=True), (1, 2, 8)), "B026: a full row of the lowest number gives the mean of the values")


def sizes(model, fused):
    for s, t in ((63, 64), (64, 50), (100, 77)):  # B011
        q, k = numbers(1, s, 8), numbers(1, t, 8)
        got = model.run("zero", {"q": q, "k": k, "nothing": np.zeros((1, t), np.float32)}, ["masked", "plain"])
        for name in got:
            near(got[name], attention(q, k, k), f"B011, {s} queries and {t} keys, {name}")
    q, k = numbers(1, 1, 8), numbers(1, 4096, 8)
    for valid in (137, 512, 513, 600, 4095):  # B014
        k[0, valid:] = np.nan
        got = model.run("zero", {"q": q, "k": k, "nothing": np.zeros((1, 4096), np.float32)}, ["plain"], lengths={"k": np.array([valid], np.int32), "nothing": np.array([valid], np.int32)})
        near(got["plain"], attention(q, k[:, :valid], k[:, :valid]), f"B014, {valid} keys of 4096")
        k = numbers(1, 4096, 8)
    x = numbers(4, 137, 8)
    near(model.run("causally", {"x": x[:1]})["result"], attention(x[:1], x[:1], x[:1], np.tri(137) > 0), "B016, 137 tokens")
    lengths = np.array([3, 0, 5, 0], np.int32)  # B017, B019: a row of a batch is what it is alone
    got = model.run("causally", {"x": x[:, :5]}, lengths={"x": lengths})["result"]
    for row, length in enumerate(lengths):
        alone = model.run("causally", {"x": x[row : row + 1, : max(length, 1)]}, lengths={"x": lengths[row : row + 1]})["result"][0]
        check(not got[row, length:].any() and same_bits(got[row, :length], alone[:length]), f"B017, row {row} of length {length}")
    if fused:  # B013: past 65536, by the last row; nothing else keeps 65537 tokens by 65537
        for length in (65536, 65537):
            x = numbers(1, length, 8)
            near(model.run("causally", {"x": x})["result"][:, -1:], attention(x[:, -1:], x, x), f"B013, {length} tokens", 1e-4)


def shapes(model):
    q, k, v = numbers(1, 8, 8), numbers(1, 8, 8), numbers(1, 8, 8)
    got = model.run("square", {"q": q, "k": k, "v": v}, ["turned", "straight", "queries"])
    scores = q.astype(float) @ k.swapaxes(1, 2)
    near(got["turned"], weights(scores) @ v, "B022, keys transposed")
    near(got["straight"], weights(q.astype(float) @ k) @ v, "B022, keys as they are")
    near(got["queries"], weights(scores.swapaxes(1, 2)).swapaxes(1, 2) @ v, "B022, softmax along the queries")
    x, q, k = numbers(1, 3, 4), numbers(1, 2, 8), numbers(1, 5, 8)
    got = model.run("along", {"x": x, "q": q, "k": k}, ["last", "other", "keys"])
    near(got["last"], weights(x.astype(float)), "B035, the last axis")
    near(got["other"], weights(x.astype(float).swapaxes(1, 2)).swapaxes(1, 2), "B037, another axis")
    near(got["keys"], attention(q, k, k), "B038, the last axis by name")


def normal(x, epsilon=1e-5):
    x = np.asarray(x, np.float32).astype(float)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)


def norms(model, plain):
    known = [1.3416354, 0.4472118]
    rows = [[40000, 40001, 40002, 40003], [80000, 80001, 80002, 80003], [2000.125, 1999.25, 2001.5, 2000.75], [7, 7, 7, 7], [1e-6, 2e-6, 3e-6, 4e-6]]
    got = model.run("normed", {"x": np.array(rows, np.float32)}, ["written", "tiny", "apart"])
    for name in ("written", "apart"):
        for row in (0, 1):
            near(got[name][row], [-known[0], -known[1], known[1], known[0]], "B040, large means", 1e-6)
        near(got[name][2], [-0.340409, -1.399458, 1.323812, 0.416055], "B044, four about 2000", 2e-6)
        check(not got[name][3].any(), "B046, a row without variance")
        near(got[name][4], normal(rows[4]), "B032, epsilon 1e-5")
    near(got["tiny"][4], normal(rows[4], 1e-12), "B032, epsilon 1e-12, about -1 -1/3 1/3 1")
    check(not model.run("wide", {"x": np.full((1, 256), 1234, np.float32)})["result"].any(), "B041, a constant row")
    x = 1449.5 + numbers(1, 16) / 8
    near(model.run("sixteen", {"x": x})["result"], normal(x), "B043, 16 about 1449.5", 1e-3 if plain else TO_F32)  # as written, the mean is rounded once
    check((model.run("single", {"x": numbers(4, 1)})["result"] == 0.5).all(), "B047, an axis of 1")
    x, branch = 1000 * numbers(1, 6, 8), numbers(1, 6, 8) / 100
    got = model.run("kept", {"x": x, "branch": branch}, ["sum", "normal"])
    near(got["sum"], x.astype(float) + branch, "B029, the sum itself", 1e-7)
    near(got["normal"], normal(x + branch), "B028, B029, the sum normalised", 1e-6)


def units(model):
    x = np.array([[-3, -1, 0.5, 1, 3]], np.float32)
    got = model.run("units", {"x": x}, ["erf_form", "tanh_form", "quick"])
    near(got["erf_form"], [[-0.0040497, -0.1586553, 0.3457312, 0.8413447, 2.9959503]], "B034, gelu", 1e-7)
    near(got["tanh_form"], [[-0.0036374, -0.1588080, 0.3457140, 0.8411920, 2.9963626]], "B034, gelu by tanh", 1e-7)
    near(got["quick"][0, 3], 0.8457958, "B034, quick gelu", 1e-7)


def main():
    text, fused, plain = sys.argv[1:]
    for kind, model in (("exact", Interpreter(text)), ("fused", Executable(fused)), ("plain", Executable(plain))):
        masks(model)
        finite_masks(model, kind == "exact")
        sizes(model, kind == "fused")
        shapes(model)
        norms(model, kind == "plain")
        units(model)


main()
