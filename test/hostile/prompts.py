# RUN: %python %s
"""Texts for an executable: refused with line and column, before anything is printed."""
from hostile import Case, folder, npy, run

RUN = "test-model run encode --out result=r.npy --text "

CASES = [
    Case("a character without id", "heddle: error: input 1, column 2: '他' has no id in the vocabulary", run="test-model a他"),
    Case("a line with a character without id", "heddle: error: line 2, column 3: '他' has no id in the vocabulary", run="test-model", stdin="ab\na 他\n".encode()),
    Case("broken UTF-8", "heddle: error: line 2, column 1: the byte 0xff is no UTF-8", run="test-model", stdin=b"ab\n\xff\n"),
    Case("a sequence cut short", "heddle: error: line 1, column 2: the byte 0xe4 is no UTF-8", run="test-model", stdin=b"a\xe4\xbb"),
    Case("a surrogate in UTF-8", "heddle: error: line 1, column 1: the byte 0xed is no UTF-8", run="test-model", stdin=b"\xed\xa0\x80"),
    Case("an overlong form", "heddle: error: line 1, column 1: the byte 0xc1 is no UTF-8", run="test-model", stdin=b"\xc1\xa1"),
    Case("a NUL", "heddle: error: line 1, column 2: ", run="test-model", stdin=b"a\0b\n"),
    Case("an escape sequence", "heddle: error: line 1, column 2: '\\x1b' has no id in the vocabulary", run="test-model", stdin=b"a\x1b[31m"),
    Case("a line that is too long", "heddle: error: line 1 has 17 tokens, expected at most 16", run="test-model", stdin=b"a" * 17),
    Case("a line of a million characters", "heddle: error: line 1 has 1000000 tokens, expected at most 16", run="test-model", stdin=b"a" * 1_000_000),
    Case("a word that is no UTF-8", "heddle: error: input 2, column 2: the byte 0xff is no UTF-8", run="test-tasks a 'a\udcff'"),
    Case("a word cut short, as JSON", "heddle: error: input 1, column 1: the byte 0xe4 is no UTF-8", run="test-tasks --json '\udce4\udcbb'"),
    Case("tokens of a word that is no UTF-8", "heddle: error: input 1, column 1: the byte 0xff is no UTF-8", run="test-tasks --tokenize '\udcff'"),
    Case("a text of no token", "heddle: error: input 2 is empty, expected a text of one token at least", run="test-tasks a ''"),
    Case("a line of no token", "heddle: error: line 2 is empty, expected a text of one token at least", run="test-tasks -f l", files={"l": "a\n\n"}),
    Case("a text longer than the model takes, to go on with", "heddle: error: input 1 has 17 tokens, expected at most 16", run="test-tasks --task generate " + "a" * 17),
    Case("lines of a folder", "heddle: error: cannot read: 'd': Is a directory", {"d": folder}, "test-tasks -f d"),
    Case("lines of a file that is not there", "heddle: error: cannot open: 'nothing': No such file or directory", run="test-tasks -f nothing"),
    Case("lines of a binary file", "heddle: error: line 1, column 1: the byte 0x93 is no UTF-8", {"x.npy": npy("<f4", [1], [0])}, "test-tasks --tokenize -f x.npy"),
    Case("lines of an endless file", "heddle: error: ", run="test-tasks -f /dev/zero"),
    Case("vectors onto a folder", "heddle: error: cannot write 'd': it is a folder, expected a file", {"d": folder}, "test-tasks --out d a"),
    Case("vectors onto a full disk", "heddle: error: cannot write: 'r.npy': File too large", {"r.npy": "old"}, "test-tasks --out r.npy a", largest_file=64),
    Case("vectors to a full standard output", "heddle: error: cannot write standard output: No space left on device", run="test-tasks a", stdout="/dev/full"),
    Case("a text without id", "heddle: error: text of 'source', column 1: '他' has no id in the vocabulary", run=RUN + "source=他"),
    Case("a text that is too long", "heddle: error: argument 'source': row 0 (from 0) has positions 0 to 16, expected 0 to 15", run=RUN + "source=" + "a" * 17),
]
run(CASES)
