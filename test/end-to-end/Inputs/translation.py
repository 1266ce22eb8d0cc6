"""translation.py EXECUTABLE FOLDER: every figure of the folder's expected.json: text singly and as one batch, ids, encoder output, first logits."""
import json
import os
import sys

import numpy as np
from executable import Executable, check, padded, without_padding


def close(got, expected, what):
    expected = np.asarray(expected, np.float64)
    bound = 1e-5 * np.abs(expected).max()
    error = np.abs(np.asarray(got, np.float64) - expected).max()
    check(got.shape == expected.shape and error <= bound, f"{what}: off by {error:g}, allowed {bound:g}, shapes {got.shape} and {expected.shape}")


def first_logits(model, memory, lengths, start):
    tokens = np.full((len(memory), 1), start, np.int32)
    return model.run("decode", {"target": tokens, "memory": memory}, lengths={"memory": lengths})["result"][:, 0, :]


def greedy(model, memory, lengths, start, end, limit):
    """Greedy ids of every row, prefixes recomputed, as the executable's own task does it."""
    rows = [[start] for _ in lengths]
    for _ in range(limit):
        ids, widths = padded(rows)
        logits = model.run("decode", {"target": ids, "memory": memory}, lengths={"target": widths, "memory": lengths})["result"]
        for row, width, values in zip(rows, widths, logits):
            if row[-1] != end or len(row) == 1:
                row.append(int(values[width - 1].argmax()))
        if all(row[-1] == end for row in rows):
            break
    return [row[1:] for row in rows]


def main():
    model, folder = Executable(sys.argv[1]), sys.argv[2]
    with open(os.path.join(folder, "expected.json"), encoding="utf-8") as text:
        expected = json.load(text)
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as text:
        config = json.load(text)
    start, end, limit = config["decoder_start_token_id"], config["eos_token_id"], config.get("max_length", config["max_position_embeddings"])

    cases = expected["cases"]
    got = model.lines([case["source"] for case in cases])
    check(got == [case["text"] for case in cases], f"one batch: {got}")
    for case in cases:
        got = model.words(case["source"])
        check(got == case["text"] + "\n", f"{case['source']}: expected {case['text']!r}, got {got!r}")

    for detail in expected["details"]:
        ids, lengths = padded(without_padding([detail["source_ids"]]))
        memory = model.run("encode", {"source": ids}, lengths={"source": lengths})["result"]
        close(memory[0], detail["encoder_output"][: lengths[0]], f"encoder output of {detail['source']}")
        close(first_logits(model, memory, lengths, start)[0], detail["first_step_logits"], f"logits of {detail['source']}")

    batch = expected["batch"]
    ids, lengths = padded(without_padding(batch["source_ids"]))
    memory = model.run("encode", {"source": ids}, lengths={"source": lengths})["result"]
    for row, length in zip(memory, lengths):
        check(not row[length:].any(), "rows beyond the length are not 0")
    close(first_logits(model, memory, lengths, start), batch["first_step_logits"], "logits of the padded batch")
    check(greedy(model, memory, lengths, start, end, limit) == batch["greedy_ids"], "greedy ids of the padded batch")


if __name__ == "__main__":
    main()
