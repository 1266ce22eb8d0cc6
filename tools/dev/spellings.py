"""Formulas in many spellings for tools/dev/drawing.py: those that fusions lift, and near misses that must stay as they are.

A spelling that is sure to be lifted is marked @fused, which makes it an error where it is not; what must not be lifted is named in `forbidden`."""

GELU = ["0.5 * x * (1 + erf(x / sqrt(2)))", "x * 0.5 * (erf(x * 0.7071067811865476) + 1)", "x / 2 * (1 + erf(x / 1.4142135623730951))", "(0.5 * x) * (1.0 + erf(x / 2 ^ 0.5))"]
GELU_TANH = ["0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ^ 3)))", "x * 0.5 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))",
             "0.5 * x * (1 + tanh(x * 0.7978845608028654 * (1 + 0.044715 * x * x)))"]
SILU = ["x * sigmoid(x)", "x / (1 + exp(-x))", "x * (1 / (1 + exp(-x)))", "x / (exp(-x) + 1.0)"]
NO_GELU = ["0.5 * x * (1 + erf(x / 1.4142))", "0.5 * x * (1 + tanh(0.8 * (x + 0.044715 * x ^ 3)))", "x * (1 + erf(x / sqrt(2)))"]
NO_SILU = ["x * sigmoid(1.702 * x)", "x / (2 + exp(-x))"]
SOFTMAX = ["softmax(p)", "exp(p - max(p)) / sum(exp(p - max(p)))", "exp(p - max(p)) * (1 / sum(exp(p - max(p))))"]
NEAR_MISS = 0.15


class Spellings:
    def __init__(self, choices):
        self.pick, self.maybe = choices.pick, choices.maybe
        self.forbidden = set()  # names of ops that no fusion may make in this model
        self.known = []  # what was drawn, in words

    def written(self, what, spellings, misses=(), kinds=()):
        """One of the spellings, perhaps a near miss: the text and whether it is sure to be lifted."""
        if misses and self.maybe(f"{what} near miss", NEAR_MISS):
            self.forbidden.update(kinds)
            text = self.pick(f"{what} missed", misses)
            self.known.append(f"no {what}")
            return text, False
        return self.pick(f"{what} spelling", spellings), True

    # Activations: a function `unit(x)`, or the built-in's name.

    def unit(self, name):
        known = {"gelu": (GELU, NO_GELU), "gelu_tanh": (GELU_TANH, NO_GELU), "silu": (SILU, NO_SILU)}
        if name not in known or self.maybe("unit built-in", 0.3):
            return name, ""
        text, lifted = self.written("unit", known[name][0], known[name][1], {"gelu", "silu"})
        return "unit", f"  fn unit(x) = {'@fused ' * lifted}{text}"

    # Products with weights.

    def projection(self):
        bias = 'weight("{w}.bias", [m])'
        product = self.pick("product", ['x @ transpose(weight("{w}.weight", [m, n]))', 'x @ weight("{w}.weight", [n, m])', 'transpose(weight("{w}.weight", [m, n]) @ transpose(x))'])
        summed = self.pick("product and bias", ["{0} + {1}", "{1} + {0}"]).format(f"({product})", bias)
        return f"  fn project(x: f32[.., n], w, m: int, bias: bool) = if bias {{ {summed} }} else {{ {product} }}"

    # Norms.

    def norm(self, kind, epsilon, shared):
        """The body of `fn norm(x: f32[.., n], w, size: int)`: a list of lines. A row that is `shared` by several gains is fused without them."""
        # A seeded weight whose name ends so is near 1, another one near 0.
        gain, bias = ('1 + weight("{w}.gain", [n])' if "1 +" in kind else 'weight("{w}.weight", [n])'), 'weight("{w}.bias", [n])'
        centred = kind == "layer_norm"
        if self.maybe("norm built-in", 0.3):
            return [f"return layer_norm(x, {gain}, {bias}, {epsilon})" if centred else f"return rms_norm(x, {gain}, {epsilon})"]
        lines, c = (["c = x - mean(x)"], "c") if centred else ([], "x")
        squares = [f"mean({c} * {c})", f"mean({c} ^ 2)", f"sum({c} * {c}) / size"] + ["var(x)", "mean((x - mean(x)) ^ 2)"] * centred
        misses = [f"{c} / (sqrt(mean({c} * {c})) + {epsilon})"]
        if centred:
            misses += [f"{c} / sqrt(sum({c} * {c}) / (size - 1) + {epsilon})", f"{c} / sqrt(mean(x * x) - mean(x) * mean(x) + {epsilon})"]
        square = self.pick("norm square", squares)
        inside = self.pick("norm inside", [f"{square} + {epsilon}", f"{epsilon} + {square}"])
        normal, lifted = self.written("norm", [f"{c} / sqrt({inside})", f"{c} * (1 / sqrt({inside}))", f"{c} * ({inside}) ^ -0.5", f"{c} / ({inside}) ^ 0.5"], misses,
                                      {"layer_norm", "rms_norm"})
        gained = self.pick("norm gain", ["{0} * {1}", "{1} * {0}"]).format(f"({normal})", f"({gain})")
        ended = self.pick("norm end", ["{0} + {1}", "{1} + {0}"]).format(gained, bias) if centred else gained
        return lines + [f"return {'@fused ' * (lifted and not shared)}{ended}"]

    # Positions. Text of the angles a rotation takes, [batch, 1 or none, s, half].

    def angles(self, of, count, base, axes):
        shape = {3: ("[b, s, 1]", "[1, 1, h]"), 4: ("[b, 1, s, 1]", "[1, 1, 1, h]")}[axes]
        frequencies = self.pick("frequencies", [f"frequencies({2 * count}, base={base})", f"exp(-log({base}) * 2 * iota({count}) / {2 * count})",
                                                f"1 / {base} ^ (2 * iota({count}) / {2 * count})"])
        return f"rearrange(f32(positions({of})), [b, s] -> {shape[0]}) * rearrange({frequencies}, [h] -> {shape[1]})"

    def rotation(self, layout, turned, width, axes):
        """`fn turn(x, a)`: the first `turned` of the last axis, `width` wide, by the angles `a`."""
        rest = turned < width
        lines = [f"first, rest = split(x, [{turned}, {width - turned}])"] if rest else ["first = x"]
        if layout == "interleaved":
            lines += ["pairs = rearrange(first, [.., h * 2] -> [.., h, 2])", "u, v = split(pairs, 2)", "c = rearrange(cos(a), [.., h] -> [.., h, 1])",
                      "s = rearrange(sin(a), [.., h] -> [.., h, 1])", f"y = rearrange(concat({self.turn('c', 's')}), [.., h, two] -> [.., h * two])"]
        elif self.maybe("rotate half"):
            lines += ["u, v = split(first, 2)", "c = concat(cos(a), cos(a))", "s = concat(sin(a), sin(a))", "y = first * c + concat(-v, u) * s"]
        else:
            lines += ["u, v = split(first, 2)", f"y = concat({self.turn('cos(a)', 'sin(a)')})"]
        return lines + ["return concat(y, rest)" if rest else "return y"]

    def turn(self, c, s):
        return self.pick("turn", [f"u * {c} - v * {s}, v * {c} + u * {s}", f"{c} * u - {s} * v, u * {s} + v * {c}"])

    def sinusoid(self, of, width, base, layout):
        """Positions as sines and cosines, [batch, s, width]; the width is even."""
        angles = self.angles(of, width // 2, base, 3)
        if layout == "halves":
            return f"concat(sin({angles}), cos({angles}))"
        one = "rearrange({}(" + angles + "), [.., h] -> [.., h, 1])"
        return f"rearrange(concat({one.format('sin')}, {one.format('cos')}), [.., h, two] -> [.., h * two])"

    def table(self, name, count, width, ids):
        """Rows of a table: a gather, or a product with ones."""
        weight = f'weight("{name}", [{count}, {width}])'
        ones = f"rearrange({ids}, [b, s] -> [b, s, 1]) == rearrange(iota({count}), [m] -> [1, 1, m])"
        return self.pick("table", [f"{weight}[{ids}]"] * 3 + [f"f32({ones}) @ {weight}", f"where({ones}, 1.0, 0.0) @ {weight}"])
