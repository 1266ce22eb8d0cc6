"""A failing random model made small: drawn again with one choice after the other at its simplest, as long as it fails in the same way."""
import time


def simpler(value, options):
    """Options to try in place of `value`, the simplest first: of numbers the smallest, then the ones half way."""
    if value == options[0]:
        return []
    if not isinstance(value, int) or isinstance(value, bool):
        return [options[0]]
    below = sorted({option for option in options if isinstance(option, int) and option < value})
    return list(dict.fromkeys([options[0]] + [below[len(below) * part // 4] for part in range(4) if below]))


def shrink(attempt, forced, model, failure, seconds):
    """`attempt(forced)` gives a model and its failure or None; forced maps choices to values as text. The smallest that fails like `failure`."""
    end = time.monotonic() + seconds
    again = True
    while again:
        again = False
        for name, (value, options) in list(model.drawing.choices.taken.items()):
            for option in simpler(value, options):
                if time.monotonic() > end:
                    attempt(forced)  # its files are the ones to keep
                    return forced, model, failure
                if name not in model.drawing.choices.taken:  # what was made simpler does without it
                    break
                smaller, other = attempt(forced | {name: str(option)})
                if other and other.kind == failure.kind:
                    forced, model, failure, again = forced | {name: str(option)}, smaller, other, True
                    break
    attempt(forced)
    return forced, model, failure
