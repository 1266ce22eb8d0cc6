"""Each example's text with its built-ins written out, as raw formulas, gives the graph that the text itself gives, letter by letter, and an executable
that gives the same bits."""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from executable import Executable

heddle, examples, inputs, folder = sys.argv[1:]
with open(f"{inputs}/written-out.txt", encoding="utf-8") as file:
    formulas = file.read()

encoder_decoder = {
    f"{side}_{key}": value
    for side in ("encoder", "decoder")
    for key, value in {
        "layers": 2,
        "attention_heads": 2,
        "ffn_dim": 64
    }.items()
}
sizes = {
    "prenorm-seq2seq": encoder_decoder | {
        "d_model": 32,
        "vocab_size": 50,
        "decoder_vocab_size": 40,
        "max_position_embeddings": 32,
        "normalization": "pre"
    },
    "whisper": encoder_decoder | {
        "vocab_size": 50,
        "num_mel_bins": 8,
        "d_model": 32,
        "max_source_positions": 10,
        "max_target_positions": 12
    },
    "positions": {
        "d_model": 512
    },
    "gpt2": {
        "vocab_size": 50,
        "n_positions": 32,
        "n_embd": 24,
        "n_layer": 2,
        "n_head": 3
    },
}
# What an example's own text has written out, and the built-ins that it stands for.
stands_for = {
    "gpt2": [
        (r"\(x - mean\(x\)\) / sqrt\(var\(x\) \+ (\w+)\) \* (weight\(.*?\]\)) \+ (weight\(.*?\]\))", r"layer_norm(x, \2, \3, \1)"),
        (r"    (scores|p) = .*\n", ""),
        (r"p @ heads\(v, n_head\)", "attention(heads(q, n_head), heads(k, n_head), heads(v, n_head), mask=causal, scale=scale)"),
    ]
}
# Of these a published configuration lies beside the test.
saved = {
    "llama": ["llama-default", "llama-yarn", "llama-mistral", "llama-qwen2"],
    "qwen3": ["qwen3-saved"],
    "gemma": ["gemma2-caps", "gemma3-saved"],
    "phi3": ["phi3-partial", "phi3-window"],
    "gpt-neox": ["gpt-neox-saved"],
    "t5": ["t5-buckets", "t5-gated"],
    "marian": ["marian-saved"],
    "bert": ["bert-gelu", "roberta-saved"],
    "distilbert": ["distilbert-saved"],
    "vit": ["vit-saved"],
}
own = ["attention", "german-numbers"]  # with a config.json of their own


def configurations():
    for example, names in saved.items():
        for name in names:
            with open(f"{inputs}/hf/{name}.json", encoding="utf-8") as file:
                yield example, name, json.load(file)["config"]
    for example in own:
        with open(f"{examples}/{example}/config.json", encoding="utf-8") as file:
            yield example, example, json.load(file)
    for example, configuration in sizes.items():
        yield example, example, configuration


def written(text):
    text = text.replace("gain=gain", "by=gain")
    for name in ("rms_norm", "layer_norm", "softmax", "gelu", "gelu_tanh", "silu", "activation", "rotary", "sinusoidal", "attention"):
        text = re.sub(rf"(?<![\w.]){name}\(", f"written_{name}(", text)
    if "attention-lesson" in text:
        text = text.replace("written_attention(", "written_attention_of_one(")
    end = text.rstrip().rindex("}")
    return text[:end] + formulas + text[end:]


def built(example, text):
    for pattern, builtin in stands_for.get(example, []):
        text, count = re.subn(pattern, builtin, text)
        assert count, f"{example}: no {pattern}"
    return text


def write(path, configuration, text):
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/config.json", "w", encoding="utf-8") as file:
        json.dump(configuration, file)
    with open(f"{path}/model.heddle", "w", encoding="utf-8") as file:
        file.write(text)


def build(path, *options):
    done = subprocess.run([heddle, "build", path, "--weights", "seed:1", "--validate-rewrites", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def arguments(signature, configuration):
    """Arrays for an entry's arguments, `tokens: i32[batch, sequence... <= n_positions], ...`, and lengths of the ragged ones."""
    arrays, lengths, chance = {}, {}, np.random.default_rng(1)
    for name, element, axes in re.findall(r"(\w+): ([fi]32)\[([^\]]*)\]", signature):
        shape = []
        for axis in re.split(r",\s*", axes):
            if "..." in axis:
                lengths[name] = np.array([7, 0, 3], np.int32)
            shape.append(3 if axis == "batch" else 8 if "..." in axis else eval(axis, {}, configuration))  # of our own texts
        arrays[name] = chance.standard_normal(shape).astype(np.float32) if element == "f32" else chance.integers(0, 2, shape).astype(np.int32)
    return arrays, lengths


def differ(example, name, configuration, runs):
    """What differs between the two texts, or nothing."""
    (model,) = [file for file in os.listdir(f"{examples}/{example}") if file.endswith(".heddle")]
    with open(f"{examples}/{example}/{model}", encoding="utf-8") as file:
        text = file.read()
    with_builtins = built(example, text)
    texts = {f"{folder}/{name}": with_builtins, f"{folder}/{name}-written": text if text != with_builtins else written(text)}
    for path, each in texts.items():
        write(path, configuration, each)
    if len({build(path, "--emit=graph") for path in texts}) != 1:
        return f"{name}: the graph"
    if not runs:
        return None
    for path in texts:
        build(path, "--cpu", "x86-64-v3", "-o", f"{path}/model")
    compared = 0
    for entry, signature in re.findall(r"^  entry (\w+)\(([^()]*)\)\s*->\s*[fi]32", text, re.MULTILINE):
        if f"\n  {entry}(" not in subprocess.run([f"{folder}/{name}/model", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout:
            continue  # an entry for weights that this model lacks
        arrays, lengths = arguments(signature, configuration)
        one, other = (Executable(f"{path}/model").run(entry, arrays, lengths=lengths)["result"] for path in texts)
        if one.tobytes() != other.tobytes() or not one.any():
            return f"{name}: results of {entry}"
        compared += 1
    return None if compared else f"{name}: no entry was run"


def main():
    seen, jobs = set(), []
    for example, name, configuration in configurations():
        jobs.append((example, name, configuration, example not in seen))  # each example runs once
        seen.add(example)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        different = [line for line in pool.map(lambda job: differ(*job), jobs) if line]
    assert not different, f"not the same: {different}"
    texts = [name for name in os.listdir(examples) if any(file.endswith(".heddle") for file in os.listdir(f"{examples}/{name}"))]
    assert seen == set(texts), f"examples without a test: {set(texts) - seen}"


main()
