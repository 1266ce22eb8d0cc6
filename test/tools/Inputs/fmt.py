"""heddle fmt on the examples with their layout spoilt: the IR of before and after is the same, and the layout is no other the second time.

Usage: fmt.py SCRATCH EXAMPLES"""
import glob
import os
import re
import shutil
import subprocess
import sys

WORD = re.compile(r'#[^\n]*|"(?:\\.|[^"\\\n])*"|@fused\b|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\.\.\.|\.\.|[=!<>]=|->|=>|\S')
# What the texts ask of a config.json that is not there.
NUMBERS = {"vocab_size": 32, "head_dim": 8, "d_kv": 8, "image_size": 8, "patch_size": 4, "num_channels": 3, "id2label": '["a", "b"]', "pad_token_id": 0}
SMALL = {"layer": 1, "head": 2, "position": 16, "": 16}


def settings(text):
    """A small value for each key that has no default."""
    for keys, kind, default in re.findall(r"^ *config ([^:]*): *([a-z\[\]?]+)( *=)?", text, re.M):
        for key in keys.split(","):
            key = key.split("|")[0].strip()
            if not default and not kind.endswith("?") and kind != "object":
                yield f"--set={key}={NUMBERS.get(key, next(value for part, value in SMALL.items() if part in key))}"


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def spoilt(text):
    """A word a line; comments stay behind or above what they stood behind or above."""
    words, lines = WORD.findall(text), []
    for word in words:
        lines.append(word + "   " if word.startswith("#") else "  " + word)
    return "\n\n\n".join(lines) + "\n"


scratch, examples = sys.argv[1:]
texts = sorted(glob.glob(os.path.join(examples, "*", "*.heddle")))
assert len(texts) >= 15, texts
for path in texts:
    with open(path, encoding="utf-8") as file:
        original = file.read()
    copy = shutil.copy(path, scratch)
    build = ["heddle", "build", copy, "--weights=seed:1", *settings(original), "--emit=heddle", "-o", "-"]
    before = run(*build)
    assert "func.func" in before, path
    with open(copy, "w", encoding="utf-8") as file:
        file.write(spoilt(original))
    run("heddle", "fmt", copy)
    assert run(*build) == before, f"{path}: another model"
    assert run("heddle", "fmt", "--check", copy) == "", f"{path}: not the same layout again"
