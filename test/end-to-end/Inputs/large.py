"""large.py make FOLDER: a table of 2^23 + 16 rows, 2 GiB and a little, whose file takes no room; large.py check EXECUTABLE: rows around 2^31 bytes."""
import json
import struct
import sys

import numpy as np
from executable import Executable, check

ROWS, WIDTH = 2**23 + 16, 64
KNOWN = [0, 2**23 - 1, 2**23, ROWS - 1]


def values(row):
    return np.arange(row, row + WIDTH).astype(np.float32)


def make(folder):
    size = ROWS * WIDTH * 4
    header = json.dumps({"words": {"dtype": "F32", "shape": [ROWS, WIDTH], "data_offsets": [0, size]}}).encode()
    with open(folder + "/model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        begin = file.tell()
        file.truncate(begin + size)
        for row in KNOWN:
            file.seek(begin + row * WIDTH * 4)
            file.write(values(row).tobytes())


def look(path):
    ids = np.array([KNOWN + [ROWS - 2]], np.int32)
    found = Executable(path).run("look", {"tokens": ids})["result"][0]
    for row, got in zip(KNOWN, found):
        check((got == values(row)).all(), f"row {row}: {got[:4]}")
    check(not found[-1].any(), "a row of zeros")


{"make": make, "check": look}[sys.argv[1]](sys.argv[2])
