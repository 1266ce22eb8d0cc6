# RUN: %python %s
"""A task against its entries, its settings and its tokenizers: contradictions are found when building; what is absent is a note."""
import json

from hostile import Case, run, safetensors

TEXT = """\
heddle 1
model tiny {
  config vocab_size, target_size, width: int
  entry encode(source: i32[batch, source... <= 8]) -> f32[batch, source..., width] = weight("source", [vocab_size, width])[source]
  entry decode(target: i32[batch, target... <= 8], memory: f32[batch, source..., width]) -> f32[batch, target..., target_size] {
    words = weight("target", [target_size, width])
    return attention(words[target], memory, memory) @ transpose(words)
  }
  tokenizer source words("source.json")
  tokenizer target words("target.json")
  task translate(encode, decode)
}
"""
CONFIG = {"vocab_size": 3, "target_size": 4, "width": 2, "decoder_start_token_id": 0, "eos_token_id": 1, "max_length": 8}
WEIGHTS = safetensors({"source": ("F32", [3, 2], [1, 2, 3, 4, 5, 6]), "target": ("F32", [4, 2], [1, 2, 3, 4, 5, 6, 7, 8])})


def task(name, says, run="heddle build m -o out", source=("a", "b", "c"), target=("s", "e", "x", "y"), **config):
    config = {key: value for key, value in {**CONFIG, **config}.items() if value is not None}
    files = {"m/model.heddle": TEXT, "m/config.json": json.dumps(config), "m/model.safetensors": WEIGHTS, "m/tokenizer.json": None,
             "m/source.json": json.dumps(source), "m/target.json": json.dumps(target)}
    is_note = "note: " in says
    return Case(name, says, files, run, code=0 if is_note else 1, writes=("out",) if is_note and "build" in run else ())


CASES = [
    task("an end that has no score", "m/model.heddle:11:3: error: setting 'end' of task 'translate': expected 0 to 3, the ids that have a score, got 4", eos_token_id=4),
    task("a start that has no score", "error: setting 'start' of task 'translate': expected 0 to 3, the ids that have a score, got 99", decoder_start_token_id=99),
    task("a negative end", "error: setting 'end' of task 'translate': expected at least 0, got -1", eos_token_id=-1),
    task("a limit of 0", "error: setting 'limit' of task 'translate': expected at least 1, got 0", max_length=0),
    task("an end in a list that has no score", "error: setting 'end' of task 'translate': expected 0 to 3, the ids that have a score, got 4", eos_token_id=[1, 4]),
    task("an end in a list that is no id", "error: 'eos_token_id': expected the id of a token or a list of ids, got \"x\"", eos_token_id=[1, "x"]),
    task("two starts", "error: setting 'start' of task 'translate': expected one number, got 2", decoder_start_token_id=[0, 1]),
    task("no end", "m/model.heddle:11:3: note: task 'translate' has no 'end' (eos_token_id): every text is translated to the limit", eos_token_id=None, run="heddle check m"),
    task("no start", "m/model.heddle:11:3: note: task 'translate' has no 'start' (decoder_start_token_id): no text is translated", decoder_start_token_id=None,
         run="heddle check m"),
    task("a source word without a row", "m/source.json: error: the tokenizer has ids up to 3, but 'source' of entry 'encode' takes 0 to 2", source=["a", "b", "c", "d"]),
    task("ids without a target word", "m/target.json: note: the tokenizer has ids up to 1, but entry 'decode' gives scores up to 3; those beyond print as nothing",
         target=["s", "e"]),
    Case("a task of entries that do not fit", "m/model.heddle:4:3: error: task 'translate': entry 'f' must take i32[batch, tokens...] first",
         {"m/model.heddle": "heddle 1\nmodel x {\n  entry f(x: f32[batch]) -> f32[batch] = x\n  task translate(f, f)\n}\n"}),
    Case("a task of entries that are not there", "m/model.heddle:4:21: error: a task takes the names of entries; there is no entry 'decode'",
         {"m/model.heddle": "heddle 1\nmodel x {\n  entry f(x: f32[batch]) -> f32[batch] = x\n  task translate(f, decode)\n}\n"}),
]
run(CASES)
