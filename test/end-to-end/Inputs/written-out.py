"""Each example's text with its built-ins written out, as raw formulas, gives the graph that the text itself gives, letter by letter."""
import json
import os
import re
import subprocess
import sys

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
    "bert": {
        "vocab_size": 100,
        "hidden_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 96,
        "max_position_embeddings": 64
    },
    "prenorm-seq2seq": encoder_decoder | {
        "d_model": 32,
        "vocab_size": 50,
        "decoder_vocab_size": 40,
        "max_position_embeddings": 32,
        "normalization": "pre"
    },
    "vit": {
        "image_size": 16,
        "patch_size": 8,
        "num_channels": 3,
        "num_hidden_layers": 2,
        "hidden_size": 32,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "id2label": ["a", "b"]
    },
    "whisper": encoder_decoder | {
        "vocab_size": 50,
        "num_mel_bins": 8,
        "d_model": 32,
        "max_source_positions": 10,
        "max_target_positions": 12
    },
    "positions": {},
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


def graph(path, configuration, text):
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/config.json", "w", encoding="utf-8") as file:
        json.dump(configuration, file)
    with open(f"{path}/model.heddle", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([heddle, "build", path, "--weights", "seed:1", "--emit=graph"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


different = []
for example, name, configuration in configurations():
    (model,) = [file for file in os.listdir(f"{examples}/{example}") if file.endswith(".heddle")]
    with open(f"{examples}/{example}/{model}", encoding="utf-8") as file:
        text = file.read()
    path = f"{folder}/{name}"
    if graph(path, configuration, text) != graph(f"{path}-written", configuration, written(text)):
        different.append(name)
assert not different, f"other graphs: {different}"
