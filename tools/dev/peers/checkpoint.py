"""Where the numbers of a file begin: of each tensor of model.safetensors, of the array of an .npy."""
import json
import os
import struct


def places(folder):
    """name -> (shape, offset into the file, bytes)."""
    path = os.path.join(folder, "model.safetensors")
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
    return {name: (one["shape"], 8 + size + one["data_offsets"][0], one["data_offsets"][1] - one["data_offsets"][0]) for name, one in header.items()}


def array_place(path, elements):
    """Of an .npy of so many f32."""
    return os.path.getsize(path) - 4 * elements
