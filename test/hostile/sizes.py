# RUN: %python %s
"""Sizes that a configuration claims: refused before anything of that size is made."""
from hostile import Case, config_with, npy, run, text_with

POSITIONS = text_with("words[tokens]", "(words[tokens] + sinusoidal(positions(tokens), frequencies(width), width=width))").replace(
    "sequence...]) ->", "sequence... <= bound]) ->").replace("config scale", "config bound: int = 4\n  config scale")


def sized(name, says, run="heddle check m", text=None, files=None, **values):
    text = {} if text is None else {"m/model.heddle": text}
    return Case(name, says, {"m/config.json": config_with(**values), **text, **(files or {})}, run)


CASES = [
    sized("a width of 0", "m/model.heddle:", width=0),
    sized("a width below 0", "m/model.heddle:", width=-2),
    sized("a product beyond 2^63", "m/model.heddle:8:", width=2**40, vocab_size=2**40),
    sized("a product that wraps to 0", "m/model.heddle:8:", width=2**32, vocab_size=2**32),
    sized("another width than the weights", "m/model.heddle:8:13: error: tensor 'words': expected [vocab_size 3, width 3], got [3, 2]", width=3),
    sized("seeded weights of terabytes", "error: weight 'words.transposed' has 8796093022208 bytes, the machine has a memory of ",
          run="heddle build m --weights seed:1 -o out", width=2**24, vocab_size=2**17),
    sized("seeded weights of terabytes, evaluated", "error:", run="heddle eval m forward --weights seed:1 --in tokens=t.npy --out result=r.npy",
          width=2**20, vocab_size=2**20, files={"t.npy": npy("<i4", [1, 1], [0])}),
    sized("a table of 2^40 positions", "error:", run="heddle build m -o out", text=POSITIONS, bound=2**40),
    sized("a table of 2^40 positions, evaluated", "error:", run="heddle eval m forward --in tokens=t.npy --out result=r.npy",
          text=POSITIONS, bound=2**40, files={"t.npy": npy("<i4", [1, 1], [0])}),
    sized("a bound of 0", "m/model.heddle:", text=POSITIONS, bound=0),
    sized("a list of two million numbers", "m/config.json:1:", factors=[1] * 2_000_000),
]
run(CASES)
