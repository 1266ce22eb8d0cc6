# RUN: %python %s
"""tokenizer.json and lists of words: what contradicts itself is refused; what is sound but not built yet is a note (test/frontend, test/unit/packing)."""
import json

from hostile import TOKENIZER, Case, folder, run, text_with

FILE = "m/tokenizer.json"


def tokenizer(name, content, says, **more):
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    return Case(name, says, {FILE: text}, **{"run": "heddle build m -o out", **more})


def model(name, says, **values):
    return tokenizer(name, {**TOKENIZER, "model": {**TOKENIZER["model"], **values}}, says)


def added(name, says, *tokens):
    return tokenizer(name, {**TOKENIZER, "added_tokens": list(tokens)}, says)


def words(name, content, says, settings=""):
    files = {"m/model.heddle": text_with('"tokenizer.json"', 'words("words.json")'), "m/words.json": content if isinstance(content, str) else json.dumps(content)}
    return Case(name, says, files, "heddle build m -o out" + settings)


CASES = [
    tokenizer("nothing", "", "m/tokenizer.json:1:1: error: not valid JSON"),
    tokenizer("no object", "[]", "m/tokenizer.json:1:1: error: expected an object, got a list"),
    tokenizer("no model", "{}", "m/tokenizer.json:1:1: error: expected an object 'model', got none"),
    tokenizer("cut short", json.dumps(TOKENIZER)[:40], "m/tokenizer.json:1:41: error: not valid JSON"),
    tokenizer("a million levels", '{"model": ' * 1_000_000, "m/tokenizer.json:1:641: error: nested deeper than 64 levels"),
    tokenizer("normalizers 60 deep and one wrong", {**TOKENIZER, "normalizer": json.loads('{"type": "Sequence", "normalizers": [' * 30 + "7" + "]}" * 30)},
              "error: expected an object or null, got 7"),
    model("a vocabulary that is a list", "m/tokenizer.json:1:42: error: expected an object 'vocab', got a list", vocab=["a"]),
    model("no vocabulary", "error: expected an object 'vocab', got null", vocab=None),
    model("an id beyond int32", "error: the id of 'a': expected 0 to 2147483647, got 2147483648", vocab={"a": 2**31}),
    model("a negative id", "error: the id of 'a': expected 0 to 2147483647, got -1", vocab={"a": -1}),
    model("an id that is no whole number", "error: the id of 'a': expected 0 to 2147483647, got 0.5", vocab={"a": 0.5}),
    model("one id for two words", "error: 'a' and 'b' have the same id 1", vocab={"a": 1, "b": 1}),
    model("100,000 wrong ids", "error: the id of 'w0'", vocab={f"w{i}": -1 for i in range(100_000)}),
    model("an unknown word without id", "error: unk_token '<unk>' has no id in the vocabulary", type="BPE", merges=[], unk_token="<unk>"),
    model("an unknown word that is a number", "error: 'unk_token': expected a string, got 7", unk_token=7),
    model("a word with escape sequences", "error: the id of '\\u{1b}[31m': expected 0 to 2147483647, got -1", vocab={"\x1b[31m": -1}),
    tokenizer("one word twice", '{"model": {"type": "WordLevel", "vocab": {"a": 0, "a": 1}}}', "m/tokenizer.json:1:51: error: key 'a' stands twice"),
    added("an added token with another id", "error: the added token 'a' has id 9, but it has 0 already", {"content": "a", "id": 9}),
    added("an added token on another's id", "error: the added token 'x' has id 0, but that is 'a' already", {"content": "x", "id": 0}),
    added("an added token without id", "error: expected an added token with a string 'content' and an int 'id'", {"content": "x"}),
    added("two added tokens with one id", "error: the added token 'y' has id 7, but that is 'x' already", {"content": "x", "id": 7}, {"content": "y", "id": 7}),
    added("one added token with two ids", "error: the added token 'x' has id 8, but it has 7 already", {"content": "x", "id": 7}, {"content": "x", "id": 8}),
    added("an added token beyond int32", "error: expected an added token with a string 'content' and an int 'id'", {"content": "x", "id": 2**31}),
    tokenizer("a pre-tokenizer without type", {**TOKENIZER, "pre_tokenizer": {}}, "error: expected a string 'type', got none"),
    words("a list that is an object", {"a": 0}, "m/words.json:1:1: error: expected a list of strings, got an object"),
    words("a number in a list of words", ["a", 7], "m/words.json:1:7: error: expected a string, got 7"),
    words("a word twice in a list", ["a", "b", "a"], "m/words.json:1:12: error: \"a\" is in the list twice"),
    words("an unknown id beyond the list", ["a", "b", "c"], "m/words.json: error: the id of the unknown symbol is 3, expected 0 to 2: the list has 3 symbols",
          " --set unk_token_id_source=3"),
    Case("a tokenizer that is a folder", "m/tokenizer.json: error: expected a file, got a folder", {FILE: folder}, "heddle build m -o out"),
    Case("a tokenizer outside of the folder", "m/model.heddle:11:3: error: tokenizer '../../../etc/passwd': expected the name of a file in the model's folder", {"m/model.heddle": text_with("tokenizer.json", "../../../etc/passwd")},
         "heddle build m -o out"),
]
run(CASES)
