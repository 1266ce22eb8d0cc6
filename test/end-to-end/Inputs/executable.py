"""Runs a compiled model from a test: arrays in and out, text in and out. Every failure of the executable fails the test with what it said."""
import os
import subprocess
import tempfile

import numpy as np


class Executable:
    def __init__(self, path, cpu=None, threads=None):
        self.path, self.threads = os.path.abspath(path), threads
        self.environment = dict(os.environ, **({"HEDDLE_CPU": cpu} if cpu else {}))

    def call(self, arguments, given=None):
        done = subprocess.run([self.path] + arguments, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
                              timeout=300, check=False)
        if done.returncode:
            raise AssertionError(f"{arguments} gave {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def run(self, entry, arguments, results=("result",), lengths=None, starts=None):
        """Arrays by name -> arrays by name, through .npy files."""
        with tempfile.TemporaryDirectory() as folder:
            command = ["run", entry] + (["-t", str(self.threads)] if self.threads else [])
            for option, arrays in (("--in", arguments), ("--lengths", lengths), ("--starts", starts)):
                for name, array in (arrays or {}).items():
                    file = os.path.join(folder, f"{option}-{name}.npy")
                    np.save(file, np.asarray(array))
                    command += [option, f"{name}={file}"]
            for name in results:
                command += ["--out", f"{name}={folder}/{name}.npy"]
            self.call(command)
            return {name: np.load(f"{folder}/{name}.npy") for name in results}

    def lines(self, lines):
        """Standard input -> standard output, line by line."""
        return self.call([], "".join(line + "\n" for line in lines).encode()).decode().splitlines()

    def words(self, *words):
        return self.call(list(words)).decode()


def padded(rows, width=None, value=0):
    """Rows of ids -> (ids [rows, width], lengths)."""
    lengths = np.array([len(row) for row in rows], np.int32)
    ids = np.full((len(rows), width or lengths.max()), value, np.int32)
    for row, length, line in zip(ids, lengths, rows):
        row[:length] = line
    return ids, lengths


def without_padding(rows, padding=0):
    """Trailing padding ids are cut: what is expected of a padded batch was made with them hidden."""
    cut = []
    for row in rows:
        row = list(row)
        while row and row[-1] == padding:
            row.pop()
        cut.append(row)
    return cut


def same_bits(left, right):
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def check(condition, what):
    if not condition:
        raise AssertionError(what)
