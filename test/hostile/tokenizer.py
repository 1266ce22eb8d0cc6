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


SEQUENCE = {"Sequence": {"id": "A", "type_id": 0}}


def around(name, says, **processor):
    return tokenizer(name, {**TOKENIZER, "post_processor": {"type": "BertProcessing", **processor}}, says)


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
    model("an unknown word piece without id", "error: unk_token '[UNK]' has no id in the vocabulary", type="WordPiece", unk_token="[UNK]"),
    model("word pieces without unknown one", "error: expected a string 'unk_token', got none", type="WordPiece"),
    model("words of no characters", "error: 'max_input_chars_per_word': expected a positive int, got 0", type="WordPiece", unk_token="a", max_input_chars_per_word=0),
    added("an empty added token", "error: an added token is empty", {"content": "", "id": 7}),
    added("one added token twice", "error: the added token 'x' is in the list twice", {"content": "x", "id": 7}, {"content": "x", "id": 7}),
    added("a flag that is none", "error: 'special': expected true or false, got 1", {"content": "x", "id": 7, "special": 1}),
    Case("an added token beyond the table", "m/tokenizer.json: error: the tokenizer has ids up to 99, but 'tokens' of entry 'forward' takes 0 to 2",
         {"m/model.heddle": text_with("  tokenizer", "  task generate(forward)\n  tokenizer"),
          FILE: json.dumps({**TOKENIZER, "added_tokens": [{"content": "x", "id": 99}]})}, "heddle build m -o out"),
    around("an end that nobody has", "error: '[SEP]' is put around texts, but neither the vocabulary nor the added tokens have it", cls=["a", 0], sep=["[SEP]", 1]),
    around("an end with another id", "error: 'b' is put around texts with id 2, but it has 1", cls=["a", 0], sep=["b", 2]),
    around("an end without id", "error: 'sep': expected a token and its id, got a list", cls=["a", 0], sep=["b"]),
    around("a template without text", "error: the template 'single' has the text 0 times, expected once", type="TemplateProcessing", single=[]),
    around("a template of two texts", "error: the template 'single' has the text 2 times, expected once", type="TemplateProcessing", single=[SEQUENCE] * 2),
    around("a template of a token without ids", "error: expected a member 'a' of 'special_tokens' with a list 'ids'", type="TemplateProcessing",
           single=[{"SpecialToken": {"id": "a"}}, SEQUENCE]),
    tokenizer("a template that asks for gigabytes", {**TOKENIZER, "post_processor": {
        "type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a"}}] * 50_000 + [SEQUENCE],
        "special_tokens": {"a": {"ids": [0] * 50_000, "tokens": ["a"] * 50_000}}}},
        "note: a tokenizer with more than 1024 ids around a text is not built yet", code=0, writes=("out",)),
    tokenizer("100,000 normalizers", {**TOKENIZER, "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFD"}] * 100_000}},
              "note: a tokenizer with more than 64 normalizers and splits is not built yet", code=0, writes=("out",)),
    tokenizer("an added token of a megabyte", {**TOKENIZER, "added_tokens": [{"content": "a" * 1_000_000, "id": 7}]},
              "note: a tokenizer with an added token of more than 1024 bytes is not built yet", code=0, writes=("out",)),
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
