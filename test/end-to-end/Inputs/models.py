"""models.py KIND EXECUTABLE FOLDER: every logit and output of the folder's expected.json, singly and as one ragged batch, within 1e-5 of the largest
absolute value (the figures are float64). KIND says what the entries look like: generator, translator or classifier;
or which task is run from text or files: writer or pictures."""
import json
import os
import struct
import sys
import tempfile
import zlib

import numpy as np
from executable import Executable, check, padded, same_bits
from translation import close


def load(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as text:
        return json.load(text)


def load_tensor(path, name):
    """One tensor of U8 out of a safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    begin, end = header[name]["data_offsets"]
    return np.frombuffer(data[begin:end], np.uint8).reshape(header[name]["shape"])


def forward(model, rows):
    ids, lengths = padded(rows)
    logits = model.run("forward", {"tokens": ids}, lengths={"tokens": lengths})["result"]
    return [values[:length] for values, length in zip(logits, lengths)]


def generator(model, folder):
    """Logits of the last token of each prompt, and the greedy text: a token's logits do not depend on those after it, so one run over the whole text shows
    every choice that decoding makes."""
    expected = load(folder, "expected.json")
    cases = expected["cases"] if isinstance(expected, dict) else expected
    batch = forward(model, [case["prompt_ids"] for case in cases])
    for case, values in zip(cases, batch):
        alone = forward(model, [case["prompt_ids"]])[0]
        close(alone[-1], case["last_logits_f64"], f"last logits of {case['prompt']!r}")
        check(same_bits(alone, values), f"{case['prompt']!r} alone and in the batch differ")
    for case, values in zip(cases, forward(model, [case["greedy_ids"] for case in cases])):
        begin, ids = len(case["prompt_ids"]), case["greedy_ids"]
        check(list(values[begin - 1 : -1].argmax(axis=-1)) == ids[begin:], f"greedy ids after {case['prompt']!r}")
        close(values[begin - 1], case["last_logits_f64"], f"last logits of {case['prompt']!r}, more tokens after it")


def writer(model, folder):
    """The task generate, from text: the words of the prompt's ids are its text."""
    vocabulary = load(folder, "tokenizer.json")["model"]["vocab"]
    words = {id: word for word, id in vocabulary.items()}
    cases = load(folder, "expected.json")["cases"]
    prompts = [" ".join(words[id] for id in case["prompt_ids"]) for case in cases]
    answers = [json.loads(line) for line in model.call(["--json", "-n", "120", *prompts]).decode().splitlines()]
    end = load(folder, "generation_config.json")["eos_token_id"]
    for case, prompt, answer in zip(cases, prompts, answers, strict=True):
        expected = case["greedy_ids"][len(case["prompt_ids"]) :]
        ended = expected[-1] == end
        check(answer["text"] == prompt and answer["prompt_ids"] == len(case["prompt_ids"]), f"prompt {prompt!r}")
        check(answer["ids"] == (expected[:-1] if ended else expected) and answer["ended"] == ended, f"{prompt!r} gives {answer['ids']}")
    check(len(json.loads(model.call(["--json", "-n", "2", prompts[0]]))["ids"]) == 2, "-n 2 gives two ids")


def log_probabilities(logits, ids):
    """Of each next id, given the ids before it."""
    logits = logits[: len(ids) - 1].astype(np.float64)
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits[np.arange(len(ids) - 1), ids[1:]] - np.log(np.exp(logits).sum(axis=-1))


def forced(model, sources, targets):
    """Logits of given targets, all rows in one batch."""
    ids, lengths = padded(sources)
    memory = model.run("encode", {"source": ids}, lengths={"source": lengths})["result"]
    ids, widths = padded(targets)
    return model.run("decode", {"target": ids, "memory": memory}, lengths={"target": widths, "memory": lengths})["result"]


def translator(model, folder):
    expected = load(folder, "expected.json")
    cases = expected["cases"]
    words, texts = [case["source"] for case in cases], [case["greedy"] for case in cases]
    check(model.lines(words) == texts, "the names as one batch")
    for word, text in zip(words, texts):
        got = model.words(word)
        check(got == text + "\n", f"{word}: expected {text!r}, got {got!r}")
    sources, greedy = [case["source_ids"] for case in cases], [case["greedy_ids"] for case in cases]
    for case, logits in zip(cases, forced(model, sources, greedy)):
        alone = forced(model, [case["source_ids"]], [case["greedy_ids"]])[0]
        check(same_bits(alone, logits[: len(alone)]), f"{case['source']} alone and in the batch differ")
        close(logits[0], case["first_step_logits_f64"], f"first logits of {case['source']}")
        ids = case["greedy_ids"]
        check(list(logits[: len(ids) - 1].argmax(axis=-1)) == ids[1:], f"greedy ids of {case['source']}")
        near(log_probabilities(logits, ids), case["token_logprobs_of_greedy"], np.abs(logits).max(), f"greedy path of {case['source']}")
        best = [one["ids"] for one in case["best_by_sum_logprob"]]
        for one, values in zip(case["best_by_sum_logprob"], forced(model, [case["source_ids"]] * len(best), best)):
            near(log_probabilities(values, one["ids"]).sum(), one["sum_logprob"], np.abs(values).max(), f"{case['source']}: {one['text']}")
    letters = load(folder, "target_vocab.json")
    config = load(folder, "config.json")
    for one in expected["forced_scores"]:
        ids = [config["decoder_start_token_id"], *map(letters.index, one["target"]), config["eos_token_id"]]
        source = next(case["source_ids"] for case in cases if case["source"] == one["source"])
        values = forced(model, [source], [ids])[0]
        near(log_probabilities(values, ids), one["token_logprobs_published"], np.abs(values).max(), f"published scores of {one['source']}")


def near(got, expected, largest, what):
    """A logarithm of a probability is a difference of logits: the bound is theirs."""
    error = np.abs(np.asarray(got) - np.asarray(expected)).max()
    check(np.shape(got) == np.shape(expected) and error <= 1e-5 * largest, f"{what}: off by {error:g}, allowed {1e-5 * largest:g}")


def png(pixels):
    """A grey picture [height, width], as a file's bytes."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def pictures(model, folder):
    """The task classify, from files: PNG, PGM and .npy name the same digits."""
    expected, config = load(folder, "expected.json"), load(folder, "config.json")
    images = load_tensor(os.path.join(folder, "images.safetensors"), "images")
    with tempfile.TemporaryDirectory() as place:
        names = [os.path.join(place, f"{index}") for index in range(len(images))]
        for name, image in zip(names, images):
            with open(name + ".png", "wb") as file:
                file.write(png(image))
            with open(name + ".pgm", "wb") as file:
                file.write(b"P5 28 28 255\n" + image.tobytes())
            np.save(name + ".npy", ((image / 255.0 - config["image_mean"][0]) / config["image_std"][0]).astype(np.float32)[None])
        for kind in (".png", ".pgm", ".npy"):
            answers = [json.loads(line) for line in model.call(["--json", *(name + kind for name in names)]).decode().splitlines()]
            close(np.array([answer["scores"] for answer in answers], np.float32), expected["logits_f64"], f"scores of {kind}")
            check([answer["label"] for answer in answers] == [config["id2label"][str(label)] for label in expected["labels"]], f"labels of {kind}")
        lines = model.call([], "".join(name + ".png\n" for name in names).encode()).decode().splitlines()
        check([line.split("\t")[0] for line in lines] == [str(label) for label in expected["labels"]], "names of files on standard input")


def classifier(model, folder):
    """Pixels are normalised by the caller, as config.json says."""
    expected, config = load(folder, "expected.json"), load(folder, "config.json")
    images = load_tensor(os.path.join(folder, "images.safetensors"), "images")
    pixels = ((images / 255.0 - config["image_mean"][0]) / config["image_std"][0]).astype(np.float32)[:, None]
    batch = model.run("forward", {"pixels": pixels})["result"]
    close(batch, expected["logits_f64"], "logits")
    check(list(batch.argmax(axis=-1)) == expected["labels"], "labels")
    for index, values in enumerate(batch):
        check(same_bits(model.run("forward", {"pixels": pixels[index : index + 1]})["result"][0], values), f"picture {index} alone and in the batch differ")


if __name__ == "__main__":
    {"generator": generator, "writer": writer, "translator": translator, "classifier": classifier, "pictures": pictures}[sys.argv[1]](Executable(sys.argv[2]), sys.argv[3])
