"""Every op and every pass is on its page with summary, description and example; every example of an op or attribute is read and verified."""
import os
import re
import subprocess
import sys

SOURCE, BUILD = sys.argv[1:]
DOCS = os.path.join(BUILD, "docs")


def read(*name):
    with open(os.path.join(*name), encoding="utf-8") as text:
        return text.read()


def verify(cases):
    """Reads the cases, all in one run: (case, message) of the first error of each."""
    text = "\n// -----\n".join(cases)
    done = subprocess.run(["heddle-opt", "--split-input-file", "-o", os.devnull], input=text, stderr=subprocess.PIPE, text=True, check=False)
    starts = [0]
    for case in cases:
        starts.append(starts[-1] + case.count("\n") + 2)
    errors = {}
    for line, message in re.findall(r"<stdin>:(\d+):\d+: error: (.*)|$", done.stderr):
        if line:
            errors.setdefault(max(i for i, start in enumerate(starts) if int(line) > start), message)
    assert bool(errors) == bool(done.returncode), done.stderr
    return errors


def operands(example):
    """The values an example uses and does not make; their types are found by asking."""
    made = set(re.findall(r"^\s*(%\w+) =", example, re.M))
    return {name: "i1" for name in re.findall(r"%\w+", example) if name not in made}


def example_errors(examples):
    """Wraps each example into a function of what it uses. Whoever calls a value i1 is told its type: after a few rounds all are known."""
    types = [operands(example) for example in examples]
    prelude = 'heddle.weight @w : tensor<64x24xf32, #heddle.dims<64, 24>> = #heddle.tensor<"w", tensor<64x24xf32>>\n'
    for _ in range(8):
        cases = []
        for example, known in zip(examples, types):
            arguments = ", ".join(f"{name}: {type_}" for name, type_ in known.items())
            function = f"func.func @example({arguments}) {{\n{example}\nreturn\n}}\n"
            cases.append(example + "\n" if example.startswith("heddle.weight") else prelude + function)
        errors = verify(cases)
        learnt = False
        for case, message in errors.items():
            if found := re.match(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs 'i1'", message):
                types[case][found[1]] = found[2]
                learnt = True
        if not learnt:
            return errors
    return errors


def entries(page):
    """heading -> text, for the headings of ops and passes."""
    parts = re.split(r"^## `(.*)`\n", read(DOCS, page), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def description(text):
    """What is written between summary (and syntax) and example, traits or the first table."""
    text = re.sub(r"\A\s*_.*_\n", "", text)
    text = re.sub(r"\A\s*Syntax:\n\n```\n(.*?)```\n", "", text, flags=re.S)
    return re.split(r"^```mlir$|^(?:Traits|Interfaces|Effects):|^#### |^Example: ", text, flags=re.M)[0].strip()


def check_ops(problems):
    defined = {op for name in os.listdir(os.path.join(SOURCE, "dialect")) if name.endswith(".td")
               for op in re.findall(r'^def Heddle_\w+Op : \w+<"(\w+)"', read(SOURCE, "dialect", name), re.M)}
    ops = {}
    for page in sorted(os.listdir(DOCS)):
        if page.startswith("ops-"):
            ops |= entries(page)
    problems += [f"heddle.{op} is on no page" for op in defined if f"heddle.{op}" not in ops]
    examples = {}
    for op, text in ops.items():
        found = re.findall(r"^```mlir\n(.*?)\n```$", text, re.M | re.S)
        examples[op] = found[0] if len(found) == 1 and op in found[0] else ""
        for what, there in [("summary", re.match(r"\s*_.+_\n", text)), ("description", description(text)), ("one example", examples[op])]:
            if not there:
                problems.append(f"{op} has no {what}")
    errors = example_errors(list(examples.values()))
    problems += [f"the example of {list(examples)[case]}: {message}" for case, message in errors.items()]
    return len(ops)


def check_attributes(problems):
    parts = re.split(r"^### (\w+)Attr\n", read(DOCS, "dialect.md").split("\n## Types\n")[0], flags=re.M)
    examples = {}
    for name, text in zip(parts[1::2], parts[2::2]):
        found = re.findall(r"^```mlir\n(.*?)\n```$", text, re.M | re.S)
        if not found or not re.match(r"\s*_.+_\n", text):
            problems.append(f"{name}: no summary or no example")
        examples[name] = "module attributes {heddle.example = " + "".join(found) + "} {}\n"
    problems += [f"the example of {list(examples)[case]}: {message}" for case, message in verify(list(examples.values())).items()]
    return len(examples)


def check_passes(problems):
    registered = re.findall(r"^\s+--(heddle-(?!stage-)[\w-]+)\s+-", subprocess.run(["heddle-opt", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout, re.M)
    passes = {}
    for page in sorted(os.listdir(DOCS)):
        if page.startswith("passes-"):
            passes |= entries(page)
    problems += [f"{name} is on no page" for name in registered if f"--{name}" not in passes]
    for name, text in passes.items():
        wanted = {"summary": r"\A\s*_.+_\n", "word about what it takes": r"^Takes \w", "word about what it leaves": r"\bLeaves \w",
                  "test as its example": r"Example:\s+test/\S+\.mlir", "example": r"^```mlir\n(?:.*\n)+?```"}
        problems += [f"{name} has no {what}" for what, pattern in wanted.items() if not re.search(pattern, text, re.M)]
        if len(description(text)) < 40:
            problems.append(f"{name} has no description")
    return len(passes)


def main():
    problems = []
    counts = check_ops(problems), check_attributes(problems), check_passes(problems)
    print("{} ops, {} attributes, {} passes".format(*counts))
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
