"""The driver of the tables in this folder: each row is one bad input, what is done with it, and the message it must get.

The table accepted.py has odd inputs that are none: there the exit code is 0 and what is said are notes. A row passes if the program ends in seconds with the stated exit code (1; 2 for usage errors), says the stated lines on stderr in this order, with 1 to 20
errors in all, no control characters and at most 64 KiB, prints nothing on stdout, and leaves every file as it was: nothing new, nothing changed. It runs
under a limit of memory that a sound model fits into, so that nothing is allocated on a claim. The same rows run on the sanitized build
(HEDDLE_SANITIZED=1), whose reports end in exit code 99.

    PATH=build/release/bin:$PATH python3 test/hostile/json.py [word...]        one table, or only the rows whose name has one of the words
"""
import json
import os
import pathlib
import resource
import shlex
import stat
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

SANITIZED = os.environ.get("HEDDLE_SANITIZED") == "1"
SECONDS = 60 if SANITIZED else 20  # a sound answer takes a tenth of a second; the rest is for machines that do much else
COMPILER_MEMORY, RUNTIME_MEMORY = 1 << 30, 256 << 20  # address space; LLVM's libraries alone map 300 MB
MOST_ERRORS, MOST_BYTES = 20, 64 << 10


@dataclass
class Case:
    name: str
    says: object  # a line of stderr has this in it; a list: lines in this order
    files: dict = field(default_factory=dict)  # path -> text, bytes, or a function that makes it; a path of the sound model replaces its file
    run: str = "heddle check m"
    code: int = 1
    stdin: bytes = b""
    stdout: str = ""  # a path that standard output goes to, instead of being looked at
    largest_file: int = 0  # bytes that fit onto the disk, 0: no limit
    as_nobody: bool = False  # whom rights of files hold for
    writes: tuple = ()  # of what is accepted (code 0): the files that are made


TEXT = """\
heddle 1
model tiny {
  config vocab_size, width: int
  config scale: float = 2.0
  config note: string = ""
  config factors: [float] = []
  entry forward(tokens: i32[batch, sequence...]) -> f32[batch, sequence..., vocab_size] {
    words = weight("words", [vocab_size, width])
    return words[tokens] @ transpose(words) * scale
  }
  tokenizer "tokenizer.json"
}
"""
CONFIG = {"vocab_size": 3, "width": 2}
TOKENIZER = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2}}, "pre_tokenizer": {"type": "WhitespaceSplit"}}
WORDS = {"words": ("F32", [3, 2], [1, 2, 3, 4, 5, 6])}


def safetensors(tensors, rest=b""):
    """name -> (type, shape, floats), or (type, shape, floats, offsets that are claimed)"""
    header, data = {}, b""
    for name, (kind, shape, values, *claimed) in tensors.items():
        begin = len(data)
        data += struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": claimed[0] if claimed else [begin, len(data)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data + rest


def raw_safetensors(header, data=b"", length=None):
    """A header as it is; `length` is what is said about it."""
    text = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def npy(kind, shape, values=(), fortran=False, version=1, header=None, length=None, rest=b""):
    code = {"<f4": "<{}f", "<i4": "<{}i", "<i8": "<{}q", "|b1": "<{}B", "<f8": "<{}d", ">i4": ">{}i"}.get(kind, "<{}i")
    text = header if header is not None else repr({"descr": kind, "fortran_order": fortran, "shape": tuple(shape)})
    text = text.encode("latin-1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + struct.pack(code.format(len(values)), *values) + rest


def fifo(path):
    os.mkfifo(path)


def folder(path):
    os.mkdir(path)


def link(target):
    return lambda path: os.symlink(target, path)


def sparse(size):
    """A file that claims a size and takes no room."""
    return lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), size)


def unreadable(path):
    path.write_text("{}")
    path.chmod(0)


def text_with(old, new):
    """The sound text with one part replaced."""
    assert old in TEXT, old
    return TEXT.replace(old, new)


def config_with(**values):
    return json.dumps({**CONFIG, **values})


def make(place, files):
    sound = {"m/model.heddle": TEXT, "m/config.json": json.dumps(CONFIG), "m/model.safetensors": safetensors(WORDS), "m/tokenizer.json": json.dumps(TOKENIZER)}
    for name, content in {**sound, **files}.items():
        path = pathlib.Path(place, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        elif content is not None:
            path.write_bytes(content.encode() if isinstance(content, str) else content)


def snapshot(place):
    """Everything about every file that a program could have changed."""
    seen = {}
    for root, folders, files in os.walk(place):
        for name in folders + files:
            path = os.path.join(root, name)
            info = os.lstat(path)
            content = None
            if stat.S_ISREG(info.st_mode) and info.st_size < (1 << 24):
                with open(path, "rb") as file:
                    content = file.read()
            seen[os.path.relpath(path, place)] = (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, content)
    return seen


def limit(case, program):
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not SANITIZED:  # the shadow of the address sanitizer takes terabytes of addresses
            memory = COMPILER_MEMORY if program == "heddle" else RUNTIME_MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if case.largest_file:  # a disk that is full, without a disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (case.largest_file, case.largest_file))
        if case.as_nobody and os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    return prepare


def environment(case):
    # max_allocation_size_mb takes the place of the limit of memory. Poisoning by hand is off: LLVM's headers do it, its libraries do not undo it.
    sanitizer = "exitcode=99:max_allocation_size_mb=512:allocator_may_return_null=0:allow_user_poisoning=0:detect_container_overflow=0"
    return {**os.environ, "ASAN_OPTIONS": sanitizer, "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1", "LC_ALL": "C.UTF-8",
            **({"TMPDIR": "/tmp"} if case.as_nobody else {})}  # lit's own is locked


def check_words(case, said):
    """What is wrong with what was said, or None."""
    try:
        text = said.decode()
    except UnicodeDecodeError:
        return "stderr is no UTF-8"
    if any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 or 0x202A <= ord(c) <= 0x202E for c in text):
        return "stderr has control characters"
    if len(said) > MOST_BYTES:
        return f"stderr has {len(said)} bytes"
    errors = [line for line in text.splitlines() if " error: " in line or line.startswith("error: ")]
    count = len([line for line in errors if not line.startswith("error: and ")])
    if not (count == 0 if case.code == 0 else 1 <= count <= MOST_ERRORS):
        return f"{count} errors"
    lines = iter(text.splitlines())
    for wanted in [case.says] if isinstance(case.says, str) else case.says:
        if not any(wanted in line for line in lines):
            return f"expected: {wanted}"
    return None


def try_case(case):
    """What is wrong with a row and what the program said; (None, ...) where all is as it must be."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/tmp")) as place:
        os.chmod(place, 0o755)
        make(place, case.files)
        before = snapshot(place)
        words = shlex.split(case.run)
        start = time.monotonic()
        stdout = open(case.stdout, "wb") if case.stdout else subprocess.PIPE
        try:
            done = subprocess.run(words, cwd=place, input=case.stdin, stdout=stdout, stderr=subprocess.PIPE, timeout=SECONDS, check=False,
                                  env=environment(case), preexec_fn=limit(case, words[0]))
        except subprocess.TimeoutExpired as late:
            return f"no answer in {SECONDS} s", late.stderr or b""
        finally:
            if case.stdout:
                stdout.close()
        seconds = time.monotonic() - start
        after = snapshot(place)
        for made in case.writes:
            if not after.pop(made, None):
                return f"'{made}' was not written", done.stderr
    if done.returncode != case.code:
        return f"exit code {done.returncode}, expected {case.code}", done.stderr
    if done.stdout:
        return f"stdout has {len(done.stdout)} bytes: {done.stdout[:80]!r}", done.stderr
    if before != after:
        return f"files changed: {sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))}", done.stderr
    if os.environ.get("HEDDLE_SHOW"):
        print(f"{seconds:5.2f} s  {case.name}\n{done.stderr.decode(errors='replace')}")
    return check_words(case, done.stderr), done.stderr


def run(cases):
    words = sys.argv[1:]
    chosen = [case for case in cases if not words or any(word in case.name for word in words)]
    assert len({case.name for case in cases}) == len(cases), "two rows of one name"
    failed = 0
    for case in chosen:
        wrong, said = try_case(case)
        if wrong:
            failed += 1
            print(f"FAILED: {case.name}: {case.run}\n  {wrong}\n" + "".join(f"  | {line}\n" for line in said.decode(errors="replace").splitlines()[:30]))
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
