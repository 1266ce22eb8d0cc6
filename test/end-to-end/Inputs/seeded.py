"""Hugging Face style directories whose weights follow from the tensors' names, so that only names and shapes need keeping. numpy alone; tools/dev/hf-values
writes the same directories for transformers to read."""
import json
import math
import os
import zlib

import numpy as np


def uniform(name, shape):
    """Numbers of [-1, 1) in steps of 2^-23, exact in f32: splitmix64 of the place, started by the name. numpy's own generators may change with a version."""
    bits = np.arange(1, math.prod(shape) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(zlib.crc32(name.encode()) << 32)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    return ((bits >> np.uint64(40)).astype(np.float64) / 2**23 - 1).reshape(shape)


def tensor(name, shape):
    """Scaled by powers of two: tables in [-1, 1), biases in [-1/2, 1/2), gains about 1, matrices so that numbers keep their size. Nothing is near 0 or 1."""
    values = uniform(name, shape)
    if name.endswith("bias"):
        values /= 2
    elif len(shape) == 1:
        values = 1 + values / 2
    elif not any(word in name for word in ("embed_tokens", "embed_in", "shared", "relative_attention_bias")):
        values *= 2.0 ** round(math.log2(2 / math.sqrt(shape[-1])))
    return values.astype(np.float32)


def picture(name, config):
    """As a model of pictures takes it: [channels, height, width]."""
    return uniform(name, [config["num_channels"], config["image_size"], config["image_size"]])


def write_safetensors(path, tensors):
    header, begin = {"__metadata__": {"format": "pt"}}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [begin, begin + values.nbytes]}
        begin += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for values in tensors.values():
            file.write(values.tobytes())


def write_directory(folder, config, shapes):
    """config.json and model.safetensors."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2)
    write_safetensors(os.path.join(folder, "model.safetensors"), {name: tensor(name, shape) for name, shape in shapes.items()})


def write_words(folder, count):
    """tokenizer.json of the words `w0`, `w1` ..."""
    model = {"type": "WordPiece", "unk_token": "w0", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
             "vocab": {f"w{word}": word for word in range(count)}}
    with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump({"pre_tokenizer": {"type": "BertPreTokenizer"}, "model": model}, file)
