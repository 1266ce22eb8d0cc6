"""functions.py EXECUTABLE: elementwise functions on 10,080 numbers against libm in doubles, with equal bits on every CPU variant."""
import math
import subprocess
import sys

import numpy as np

from executable import Executable

EXACT = {
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf),
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
}
UNITS = {"tanh": 1.07, "erf": 1.01, "exp": 0.88, "log": 0.91, "sin": 0.51, "cos": 0.51}  # compiler/loops/ElementaryFunctions.h
# The others are sums and quotients of these, near 0 without an error relative to the result: to a few roundings of numbers up to |x|, or 1.
ROUNDINGS = 4 * 2.0**-24

# Known to have gone wrong elsewhere: tanh through exp(2x), a coarse erf.
SPECIAL = [0, 9, 9.1, 45, 52.45, 80, math.inf]
random = np.random.default_rng(1)
x = np.concatenate([SPECIAL, np.negative(SPECIAL), random.uniform(-12, 12, 5013), random.normal(size=5053) * 10.0 ** random.uniform(-30, 0, 5053)])
x = x.astype(np.float32).reshape(-1, 45)
assert x.size == 10080
wide = x.astype(np.float64)

info = subprocess.run([sys.argv[1], "--info"], stdout=subprocess.PIPE, text=True, check=True).stdout
cpus = ["x86-64-v3"] + (["x86-64-v4"] if "chosen here: x86-64-v4" in info else [])
results = [Executable(sys.argv[1], cpu).run("forward", {"x": x}, list(EXACT)) for cpu in cpus]
for name, function in EXACT.items():
    with np.errstate(all="ignore"):
        exact = function(wide)
    y = results[0][name]
    known = np.isfinite(exact)
    assert (y[np.isinf(exact)] == exact[np.isinf(exact)]).all(), name
    unit = np.spacing(np.maximum(np.abs(exact), 2.0**-126).astype(np.float32)).astype(np.float64)
    bound = UNITS[name] * unit if name in UNITS else ROUNDINGS * np.maximum(np.abs(wide), 1)
    wrong = (known & ~(np.abs(y - np.where(known, exact, 0)) <= np.where(known, bound, 0))) | (np.isnan(exact) & ~np.isnan(y))
    assert not wrong.any(), f"{name} of {x[wrong][:4]} is {y[wrong][:4]}, expected {exact[wrong][:4]}"
    same = [(each[name].view(np.uint32) == y.view(np.uint32)) | (np.isnan(each[name]) & np.isnan(y)) for each in results]
    assert np.all(same), name
    print(name, "is right")
