# RUN: %python %s
"""What stands where a file is expected: nothing is waited for, nothing is read that is no file."""
from hostile import Case, config_with, fifo, folder, link, run, unreadable

EVAL = "heddle eval m forward --in tokens=t.npy --out result=r.npy"
RUN = "test-model run encode --in source=t.npy --out result=r.npy"
LOOP = "Too many levels of symbolic links"

CASES = [
    Case("a model that is not there", "nowhere: error: cannot open: No such file or directory", run="heddle check nowhere"),
    Case("a model that is a FIFO", "x.heddle: error: expected a file, got a FIFO", {"x.heddle": fifo}, "heddle check x.heddle"),
    Case("a model that is a device", "/dev/zero: error: expected a file, got a device", run="heddle check /dev/zero"),
    Case("a model with a name of control characters", "error: cannot open", run="heddle check '\x1b[31m\u202ex'"),
    Case("a name of 5,000 characters", "error: cannot open: File name too long", run="heddle check " + "x" * 5000),
    Case("an empty folder", "e: error: the folder has neither model.heddle nor config.json", {"e": folder}, "heddle check e"),
    Case("a text that is a FIFO", "m/model.heddle: error: expected a file, got a FIFO", {"m/model.heddle": fifo}),
    Case("a text that is a folder", "m/model.heddle: error: expected a file, got a folder", {"m/model.heddle": folder}),
    Case("a text that links to itself", f"m/model.heddle: error: cannot open: {LOOP}", {"m/model.heddle": link("model.heddle")}),
    Case("a text that links to a device", "m/model.heddle: error: expected a file, got a device", {"m/model.heddle": link("/dev/zero")}),
    Case("a configuration that is a FIFO", "m/config.json: error: expected a file, got a FIFO", {"m/config.json": fifo}),
    Case("a configuration that links to itself", f"m/config.json: error: cannot open: {LOOP}", {"m/config.json": link("config.json")}),
    Case("a configuration that links nowhere", "m/config.json: error: cannot open: No such file or directory", {"m/config.json": link("nowhere")}),
    Case("a configuration that nobody may read", "m/config.json: error: cannot open: Permission denied", {"m/config.json": unreadable}, as_nobody=True),
    Case("weights that are a FIFO", "m/model.safetensors: error: expected a file, got a FIFO", {"m/model.safetensors": fifo}),
    Case("weights that are a folder", "m/model.safetensors: error: expected a file, got a folder", {"m/model.safetensors": folder}),
    Case("weights that link to each other", f"m/model.safetensors: error: cannot open: {LOOP}",
         {"m/model.safetensors": link("other"), "m/other": link("model.safetensors")}),
    Case("a tokenizer that is a FIFO", "m/tokenizer.json: error: expected a file, got a FIFO", {"m/tokenizer.json": fifo}, "heddle build m -o out"),
    Case("a tokenizer that links to itself", f"m/tokenizer.json: error: cannot open: {LOOP}", {"m/tokenizer.json": link("tokenizer.json")}, "heddle build m -o out"),
    Case("a model type that nobody knows", ["m/config.json: error: no built-in text has model_type 'lama'; there are ", "note: did you mean 'llama'?"],
         {"m/model.heddle": None, "m/config.json": config_with(model_type="lama")}),
    Case("a model type that is a number", "m/config.json:1:45: error: 'model_type': expected string, got 7",
         {"m/model.heddle": None, "m/config.json": config_with(model_type=7)}),
    Case("an array that is a FIFO", "t.npy: error: expected a file, got a FIFO", {"t.npy": fifo}, EVAL),
    Case("an array that is a folder", "t.npy: error: expected a file, got a folder", {"t.npy": folder}, EVAL),
    Case("an array that is a FIFO, executable", "heddle: error: cannot read 't.npy': it is a device or pipe, expected a file", {"t.npy": fifo}, RUN),
    Case("an array that is a folder, executable", "heddle: error: cannot read 't.npy': it is a folder, expected a file", {"t.npy": folder}, RUN),
    Case("an array that links to itself, executable", f"heddle: error: cannot open: 't.npy': {LOOP}", {"t.npy": link("t.npy")}, RUN),
    Case("an array that is not there, executable", "heddle: error: cannot open: 't.npy': No such file or directory", run=RUN),
    Case("an array that nobody may read, executable", "heddle: error: cannot open: 't.npy': Permission denied", {"t.npy": unreadable}, RUN, as_nobody=True),
]
run(CASES)
