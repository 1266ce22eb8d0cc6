"""random-numbers.py EXECUTABLE FOLDER: 2,000 numbers made by the rule, in random spellings, all translated right."""
import random
import sys

from executable import Executable, check

sys.path.insert(0, sys.argv[2])
import data  # noqa: E402  (the rule lies with the example)


def main():
    chance = random.Random(20170612)
    numbers = [chance.randrange(1_000_000) if chance.random() < 0.75 else chance.randrange(10 ** chance.randint(1, 6)) for _ in range(2000)]
    flips = lambda: chance.random() < 0.5
    words = [data.german(n, (flips(), flips(), flips()), flips(), flips()) for n in numbers]
    got = Executable(sys.argv[1]).lines(words)
    check(len(got) == len(words), f"{len(words)} lines in, {len(got)} out")
    wrong = [(n, word, line) for n, word, line in zip(numbers, words, got) if line != " ".join(data.english(n))]
    check(not wrong, f"{len(wrong)} of {len(words)} wrong, first {wrong[:3]}")


if __name__ == "__main__":
    main()
