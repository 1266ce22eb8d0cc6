"""alone.py EXECUTABLE HEADS KEY_HEADS WIDTH: a query alone, and the same one among nine. Keys begin and end inside blocks of 64 and at their ends; what a
mask hides is NaN."""
import sys

import numpy as np
from executable import Executable, check, same_bits


def attention(q, k, v, heads, visible):
    """Of one row, in float64: q [n, heads * width], k and v [m, key heads * width]; key j is seen by query i where visible[i, j]."""
    n, m, width = len(q), len(k), q.shape[1] // heads
    q, k, v = q.astype(float).reshape(n, heads, width), *(x.astype(float).reshape(m, -1, width) for x in (k, v))
    group = heads // k.shape[1]
    out = np.zeros((n, heads, width))
    for i in range(n):
        for h in range(heads):
            seen = visible[i]
            if seen.any():
                score = k[seen, h // group] @ q[i, h] / np.sqrt(width)
                p = np.exp(score - score.max())
                out[i, h] = p @ v[seen, h // group] / p.sum()
    return out.reshape(n, heads * width)


def main():
    path, (heads, key_heads, width) = sys.argv[1], map(int, sys.argv[2:])
    chance = np.random.default_rng(1)
    models = [Executable(path, "x86-64-v3", 1), Executable(path, "x86-64-v3", 2)]
    if "avx512f" in open("/proc/cpuinfo", encoding="ascii").read():
        models.append(Executable(path, "x86-64-v4", 2))
    for count in (1, 63, 64, 65, 130, 300):
        q = chance.standard_normal((1, 9, heads * width), dtype=np.float32)
        k, v = (chance.standard_normal((1, count, key_heads * width), dtype=np.float32) for _ in range(2))
        for start in (0, 5, 64, 100):
            for entry, first in (("open", 0), ("past", start + count - 5)):  # the last five queries of nine see past the keys' end
                starts = {"k": np.array([start], np.int32), "q": np.array([max(first, 0)], np.int32)}
                position = starts["q"][0] + np.arange(9)[:, None]
                visible = np.ones((9, count), bool) if entry == "open" else start + np.arange(count) <= position
                first_seen = visible[0]
                expected = attention(q[0], k[0], v[0], heads, visible)
                many = models[0].run(entry, {"q": q, "k": k, "v": v}, starts=starts)["result"]
                what = f"{entry}, {count} keys from {start}"
                check(np.abs(many[0] - expected).max() < 2e-6, f"{what}: nine queries off by {np.abs(many[0] - expected).max():g}")
                hidden_k, hidden_v = k.copy(), v.copy()
                hidden_k[0, ~first_seen] = hidden_v[0, ~first_seen] = np.nan
                for model in models:
                    alone = model.run(entry, {"q": q[:, :1], "k": hidden_k, "v": hidden_v}, starts=starts)["result"]
                    check(same_bits(alone[0], many[0, :1]), f"{what}: alone and among nine differ")
    several = models[0].run("open", {"q": np.repeat(q, 2, 0)[:, :1], "k": np.repeat(k, 2, 0), "v": np.repeat(v, 2, 0)},
                            lengths={"k": np.array([300, 70], np.int32)})["result"]
    for row, length in enumerate((300, 70)):
        alone = models[0].run("open", {"q": q[:, :1], "k": k[:, :length], "v": v[:, :length]})["result"]
        check(same_bits(several[row], alone[0]), f"row {row} of a batch of two differs")


if __name__ == "__main__":
    main()
