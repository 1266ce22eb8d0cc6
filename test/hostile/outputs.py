# RUN: %python %s
"""Outputs that cannot be written: an older file stays as it was, and nothing is left beside it."""
from hostile import Case, fifo, folder, link, npy, run

OLD = {"out": "old"}
TOKENS = {"t.npy": npy("<i4", [2, 3], [0, 1, 2, 0, 1, 2]), "r.npy": "old"}
EVAL = "heddle eval m forward --in tokens=t.npy --out result="
RUN = "test-model run encode --in source=t.npy --out result="
LINALG = "heddle build m --emit=linalg"
CRAMPED = "heddle 1 model m{let a=1 let b=2}"


def locked(path):
    path.mkdir()
    path.chmod(0o555)


def locked_text(path):
    path.mkdir()
    (path / "x.heddle").write_text(CRAMPED)
    path.chmod(0o555)


CASES = [
    Case("onto the text", "m/model.heddle: error: the output would replace a file that the model is made of", run="heddle build m -o m/model.heddle"),
    Case("onto the configuration", "m/config.json: error: the output would replace a file that the model is made of", run="heddle build m -o m/config.json"),
    Case("onto the weights", "m/model.safetensors: error: the output would replace a file that the model is made of", run="heddle build m -o m/model.safetensors"),
    Case("onto the weights by another way", "error: the output would replace a file that the model is made of", {"link": link("m")}, "heddle build m -o link/../m/./model.safetensors"),
    Case("onto the weights through a link", "other: error: the output would replace a file that the model is made of", {"other": link("m/model.safetensors")}, "heddle build m -o other"),
    Case("onto weights from elsewhere", "error: the output would replace a file that the model is made of", {"x.heddle": "heddle 1\n"}, "heddle build m/model.heddle --weights m -o m/config.json"),
    Case("into a folder that is not there", "nowhere/out: error: cannot write: No such file or directory", run="heddle build m -o nowhere/out"),
    Case("onto a folder", "error: cannot write: expected a file or nothing there, got a folder", {"d": folder}, "heddle build m -o d"),
    Case("onto the model's folder, which is the default",
         ["m: error: cannot write: expected a file or nothing there, got a folder", "note: give -o FILE"], run="heddle build m"),
    Case("onto a FIFO", "p: error: cannot write: expected a file or nothing there, got a FIFO", {"p": fifo}, "heddle build m -o p"),
    Case("onto a full device", "/dev/full: error: cannot write: expected a file or nothing there, got a device", run=f"{LINALG} -o /dev/full"),
    Case("onto a link that leads nowhere", "l: error: cannot write: a link that leads nowhere", {"l": link("nowhere")}, "heddle build m -o l"),
    Case("an executable on standard output", "heddle: error: --output: an executable needs a file, got -", run="heddle build m -o -", code=2),
    Case("a name that ends in a slash", "out/: error: cannot write: no file name", run="heddle build m -o out/"),
    Case("into a folder that nobody may write", "d/out: error: cannot write: Permission denied", {"d": locked}, "heddle build m -o d/out", as_nobody=True),
    Case("an executable on a full disk", "out: error: cannot write: File too large", OLD, "heddle build m --weights seed:1 --set vocab_size=200000 -o out", largest_file=1_000_000),
    Case("a link on a full disk", "error: the linker failed: ld.lld: error: failed to open out: File too large", OLD, "heddle build m -o out", largest_file=16384),
    Case("temporary files on a full disk", "error: cannot write a temporary file: '", OLD, "heddle build m --emit=obj -o out", largest_file=4096),
    Case("IR on a full disk", "out: error: cannot write: File too large", OLD, f"{LINALG} -o out", largest_file=512),
    Case("IR to a full standard output", "heddle: error: cannot write: 'standard output': No space left on device", run=LINALG, stdout="/dev/full"),
    Case("a layout on a full disk", "x.heddle: error: cannot write: File too large", {"x.heddle": CRAMPED}, "heddle fmt x.heddle", largest_file=16),
    Case("a layout in a folder that nobody may write", "d/x.heddle: error: cannot write: Permission denied", {"d": locked_text}, "heddle fmt d/x.heddle", as_nobody=True),
    Case("a layout to a full standard output", "heddle: error: cannot write: 'standard output': No space left on device", run="heddle fmt -", stdin=CRAMPED.encode(), stdout="/dev/full"),
    Case("a layout of a FIFO", "p: error: expected a file, got a FIFO", {"p": fifo}, "heddle fmt p"),
    Case("a layout of a folder", "m: error: expected a file, got a folder", run="heddle fmt m"),
    Case("manual pages into a folder that is not there", "nowhere/heddle-build.1: error: cannot write: No such file or directory", run="heddle man -o nowhere"),
    Case("help to a full standard output", "heddle: error: cannot write: 'standard output': No space left on device", run="heddle --help", stdout="/dev/full"),
    Case("an array on a full disk", "r.npy: error: cannot write: File too large", TOKENS, EVAL + "r.npy", largest_file=64),
    Case("an array into a folder that is not there", "nowhere/r.npy: error: cannot write: No such file or directory", TOKENS, EVAL + "nowhere/r.npy"),
    Case("an array onto a folder", "d: error: cannot write: expected a file or nothing there, got a folder", {**TOKENS, "d": folder}, EVAL + "d"),
    Case("an array on a full disk, executable", "heddle: error: cannot write: 'r.npy': File too large", TOKENS, RUN + "r.npy", largest_file=64),
    Case("an array onto a folder, executable", "heddle: error: cannot write 'd': it is a folder, expected a file", {**TOKENS, "d": folder}, RUN + "d"),
    Case("an array onto a FIFO, executable", "heddle: error: cannot write 'p': it is a device or pipe, expected a file", {**TOKENS, "p": fifo}, RUN + "p"),
    Case("an array into a locked folder, executable", "heddle: error: cannot write: 'd/r.npy': Permission denied", {**TOKENS, "d": locked}, RUN + "d/r.npy", as_nobody=True),
    Case("a print to a full standard output, executable", "heddle: error: cannot write standard output: No space left on device", TOKENS,
         "test-model run encode --in source=t.npy", stdout="/dev/full"),
    Case("lines to a full standard output, executable", "heddle: error: cannot write standard output: No space left on device", run="test-model a b", stdout="/dev/full"),
]
run(CASES)
