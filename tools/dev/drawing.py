"""Texts of small random models for tools/dev/random-models: architectures here, formulas in spellings.py and attentions.py."""
from dataclasses import dataclass, field

from attentions import Attention
from choices import Choices
from spellings import Spellings

BOUND = 128  # positions of a row


@dataclass
class Entry:
    name: str
    arguments: dict  # name -> ids below that number, or width of vectors
    ids: set
    ragged: str | None  # the argument whose lengths the result has; None for one vector a row
    causal: bool = False  # a token's result does not depend on later ones
    fixed: dict = field(default_factory=dict)  # name -> so many tokens in every row, as the parts of a picture
    beside: dict = field(default_factory=dict)  # ids of the same tokens as another argument, by whose name; None: one number a row

    def is_ids(self, name):
        return name in self.ids


class Drawing:
    """One model: its text, its entries, and in words what was drawn."""

    def __init__(self, number, forced=()):
        self.choices = Choices(number, forced)
        self.pick, self.maybe = self.choices.pick, self.choices.maybe
        self.spellings = Spellings(self.choices)
        self.kind = self.pick("kind", ["encoder", "decoder", "encoder-decoder", "decoder", "encoder", "picture", "captions"])
        self.order = self.pick("order", ["pre", "post", "pre", "post", "both", "parallel"])
        self.cpu = self.pick("cpu", ["x86-64-v3", "x86-64-v4"])
        self.words_known = self.pick("words", range(2, 61))
        self.layers = self.pick("layers", [1, 1, 2])
        self.draw_norm()
        self.draw_heads()
        self.draw_feed_forward()
        if self.order == "both":  # nor may norms see a few numbers times a matrix
            self.value_width, self.inner = max(self.value_width, 5), max(self.inner, 8)
        self.draw_ends()
        self.draw_positions()
        self.draw_attention()
        self.draw_mask()
        self.entries = []
        self.text = self.write(number)
        self.forbidden = self.spellings.forbidden
        self.words = (f"{self.kind}, {self.order}-{self.norm}, width {self.width}, {self.heads} heads of {self.head_width} for {self.key_heads}, "
                      f"values {self.value_width}, {self.unit} {self.inner}, {self.position}, attention as {self.attention.form}, mask {self.mask}")

    def draw_norm(self):
        self.norm = self.pick("norm", ["rms_norm", "layer_norm", "layer_norm", "rms_norm of 1 +", "layer_norm"])
        self.epsilon = self.pick("epsilon", ["1e-5", "1e-6", "1e-12", "0.001"])
        # Norms of fewer than 5 elements may divide by almost nothing; their error is that of the input, magnified.
        self.width = self.pick("width", [*range(5, 41), *range(5, 101), *[16, 17, 31, 32, 33, 64, 65] * 9])

    def draw_heads(self):
        self.head_width = self.pick("head width", [*range(1, 21), *range(1, 81), *[1, 2, 7, 13, 16, 17, 31, 32, 37, 64, 79, 80] * 4])
        self.heads = min(self.pick("heads", [1, 1, *range(1, 9)]), max(1, 320 // self.head_width))
        self.key_heads = self.pick("key heads", [n for n in range(self.heads, 0, -1) if self.heads % n == 0])
        self.value_width = self.pick("value width", [self.head_width] * 120 + [*range(1, 41)])

    def draw_feed_forward(self):
        self.unit = self.pick("unit", ["relu", "relu", "gelu", "gelu_tanh", "silu", "silu gated", "gelu_tanh gated", "gelu gated"])
        self.inner = self.pick("inner", range(1, 151))
        self.inner_merged, self.inner_bias = self.maybe("inner merged", 0.4), self.maybe("inner biases")

    def draw_positions(self):
        self.position = self.pick("position", ["none", "sinusoidal", "halves", "written sinusoidal", "written halves", "learned", "rotary halves", "rotary interleaved",
                                               "rotary halves", "written rotary halves", "written rotary interleaved"])
        self.base = self.pick("base", ["10000.0", "500.0", "1000000.0"])
        even = 2 * (self.head_width // 2)
        self.turned = self.pick("turned", [even, even, max(2, 2 * (self.head_width // 4))])
        no_pair = "rotary" in self.position and even < 2
        if no_pair or "written" in self.position and (self.kind == "picture" or self.width % 2 and "rotary" not in self.position):
            self.position = "none"

    def draw_attention(self):
        sizes = {key: getattr(self, key) for key in ("heads", "key_heads", "head_width", "value_width")}
        rotation = None
        if "rotary" in self.position:
            rotation = "written" in self.position, self.position.split()[-1], self.turned, self.base
        self.attention = Attention(self.spellings, sizes, self.kind, rotation)

    def draw_mask(self):
        """Parts that are joined by `and`; what hides future tokens makes a decoder causal."""
        left, right = self.pick("left", [1, 2, *range(1, 81), *range(1, 21)]), self.pick("right", [1, 2, *range(1, 40)])
        self.limits = {"causal": (), "window": (left,), "sided": (left, right), "wide": (left + right, right), "prefix": ("prompt",), "segments": ("sentence",)}
        both, causal = ["window", "sided", "wide"], [("causal",), ("causal",), ("causal", "window"), ("sided", "causal"), ("window", "causal", "wide"), ("prefix",),
                                                     ("prefix", "window"), ("causal", "segments"), ("prefix", "segments", "wide")]
        parts = causal if self.kind in ("decoder", "encoder-decoder", "captions") else [(), (), *((one,) for one in both), ("window", "wide")]
        parts = parts + ([("causal",)] if self.kind == "picture" else [("segments",), ("window", "segments")] if self.kind == "encoder" else [])
        self.parts = list(self.pick("mask", parts))
        # Rows without a key they see are drawn where the formula has a value for them.
        if self.kind in ("encoder", "decoder", "encoder-decoder", "captions") and not self.vectors and not self.attention.needs_keys and self.maybe("padding ids", 0.25):
            self.parts.append("ids")
        self.causal = "causal" in self.parts and self.kind != "picture" and self.attention.miss not in ("queries", "second use")
        self.attention.masks, self.attention.is_causal = bool(self.parts), "causal" in self.parts
        self.mask = f"{' and '.join(self.parts)} as {self.attention.mask_form()}" if self.parts else "none"

    def draw_ends(self):
        self.scaled, self.first_norm, self.last_norm = self.maybe("scaled"), self.maybe("first norm", 0.3), self.maybe("last norm")
        self.tied, self.head_bias = self.maybe("tied"), self.maybe("head bias", 0.3)
        self.vectors = self.kind == "picture" or self.kind == "encoder" and self.maybe("vectors", 0.25)
        self.pooling = self.pick("pooling", ["none", "mean", "first"]) if self.kind == "encoder" else "none"

    # The text.

    def write(self, number):
        entries = {"encoder-decoder": self.encoder_decoder, "picture": self.picture, "captions": self.captions}.get(self.kind, self.single)()
        functions = [self.function("norm(x: f32[.., n], w, size: int)", self.spellings.norm(self.norm, self.epsilon, shared=self.order == "parallel"))]
        functions.append(self.spellings.projection())
        functions += [self.function(head, lines) for head, lines in self.attention.turn_function() + self.attention.function()]
        functions += [self.feed_forward_function(), self.block_function()]
        if not self.vectors:
            functions.append(self.embedding_function())
        return f"heddle 1\n\n## Model {number} of tools/dev/random-models.\nmodel drawn {{\n{self.configuration()}\n" + "\n\n".join(functions + entries) + "\n}\n"

    def configuration(self):
        keys = ["width", "layers", "heads", "key_heads", "head_width", "value_width", "inner"]
        return "".join(f"  config {key}: int = {getattr(self, key)}\n" for key in keys) + "  config group: int = heads / key_heads\n"

    @staticmethod
    def function(head, lines, word="fn"):
        return f"  {word} {head} {{\n" + "".join(f"    {line}\n" for line in lines) + "  }"

    def feed_forward_function(self):
        flag = f"bias={str(self.inner_bias).lower()}"
        name, unit = self.spellings.unit(self.unit.split()[0])
        unit += "\n\n" * bool(unit)
        if "gated" not in self.unit:
            return unit + f'  fn feed_forward(x, w) = project({name}(project(x, "{{w}}.up", inner, {flag})), "{{w}}.down", width, {flag})'
        if self.inner_merged:
            lines = [f'gate, up = split(project(x, "{{w}}.gate_up", 2 * inner, {flag}), 2)']
        else:
            lines = [f'gate = project(x, "{{w}}.gate", inner, {flag})', f'up = project(x, "{{w}}.up", inner, {flag})']
        gated = self.pick("gate order", [f"{name}(gate) * up", f"up * {name}(gate)"])
        return unit + self.function("feed_forward(x, w)", lines + [f'return project({gated}, "{{w}}.down", width, {flag})'])

    def block_function(self):
        """A block of self-attention, perhaps attention to the memory, and the feed-forward net."""
        plus = self.pick("residual", ["x + {}", "x + {}", "{} + x", "x + 0.5 * {}"])
        step = {
            "pre": "x = " + plus.format("{call}({n}, ARGS)"), "parallel": "x = " + plus.format("{call}({n}, ARGS)"),
            "post": f"x = norm({plus.format('{call}(x, ARGS)')}, NAME, width)", "both": "x = " + plus.format("norm({call}({n}, ARGS), AFTER, width)"),
        }[self.order]

        def line(call, arguments, name):
            text = step.replace("{call}", call).replace("{n}", f'norm(x, "{{w}}.{name}", width)').replace("ARGS", arguments)
            return text.replace("NAME", f'"{{w}}.{name}"').replace("AFTER", f'"{{w}}.{name}_after"')

        cross = line("attend", 'memory, "{w}.cross", none, true', "norm2")
        last = line("feed_forward", '"{w}.net"', "norm3")
        if self.order == "parallel":
            lines = ['y = norm(x, "{w}.norm1", width)', 'z = norm(x, "{w}.norm3", width)',
                     'x = x + attend(y, y, "{w}.self", seen, false) + feed_forward(z, "{w}.net")', f"if cross {{ {cross} }}"]
        else:
            first = line("attend", 'y, "{w}.self", seen, false', "norm1").replace('norm(x, "{w}.norm1", width), y', "y, y")
            lines = ["y = x" if self.order == "post" else 'y = norm(x, "{w}.norm1", width)', first, f"if cross {{ {cross} }}", last]
        return self.function("block(x, memory, w, seen, cross: bool)", lines + ["return x"])

    def embedding_function(self):
        lines = [f'x = {self.spellings.table("{w}.words", "known", "width", "tokens")}' + " * sqrt(width)" * self.scaled]
        layout = "halves" if "halves" in self.position else "interleaved"
        if self.position == "learned":
            lines.append("x = x + " + self.spellings.table("{w}.places", BOUND, "width", "positions(tokens)"))
        elif self.position in ("written sinusoidal", "written halves"):
            lines.append("x = x + " + self.spellings.sinusoid("tokens", self.width, self.base, layout))
        elif self.position in ("sinusoidal", "halves"):
            lines.append(f'x = x + sinusoidal(positions(tokens), frequencies(width, base={self.base}), width=width, layout="{layout}")')
        if self.first_norm:
            lines.append('x = norm(x, "{w}.first", width)')
        return self.function("embedding(tokens, w, known: int)", lines + ["return x"])

    # The mask: lines that give `seen`, as Attention.mask_form wants it.

    def seen(self, rows):
        if not self.parts:
            return ["seen = none"]
        form = self.attention.mask_form()
        if form == "value":
            return ["seen = " + " and ".join(self.part_value(part, rows) for part in self.parts)]
        lines = []
        if self.kind != "picture":
            lines = [f"pq = rearrange(positions({rows}), [b, s] -> {self.wide[0]})", f"pk = rearrange(positions({rows}), [b, t] -> {self.wide[1]})"]
        seen = " and ".join(self.part_tensor(i, part, rows) for i, part in enumerate(self.parts))
        if form == "hidden":
            seen = f"not ({seen})"
        if form == "added":
            seen = self.pick("added", ["where({0}, 0.0, -infinity)", "where(not ({0}), -infinity, 0.0)"]).format(seen)
        return lines + [f"seen = {seen}"]

    def value(self, part):
        limits = ", ".join(map(str, self.limits[part]))
        return {"causal": "causal", "prefix": "prefix(prompt)", "segments": "segments(sentence, sentence)"}.get(part, f"window({limits})")

    def beside(self, rows, ragged):
        """What masks ask of an entry: more parameters as text, and as Entry has them."""
        known = {"prefix": ("prompt", "i32[batch]", 80, None), "segments": ("sentence", f"i32[batch, {ragged}...]", 3, rows)}
        wanted = [known[part] for part in self.parts if part in known]
        return "".join(f", {name}: {type}" for name, type, _, _ in wanted), {name: limit for name, _, limit, _ in wanted}, {name: of for name, _, _, of in wanted}

    @property
    def wide(self):
        """Where the tokens of queries and of keys lie in the scores."""
        return ("[b, s, 1]", "[b, 1, t]") if self.attention.axes == 3 else ("[b, 1, s, 1]", "[b, 1, 1, t]")

    def part_value(self, part, rows):
        if part == "ids":
            return self.ids_seen(rows)
        value = self.value(part)
        if self.maybe(f"{part} as tensor", 0.2):
            return self.all_pairs(value, rows)
        return value

    def all_pairs(self, value, rows):
        values = f"mask_values({value}, {rows}, {rows})"
        return values if self.attention.axes == 3 else f"rearrange({values}, [b, s, t] -> [b, 1, s, t])"

    def ids_seen(self, rows):
        return self.pick("ids seen", ["rearrange({0} != 0, [b, t] -> {1})", "rearrange({0}, [b, t] -> {1}) != 0", "not (rearrange({0}, [b, t] -> {1}) == 0)",
                                      "rearrange({0} > 0, [b, t] -> {1})"]).format(rows, self.wide[1])

    def part_tensor(self, i, part, rows):
        if part == "ids":
            return self.ids_seen(rows)
        if self.kind == "picture":
            return self.all_pairs(self.value(part), rows)
        wide = self.wide
        compared = {
            "causal": ["pk <= pq", "pq >= pk", "pk - pq <= 0", "not (pk > pq)", "pk < pq + 1"],
            "window": ["pq - pk < {0}", "pk > pq - {0}", "pk + {0} > pq"],
            "sided": ["pq - pk < {0} and pk - pq < {1}", "pk < pq + {1} and pq < pk + {0}"],
            "prefix": [f"(pk <= pq or pk < rearrange(prompt, [b] -> {wide[0].replace('s', '1')}))"],
            "segments": [f"rearrange(sentence, [b, s] -> {wide[0]}) == rearrange(sentence, [b, t] -> {wide[1]})"],
        }["sided" if part == "wide" else part]
        return self.pick(f"{part} {i} compared", [self.all_pairs(self.value(part), rows)] + compared).format(*self.limits[part])

    def stack(self, words, start, seen, memory):
        lines = [f"x = {start}"] * (start is not None) + seen
        lines.append(f'for i in 0..layers {{ x = block(x, {memory}, "{words}.{{i}}", seen, {str(memory != "none").lower()}) }}')
        return lines + ([f'x = norm(x, "{words}.last", width)'] if self.last_norm else [])

    def single(self):
        name = "x" if self.vectors else "tokens"
        if self.vectors:
            features = self.pick("features", range(1, 51))
            argument, start = f"x: f32[batch, sequence... <= {BOUND}, {features}]", 'linear(x, "first", width)'
        else:
            features, argument, start = self.words_known, f"tokens: i32[batch, sequence... <= {BOUND}]", f'embedding(tokens, "words", {self.words_known})'
        lines = self.stack("words", start, self.seen(name), "none")
        result, ragged = "f32[batch, sequence..., width]", name
        if self.kind == "decoder":
            head, result = self.logits("words", self.words_known), f"f32[batch, sequence..., {self.words_known}]"
        elif self.pooling == "none":
            head = "x"
        else:
            head = "mean(x, over=sequence)" if self.pooling == "mean" else "x[sequence = 0]"
            result, ragged = "f32[batch, width]", None
        more, limits, beside = self.beside(name, "sequence")
        ids = set(limits) | (set() if self.vectors else {name})
        self.entries = [Entry("forward", {name: features} | limits, ids, ragged, causal=self.causal, beside=beside)]
        return [self.function(f"forward({argument}{more}) -> {result}", lines + [f"return {head}"], "entry")]

    def picture(self):
        """A fixed number of parts, perhaps with one token of its own in front, whose vector is then the result."""
        parts, features = self.pick("parts", [n for n in range(2, 41) if self.width not in (n, n + 1)]), self.pick("features", range(1, 51))  # an axis is named by its extent
        lines, tokens, head, result = ['x: f32[batch, parts, width] = linear(x, "first", width)'], parts, "x", f"f32[batch, {parts}, width]"
        if self.maybe("class token"):
            tokens, head, result = parts + 1, "x[tokens = 0]", "f32[batch, width]"
            lines.append('x: f32[batch, tokens, width] = concat(weight("class", [1, 1, width]), x, over=parts)')
        if self.position != "none":
            lines.append(f'x = x + weight("places", [1, {tokens}, width])')
        lines += self.stack("parts", None, self.seen("x"), "none") + [f"return {head}"]
        self.entries = [Entry("forward", {"x": features}, set(), None, fixed={"x": parts})]
        return [self.function(f"forward(x: f32[batch, {parts}, {features}]) -> {result}", lines, "entry")]

    def logits(self, words, known):
        if self.tied:
            return f'x @ transpose(weight("{words}.words", [{known}, width]))'
        return f'linear(x, "{words}.head", {known}, bias={str(self.head_bias).lower()})'

    def captions(self):
        """Words that read the parts of a picture, of which there are always as many."""
        parts, known = self.pick("parts", [n for n in range(2, 151) if n != self.width]), self.pick("targets", range(2, 61))
        decode = self.stack("target", f'embedding(target, "target", {known})', self.seen("target"), "memory")
        more, limits, beside = self.beside("target", "target")
        self.entries = [Entry("decode", {"target": known, "memory": self.width} | limits, {"target", *limits}, "target", self.causal, {"memory": parts}, beside)]
        return [self.function(f"decode(target: i32[batch, target... <= {BOUND}], memory: f32[batch, {parts}, width]{more}) -> f32[batch, target..., {known}]",
                              decode + [f"return {self.logits('target', known)}"], "entry")]

    def encoder_decoder(self):
        known = self.pick("targets", range(2, 61))
        encode = self.stack("source", f'embedding(source, "source", {self.words_known})', ["seen = none"], "none")
        decode = self.stack("target", f'embedding(target, "target", {known})', self.seen("target"), "memory")
        more, limits, beside = self.beside("target", "target")
        self.entries = [Entry("encode", {"source": self.words_known}, {"source"}, "source"),
                        Entry("decode", {"target": known, "memory": self.width} | limits, {"target", *limits}, "target", self.causal, beside=beside)]
        source, memory = f"source: i32[batch, source... <= {BOUND}]", f"memory: f32[batch, source..., width]{more}"
        return [
            self.function(f"encode({source}) -> f32[batch, source..., width]", encode + ["return x"], "entry"),
            self.function(f"decode(target: i32[batch, target... <= {BOUND}], {memory}) -> f32[batch, target..., {known}]",
                          decode + [f"return {self.logits('target', known)}"], "entry"),
        ]
