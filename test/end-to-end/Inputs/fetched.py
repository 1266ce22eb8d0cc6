"""fetched.py KIND EXECUTABLE FOLDER: the figures of the folder's expected.json within its README's bounds (absolute). KIND: embedder, texts, generator or
listener."""
import json
import os
import sys
import tempfile

import numpy as np
from executable import Executable, check, padded, same_bits
from models import load


def near(got, expected, bound, what):
    error = np.abs(np.asarray(got, np.float64) - np.asarray(expected, np.float64)).max()
    check(np.shape(got) == np.shape(expected) and error <= bound, f"{what}: off by {error:g}, allowed {bound:g}, shape {np.shape(got)}")
    return error


def near_summary(values, expected, bound, what):
    """What is stored of a vector of logits: the largest, the first, the sum, the length (L2). Sums are given to 9 digits; their errors add up."""
    largest = near(values[expected["top20_ids"]], expected["top20"], bound, f"{what}, largest")
    largest = max(largest, near(values[: len(expected["first8"])], expected["first8"], bound, f"{what}, first"))
    values = values.astype(np.float64)
    near(values.sum(), expected["sum"], bound * len(values), f"{what}, sum")
    near(np.sqrt((values**2).sum()), expected["l2"], bound * np.sqrt(len(values)), f"{what}, length")
    print(f"{what}: largest error {largest:.2g}, allowed {bound:g}")


def embedder(model, folder):
    cases = load(folder, "expected.json")["cases"]
    batch = load(folder, "expected.json")["batch"]
    for case in cases:
        tokens = {"tokens": np.array([case["ids"]], np.int32)}
        off = near(model.run("sentence", tokens)["result"][0], case["embedding"], 2e-6, f"embedding of {case['name']}")
        hidden = model.run("forward", tokens)["result"][0]
        near(hidden[0, :8], case["hidden_first_token"], 2e-5, f"first token of {case['name']}")
        near(hidden[-1, :8], case["hidden_last_token"], 2e-5, f"last token of {case['name']}")
        near(np.sqrt((hidden.astype(np.float64) ** 2).sum()), case["hidden_l2"], 2e-5 * np.sqrt(hidden.size), f"hidden values of {case['name']}")
        print(f"{case['name']}: embedding off by {off:.2g}, allowed 2e-06")
    lengths = np.array(batch["attention_mask"], np.int32).sum(axis=1, dtype=np.int32)
    vectors = model.run("sentence", {"tokens": np.array(batch["input_ids"], np.int32)}, lengths={"tokens": lengths})["result"]
    for name, vector in zip(batch["rows"], vectors):
        near(vector, next(case["embedding"] for case in cases if case["name"] == name), 2e-6, f"embedding of {name} in the padded batch")


def texts(model, folder):
    """The task embed, from text: ids, embeddings of all cases in one call, cosines of pairs."""
    cases, pairs = (load(folder, "expected.json")[key] for key in ("cases", "pairs"))
    lines = [json.loads(line) for line in model.call(["--json", "--", *(case["text"] for case in cases)]).decode().splitlines()]
    shown = [json.loads(line) for line in model.call(["--tokenize", "--json", "--", *(case["text"] for case in cases)]).decode().splitlines()]
    for case, line, ids in zip(cases, lines, shown, strict=True):
        off = near(np.array(line["embedding"], np.float32), case["embedding"], 2e-6, f"embedding of {case['name']}, from text")
        whole = ids["ids"] if len(ids["ids"]) <= 512 else ids["ids"][:511] + ids["ids"][-1:]  # cut where the model ends
        check(whole == case["ids"], f"ids of {case['name']}")
        print(f"{case['name']}: embedding from text off by {off:.2g}, allowed 2e-06")
    for pair in pairs:
        cosines = [json.loads(line) for line in model.call(["--compare", "--json", "--", pair["a"], pair["b"]]).decode().splitlines()]
        near(cosines[0][1], pair["cosine"], 1e-5, f"cosine of {pair['a']!r} and {pair['b']!r}")
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "v.npy")
        model.call(["--out", file, "--", *(case["text"] for case in cases)])
        check(same_bits(np.load(file), np.array([line["embedding"] for line in lines], np.float32)), "--out and --json differ")


def last_logits(model, rows):
    ids, lengths = padded(rows)
    logits = model.run("forward", {"tokens": ids}, lengths={"tokens": lengths})["result"]
    return [values[length - 1] for values, length in zip(logits, lengths)]


def generator(model, folder):
    cases = [case for case in load(folder, "expected.json")["cases"] if "prompt_ids" in case]
    short = [case for case in cases if len(case["prompt_ids"]) < 1000]
    for case, together in zip(short, last_logits(model, [case["prompt_ids"] for case in short])):
        alone = last_logits(model, [case["prompt_ids"]])[0]
        near_summary(alone, case["last_logits"], 5e-4, f"last logits of '{case['name']}'")
        check(same_bits(alone, together), f"'{case['name']}' alone and in the batch differ")
    for case in cases:
        if case not in short:
            near_summary(last_logits(model, [case["prompt_ids"]])[0], case["last_logits"], 2e-3, f"last logits of {len(case['prompt_ids'])} ids")


def tensors(path):
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header, data = json.loads(file.read(size)), file.read()
    return {name: np.frombuffer(data[slice(*one["data_offsets"])], np.float32).reshape(one["shape"]) for name, one in header.items() if name != "__metadata__"}


def listener(model, folder):
    """Features -> encoder output -> logits of the first token after the prompt; greedy ids of a text in one run, for a token does not see those after it."""
    heard = tensors(os.path.join(folder, "features.safetensors"))
    for case in load(folder, "expected.json")["cases"]:
        if case["name"] not in heard:
            continue  # its sounds are given, its features not
        features = np.full((1, 80, 3000), case["features_fill"], np.float32)
        features[0, :, : heard[case["name"]].shape[1]] = heard[case["name"]]
        memory = model.run("encode", {"features": features})["result"]
        expected = case["encoder_output"]
        off = max(near(memory[0, frame, : len(expected[f"frame{frame}"])], expected[f"frame{frame}"], 1e-3, f"frame {frame} of '{case['name']}'")
                  for frame in (0, 50, 1499))
        near(np.sqrt((memory.astype(np.float64) ** 2).sum()), expected["l2"], 1e-3 * np.sqrt(memory.size), f"encoder output of '{case['name']}'")
        print(f"encoder output of '{case['name']}': largest error {off:.2g}, allowed 0.001")
        tokens = np.array([case["prompt_ids"] + case["greedy_ids"]], np.int32)
        logits = model.run("decode", {"target": tokens, "memory": memory})["result"][0]
        first = len(case["prompt_ids"]) - 1
        near_summary(logits[first], case["first_logits"], 5e-4, f"first logits of '{case['name']}'")
        check(list(logits[first + 1 : -1].argmax(axis=-1)) == case["greedy_ids"][1:], f"greedy ids of '{case['name']}'")


if __name__ == "__main__":
    {"embedder": embedder, "texts": texts, "generator": generator, "listener": listener}[sys.argv[1]](Executable(sys.argv[2]), sys.argv[3])
