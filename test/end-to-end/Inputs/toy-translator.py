"""toy-translator.py EXECUTABLE BATCH: what the lesson says of its batch (written to the folder BATCH by the example's batch.py): the three masks, the words that
follow each other, and that a step has the bits of the whole pass."""
import sys

import numpy as np
from executable import Executable, check, same_bits

# 1 is hidden. Rows of padding queries hide nothing: results beyond a row's length are 0.
ENCODER = [["00001"] * 4 + ["00000"], ["00001"] * 4 + ["00000"], ["00011"] * 3 + ["00000"] * 2]
DECODER = [["0111", "0011", "0001", "0000"]] * 3
CROSS = [["00001"] * 4, ["00001"] * 4, ["00011"] * 3 + ["00000"]]
ANSWERS = [[1, 2, 3, 5], [3, 2, 1, 5], [1, 2, 5]]  # i like you E, you like i E, i like E


def bits(rows):
    return np.array([[[cell == "1" for cell in row] for row in mask] for mask in rows])


def main():
    model, folder = Executable(sys.argv[1]), sys.argv[2]
    load = lambda name: np.load(f"{folder}/{name}.npy")
    source, target, lengths, widths = load("source"), load("target"), load("source-lengths"), load("target-lengths")
    check(source[0].tolist() == [1, 2, 3, 4, 0] and target.tolist() == [[4, 1, 2, 3], [4, 3, 2, 1], [4, 1, 2, 0]], "the ids of the lesson")

    masks = model.run("masks", {"source": source, "target": target}, ["encoder", "decoder", "cross"], {"source": lengths, "target": widths})
    for name, expected in (("encoder", ENCODER), ("decoder", DECODER), ("cross", CROSS)):
        check((masks[name] == bits(expected)).all(), f"{name} mask: {masks[name].astype(int).tolist()}")

    memory = model.run("encode", {"source": source}, lengths={"source": lengths})["result"]
    decode = lambda ids, rows, size: model.run("decode", {"target": ids, "memory": memory[rows]}, lengths={"target": size, "memory": lengths[rows]})["result"]
    whole = decode(target, slice(None), widths)
    for row, answer in enumerate(ANSWERS):
        check(whole[row].argmax(axis=-1)[: len(answer)].tolist() == answer, f"answers to sentence {row}")
        for step in range(1, len(answer) + 1):
            one = decode(target[row : row + 1, :step], slice(row, row + 1), np.array([step], np.int32))
            check(same_bits(one[0, step - 1], whole[row, step - 1]), f"sentence {row}, step {step}: other bits than the whole pass")


if __name__ == "__main__":
    main()
