"""Attention in many spellings for tools/dev/drawing.py: the op, or its formula with scales, caps, biases and masks wherever texts put them."""
from spellings import NEAR_MISS, SOFTMAX

LATE = "division last"
MISSES = ["second use", "big number", "queries", "of exps"]


class Attention:
    """`fn attend(x, y, w, seen, cross: bool)`, and what goes with it. `sizes` has heads, key_heads, head_width, value_width."""

    def __init__(self, spellings, sizes, kind, rotation):
        self.spellings, self.pick, self.maybe = spellings, spellings.pick, spellings.maybe
        self.__dict__.update(sizes)
        self.masks, self.is_causal = True, False  # drawing.py knows
        self.kind, self.rotation = kind, rotation  # rotation: (built-in or written, layout, so many dimensions, base), or None
        self.draw()

    def draw(self):
        pick, maybe = self.pick, self.maybe
        forms = ["op", "op", "scores", "scores", "scores"] + ["one"] * 3 * (self.heads == 1) + ["apart"] * 2 * (self.heads == self.key_heads and 1 < self.heads < 6)
        self.form = pick("form", forms)
        self.axes = 3 if self.form in ("one", "apart") else 4
        self.written = self.form != "op"
        self.merged, self.biased = maybe("merged", 0.4) and self.form != "apart", maybe("attention biases")
        self.scale = pick("scale", [None, None, "0.25", "1.0 / 3", "1.0"])
        self.softcap = pick("softcap", [None, None, None, "5.0", "50.0"])
        self.bias = pick("bias", [None, None, None, "relative", "alibi", "alibi written"])
        if self.form in ("one", "apart") and self.bias in ("relative", "alibi") or self.kind == "picture" and self.bias == "alibi written":
            self.bias = None
        self.head_norm = maybe("head norm", 0.2) and self.head_width >= 5
        self.miss = pick("attention missed", MISSES) if self.written and maybe("attention near miss", NEAR_MISS) else None
        self.spellings.forbidden.update({"attention"} if self.miss in ("second use", "queries", "of exps") else ())
        late = [LATE] * (not self.miss and self.kind != "encoder-decoder")  # a memory of no tokens: 0 / 0
        self.softmax = pick("softmax spelling", ["softmax(p)", *SOFTMAX, *late]) if self.written else "softmax(p)"
        self.scaled_at = pick("scale at", ["product", "quotient", "before product", "query", "query quotient", "key", "both", "tensor", "query tensor", "last"]) if self.written else "op"
        self.keys, self.repeat_early = pick("keys", ["late", "early"] + ["by turns"] * (self.axes == 4)), maybe("repeat early")
        self.bias_late, self.twice = maybe("bias late", 0.2), maybe("causal twice", 0.2)

    @property
    def needs_keys(self):
        """Every row must see a key: softmax written out makes NaN of one that sees none, and a large number added to all its scores drowns them."""
        return self.softmax != "softmax(p)" or self.miss in ("of exps", "big number")

    def mask_form(self):
        """How the mask comes to the scores: a name that `seen` in drawing.py knows."""
        if not self.written:
            return self.pick("mask form", ["value", "value", "values"])
        if self.miss == "big number":
            return "values"
        return self.pick("mask form", ["value", "value", "values", "values", "hidden", "added"])

    @property
    def sure(self):
        return self.miss is None and self.scaled_at not in ("tensor", "last") and self.softmax != SOFTMAX[2]

    # The function.

    def function(self):
        if self.form == "apart":
            parts = ", ".join(f'attend_one(x, y, "{{w}}.{head}", seen, cross)' for head in range(self.heads))
            return [("attend_one(x, y, w, seen, cross: bool)", self.projections() + self.turned() + self.scores() + ["return o"]),
                    ("attend(x, y, w, seen, cross: bool)", [f"o = concat({parts})", self.output("o")])]
        lines = self.projections() + self.turned()
        if self.form == "op":
            options = [("mask", "seen"), ("scale", self.scale), ("softcap", self.softcap), ("bias", self.bias and f"if cross {{ none }} else {{ {self.bias_text()} }}")]
            given = "".join(f", {name}={value}" for name, value in options if value)
            return [("attend(x, y, w, seen, cross: bool)", lines + [f"o = attention(q, k, v{given})", self.output("join(o)")])]
        return [("attend(x, y, w, seen, cross: bool)", lines + self.scores() + [self.output("join(o)" if self.axes == 4 else "o")])]

    def output(self, joined):
        return f'return project({joined}, "{{w}}.o", width, {self.flag()})'

    def flag(self):
        return f"bias={str(self.biased).lower()}"

    def projections(self):
        heads, keys = (1, 1) if self.axes == 3 else (self.heads, self.key_heads)
        sizes = [heads * self.head_width, keys * self.head_width, keys * self.value_width]
        if self.merged:
            both = lambda of: f'split(project({of}, "{{w}}.qkv", {sum(sizes)}, {self.flag()}), {sizes})'
            lines = [f"q, k, v = {both('x')}", f"if cross {{ _, k, v = {both('y')} }}"]
        else:
            lines = [f'{name} = project({of}, "{{w}}.{name}", {size}, {self.flag()})' for name, of, size in zip("qkv", "xyy", sizes)]
        if self.axes == 4:
            cut = self.pick("heads cut", ["heads({0}, {1})", "rearrange({0}, [b, s, {1} * e] -> [b, {1}, s, e])", "rearrange(rearrange({0}, [b, s, {1} * e] -> [b, s, {1}, e]), [b, s, h, e] -> [b, h, s, e])"])
            lines += [f"{name} = {cut.format(name, count)}" for name, count in zip("qkv", ("heads", "key_heads", "key_heads"))]
        if self.head_norm:
            lines += [f'q = norm(q, "{{w}}.q_norm", {self.head_width})', f'k = norm(k, "{{w}}.k_norm", {self.head_width})']
        return lines

    def turned(self):
        if not self.rotation:
            return []
        written, layout, count, base = self.rotation
        if written:
            angles = self.spellings.angles("x", count // 2, base, self.axes)
            return [f"if not cross {{ a = {angles} q = turn(q, a) k = turn(k, a) }}"]
        turn = f'frequencies({count}, base={base}), layout="{layout}"'
        return [f"if not cross {{ q = rotary(q, {turn}) k = rotary(k, {turn}) }}"]

    def turn_function(self):
        if not self.rotation or not self.rotation[0]:
            return []
        _, layout, count, _ = self.rotation
        return [("turn(x, a)", self.spellings.rotation(layout, count, self.head_width, self.axes))]

    # The formula.

    def scores(self):
        scale = self.scale or "1.0 / sqrt(head_width)"
        at, lines = self.scaled_at, []
        if at in ("query", "query quotient"):
            lines.append(f"q = q * ({scale})" if at == "query" else f"q = q / (1 / ({scale}))")
        elif at == "key":
            lines.append(f"k = ({scale}) * k")
        elif at == "query tensor":
            lines.append(f'q = q * (({scale}) * weight("{{w}}.scale.weight", [head_width]))')
        elif at == "both":
            lines += [f"q = q * sqrt({scale})", f"k = k * sqrt({scale})"]
        lines += self.key_lines()
        product = {"product": f"q @ kt * ({scale})", "quotient": f"q @ kt / (1 / ({scale}))", "before product": f"({scale}) * (q @ kt)",
                   "tensor": f'q @ kt * weight("{{w}}.scale.weight", [{"heads, " * (self.axes == 4)}1, 1])'}.get(at, "q @ kt")
        lines.append(f"p = {product}")
        changes = []
        if self.softcap:
            capped = self.pick("softcap spelling", ["softcap(p, {0})", "{0} * tanh(p / {0})", "tanh(p / {0}) * {0}", "{0} * tanh(p * (1 / {0}))"])
            changes.append("p = " + capped.format(self.softcap))
        masked = [f"if seen != none {{ p = {self.masked()} }}"] * self.masks
        if self.bias:
            biased = "if not cross { p = " + self.pick("bias order", ["p + {0}", "{0} + p"]).format(self.bias_text()) + " }"
            masked = masked + [biased] if self.bias_late else [biased] + masked
        return lines + changes + masked + [f"p = p * ({scale})"] * (at == "last") + self.weighted()

    def key_lines(self):
        groups = self.axes == 4 and self.heads != self.key_heads
        many = lambda of, inside: f"rearrange({of}, [.., key_heads, {inside}] -> [.., key_heads * group, {inside}])"
        lines = [f"v = {many('v', 't, e')}"] * groups
        if groups and self.repeat_early:
            lines.append(f"k = {many('k', 't, e')}")
        lines.append("kt = " + {"late": "transpose(k)", "early": "rearrange(k, [.., t, e] -> [.., e, t])", "by turns": "rearrange(rearrange(k, [.., h, t, e] -> [.., t, h, e]), [.., t, h, e] -> [.., h, e, t])"}[self.keys])
        if groups and not self.repeat_early:
            lines.append(f"kt = {many('kt', 'e, t')}")
        return lines

    def masked(self):
        form = self.mask_form()
        if self.miss == "big number":
            return self.pick("big number", ["where(seen, p, -1e9)", "p + where(seen, 0.0, -1e4)", "p - f32(not seen) * 1e4"])
        return {
            "value": "mask(mask(p, seen), causal)" if self.twice and self.is_causal else "mask(p, seen)",
            "values": self.pick("masked values", ["where(seen, p, -infinity)", "where(not seen, -infinity, p)", "mask(p, seen)"]),
            "hidden": "where(seen, -infinity, p)",
            "added": self.pick("added order", ["p + seen", "seen + p"]),
        }[form]

    def weighted(self):
        if self.miss == "queries":
            return ["p = transpose(softmax(transpose(p)))", "o = p @ v"]
        if self.miss == "of exps":
            return ["p = exp(p) / sum(exp(p))", "o = p @ v"]
        if self.miss == "second use":
            return [f"p = {self.softmax}", "o = p @ v + mean(p)"]
        if self.softmax == LATE:
            return ["p = exp(p - max(p))", f"o = {'@fused ' * self.sure}(p @ v) / sum(p)"]
        return [f"p = {self.softmax}", f"o = {'@fused ' * self.sure}p @ v"]

    def bias_text(self):
        if self.bias == "relative":
            both = str(self.kind in ("encoder", "picture")).lower()
            return f'relative(weight("buckets", [16, heads]), {both}, 40)'
        slopes = ", ".join(str(2.0 ** -(1 + head % 8)) for head in range(self.heads))
        if self.bias == "alibi":
            return f"alibi(tensor([{slopes}]))"
        if self.bias == "alibi written":
            slope = f"rearrange(tensor([{slopes}]), [h] -> [1, h, 1, 1])" if self.axes == 4 else "0.25"
            shape = ("[b, s, 1]", "[b, 1, t]") if self.axes == 3 else ("[b, 1, s, 1]", "[b, 1, 1, t]")
            return f"{slope} * f32(rearrange(positions(y), [b, t] -> {shape[1]}) - rearrange(positions(x), [b, s] -> {shape[0]}))"
        return None
