"""masks.py FOLDER: each mask as a value, as a tensor that shows it (unfused) and written out: equal bits, in ragged rows that begin anywhere, with x86-64-v3.
So tiles that are skipped are as good as computed. NaN behind masks, rows that see nothing, and one row of 65537 tokens."""
import subprocess
import sys

import numpy as np
from executable import Executable, check, same_bits

# (as a value, as a condition on the positions i of queries and j of keys, and on ids ti and tj)
MASKS = {
    "causal": ("causal", "j <= i"),
    "window": ("causal and window(30)", "not (j > i or i - j >= 30)"),
    "two-sided": ("window(30, 20)", "i < j + 30 and j - 20 < i"),
    "right": ("window(infinity, 5)", "f32(j) - f32(i) <= 4.5"),
    "prefix": ("prefix(n)", "j < rearrange(n, [b] -> [b, 1, 1, 1]) or i >= j"),
    "segments": ("segments(t, t)", "tj == ti"),
    "padding": ("rearrange(t != 0, [b, s] -> [b, 1, 1, s])", "not (tj == 0)"),
    "combined": ("causal and window(50) and segments(t, t)", "ti == tj and f32(i >= j) > 0.5 and not (i - j > 49)"),
    "distance": ("window(9, 9)", "abs(f32(i - j)) < 9"),
    "numbers": ("causal and rearrange(t != 0, [b, s] -> [b, 1, 1, s])", "f32(i >= j) * (1 - where(tj == 0, 1, 0)) == 1"),
    "rows-and-keys": ("causal and rearrange(t != 0, [b, s] -> [b, 1, 1, s]) and rearrange(t != 3, [b, s] -> [b, 1, s, 1])", "tj != 0 and j <= i and ti != 3"),
}
PLACES = """    p = positions(x)
    i = rearrange(p, [b, s] -> [b, 1, s, 1])
    j = rearrange(p, [b, s] -> [b, 1, 1, s])
    ti = rearrange(t, [b, s] -> [b, 1, s, 1])
    tj = rearrange(t, [b, s] -> [b, 1, 1, s])
"""
SIGNATURE = "(x: f32[batch, s..., 8], k: f32[batch, s..., 8], v: f32[batch, s..., 8], t: i32[batch, s...], n: i32[batch]) -> f32[batch, s..., 8]"
TAIL = """  entry nothing(x: f32[batch, s..., 8], t: i32[batch, s...]) -> f32[batch, s..., 8] = attention(x, x, x, mask=causal and segments(t, t + 8))
  entry long(x: f32[batch, s..., 4]) -> f32[batch, s..., 4] = attention(x, x, x, mask=causal)
"""
LENGTHS, STARTS = np.array([200, 0, 77, 129], np.int32), np.array([0, 5, 64, 1000], np.int32)


def text():
    entries = ""
    for number, (value, condition) in enumerate(MASKS.values()):
        heads = "    q = heads(x, 2)  kk = heads(k, 2)  vv = heads(v, 2)\n"
        entries += f"  entry value{number}{SIGNATURE} {{\n{heads}    return join(attention(q, kk, vv, mask={value}))\n  }}\n"
        shown = f"rearrange(mask_values({value.replace('[b, 1, 1, s]', '[b, 1, s]').replace('[b, 1, s, 1]', '[b, s, 1]')}, x, x), [b, i, j] -> [b, 1, i, j])"
        entries += f"  entry shown{number}{SIGNATURE} {{\n{heads}    return join(attention(q, kk, vv, mask={shown}))\n  }}\n"
        written = f"softmax(where({condition}, q @ transpose(kk) / 2, -infinity)) @ vv"
        entries += f"  entry written{number}{SIGNATURE} {{\n{heads}{PLACES}    return join({written})\n  }}\n"
    return "heddle 1\nmodel masks {\n" + entries + TAIL + "}\n"


def build(folder, name, *more):
    command = ["heddle", "build", f"{folder}/masks.heddle", "--weights", "seed:1", "--cpu", "x86-64-v3", "-o", f"{folder}/{name}", *more]
    subprocess.run(command, check=True)
    return Executable(f"{folder}/{name}", "x86-64-v3")


def seen(name, arrays):
    """[4, 200, 200], by hand."""
    i, j = STARTS[:, None, None] + np.arange(200)[:, None], STARTS[:, None, None] + np.arange(200)[None]
    ti, tj = arrays["t"][:, :, None], arrays["t"][:, None]
    n = arrays["n"][:, None, None]
    visible = {
        "causal": j <= i, "window": (j <= i) & (i - j < 30), "two-sided": (i - j < 30) & (j - i < 20), "right": j - i < 5, "prefix": (j <= i) | (j < n),
        "segments": (ti == tj) & (i == i), "padding": (tj != 0) & (i == i), "combined": (ti == tj) & (j <= i) & (i - j < 50),
        "distance": abs(i - j) < 9, "numbers": (j <= i) & (tj != 0), "rows-and-keys": (j <= i) & (tj != 0) & (ti != 3)}
    real = np.arange(200) < LENGTHS[:, None]
    return visible[name] & real[:, None] & real[:, :, None]


def by_hand(visible, arrays):
    heads = [arrays[name].astype(float).reshape(4, 200, 2, 4).transpose(0, 2, 1, 3) for name in ("x", "k", "v")]
    scores = np.where(visible[:, None], heads[0] @ heads[1].transpose(0, 1, 3, 2) / 2, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0))
    weights /= np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    return (weights @ heads[2]).transpose(0, 2, 1, 3).reshape(4, 200, 8)


def main():
    folder = sys.argv[1]
    with open(f"{folder}/masks.heddle", "w", encoding="utf-8") as file:
        file.write(text())
    fused, plain = build(folder, "fused"), build(folder, "plain", "--no-fuse")
    chance = np.random.default_rng(7)
    arrays = {name: chance.standard_normal((4, 200, 8)).astype(np.float32) for name in ("x", "k", "v")}
    arrays |= {"t": chance.integers(0, 4, (4, 200)).astype(np.int32), "n": np.array([90, 0, 70, 1003], np.int32)}
    rows = {"lengths": {"x": LENGTHS}, "starts": {"x": STARTS}}
    for number, name in enumerate(MASKS):
        value = fused.run(f"value{number}", arrays, **rows)["result"]
        for other, entry in ((plain, "shown"), (plain, "value"), (fused, "shown"), (fused, "written")):
            check(same_bits(other.run(f"{entry}{number}", arrays, **rows)["result"], value), f"{name}: {entry} differs, {other.path}")
        visible = seen(name, arrays)
        expected = by_hand(visible, arrays)
        check(np.abs(value - expected).max() < 1e-5, f"{name}: off by {np.abs(value - expected).max()}")
        check((value[~visible.any(axis=-1)] == 0).all(), f"{name}: a query that sees nothing gives exactly 0")
        spoiled = dict(arrays, k=arrays["k"].copy(), v=arrays["v"].copy())
        for row, key in ((0, 0), (0, 199), (2, 40)): # whoever does not see these keys does not see what is in them
            spoiled["k"][row, key], spoiled["v"][row, key] = np.nan, np.inf
            blind = ~visible[row, :, key]
            for entry in ("value", "shown", "written"):
                got = fused.run(f"{entry}{number}", spoiled, **rows)["result"]
                check(same_bits(got[row][blind], value[row][blind]), f"{name}: NaN in key {key} of row {row} reaches who does not see it ({entry})")
            spoiled["k"][row, key], spoiled["v"][row, key] = arrays["k"][row, key], arrays["v"][row, key]
    nothing = fused.run("nothing", {"x": arrays["x"], "t": arrays["t"]}, **rows)["result"]
    check((nothing == 0).all(), "who sees nothing gets 0")
    for length in (65536, 65537): # an index of 16 bits would show (pytorch/pytorch#162588)
        x = np.random.default_rng(length).standard_normal((1, length, 4)).astype(np.float32)
        got, rows64 = fused.run("long", {"x": x})["result"][0, -1], x[0].astype(float)
        weights = np.exp(rows64 @ rows64[-1] / 2)
        check(np.abs(got - weights @ rows64 / weights.sum()).max() < 1e-4, f"the last of {length} tokens")


if __name__ == "__main__":
    main()
