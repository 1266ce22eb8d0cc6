"""The fuzzers of test/fuzz, as tools/dev/run-tests (seconds) and tools/dev/fuzz (minutes) run them."""
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "build", "sanitize", "bin")
CORPUS = os.path.join(ROOT, "test", "fuzz", "corpus")
KEPT = os.path.join(ROOT, "build", "fuzz")  # inputs that crash, and those that longer runs found new
# A hang, a leak, and memory that no input of this size is worth are findings like a crash.
LIMITS = ["-timeout=5", "-rss_limit_mb=2048", "-malloc_limit_mb=512", "-max_len=4096"]


def names():
    return sorted(name.removeprefix("fuzz-") for name in os.listdir(PROGRAMS) if name.startswith("fuzz-"))


class Fuzzing:
    """One run: what the fuzzer said, its status, how many inputs it tried, and the path of the one that it kept, if any."""

    def __init__(self, said, status):
        self.said, self.status = said, status
        kept = re.findall(r"Test unit written to (.+-(?:crash|leak|timeout|oom)-\w+)", said)
        self.finding = kept[-1] if kept else None
        tried = re.findall(r"^stat::number_of_executed_units:\s*(\d+)|^#(\d+)\s", said, re.M)
        self.executions = max((int(a or b) for a, b in tried), default=0)

    def report(self):
        text = self.said[-6000:]
        if self.finding:
            with open(self.finding, "rb") as file:
                text += f"\nthe input, {self.finding}:\n{file.read()[:1000]!r}"
        return f"{text}\nexit status {self.status}"


def run(name, options, folders):
    """`folders`: new inputs go to the first one, all are tried first."""
    os.makedirs(KEPT, exist_ok=True)
    command = [os.path.join(PROGRAMS, "fuzz-" + name), *LIMITS, f"-artifact_prefix={KEPT}/{name}-", "-print_final_stats=1", *options, *folders]
    words = os.path.join(ROOT, "test", "fuzz", name + ".dict")
    if os.path.exists(words):
        command.append("-dict=" + words)
    memory = "/dev/shm"  # a disk would wait for every file that is written whole or not at all
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as place:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=place,
                              env={**os.environ, "TMPDIR": place}, check=False)
    return Fuzzing(done.stdout.decode(errors="replace"), done.returncode)


def try_briefly(name, seconds):
    """The corpus, then what comes to mind until `seconds` are over."""
    with tempfile.TemporaryDirectory() as found:
        return run(name, [f"-max_total_time={seconds}"], [found, os.path.join(CORPUS, name)])


def try_longer(name, seconds):
    """The same, starting from what earlier longer runs found too."""
    found = os.path.join(KEPT, "new", name)
    os.makedirs(found, exist_ok=True)
    before = len(os.listdir(found))
    return run(name, [f"-max_total_time={seconds}", "-report_slow_units=2"], [found, os.path.join(CORPUS, name)]), len(os.listdir(found)) - before


def merge(name):
    """The corpus becomes its inputs that somebody named, and the fewest of the others and of the new ones that reach the same code."""
    corpus, new = os.path.join(CORPUS, name), os.path.join(KEPT, "new", name)
    with tempfile.TemporaryDirectory() as place:
        unnamed = [file for file in os.listdir(corpus) if re.fullmatch("[0-9a-f]{40}", file)]
        for file in set(os.listdir(corpus)) - set(unnamed):
            shutil.copy(os.path.join(corpus, file), place)
        done = run(name, ["-set_cover_merge=1", "-use_counters=0"], [place, corpus, *([new] if os.path.isdir(new) else [])])
        if done.status:
            return done
        for file in unnamed:
            os.remove(os.path.join(corpus, file))
        for file in os.listdir(place):
            shutil.copy(os.path.join(place, file), corpus)
    return done
