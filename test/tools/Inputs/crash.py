"""crash.py FOLDER MODEL: sends signals to a running `heddle build` and looks at what is left."""
import os
import signal
import subprocess
import sys
import time


def child_of(pid):
    """The working child, once it is there."""
    for _ in range(500):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            if found := children.read().split():
                return int(found[0])
        time.sleep(0.01)
    sys.exit("heddle has no child that works")


def run(folder, model, act):
    output = os.path.join(folder, "out")
    layers = ["--set", "encoder_layers=40", "--set", "decoder_layers=40"]
    command = ["heddle", "build", model, "--weights", "seed:1", *layers, "-o", output]
    parent = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    child = child_of(parent.pid)
    time.sleep(0.1)
    act(parent.pid, child)
    said = parent.communicate(timeout=60)[1]
    return parent.returncode, said, child


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(") ", 1)[1][0] not in "ZX"
    except FileNotFoundError:
        return False


def main():
    folder, model = sys.argv[1:]
    code, said, _ = run(folder, model, lambda parent, child: os.kill(child, signal.SIGSEGV))
    if code != 70 or "internal error" not in said or "reproducer" not in said:
        sys.exit(f"after a crash: exit code {code}, {said!r}")
    left = os.listdir(folder)
    if left != ["out.reproducer.mlir"] or not os.path.getsize(os.path.join(folder, left[0])):
        sys.exit(f"after a crash: {left}, expected the reproducer alone")
    os.remove(os.path.join(folder, left[0]))

    code, said, _ = run(folder, model, lambda parent, child: os.kill(child, signal.SIGTERM))
    if code != 128 + signal.SIGTERM or os.listdir(folder):
        sys.exit(f"after SIGTERM: exit code {code}, {said!r}, {os.listdir(folder)}")

    _, _, child = run(folder, model, lambda parent, child: os.kill(parent, signal.SIGKILL))
    for _ in range(200):
        if not alive(child):
            break
        time.sleep(0.02)
    if alive(child) or os.listdir(folder):
        sys.exit(f"after SIGKILL of the parent: the child lives, or there is {os.listdir(folder)}")


if __name__ == "__main__":
    main()
