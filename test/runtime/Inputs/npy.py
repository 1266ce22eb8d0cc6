#!/usr/bin/env python3
"""Arrays for command lines, without NumPy.

npy.py make FILE TYPE SHAPE VALUES...   writes FILE: npy.py make x.npy '<f4' 2,3 1 2 3 4 5 6   (SHAPE - : a scalar)
npy.py show FILE                        prints type, shape and values
"""
import ast
import struct
import sys

CODES = {"<f4": "f", "<i4": "i", "<i8": "q", "|b1": "B", "<f8": "d"}


def make(path, kind, shape, *values):
    extents = () if shape == "-" else tuple(int(part) for part in shape.split(","))
    header = repr({"descr": kind, "fortran_order": False, "shape": extents}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    number = float if CODES[kind] in "fd" else int
    data = struct.pack(f"<{len(values)}{CODES[kind]}", *(number(value) for value in values))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def show(path):
    with open(path, "rb") as file:
        contents = file.read()
    (length,) = struct.unpack("<H", contents[8:10])
    header = ast.literal_eval(contents[10 : 10 + length].decode())
    data = contents[10 + length :]
    code = CODES[header["descr"]]
    values = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    print(header["descr"], header["shape"], *(f"{value:g}" if code in "fd" else value for value in values))


if __name__ == "__main__":
    {"make": make, "show": show}[sys.argv[1]](*sys.argv[2:])
