"""hf-values.py FOLDER VALUES: each model of VALUES (NAME.json, see tools/dev/hf-values) written into FOLDER as a Hugging Face style directory,
evaluated in float64 and compiled, all prompts as one ragged batch: logits against those of transformers, relative to the largest."""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from executable import Executable, check, padded
from seeded import write_directory

EVALUATED = 1e-6  # of float64, on arrays and frequencies rounded to f32: seen 4e-7; a text that says something else is off by far more
COMPUTED = 2e-5  # of f32: seen 5e-6


def call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    errors = [line for line in done.stdout.splitlines() if "error" in line]
    check(done.returncode == 0, f"{' '.join(command)} gave {done.returncode}: {' '.join(errors)}")


def evaluator(folder):
    """Like Executable.run, by the interpreter."""

    def run(entry, arguments, lengths):
        command = ["heddle", "eval", folder, entry, "--out", f"result={folder}/result.npy"]
        for option, arrays in (("--in", arguments), ("--lengths", lengths)):
            for name, array in arrays.items():
                path = os.path.join(folder, f"{option[2:]}-{name}.npy")
                np.save(path, array)
                command += [option, f"{name}={path}"]
        call(command)
        return np.load(f"{folder}/result.npy")

    return run


def error(run, cases):
    """The largest difference relative to the largest logit, over the prompts."""
    arrays, lengths = {}, {}
    for name in [name for name in cases[0] if name != "logits"]:
        arrays[name], lengths[name] = padded([case[name] for case in cases])
    entry = "forward"
    if "source" in arrays:
        entry, width = "decode", lengths.pop("source")
        arrays["memory"], lengths["memory"] = run("encode", {"source": arrays.pop("source")}, {"source": width}), width
    results = run(entry, arrays, lengths)
    expected = [np.array(case["logits"]) for case in cases]
    return max(np.abs(got[: len(logits)] - logits).max() / np.abs(logits).max() for got, logits in zip(results.astype(float), expected))


def compare(folder, values, name):
    with open(os.path.join(values, name + ".json"), encoding="utf-8") as file:
        content = json.load(file)
    folder = os.path.join(folder, name)
    write_directory(folder, content["config"], content["tensors"])
    evaluated = error(evaluator(folder), content["cases"])
    check(evaluated <= EVALUATED, f"{name}: the text is off by {evaluated:.1e} in float64, allowed {EVALUATED:g}")
    call(["heddle", "build", folder, "--cpu", "x86-64-v3", "-o", f"{folder}/model"])  # the other variants compute the same bits: same-bits-v4.test
    model = Executable(f"{folder}/model")
    computed = error(lambda entry, arguments, lengths: model.run(entry, arguments, lengths=lengths)["result"], content["cases"])
    check(computed <= COMPUTED, f"{name}: the executable is off by {computed:.1e}, allowed {COMPUTED:g}")
    return f"{name}: {evaluated:.1e} in float64, {computed:.1e} compiled"


def attempt(arguments):
    try:
        return compare(*arguments), True
    except (AssertionError, OSError, subprocess.SubprocessError) as failure:
        return f"FAILED {failure}", False


def main():
    folder, values = sys.argv[1:3]
    names = sorted(file[:-5] for file in os.listdir(values))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(attempt, [(folder, values, name) for name in names]))
    for line, _ in results:
        print(line)
    failed = sum(not good for _, good in results)
    print(f"{len(names) - failed} models agree with transformers, {failed} do not")
    sys.exit(failed > 0)


main()
