"""hf-values.py FOLDER VALUES: each model of VALUES (NAME.json, see tools/dev/hf-values) written into FOLDER as a Hugging Face style directory,
evaluated in float64 and compiled, all prompts as one ragged batch: what each entry gives against what transformers gives, relative to the largest."""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from executable import Executable, check, padded
from seeded import picture, write_directory, write_words

EVALUATED = 1e-6  # of float64, on arrays and frequencies rounded to f32: seen 4e-7; a text that says something else is off by far more
COMPUTED = 2e-5  # of f32: seen 5e-6
TASKS = {"classify": ("classify", "scores"), "sentence": ("embed", "embedding")}  # entry -> its task, and where that prints the result


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


def inputs(config, cases):
    """-> (arrays by name, lengths of those that have any)."""
    if "picture" in cases[0]:
        return {"pixels": np.array([picture(case["picture"], config) for case in cases], np.float32)}, {}
    rows = {name: padded([case[name] for case in cases]) for name in cases[0] if name != "results"}
    return {name: ids for name, (ids, _) in rows.items()}, {name: lengths for name, (_, lengths) in rows.items()}


def error(run, config, cases):
    """The largest difference of an entry's result relative to its largest number, over the prompts."""
    arrays, lengths = inputs(config, cases)
    if "source" in arrays:
        width = lengths.pop("source")
        arrays["memory"], lengths["memory"] = run("encode", {"source": arrays.pop("source")}, {"source": width}), width
    errors = []
    for entry in cases[0]["results"]:
        expected = [np.array(case["results"][entry]) for case in cases]
        got = run(entry, arrays, lengths).astype(float)
        errors += [np.abs(row[: len(values)] - values).max() / np.abs(values).max() for row, values in zip(got, expected)]
    return max(errors)


def error_from_text(model, cases):
    """The same of the tasks, given the prompts as words."""
    texts, errors = [" ".join(f"w{token}" for token in case["tokens"]) for case in cases], []
    for entry in TASKS.keys() & cases[0]["results"].keys():
        task, key = TASKS[entry]
        for case, line in zip(cases, model.call(["--task", task, "--json", "--", *texts]).decode().splitlines(), strict=True):
            got, expected = np.array(json.loads(line)[key]), np.array(case["results"][entry])
            errors.append(np.abs(got - expected).max() / np.abs(expected).max())
    return max(errors)


def compare(folder, values, name):
    with open(os.path.join(values, name + ".json"), encoding="utf-8") as file:
        content = json.load(file)
    folder = os.path.join(folder, name)
    write_directory(folder, content["config"], content["tensors"])
    has_tasks = "sentence" in content["cases"][0]["results"] and "token_types" not in content["cases"][0]  # those of a text are 0
    if has_tasks:
        write_words(folder, content["config"]["vocab_size"])
    evaluated = error(evaluator(folder), content["config"], content["cases"])
    check(evaluated <= EVALUATED, f"{name}: the text is off by {evaluated:.1e} in float64, allowed {EVALUATED:g}")
    call(["heddle", "build", folder, "--cpu", "x86-64-v3", "-o", f"{folder}/model"])  # the other variants compute the same bits: same-bits-v4.test
    model = Executable(f"{folder}/model")
    computed = error(lambda entry, arguments, lengths: model.run(entry, arguments, lengths=lengths)["result"], content["config"], content["cases"])
    if has_tasks:
        computed = max(computed, error_from_text(model, content["cases"]))
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
