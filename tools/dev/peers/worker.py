"""One peer in a waiting process: python -m peers.worker PEER THREADS FOLDER. Reads a JSON object a line, answers with one.

  {"do": "load", "case": CASE, "ours": FILE}   builds the case and runs it: {"setup": seconds, "error": greatest difference to the result in FILE}
  {"do": "time", "ms": N}                      runs it for N ms at least, and five times: {"times": ms of each run}
A peer is a module beside this one, with build(case, folder, threads, inputs) -> a function that runs once and returns the result."""
import gc
import importlib
import json
import os
import sys
import time

import numpy as np

from peers import cases, weights

FEWEST_RUNS, MOST_RUNS = 5, 2000
WARM_UP = 2


def difference(case, got, expected):
    """The greatest one, relative to the greatest value; padding is not looked at."""
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    if got.shape != expected.shape:
        raise ValueError(f"expected a result of {expected.shape}, got {got.shape}")
    if case.lengths:
        real = np.arange(got.shape[1]) < np.array(case.lengths)[:, None]
        got, expected = got[real], expected[real]
    return float(np.abs(got - expected).max() / np.abs(expected).max())


class Worker:
    def __init__(self, peer, threads, folder):
        self.peer, self.threads, self.folder, self.run = importlib.import_module(f"peers.{peer}"), threads, folder, None

    def load(self, case, ours):
        self.run = None
        gc.collect()
        case = cases.from_dictionary(case)
        begin = time.perf_counter()
        self.run = self.peer.build(case, os.path.join(self.folder, case.model.name), self.threads, weights.inputs(case))
        setup = time.perf_counter() - begin
        error = difference(case, self.run(), np.load(ours))
        for _ in range(WARM_UP):
            self.run()
        return {"setup": setup, "error": error}

    def time(self, ms):
        times = []
        while len(times) < MOST_RUNS and (len(times) < FEWEST_RUNS or sum(times) < ms):
            begin = time.perf_counter()
            self.run()
            times.append((time.perf_counter() - begin) * 1e3)
        return {"times": times}


def main():
    # Libraries print on the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = getattr(worker, asked.pop("do"))(**asked)
        except Exception as error:  # what it was is printed by the driver; the worker stays
            answer = {"failed": f"{type(error).__name__}: {error}".replace("\n", " ")[:400]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
