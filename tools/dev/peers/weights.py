"""The weights of a model, from a seed, and the inputs of a case. One file, model.safetensors: Heddle reads it, and the graphs of the peers point into it.

python -m peers.weights FOLDER < CASES writes what is not there yet; CASES is a list of them in JSON."""
import json
import os
import struct
import sys

import numpy as np

from peers import cases, checkpoint


def shapes(model):
    """name -> shape, as the model's text has them."""
    return {"products": products, "attention": lambda sizes: {}, "bert": bert, "vit": vit, "gpt2": gpt2}[model.family](model.sizes)


def products(sizes):
    n, k, copies = (sizes[name] for name in ("n", "k", "copies"))
    return {f"w.{i}": (k, n) for i in range(copies)} | {f"b.{i}": (n,) for i in range(copies)}


def norm(name, width):
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def linear(name, n, k):
    return {f"{name}.weight": (n, k), f"{name}.bias": (n,)}


def bert(sizes):
    width, inner = sizes["hidden_size"], sizes["intermediate_size"]
    found = {"embeddings.word_embeddings.weight": (sizes["vocab_size"], width), "embeddings.token_type_embeddings.weight": (2, width),
             "embeddings.position_embeddings.weight": (sizes["max_position_embeddings"], width)} | norm("embeddings.LayerNorm", width)
    for i in range(sizes["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        for part in ("query", "key", "value"):
            found |= linear(f"{layer}.attention.self.{part}", width, width)
        found |= linear(f"{layer}.attention.output.dense", width, width) | norm(f"{layer}.attention.output.LayerNorm", width)
        found |= linear(f"{layer}.intermediate.dense", inner, width) | linear(f"{layer}.output.dense", width, inner)
        found |= norm(f"{layer}.output.LayerNorm", width)
    return found


def vit(sizes):
    width, inner, patch, channels = (sizes[name] for name in ("hidden_size", "intermediate_size", "patch_size", "num_channels"))
    tokens = (sizes["image_size"] // patch) ** 2 + 1
    found = {"embeddings.cls_token": (1, 1, width), "embeddings.position_embeddings": (1, tokens, width),
             "embeddings.patch_embeddings.projection.weight": (width, channels, patch, patch), "embeddings.patch_embeddings.projection.bias": (width,)}
    for i in range(sizes["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        for part in ("query", "key", "value"):
            found |= linear(f"{layer}.attention.attention.{part}", width, width)
        found |= linear(f"{layer}.attention.output.dense", width, width)
        found |= linear(f"{layer}.intermediate.dense", inner, width) | linear(f"{layer}.output.dense", width, inner)
        found |= norm(f"{layer}.layernorm_before", width) | norm(f"{layer}.layernorm_after", width)
    return found | norm("layernorm", width) | linear("classifier", sizes["num_labels"], width)


def gpt2(sizes):
    width = sizes["n_embd"]
    found = {"wte.weight": (sizes["vocab_size"], width), "wpe.weight": (sizes["n_positions"], width)} | norm("ln_f", width)
    for i in range(sizes["n_layer"]):
        # The matrices of this family are stored [in, out].
        for name, n, k in (("attn.c_attn", 3 * width, width), ("attn.c_proj", width, width), ("mlp.c_fc", 4 * width, width), ("mlp.c_proj", width, 4 * width)):
            found |= {f"h.{i}.{name}.weight": (k, n), f"h.{i}.{name}.bias": (n,)}
        found |= norm(f"h.{i}.ln_1", width) | norm(f"h.{i}.ln_2", width)
    return found


def is_gain(name):
    """Gains of norms lie around 1, everything else around 0."""
    return name.endswith(".weight") and any(part in name.lower() for part in ("norm", "ln_"))


def write(model, folder):
    """Writes the file, if it is not there."""
    path = os.path.join(folder, "model.safetensors")
    if os.path.exists(path) or not shapes(model):
        return
    header, end = {}, 0
    for name, shape in shapes(model).items():
        size = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    random = np.random.default_rng(7)
    with open(path + ".new", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes(model).items():
            values = random.standard_normal(int(np.prod(shape)), dtype=np.float32) * np.float32(0.1 if is_gain(name) else 0.03)
            file.write((values + np.float32(1) if is_gain(name) else values).tobytes())
    os.rename(path + ".new", path)


def read(folder):
    """name -> array, mapped."""
    path = os.path.join(folder, "model.safetensors")
    return {name: np.memmap(path, np.float32, "r", offset, tuple(shape)) for name, (shape, offset, _) in checkpoint.places(folder).items()}


def inputs(case):
    """name -> array: f32 around 0, or ids; where rows have lengths, also `lengths`, and ids of padding are 0."""
    random = np.random.default_rng(11)
    found = {}
    for name, shape in case.inputs.items():
        if name in case.ids:
            found[name] = random.integers(0, case.ids[name], shape, dtype=np.int32)
            if case.lengths:
                found[name][np.arange(shape[1]) >= np.array(case.lengths)[:, None]] = 0
        else:
            found[name] = random.standard_normal(shape, dtype=np.float32)
    if case.lengths:
        found["lengths"] = np.array(case.lengths, np.int32)
    return found


def main():
    for fields in json.load(sys.stdin):
        case = cases.from_dictionary(fields)
        folder = os.path.join(sys.argv[1], case.model.name)
        os.makedirs(os.path.join(folder, case.file()), exist_ok=True)
        write(case.model, folder)
        for name, values in inputs(case).items():
            np.save(os.path.join(folder, case.file(), f"{name}.npy"), values)


if __name__ == "__main__":
    main()
