# RUN: %python %s
"""Usage errors: exit 2, whatever the files say, and where help is. Executables have theirs in test/runtime/usage.test."""
from hostile import Case, npy, run

TOKENS = {"t.npy": npy("<i4", [1, 1], [0])}
EVAL = "heddle eval m forward"


def usage(name, command, says, **more):
    return Case(name, says, run=command, code=2, **more)


CASES = [
    usage("nothing", "heddle", "heddle: error: A subcommand is required"),
    usage("an unknown command", "heddle biuld m", "heddle: error: no command 'biuld', did you mean 'build'?"),
    usage("a command of control characters", "heddle '\x1b[31m'", "heddle: error: no command '\\u{1b}[31m'"),
    usage("an unknown option", "heddle check m --nonsense", "heddle: error: The following argument was not expected: --nonsense"),
    usage("an option of control characters", "heddle check m '--\x1b[31m'", "heddle: error: The following argument was not expected: --\\u{1b}[31m"),
    usage("no model", "heddle build", "heddle: error: MODEL is required"),
    usage("two models", "heddle check m m", "heddle: error: The following argument was not expected: m"),
    usage("a key without value", "heddle check m --set width", "heddle: error: --set: expected KEY=VALUE, got width"),
    usage("a value without key", "heddle check m --set =2", "heddle: error: --set: expected KEY=VALUE, got =2"),
    usage("a key that the text does not declare", "heddle check m --set widht=2",
          ["error: --set widht: the text has no configuration key of this name", "note: did you mean 'width'?"]),
    usage("a key of the file that the text does not declare", "heddle build m --set model_type=x -o out",
          "error: --set model_type: the text has no configuration key of this name"),
    usage("a key twice", "heddle check m --set width=2 --set width=3", "error: --set width is given twice"),
    usage("a kind of output that is none", "heddle build m --emit=spirv", "heddle: error: --emit: spirv not in"),
    usage("a CPU that is none", "heddle build m --cpu=z80", "heddle: error: --cpu: z80 not in"),
    usage("an output twice", "heddle build m -o a -o b", "heddle: error: "),
    usage("an entry that is none", "heddle eval m froward --in tokens=t.npy --out result=r.npy",
          ["error: unknown entry 'froward'", "note: did you mean 'forward'?"], files=TOKENS),
    usage("an argument that is none", f"{EVAL} --in token=t.npy --out result=r.npy", ["error: entry 'forward' has no argument 'token'", "did you mean 'tokens'?"], files=TOKENS),
    usage("an argument twice", f"{EVAL} --in tokens=t.npy --in tokens=t.npy --out result=r.npy", "error: argument 'tokens' is given twice", files=TOKENS),
    usage("an argument that is missing", f"{EVAL} --out result=r.npy", "error: argument 'tokens' of entry 'forward' is missing: give --in tokens=FILE.npy"),
    usage("a result that is none", f"{EVAL} --in tokens=t.npy --out r=r.npy", "error: entry 'forward' has no result 'r'", files=TOKENS),
    usage("a result twice", f"{EVAL} --in tokens=t.npy --out result=r.npy --out result=s.npy", "error: result 'result' is asked for twice", files=TOKENS),
    usage("lengths twice", f"{EVAL} --in tokens=t.npy --lengths tokens=t.npy --lengths tokens=t.npy --out result=r.npy", "error: --lengths: 'tokens' is given twice", files=TOKENS),
    usage("no result", f"{EVAL} --in tokens=t.npy", "error: no result is asked for: give --out NAME=FILE.npy", files=TOKENS),
    usage("threads that are no number, executable", "test-model -t 2x a", "heddle: error: option -t: expected 1 to 1024, got '2x'"),
    usage("lengths twice, executable", "test-model run encode --in source=t.npy --lengths source=a --lengths source=b", "heddle: error: option --lengths: 'source' is given twice", files=TOKENS),
    usage("an option of control characters, executable", "test-model '--\x1b[31m'", "heddle: error: unknown option '--\\x1b[31m'"),
    *[usage(f"an option of a task: {words}", "test-tasks " + words, f"heddle: error: {says}") for words, says in [
        ("-n 0 --task generate a", "option -n: expected 1 to 1000000, got '0'"),
        ("-n 99999999999999999999 a", "option -n: expected 1 to 1000000, got '99999999999999999999'"),
        ("-n -1 a", "option -n: expected 1 to 1000000, got '-1'"),
        ("-n", "option -n: expected a number of tokens, 1 to 1000000"),
        ("-n 3 a", "option -n belongs to the task generate, not to embed"),
        ("--task generate --compare a", "option --compare belongs to the task embed, not to generate"),
        ("--task classify --out r.npy a", "option --out belongs to the task embed, not to classify"),
        ("--tokenize -n 3 a", "option -n belongs to the task generate, not to --tokenize"),
        ("--task translate a", "option --task: expected a task of this executable (embed, generate, classify), got 'translate'"),
        ("--task", "option --task: expected a task of this executable (embed, generate, classify), got ''"),
        ("--task embed --task embed a", "option --task is given twice"),
        ("-f a -f b", "option -f is given twice"),
        ("-f", "option -f: expected a file"),
        ("-f a b", "unexpected argument 'b': the inputs come from the file of -f"),
        ("--out '' a", "option --out: expected a file"),
        ("--jsn a", "unknown option '--jsn'; see --help ('--' ends the options)"),
        ("run forward --json", "unknown option '--json'; 'run' has --in, --lengths, --starts, --text, --out, --repeat, --profile, -t"),
    ]],
]
run(CASES)
