"""Writes the lesson's batch of three sentences as arrays: source.npy, target.npy (what the decoder is given) and the lengths of their rows.

    python3 batch.py [FOLDER]
"""
import os
import sys

import numpy as np

SOURCE = ["我喜欢你P", "你喜欢我P", "我喜欢PP"]
TARGET = ["S i like you", "S you like i", "S i like P"]


def ids(rows, words):
    return np.array([[words.index(word) for word in row] for row in rows], np.int32)


def main(folder="."):
    arrays = {"source": ids(SOURCE, ["P", "我", "喜", "欢", "你"]), "target": ids([row.split() for row in TARGET], ["P", "i", "like", "you", "S", "E"])}
    for name, array in arrays.items():
        np.save(os.path.join(folder, f"{name}.npy"), array)
        np.save(os.path.join(folder, f"{name}-lengths.npy"), (array != 0).sum(axis=1).astype(np.int32))


if __name__ == "__main__":
    main(*sys.argv[1:])
