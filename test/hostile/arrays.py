# RUN: %python %s
"""Arrays for an executable and for the interpreter: .npy of versions 1 to 3, of the argument's element type, of exactly the bytes that the header asks for.

The hand-written model: encode(source: i32[batch, source... <= 16]) with ids 0 to 6; the sound one of the interpreter: forward(tokens: i32[batch, sequence...])
with ids 0 to 2."""
from hostile import Case, npy, run

GOOD = npy("<i4", [2, 3], [0, 1, 2, 0, 1, 2])


def both(name, content, executable, interpreter, lengths=None, starts=None):
    """The same input to both."""
    files, options = {"t.npy": content}, ""
    for option, rows in ("lengths", lengths), ("starts", starts):
        if rows is not None:
            files[option + ".npy"] = rows
            options += f" --{option} NAME={option}.npy"
    command = "test-model run encode --in source=t.npy --out result=r.npy"
    return [Case(f"{name}, executable", "heddle: error: " + executable, files, command + options.replace("NAME", "source")),
            Case(f"{name}, interpreter", interpreter, files, "heddle eval m forward --in tokens=t.npy --out result=r.npy" + options.replace("NAME", "tokens"))]


TABLE = [
    both("nothing", b"", "'t.npy' is no .npy file", "t.npy: error: no .npy file"),
    both("another format", b"PK\x03\x04" + b"\0" * 60, "'t.npy' is no .npy file", "t.npy: error: no .npy file"),
    both("version 4", npy("<i4", [1, 1], [0], version=4), "'t.npy' is a .npy file of version 4.0", "t.npy: error: .npy version 4.0 is none of"),
    both("a header longer than the file", npy("<i4", [1, 1], [0], version=2, length=0xFFFFFFFF), "'t.npy' has a header of 4294967295 bytes", "t.npy: error: the header is said to have"),
    both("a header that is no dictionary", npy("<i4", [], header="__import__('os')"), "'t.npy' is no NumPy header", "t.npy: error: the header is not one that NumPy writes"),
    both("a header without shape", npy("<i4", [], header="{'descr': '<i4', 'fortran_order': False}"), "'t.npy' lacks one of", "t.npy: error: the header is not one"),
    both("a key twice", npy("<i4", [], header="{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (1, 1)}"), "'t.npy' has another key", "t.npy: error: the header"),
    both("objects", npy("|O", [1, 1], rest=b"\0" * 8), "'t.npy': expected i32 ('<i4' or '<i8'), got '|O'", "t.npy: error: elements of type '|O'"),
    both("records", npy("x", [], header="{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1, 1)}"), "'t.npy' holds records", "t.npy: error: the header"),
    both("big-endian", npy(">i4", [1, 1], [0]), "'t.npy': expected i32 ('<i4' or '<i8'), got '>i4'", "t.npy: error: elements of type '>i4'"),
    both("floats for ids", npy("<f4", [1, 1], [0]), "'t.npy': expected i32 ('<i4' or '<i8'), got '<f4'", "t.npy: error: argument 'tokens': expected elements of int32, got F32"),
    both("ids beyond int32", npy("<i8", [1, 1], [2**32]), "'t.npy': 4294967296 at row 0, column 0 (from 0) does not fit 32 bits", "error: argument 'tokens', row 0, column 0: id 4294967296"),
    both("ids beyond the table", npy("<i4", [1, 2], [0, 7]), "argument 'source': id 7 at row 0, column 1 (from 0), expected 0 to 6", "error: argument 'tokens', row 0, column 1: id 7 is not within 0 to 2"),
    both("negative ids", npy("<i4", [1, 2], [0, -1]), "argument 'source': id -1 at row 0, column 1", "error: argument 'tokens', row 0, column 1: id -1 is not within 0 to 2"),
    both("another rank", npy("<i4", [2], [0, 1]), "argument 'source': expected 2 axes", "error: argument 'tokens': "),
    both("17 axes", npy("<i4", [1] * 17, [0]), "'t.npy' has more than 16 axes", "t.npy: error: 17 axes, at most 16 are read"),
    both("a sign", npy("<i4", [], header="{'descr': '<i4', 'fortran_order': False, 'shape': (-0, 1)}"), "'t.npy' has a shape that is no tuple of whole numbers", "t.npy: error: the header"),
    both("no values, but extents that wrap", npy("<i4", [0, 2**62, 2**62]), "'t.npy': its header asks for more than", "t.npy: error: shape [0, 4611686018427387904, 4611686018427387904]"),
    both("a width of 0", npy("<i4", [1, 0]), "argument 'source': axis 1 (from 0) has 0 elements, expected at least 1", "error: argument 'tokens': "),
    both("a shape that wraps to 0", npy("<i4", [2**32, 2**32]), "'t.npy': its header asks for more than", "t.npy: error: shape [4294967296, 4294967296] of '<i4' does not agree with 0 bytes"),
    both("a shape of 2^40", npy("<i4", [2**20, 2**20], [0]), "'t.npy': its header asks for 4398046511104 bytes of values, the file has 4", "t.npy: error: shape [1048576, 1048576]"),
    both("an extent beyond 64 bits", npy("<i4", [10**20, 1]), "'t.npy' has an extent beyond 64 bits", "t.npy: error: the header"),
    both("a negative extent", npy("<i4", [-1, 1], [0]), "'t.npy' has a shape that is no tuple of whole numbers", "t.npy: error: the header"),
    both("cut short", npy("<i4", [2, 2], [0, 1, 2]), "'t.npy': its header asks for 16 bytes of values, the file has 12", "t.npy: error: shape [2, 2] of '<i4' does not agree with 12 bytes"),
    both("trailing bytes", npy("<i4", [1, 1], [0], rest=b"x"), "'t.npy': its header asks for 4 bytes of values, the file has 5", "t.npy: error: shape [1, 1] of '<i4' does not agree with 5 bytes"),
    both("a type of control characters", npy("<i4", [], header="{'descr': '\x1b[31m', 'fortran_order': False, 'shape': (1, 1)}"), "'t.npy': expected i32 ('<i4' or '<i8'), got '\\x1b[31m'", "t.npy: error: elements of type '\\u{1b}[31m'"),
    both("lengths beyond the width", GOOD, "argument 'source': row 1 (from 0) has length 4, expected 0 to 3", "error: 'sequence', row 1: length 4", lengths=npy("<i4", [2], [3, 4])),
    both("a negative length", GOOD, "argument 'source': row 0 (from 0) has length -1, expected 0 to 3", "error: 'sequence', row 0: length -1", lengths=npy("<i4", [2], [-1, 2])),
    both("lengths for another batch", GOOD, "'lengths.npy': expected i32[2]", "lengths.npy: error: --lengths tokens: expected int32 [2]", lengths=npy("<i4", [3], [1, 1, 1])),
    both("lengths that are floats", GOOD, "'lengths.npy': expected i32", "lengths.npy: error: --lengths tokens: expected int32 [2]", lengths=npy("<f4", [2], [1, 1])),
    both("lengths beyond int32", GOOD, "'lengths.npy': 4294967297 at index 0", "error: ", lengths=npy("<i8", [2], [2**32 + 1, 1])),
    both("a negative start", GOOD, "argument 'source': row 1 (from 0) has positions -1", "error: 'sequence', row 1: start -1", starts=npy("<i4", [2], [0, -1])),
    both("starts whose end wraps", GOOD, "argument 'source': row 0 (from 0) has positions 2147483647", "error: 'sequence', row 0: start 2147483647", starts=npy("<i4", [2], [2**31 - 1, 0])),
    [Case("a bool of 2, executable", "heddle: error: 'keep.npy': the byte 2 is no bool, expected 0 or 1", {"x.npy": npy("<f4", [1, 2], [1, 2]), "keep.npy": npy("|b1", [], [2])},
          "test-model run scale --in x=x.npy --in keep=keep.npy --out scaled=r.npy")],
    [Case("a scalar that is none, executable", "heddle: error: argument 'factor': expected a number or FILE.npy, got 'two'", {"x.npy": npy("<f4", [1, 2], [1, 2])},
          "test-model run scale --in x=x.npy --in factor=two --out scaled=r.npy")],
    [Case("a scalar beyond int32, executable", "heddle: error: argument 'shift': expected a whole number or FILE.npy, got '2147483648'", {"x.npy": npy("<f4", [1, 2], [1, 2])},
          "test-model run scale --in x=x.npy --in shift=2147483648 --out scaled=r.npy")],
    [Case("rows that would take 2^50 bytes, executable", "heddle: error: ", {"t.npy": npy("<i4", [1 << 12, 1], [0] * (1 << 12)), "m.npy": npy("<f4", [1 << 12, 1, 4], [0] * (1 << 14))},
          "test-model run decode --in target=t.npy --in memory=m.npy --lengths memory=t.npy --out result=r.npy")],
]
run([case for row in TABLE for case in row])
