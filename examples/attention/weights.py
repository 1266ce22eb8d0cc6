"""weights.py FOLDER [NAME ...]: writes the lesson's seeded weights to FOLDER/model.safetensors, with config.json and vocab.json beside it. The tensors of the
given names (query.weight, key.weight ...) are 0.

Nothing here is trained: elements are normal numbers, those of a matrix over the root of its rows, so that a q and a k have a product of about sqrt(d_k)."""
import json
import os
import shutil
import struct
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def tensors(config):
    chance = np.random.default_rng(20170612)
    width, inner = config["d_model"], config["d_k"]
    normal = lambda rows, columns: chance.standard_normal((rows, columns))
    made = {"embedding.weight": normal(config["vocab_size"], width)}
    for name in ("query", "key", "value"):
        made[f"{name}.weight"] = normal(width, inner) / np.sqrt(width)
    return {name: array.astype("<f4") for name, array in made.items()}


def store(path, arrays):
    header, at = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(words)) + words + b"".join(array.tobytes() for array in arrays.values()))


def main(folder, *zeros):
    with open(os.path.join(HERE, "config.json"), encoding="utf-8") as file:
        arrays = tensors(json.load(file))
    for name in zeros:
        arrays[name][:] = 0
    os.makedirs(folder, exist_ok=True)
    for name in ("config.json", "vocab.json"):
        if not os.path.exists(os.path.join(folder, name)):
            shutil.copy(os.path.join(HERE, name), folder)
    store(os.path.join(folder, "model.safetensors"), arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
