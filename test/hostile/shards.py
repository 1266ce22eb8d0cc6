# RUN: %python %s
"""Weights in several files: model.safetensors.index.json names nothing outside the folder and nothing that is not there."""
import json

from hostile import Case, fifo, folder, link, npy, run, safetensors, sparse, text_with

INDEX, ONE, TWO = "m/model.safetensors.index.json", "m/model-00001-of-00002.safetensors", "m/model-00002-of-00002.safetensors"
FIRST, SECOND = ONE[2:], TWO[2:]
MAP = {"words": FIRST, "scales": SECOND}
WORDS, SCALES = ("F32", [3, 2], [1, 2, 3, 4, 5, 6]), ("F32", [2], [7, 8])
SOUND = {
    "m/model.safetensors": None,
    "m/model.heddle": text_with("words[tokens]", "(words[tokens] * weight(\"scales\", [width]))"),
    ONE: safetensors({"words": WORDS}),
    TWO: safetensors({"scales": SCALES}),
    "t.npy": npy("<i4", [1, 2], [0, 1]),
}
EVAL = "heddle eval m forward --in tokens=t.npy --out result=r.npy"


def index(weight_map=None, **more):
    return json.dumps({"metadata": {"total_size": 32}, "weight_map": MAP if weight_map is None else weight_map, **more})


def shards(name, says, text=None, files=None, run="heddle check m", **more):
    return Case(name, says, {**SOUND, INDEX: index() if text is None else text, **(files or {})}, run, **more)


def named(name, file, says, files=None):
    """An index in which the second file has this name."""
    return shards(name, says, index({"words": FIRST, "scales": file}), files)


HERE = f"{INDEX}:1:"
OUTSIDE = "error: tensor 'scales': expected the name of a file inside the folder, got "
CASES = [
    shards("two files", [], run=EVAL, code=0, writes=("r.npy",)),
    shards("two files, built", [], run="heddle build m -o out", code=0, writes=("out",)),
    shards("metadata of any kind", [], index(metadata=[None], more=1), run="heddle build m -o out", code=0, writes=("out",)),
    shards("a tensor that the index does not name", f"{INDEX}: note: tensors of its files that it does not name are not seen: 1, the first is 'more'",
           files={TWO: safetensors({"scales": SCALES, "more": SCALES})}, run=EVAL, code=0, writes=("r.npy",)),
    shards("an index that is empty", f"{HERE}1: error: not valid JSON", ""),
    shards("an index cut short", f"{HERE}70: error: not valid JSON", index()[:69]),
    shards("an index that is a list", f"{HERE}1: error: expected an object with 'weight_map', got a list", "[]"),
    shards("an index of a million levels", f"{HERE}321: error: nested deeper than 64 levels", '{"a":' * 1_000_000),
    shards("an index of 200 megabytes", f"{INDEX}: error: too large: 200000000 bytes, at most 100000000 are read", files={INDEX: sparse(200_000_000)}),
    shards("an index that is a FIFO", f"{INDEX}: error: expected a file, got a FIFO", files={INDEX: fifo}),
    shards("an index that is a folder", f"{INDEX}: error: expected a file, got a folder", files={INDEX: folder}),
    shards("no map", f"{HERE}1: error: no 'weight_map'", '{"metadata": {}}'),
    shards("a map that is a list", f"{HERE}16: error: 'weight_map': expected an object, got a list", '{"weight_map": []}'),
    shards("a map of nothing", f"{HERE}16: error: 'weight_map' names no tensor", '{"weight_map": {}}'),
    shards("a tensor twice in the map", f"{HERE}31: error: key 'words' stands twice", f'{{"weight_map": {{"words": "x", "words": "{FIRST}"}}}}'),
    named("a number for a file", 2, OUTSIDE + "2"),
    named("a list for a file", [SECOND], OUTSIDE + "a list"),
    named("no name for a file", "", OUTSIDE + '""'),
    named("an absolute name", "/etc/passwd", OUTSIDE + '"/etc/passwd"'),
    named("a name that leads up", "../m/" + SECOND, OUTSIDE + '"../m/'),
    named("a name that leads up and down again", "x/../" + SECOND, OUTSIDE + '"x/../'),
    named("a name with a NUL", SECOND + "\0.safetensors", OUTSIDE),
    named("a name of 5,000 characters", "x" * 5000, "note: 1 tensor is said to lie in it"),
    named("a name of control characters", "\x1b[31m\u202ex", "is missing"),
    named("a file that is missing (B104)", "model-00003-of-00003.safetensors",
          [f"{HERE}104: error: 'm/model-00003-of-00003.safetensors' is missing", "note: 1 tensor is said to lie in it, the first is 'scales'"]),
    shards("a file that is missing, built (B104)", f"error: '{TWO}' is missing", files={TWO: None, "out": "old"}, run="heddle build m -o out"),
    named("a link out of the folder", "link", [f"{HERE}104: error: 'm/link' leads out of the folder, to '"],
          {"m/link": link("../other.safetensors"), "other.safetensors": SOUND[TWO]}),
    named("a folder that links out of the folder", "link/other.safetensors", "error: 'm/link/other.safetensors' leads out of the folder",
          {"m/link": link("../elsewhere"), "elsewhere/other.safetensors": SOUND[TWO]}),
    named("a link to a device", "link", "error: 'm/link' leads out of the folder, to '/dev/zero'", {"m/link": link("/dev/zero")}),
    named("a link that leads nowhere", "link", "m/link: error: cannot open: No such file or directory", {"m/link": link("nowhere")}),
    named("a link to itself", "link", "m/link: error: cannot open: Too many levels of symbolic links", {"m/link": link("link")}),
    named("a file that is a FIFO", "pipe", "m/pipe: error: expected a file, got a FIFO", {"m/pipe": fifo}),
    named("a file that is a folder", "folder", "m/folder: error: expected a file, got a folder", {"m/folder": folder}),
    named("the folder itself", ".", "m/.: error: expected a file, got a folder"),
    named("the index for a file", INDEX[2:], f"{INDEX}: error: no safetensors file, or cut short"),
    shards("a file cut short", f"{TWO}: error: tensor 'scales': data_offsets [0, 8]: the file has 4 bytes of data", files={TWO: SOUND[TWO][:-4]}),
    shards("a file that is empty", f"{TWO}: error: no safetensors file: 0 bytes", files={TWO: b""}),
    shards("a tensor that its file lacks (B109)", [f"{HERE}104: error: tensor 'scales' is not in '{TWO}'", "note: the file has 'scale'"],
           files={TWO: safetensors({"scale": SCALES})}),
    shards("tensors of each other's files", [f"error: tensor 'words' is not in '{TWO}'", f"note: it is in '{ONE}'", f"error: tensor 'scales' is not in '{ONE}'"],
           index({"words": SECOND, "scales": FIRST})),
    shards("a tensor that lies in two files", f"error: tensor 'words' lies in two files: '{ONE}' and '{TWO}'",
           files={TWO: safetensors({"scales": SCALES, "words": WORDS})}),
    shards("a tensor that the index leaves out", ["error: tensor 'scales' is missing: it is not in 'model.safetensors.index.json'"], index({"words": FIRST})),
    shards("a tensor of another shape", f"error: tensor 'scales': expected [width 2], got [1, 2] in '{SECOND}'",
           files={TWO: safetensors({"scales": ("F32", [1, 2], [7, 8])})}),
    shards("10,000 files", "error: more than 1000 files of weights", index({f"words.{i}": f"{i}.safetensors" for i in range(10_000)})),
    shards("900 files that are missing", ["error: 'm/0.safetensors' is missing", "error: and 880 more"], index({f"words.{i}": f"{i}.safetensors" for i in range(900)})),
    shards("100,000 tensors that the file lacks", ["error: tensor 'words.0' is not in", "error: and "],
           index({"scales": SECOND, "words": FIRST, **{f"words.{i}": FIRST for i in range(100_000)}})),
    shards("onto a file of the weights", "error: the output would replace a file that the model is made of", run=f"heddle build m -o {TWO}"),
    shards("onto a file of the weights that is a link", "error: the output would replace a file that the model is made of",
           files={TWO: link("two"), "m/two": SOUND[TWO]}, run=f"heddle build m -o {TWO}"),
]
run(CASES)
