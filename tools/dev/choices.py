"""Named draws for tools/dev/random-models."""
import random


class Choices:
    """Each draw comes from the model's number and its own name alone, so that one can be set by hand without changing the others."""

    def __init__(self, number, forced=()):
        self.number, self.forced = number, dict(forced)  # forced: name -> value as text
        self.taken = {}  # name -> (value, options)

    def pick(self, name, options):
        """One of the options; the first is the simplest. A forced value that is none of them gives the simplest."""
        options = list(options)
        value = random.Random(f"{self.number} {name}").choice(options)
        if name in self.forced:
            value = next((option for option in options if str(option) == self.forced[name]), options[0])
        self.taken[name] = value, options
        return value

    def maybe(self, name, share=0.5):
        return self.pick(name, [False] * round(20 * (1 - share)) + [True] * round(20 * share))
