# RUN: %python %s
"""The model text: broken as a text, as a program, or as a trap (depth, size, loops that do not end)."""
from hostile import TEXT, Case, run, text_with

FILE = "m/model.heddle"
HEAD = "heddle 1\nmodel tiny {\n  config vocab_size, width: int\n"
ENTRY = "  entry forward(x: f32[batch, width]) -> f32[batch, width] = x\n}\n"


def text(name, content, says, **more):
    return Case(name, says, {FILE: content}, **more)


def body(name, expression, says, **more):
    """An entry of one expression, in line 4."""
    return text(name, HEAD + f"  entry forward(x: f32[batch, width]) -> f32[batch, width] = {expression}\n}}\n", says, **more)


CASES = [
    text("nothing", "", "m/model.heddle"),
    text("cut short", TEXT[:150], "m/model.heddle:"),
    text("a byte order mark", "\ufeff" + TEXT, "m/model.heddle:1:1: error: the text begins with a byte order mark"),
    text("broken UTF-8", TEXT.encode().replace(b"words =", b"w\xc3\x28 ="), "m/model.heddle:8:6: error: the text is not UTF-8: byte 0xc3"),
    text("an overlong slash", TEXT.encode().replace(b"tiny", b"t\xc0\xafny"), "m/model.heddle:2:8: error: the text is not UTF-8: byte 0xc0"),
    text("a NUL", text_with("words =", "w\0rds ="), "m/model.heddle:8:6: error: the text holds a zero byte"),
    text("UTF-16", TEXT.encode("utf-16"), "m/model.heddle:1:1: error: the text is not UTF-8: byte 0xff"),
    text("an escape sequence between words", text_with("words =", "words \x1b[31m="), "m/model.heddle:8:11: error: unknown character '\\u{1b}'"),
    text("a line separator between words", text_with("words =", "words\u2028="), "m/model.heddle:8:10: error: unknown character '\\u{2028}'"),
    text("a no-break blank between words", text_with("words =", "words\u00a0="), "m/model.heddle:8:10: error: unknown character '\\u{a0}'"),
    text("a mark of direction in a name", text_with("words =", "wor\u202eds ="), "m/model.heddle:8:8: error: unknown character '\\u{202e}'"),
    text("a vertical tab", text_with("words =", "words\v="), "m/model.heddle:8:10: error: unknown character '\\u{b}'"),
    text("a letter of another alphabet", text_with("words =", "wоrds ="), "m/model.heddle:8:6: error: unknown character 'о'"),
    text("a string without end", text_with('"words"', '"words'), "m/model.heddle:8:20: error: the string has no end on its line"),
    text("a bracket that is not closed", text_with("[vocab_size, width])", "[vocab_size, width)"), "m/model.heddle:8:"),
    text("larger than any text", "#" * (17 << 20), "m/model.heddle: error: too large"),
    text("a language from the future", TEXT.replace("heddle 1", "heddle 2"), "m/model.heddle:1:8: error:"),
    text("brackets 100,000 deep", text_with("* scale", "* scale + " + "(" * 100_000 + "1" + ")" * 100_000), "levels of nesting"),
    text("minus signs 100,000 deep", text_with("* scale", "* " + "-" * 100_000 + "1"), "levels of nesting"),
    text("a sum of 100,000 terms", text_with("* scale", "* (" + "1 + " * 100_000 + "1)"), "m/model.heddle:9:"),
    text("lists 100,000 deep", text_with("= []", "= " + "[" * 100_000 + "]" * 100_000), "levels of nesting"),
    text("holes in strings 1,000 deep", text_with('"words"', '"{' * 1000 + "1" + '}"' * 1000), "levels of nesting"),
    text("if in if 10,000 deep", text_with("* scale", "* " + "if true { " * 10_000 + "1" + " } else { 2 }" * 10_000), "levels of nesting"),
    text("a name of a megabyte", text_with("words =", "w" * (1 << 20) + "="), "m/model.heddle:"),
    text("100,000 unknown names", text_with("* scale", "* scale\n" + "    y\n" * 100_000), "m/model.heddle:10:"),
    Case("a layout for broken UTF-8", "standard input:1:8: error: the text is not UTF-8: byte 0xc3", run="heddle fmt -", stdin=b"heddle \xc3\x28"),
    Case("a layout for brackets 100,000 deep", "x.heddle:1:228: error: more than 200 levels of nesting", {"x.heddle": "heddle 1 model m { let a = " + "(" * 100_000}, "heddle fmt x.heddle"),
    Case("a layout for more than a text may have", "standard input: error: the text has 1048577 bytes, expected at most 1048576", run="heddle fmt -", stdin=b"#" * (17 << 20)),
    text("30 wrong names", HEAD + "".join(f"  entry e{i}(x: f32[batch, width]) -> f32[batch, width] = y{i}\n" for i in range(30)) + "}\n",
         ["m/model.heddle:4:57: error: unknown name 'y0'", "unknown name 'y19'", "error: and 10 more errors"]),
    body("a function that calls itself", "f(x)\n  fn f(x) = f(x)", "m/model.heddle:5:6: error: function 'f' calls itself: f (line 5) -> f"),
    text("calls that double 40 times", HEAD + "".join(f"  fn f{i + 1}(x) = f{i}(f{i}(x))\n" for i in range(40)) + "  fn f0(x) = x + x\n"
         + ENTRY.replace("= x", "= f40(x)"), "m/model.heddle:"),
    text("a loop of 2^40 turns", text_with("    return", "    for i in 0..1099511627776 { words = words }\n    return"), "m/model.heddle:9:"),
    text("loops in loops in loops", text_with("    return", "    for i in 0..9999 { for j in 0..9999 { for k in 0..9999 { words = words + 1 } } }\n    return"),
         "1000000"),
    text("a loop that counts down", text_with("    return", "    for i in 3..1 { words = words }\n    return"), "m/model.heddle:9:"),
    text("strings that double", text_with("    return", "    s = \"x\"\n    for i in 0..60 { s = \"{s}{s}\" }\n    return"), "m/model.heddle:10:"),
    body("a division by zero", "x * (1 / 0)", "m/model.heddle:4:"),
    body("a division that leaves a rest", "x * (1 / (width - 3 + 4))", "m/model.heddle:4:"),
    body("a number beyond 64 bits", "x * 99999999999999999999", "m/model.heddle:4:66: error: the number 99999999999999999999 does not fit into 64 bits"),
    body("a number beyond double", "x * 1e999", "m/model.heddle:4:66: error: the number 1e999 does not fit into 64 bits"),
    body("an infinity made by hand", "x * (1e308 * 10.0)", "m/model.heddle:4:"),
    body("the least int negated", "x * -(-9223372036854775807 - 1)", "m/model.heddle:4:"),
    body("a tensor that is 2^40 long", "x + iota(1099511627776)", "m/model.heddle:4:"),
    body("rearranged to 2^62 elements", "rearrange(x, [b, d] -> [b, 4611686018427387904, d])", "m/model.heddle:4:"),
]
run(CASES)
