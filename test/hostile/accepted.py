# RUN: %python %s
"""Odd inputs that are sound, and what is said about them."""
import json
import struct

from hostile import CONFIG, TEXT, TOKENIZER, Case, config_with, folder, link, npy, raw_safetensors, run, safetensors, text_with

TOKENS = {"t.npy": npy("<i4", [1, 2], [0, 1])}
EVAL = "heddle eval m forward --in tokens=t.npy --out result=r.npy"
RUN = "test-model run encode --in source=t.npy --out result=r.npy"
LAYERS = text_with("    return", "    for i in 0..layers { words = words * weight(\"{i}\", [width]) }\n    return").replace("vocab_size, width: int", "vocab_size, width, layers: int")
HALVES = raw_safetensors('{"words": {"dtype": "F16", "shape": [3, 2], "data_offsets": [0, 12]}}', struct.pack("<6H", *[0x7E00] * 6))


def accepted(name, command, says=(), files=None, writes=("r.npy",)):
    return Case(name, says, files or {}, command, code=0, writes=writes)


CASES = [
    accepted("NaN in weights", EVAL, "m/model.safetensors: note: tensor 'words' holds NaN",
             {**TOKENS, "m/model.safetensors": safetensors({"words": ("F32", [3, 2], [1, float("nan"), 3, 4, 5, 6])})}),
    accepted("NaN in weights of 16 bits", "heddle build m -o out", "m/model.safetensors: note: tensor 'words' holds NaN", {"m/model.safetensors": HALVES}, ("out",)),
    accepted("a model whose files are links", "heddle check l",
             files={"l": folder, "l/model.heddle": link("../m/model.heddle"), "l/config.json": link("../m/config.json")}, writes=()),
    accepted("an index beside the single file", EVAL, "m/model.safetensors: note: read alone; 'model.safetensors.index.json' beside it is not looked at",
             {**TOKENS, "m/model.safetensors.index.json": "{"}),
    accepted("a text with CRLF", "heddle check m", files={"m/model.heddle": TEXT.replace("\n", "\r\n")}, writes=()),
    accepted("a loop of no turns", "heddle check m", files={"m/model.heddle": LAYERS, "m/config.json": config_with(layers=0)}, writes=()),
    accepted("a value used twice at every step", "heddle build m -o out", files={"m/model.heddle": text_with("    return", "    for i in 0..60 { words = words * words / (1 + exp(words + words)) }\n    return")},
             writes=("out",)),
    accepted("keys that the text does not declare", "heddle check m",
             files={"m/config.json": json.dumps({**CONFIG, "x": [None, {"y": -1e300}], "scale.y": 2**70, "": "\ud800"})}, writes=()),
    accepted("a tokenizer that is missing", "heddle check m", "m/tokenizer.json: note: the tokenizer's file is missing; ids still work", {"m/tokenizer.json": None}, ()),
    accepted("a tokenizer that is not built yet", "heddle build m -o out", "note: a tokenizer with a model of type 'Unigram' is not built yet; ids still work, text does not",
             {"m/tokenizer.json": json.dumps({**TOKENIZER, "model": {"type": "Unigram"}})}, ("out",)),
    accepted("int64 ids that fit", EVAL, files={"t.npy": npy("<i8", [1, 2], [0, 1])}),
    accepted("int64 ids that fit, executable", RUN, files={"t.npy": npy("<i8", [1, 2], [0, 1])}),
    accepted("ids beyond a length are not looked at", EVAL + " --lengths tokens=l.npy", files={"t.npy": npy("<i8", [1, 2], [0, -(2**60)]), "l.npy": npy("<i4", [1], [1])}),
    accepted("ids beyond a length are not looked at, executable", RUN + " --lengths source=l.npy",
             files={"t.npy": npy("<i8", [1, 2], [0, -(2**60)]), "l.npy": npy("<i4", [1], [1])}),
    accepted("a length of 0", EVAL + " --lengths tokens=l.npy", files={**TOKENS, "l.npy": npy("<i4", [1], [0])}),
    accepted("a length of 0, executable", RUN + " --lengths source=l.npy", files={**TOKENS, "l.npy": npy("<i4", [1], [0])}),
    accepted("a text of nothing, executable", "test-model run encode --text source= --out result=r.npy"),
    accepted("a batch of no rows", EVAL + " --lengths tokens=l.npy", files={"t.npy": npy("<i4", [0, 4]), "l.npy": npy("<i4", [0])}),
    accepted("a batch of no rows, executable", RUN + " --lengths source=l.npy", files={"t.npy": npy("<i4", [0, 4]), "l.npy": npy("<i4", [0])}),
    accepted("version 3 in Fortran order", EVAL, files={"t.npy": npy("<i4", [2, 3], [0, 0, 1, 1, 2, 2], fortran=True, version=3)}),
    accepted("version 3 in Fortran order, executable", RUN, files={"t.npy": npy("<i4", [2, 3], [0, 0, 1, 1, 2, 2], fortran=True, version=3)}),
]
run(CASES)
