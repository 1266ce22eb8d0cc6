"""Builds that are ended at random moments, or whose disk is full, leave the old executable or a whole new one, and nothing else.

    killed-builds.py FOLDER [MOMENTS [SEED]]
"""
import ctypes
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

TEXT = """\
heddle 1
model tiny {
  config width: int
  entry forward(x: f32[rows, width]) -> f32[rows, width] = x @ weight("w", [width, width])
}
"""
WIDTH = 1024
NOTHING, OLD, NEW = "nothing", "the old one", "a new one"


def fail(message):
    sys.exit(f"FAILED: {message} (seed {SEED})")


def forbid_nameless_files():
    """As on a file system without O_TMPFILE: openat() with that flag fails, by a filter of system calls (seccomp)."""
    def filter_line(code, yes, no, value):
        return struct.pack("HBBI", code, yes, no, value)

    load, equal, has_bits, answer = 0x20, 0x15, 0x45, 0x06
    lines = [filter_line(load, 0, 0, 0), filter_line(equal, 0, 3, 257),  # the call's number: openat
             filter_line(load, 0, 0, 32), filter_line(has_bits, 0, 1, 0o20000000),  # its flags: that of O_TMPFILE alone
             filter_line(answer, 0, 0, 0x00050000 | 95), filter_line(answer, 0, 0, 0x7FFF0000)]  # EOPNOTSUPP, or go on
    program = ctypes.create_string_buffer(b"".join(lines))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines), ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, header, 0, 0) != 0:  # no new privileges, then the filter
        raise OSError(ctypes.get_errno(), "seccomp")


def build():
    return ["heddle", "build", "model.heddle", "--weights", "seed:1", "--set", f"width={WIDTH}", "--cpu", "x86-64-v3", "-o", "out/model"]


class Place:
    """A folder with the text, and one for the output with the old file."""

    def __init__(self, path, old):
        self.path, self.out, self.scratch = path, path / "out", path / "scratch"
        for folder in (self.out, self.scratch):
            folder.mkdir(parents=True)
        (path / "model.heddle").write_text(TEXT)
        if old:
            (self.out / "model").write_text("#!/bin/sh\necho old\n")
            (self.out / "model").chmod(0o755)
        np.save(path / "x.npy", np.ones((2, WIDTH), np.float32))
        self.old = old

    def start(self, **more):
        return subprocess.Popen(build(), cwd=self.path, env={**os.environ, "TMPDIR": str(self.scratch)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def found(self):
        """What the output folder holds; fails where that is more than an executable that runs."""
        names = os.listdir(self.out)
        if names == []:
            return NOTHING
        if names != ["model"]:
            fail(f"the output folder holds {names}")
        done = subprocess.run([self.out / "model", "run", "forward", "--in", "x=x.npy", "--out", "result=r.npy"], cwd=self.path, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"the executable ends with {done.returncode}: {done.stderr}")
        if done.stdout == "old\n":
            return OLD
        if np.load(self.path / "r.npy").shape != (2, WIDTH):
            fail("the executable computes nothing")
        return NEW

    def check(self, ended):
        found = self.found()
        if found == (OLD if not self.old else NOTHING):
            fail(f"{found} is there after {ended}")
        return found


def end_at(place, how, after, **more):
    """One build that gets the signal after so many seconds; what is there then."""
    process = place.start(**more)
    time.sleep(after)
    process.send_signal(how)
    said = process.communicate(timeout=60)[1]  # until the worker is gone too
    if process.returncode not in (0, -how):
        fail(f"{how.name} after {after:.3f} s: exit code {process.returncode}: {said.decode()}")
    if how != signal.SIGKILL and os.listdir(place.scratch):
        fail(f"{how.name} after {after:.3f} s: left in the folder for temporary files: {os.listdir(place.scratch)}")
    return place.check(f"{how.name} after {after:.3f} s")


def time_of_build(path, **more):
    place, start = Place(path, old=False), time.monotonic()
    code = place.start(**more).wait()
    seconds = time.monotonic() - start
    if code != 0 or place.found() != NEW:
        fail("the build does not work at all")
    shutil.rmtree(path)
    return seconds


def kill_builds(folder, moments, **more):
    seconds = min(time_of_build(folder / f"whole{i}", **more) for i in range(3))
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        seen = {}
        for i in range(moments):
            place = Place(folder / f"{how.name}{i}", old=i % 2 == 0)
            # The file is written and put in its place at the end: half of the moments are there.
            after = random.uniform(0.6, 1.2) * seconds if i % 4 >= 2 else random.uniform(0, 1) * seconds
            found = end_at(place, how, after, **more)
            seen[found] = seen.get(found, 0) + 1
            shutil.rmtree(place.path)
        print(f"{how.name} at {moments} moments within {seconds:.2f} s: {seen}")


def fill_disk(folder, steps):
    """Files of at most so many bytes, which is a full disk without a disk."""
    size = Place(folder / "size", old=False)
    size.start().wait()
    whole = (size.out / "model").stat().st_size
    for step in range(steps):
        most = 4096 + step * (whole - 4096) // steps
        place = Place(folder / f"full{step}", old=step % 2 == 0)
        process = place.start(preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        said = process.communicate(timeout=60)[1].decode()
        if process.returncode != 1 or len(said.splitlines()) != 1:
            fail(f"files of {most} of {whole} bytes: exit code {process.returncode}: {said}")
        if place.check(f"files of {most} bytes") == NEW:
            fail(f"a file of {whole} bytes with {most} allowed")
    print(f"files of 4096 to {whole} bytes: {steps} builds refused")


def fill_file_system(folder, steps):
    """A real one, where this process may mount it."""
    mounted = folder / "disk"
    mounted.mkdir()
    size = (folder / "size/out/model").stat().st_size
    for step in range(steps):
        room = 65536 + step * size // steps // 4096 * 4096
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", mounted], capture_output=True, check=False).returncode != 0:
            print("SKIPPED: a full file system, which needs the right to mount one")
            return
        try:
            place = Place(mounted / "place", old=step % 2 == 0)
            place.scratch = folder / "scratch"
            place.scratch.mkdir(exist_ok=True)
            process = place.start()
            said = process.communicate(timeout=60)[1].decode()
            if process.returncode != 1 or not ("No space left on device" in said or "no room" in said):
                fail(f"a file system of {room} bytes: exit code {process.returncode}: {said}")
            if place.check(f"a file system of {room} bytes") == NEW:
                fail(f"a file of {size} bytes in {room}")
        finally:
            subprocess.run(["umount", mounted], check=True)
    print(f"file systems of 65536 to {room} bytes: {steps} builds refused")


FOLDER = sys.argv[1]
MOMENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 12
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
random.seed(SEED)
shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
with tempfile.TemporaryDirectory(dir=FOLDER) as name:
    kill_builds(pathlib.Path(name), MOMENTS)
    try:
        kill_builds(pathlib.Path(name), MOMENTS, preexec_fn=forbid_nameless_files)
    except subprocess.SubprocessError:
        print("SKIPPED: outputs that have a name from the beginning, which needs the right to filter system calls")
    fill_disk(pathlib.Path(name), MOMENTS)
    fill_file_system(pathlib.Path(name), MOMENTS)
