"""The numbers themselves; lit's `not` takes any failure."""
import subprocess
import sys


def code(*arguments, **streams):
    return subprocess.run(["heddle", *arguments], stderr=subprocess.DEVNULL, check=False, **{"stdout": subprocess.DEVNULL, **streams}).returncode


with open("/dev/full", "w", encoding="utf-8") as full:
    got = [code("--help"), code("--version", stdout=full), code(), code("build"), code("build", "x.heddle", "--nonsense"), code("build", "x.heddle", "--set", "d_model"),
           code("build", "/nowhere/x.heddle"), code("check", "/nowhere")]
if got != [0, 1, 2, 2, 2, 2, 1, 1]:
    sys.exit(f"exit codes {got}")
