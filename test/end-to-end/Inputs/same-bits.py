"""same-bits.py EXECUTABLE [v4]: the contract. A row alone, in a batch of 7, with 13 columns more, with 1 and 2 threads, with v3 and v4 kernels: equal bits."""
import sys

import numpy as np
from executable import Executable, check, padded, same_bits


def rows(chance, count, vocabulary):
    lengths = [1, 7, 8, 9, 33, 64, 70][:count]
    return [list(chance.integers(1, vocabulary, length)) for length in lengths]


def encode(model, given, width=None, noise=0):
    ids, lengths = padded(given, width, noise)
    return model.run("encode", {"source": ids}, lengths={"source": lengths})["result"]


def decode(model, targets, memory, lengths, width=None):
    ids, widths = padded(targets, width)
    return model.run("decode", {"target": ids, "memory": memory}, lengths={"target": widths, "memory": lengths})["result"]


def check_entry(call, given, what):
    """`call(model-independent rows, width)` -> result [rows, width, ...]."""
    whole = call(given, None)
    wide = call(given, max(map(len, given)) + 13)
    for index, row in enumerate(given):
        alone = call([row], None)
        check(same_bits(alone[0], whole[index][: len(row)]), f"{what}: row {index} alone and in the batch differ")
        check(same_bits(alone[0], wide[index][: len(row)]), f"{what}: row {index} changes with 13 columns more")
        check(not wide[index][len(row) :].any(), f"{what}: row {index} is not 0 beyond its length")
    back = call(given[::-1], None)
    check(all(same_bits(back[len(given) - 1 - i][: len(row)], whole[i][: len(row)]) for i, row in enumerate(given)), f"{what}: the place in the batch matters")
    return whole


def main():
    path, cpus = sys.argv[1], ["x86-64-v3"] + sys.argv[2:]
    sources, targets = rows(np.random.default_rng(1), 7, 24), rows(np.random.default_rng(2), 7, 33)[::-1]
    ids, lengths = padded(sources)
    results = []
    for cpu in cpus:
        for threads in (1, 2):
            model = Executable(path, cpu, threads)
            what = f"{cpu}, {threads} threads"
            memory = check_entry(lambda given, width: encode(model, given, width), sources, f"encode, {what}")
            check(same_bits(memory, encode(model, sources, noise=5)), f"encode, {what}: ids beyond the length matter")
            for _ in range(20):  # B134
                check(same_bits(memory, encode(model, sources)), f"encode, {what}: not the same every time")
            check(model.run("encode", {"source": np.zeros((0, 5), np.int32)})["result"].shape == (0, 5, memory.shape[2]), f"encode, {what}: no rows")  # B115, B116
            other = [sources[0], *(row[::-1] for row in sources[1:])]
            check(same_bits(memory[0], encode(model, other)[0]), f"encode, {what}: what other rows say matters")  # B133
            by_target = dict(zip(map(tuple, targets), range(len(targets))))

            def call(given, width):
                index = [by_target[tuple(row)] for row in given]
                return decode(model, given, memory[index], lengths[index], width)

            results.append((what, memory, check_entry(call, targets, f"decode, {what}")))
            prefix = decode(model, [row[:5] for row in targets], memory, lengths)
            whole = results[-1][2]
            check(all(same_bits(prefix[i][: len(row[:5])], whole[i][: len(row[:5])]) for i, row in enumerate(targets)), f"decode, {what}: later tokens matter")
    for what, memory, logits in results[1:]:
        check(same_bits(memory, results[0][1]) and same_bits(logits, results[0][2]), f"{what} and {results[0][0]} differ")


if __name__ == "__main__":
    main()
