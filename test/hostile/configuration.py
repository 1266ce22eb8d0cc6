# RUN: %python %s
"""config.json and generation_config.json: refused at the place where it is wrong. Keys that the text does not declare are ignored whatever they hold, but they must be JSON."""
from hostile import Case, config_with, fifo, run, sparse

FILE = "m/config.json"
OPEN = '{"vocab_size": 3, "width": 2, '


def config(name, text, says, **more):
    return Case(name, says, {FILE: text}, **more)


CASES = [
    config("nothing", "", "m/config.json:1:1: error: not valid JSON"),
    config("no object", "[3, 2]", "m/config.json:1:1: error: expected an object with configuration keys, got a list"),
    config("cut short", '{"vocab_size": 3, "wid', "m/config.json:1:23: error: not valid JSON"),
    config("text behind the end", '{"vocab_size": 3, "width": 2} }', "m/config.json:1:31: error: not valid JSON"),
    config("a key twice", '{"vocab_size": 3, "width": 2, "width": 3}', "m/config.json:1:31: error: key 'width' stands twice"),
    config("a key twice through an escape", OPEN + r'"wid\u0074h": 3}', "m/config.json:1:31: error: key 'width' stands twice"),
    config("a key twice in an object that nobody reads", OPEN + '"x": {"y": [{"z": 1, "z": 2}]}}', "m/config.json:1:52: error: key 'z' stands twice"),
    config("NaN as a word", '{"vocab_size": 3, "width": NaN}', "m/config.json:1:28: error: not valid JSON"),
    config("Infinity as a word", OPEN + '"scale": -Infinity}', "m/config.json:1:41: error: not valid JSON"),
    config("a number beyond double", OPEN + '"scale": 1e400}', "m/config.json:1:44: error: not valid JSON: number overflow"),
    config("a byte order mark", "\ufeff" + '{"vocab_size": 3, "width": 2}', "m/config.json:1:1: error: not valid JSON: it begins with a byte order mark"),
    config("broken UTF-8", OPEN.encode() + b'"note": "\xff"}', "m/config.json:1:40: error: not valid UTF-8"),
    config("a NUL", OPEN.encode() + b'"note": "\0"}', "m/config.json:1:40: error: not valid JSON: a NUL byte"),
    config("UTF-16", '{"vocab_size": 3}'.encode("utf-16"), "m/config.json:1:4: error: not valid JSON: a NUL byte"),
    config("a lone surrogate in a value that is used", OPEN + r'"note": "\ud800"}', "m/config.json:1:39: error: 'note': expected string, got \"�\\xed\\xa0\\x80\" with a lone surrogate"),
    config("a lone surrogate in a key", OPEN + r'"\ud800": 1}', "m/config.json:1:31: error: a key with a lone surrogate"),
    config("64 levels and one", OPEN + '"x": ' + "[" * 65 + "]" * 65 + "}", "m/config.json:1:99: error: nested deeper than 64 levels"),
    config("a million levels", "[" * 1_000_000, "m/config.json:1:65: error: nested deeper than 64 levels"),
    config("a string for an int", config_with(width="two"), "m/config.json:1:28: error: 'width': expected int, got \"two\""),
    config("2.5 for an int", config_with(width=2.5), "m/config.json:1:28: error: 'width': expected int, got 2.5"),
    config("2.0 for an int", config_with(width=2.0), "m/config.json:1:28: error: 'width': expected int, got 2.0"),
    config("true for an int", config_with(width=True), "m/config.json:1:28: error: 'width': expected int, got true"),
    config("an int beyond 64 bits", OPEN.replace("2", "99999999999999999999") + '"x": 0}', "m/config.json:1:28: error: 'width': expected int, got 1e+20"),
    config("the least int", config_with(width=-(2**63)), "m/config.json:1:28: error: 'width': expected int, got -9223372036854775808"),
    config("a list of the wrong things", config_with(factors=[1, "x"]), "m/config.json:1:46: error: 'factors': expected float, got \"x\""),
    config("null is no value", config_with(width=None), ["error: configuration key 'width' has no value and no default", "note: it is not in 'm/config.json'; give --set width=N"]),
    config("control characters in a value", config_with(width="\x1b[31m\u202e\x9b"), "'width': expected int, got \"\\u{1b}[31m\\u{202e}\\u{9b}\""),
    config("a value of a megabyte", config_with(width="x" * (1 << 20)), "m/config.json:1:28: error: 'width': expected int, got \"xxx"),
    config("larger than any configuration", " " * ((16 << 20) + 1), "m/config.json: error: too large: 16777217 bytes, at most 16777216 are read"),
    config("a value set to something else", "{}", "--set width=two: error: 'width': expected int, got \"two\"", run="heddle check m --set vocab_size=3 --set width=two"),
    Case("no configuration", ["error: configuration key 'vocab_size' has no value and no default", "note: there is no config.json; give --set vocab_size=N"], {FILE: None}),
    Case("no generation_config.json", "m/generation_config.json:1:1: error: not valid JSON", {"m/generation_config.json": ""}),
    Case("a generation_config.json that is a list", "m/generation_config.json:1:1: error: expected an object with configuration keys, got a list",
         {"m/generation_config.json": "[]"}),
    Case("a generation_config.json that is a FIFO", "m/generation_config.json: error: expected a file, got a FIFO", {"m/generation_config.json": fifo}),
    Case("a generation_config.json of 17 megabytes", "m/generation_config.json: error: too large: 17825792 bytes, at most 16777216 are read",
         {"m/generation_config.json": sparse(17 << 20)}),
]

run(CASES)
