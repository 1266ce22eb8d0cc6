"""memory.py COUNTER.so EXECUTABLE..: a row of 4096 tokens: no allocation while the entry runs, and no memory that grows with the square of the length.
Attention alone, of which the first executable has an entry, needs next to nothing beyond its arrays."""
import os
import subprocess
import sys
import tempfile

import numpy as np
from executable import check


def measure(executable, counter, length, entry="forward", names=("x",), **more):
    with tempfile.TemporaryDirectory() as folder:
        x = np.random.default_rng(3).standard_normal((1, length, 64)).astype(np.float32)
        for name in names:
            np.save(f"{folder}/{name}.npy", x)
        environment = dict(os.environ, LD_PRELOAD=counter, HEDDLE_COUNT_FILE=f"{folder}/counts", HEDDLE_CPU="x86-64-v3", **more)
        command = [executable, "run", entry, "-t", "2", "--out", f"result={folder}/r.npy"]
        for name in names:
            command += ["--in", f"{name}={folder}/{name}.npy"]
        done = subprocess.run(command, stderr=subprocess.PIPE, env=environment, timeout=300, check=False)
        check(done.returncode == 0, done.stderr.decode(errors="replace"))
        with open(f"{folder}/counts", encoding="ascii") as counts:
            calls, allocations, peak = map(int, counts.read().split())
        return x.nbytes * (len(names) + 1), calls, allocations, peak * 1024


def main():
    counter, *executables = map(os.path.abspath, sys.argv[1:])
    check(measure(executables[0], counter, 64, HEDDLE_COUNT_CHECK="1")[2] == 1, "the counter does not count")
    for executable, length in ((executable, length) for executable in executables for length in (64, 4096)):
        arrays, calls, allocations, peak = measure(executable, counter, length)
        bound = arrays + os.path.getsize(executable) + 16 * 2**20
        check(calls == 1, f"length {length}: {calls} calls of the entry were seen, expected 1")
        check(allocations == 0, f"length {length}: {allocations} allocations while the entry ran")
        check(peak < bound, f"length {length}: peak {peak} bytes, allowed {bound}")
    arrays, _, allocations, peak = measure(executables[0], counter, 8192, "alone", ("q", "k", "v"))
    check(allocations == 0, f"attention alone: {allocations} allocations while the entry ran")
    check(peak < arrays + 4 * 2**20, f"attention alone: peak {peak} bytes, allowed 4 MiB beyond {arrays}")


if __name__ == "__main__":
    main()
