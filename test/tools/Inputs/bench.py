"""bench.py JSON: what `heddle bench --json` printed of the entry `forward` of bench.heddle sums up. Times are only compared with each other."""
import json
import sys

WIDTH, LAYERS = 32, 2
LENGTHS = [8, 3, 8] # of the rows, the list of two again from its first

report = json.load(open(sys.argv[1], encoding="utf-8"))
tokens, pairs = sum(LENGTHS), sum(n * (n + 1) // 2 for n in LENGTHS)
products = LAYERS * 2 * tokens * WIDTH * (3 * WIDTH + WIDTH)
attention = LAYERS * pairs * 4 * WIDTH
weights = 4 * LAYERS * WIDTH * (3 * WIDTH + WIDTH)
found = 4 * tokens * WIDTH # rows of the table
arrays = 4 * 3 * 8 + 4 * 3 * 8 * WIDTH

assert report["machine"] and report["model"].endswith("bench.heddle")
assert [run["threads"] for run in report["runs"]] == [1, 2]
for run in report["runs"]:
    kernels = run["kernels"]
    assert run["entry"] == "forward" and run["repeats"] == 3
    assert run["dimensions"] == {"batch": 3, "sequence": 8, "sequence.tokens": tokens}, run["dimensions"]
    assert run["flops"] == products + attention == sum(kernel["flops"] for kernel in kernels), run["flops"]
    assert run["bytes"] == weights + found + arrays, (run["bytes"], weights, found, arrays)
    attentions = [kernel for kernel in kernels if ".attention." in kernel["kernel"]]
    assert sum(kernel["flops"] for kernel in attentions) == attention and sum(kernel["calls"] for kernel in attentions) == LAYERS
    assert all(kernel["place"].startswith("bench.heddle:") and kernel["kernel"].startswith("forward.") for kernel in kernels)
    assert len({(kernel["kernel"], kernel["place"]) for kernel in kernels}) == len(kernels)
    assert [kernel["mean_ms"] for kernel in kernels] == sorted((kernel["mean_ms"] for kernel in kernels), reverse=True)
    slack = 1e-6 * (len(kernels) + 1) # of printed digits
    assert sum(kernel["mean_ms"] for kernel in kernels) <= run["mean_ms"] + slack
    assert sum(kernel["best_ms"] for kernel in kernels) <= run["best_ms"] + slack
    assert 0 < run["best_ms"] <= run["median_ms"] + slack and run["best_ms"] <= run["mean_ms"] + slack
    assert run["peak_gflops"] > 0 and run["bandwidth_gbytes"] > 0 and run["of_bound"] == max(run["of_peak"], run["of_bandwidth"])
    assert all(abs(kernel["gflops"] * kernel["best_ms"] * 1e6 - kernel["flops"]) <= 1e-6 * kernel["flops"] for kernel in kernels)
