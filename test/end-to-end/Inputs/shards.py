"""A model's folder, its weights in several files: shards.py FROM TO COUNT."""
import json
import os
import shutil
import struct
import sys

source, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
shutil.copytree(source, target, ignore=shutil.ignore_patterns("model.safetensors"))
with open(os.path.join(source, "model.safetensors"), "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    data = file.read()
header.pop("__metadata__", None)
names, weight_map = sorted(header), {}
for shard in range(count):
    name, entries, bytes_ = f"model-{shard + 1:05}-of-{count:05}.safetensors", {}, b""
    for tensor in names[shard::count]:
        begin, end = header[tensor]["data_offsets"]
        entries[tensor] = {**header[tensor], "data_offsets": [len(bytes_), len(bytes_) + end - begin]}
        bytes_ += data[begin:end]
        weight_map[tensor] = name
    text = json.dumps(entries).encode()
    with open(os.path.join(target, name), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes_)
with open(os.path.join(target, "model.safetensors.index.json"), "w", encoding="utf-8") as file:
    json.dump({"metadata": {"total_size": len(data)}, "weight_map": weight_map}, file, indent=2)
