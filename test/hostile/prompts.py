# RUN: %python %s
"""Texts for an executable: refused with line and column, before anything is printed."""
from hostile import Case, run

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
    Case("a text without id", "heddle: error: text of 'source', column 1: '他' has no id in the vocabulary", run=RUN + "source=他"),
    Case("a text that is too long", "heddle: error: argument 'source': row 0 (from 0) has positions 0 to 16, expected 0 to 15", run=RUN + "source=" + "a" * 17),
]
run(CASES)
