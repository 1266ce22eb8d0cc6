"""Texts of small random models for tools/dev/random-models: every choice comes from the number of the model."""
import random
from dataclasses import dataclass, field

BOUND = 128  # positions of a row


@dataclass
class Entry:
    name: str
    arguments: dict  # name -> ids below that number, or width of vectors
    ids: set
    ragged: str | None  # the argument whose lengths the result has; None for one vector a row
    causal: bool = False  # a token's result does not depend on later ones
    fixed: dict = field(default_factory=dict)  # name -> so many tokens in every row, as the parts of a picture

    def is_ids(self, name):
        return name in self.ids


class Drawing:
    """One model: its text, its entries, and in words what was drawn."""

    def __init__(self, number):
        self.chance = random.Random(number)
        self.kind = self.pick(["encoder", "decoder", "encoder-decoder", "decoder", "encoder", "picture", "captions"])
        self.order = self.pick(["pre", "post", "pre", "post", "both", "parallel"])
        self.cpu = self.pick(["x86-64-v3", "x86-64-v4"])
        self.words_known = self.chance.randint(2, 60)
        self.layers = self.pick([1, 1, 2])
        self.draw_norm()
        self.draw_heads()
        self.draw_feed_forward()
        self.draw_positions()
        self.draw_mask()
        self.draw_ends()
        self.entries = []
        self.text = self.write(number)
        self.words = (f"{self.kind}, {self.order}-{self.norm}, width {self.width}, {self.heads} heads of {self.head_width} for {self.key_heads}, "
                      f"values {self.value_width}, {self.unit} {self.inner}, {self.position}, mask {self.mask}")

    def pick(self, options):
        return self.chance.choice(options)

    def maybe(self, share=0.5):
        return self.chance.random() < share

    def draw_norm(self):
        self.norm = self.pick(["layer_norm", "layer_norm", "written", "rms_norm", "rms_norm", "rms_norm of 1 +"])
        self.epsilon = self.pick(["1e-5", "1e-6", "1e-12", "0.001"])
        # Norms of fewer than 5 elements may divide by almost nothing; their error is that of the input, magnified.
        self.width = self.pick([self.chance.randint(5, 40), self.chance.randint(5, 100), 16, 17, 31, 32, 33, 64, 65])

    def draw_heads(self):
        self.head_width = self.pick([self.chance.randint(1, 20), self.chance.randint(1, 80), 1, 2, 7, 13, 16, 17, 31, 32, 37, 64, 79, 80])
        self.heads = min(self.chance.randint(1, 8), max(1, 320 // self.head_width))
        self.key_heads = self.pick([n for n in range(1, self.heads + 1) if self.heads % n == 0])
        self.value_width = self.pick([self.head_width, self.head_width, self.head_width, self.chance.randint(1, 40)])
        self.merged, self.attention_bias = self.maybe(0.4), self.maybe()
        self.scale = self.pick([None, None, None, "0.25", "1.0 / 3", "1.0"])
        self.softcap = self.pick([None, None, None, self.pick(["5.0", "50.0"])])
        self.bias = self.maybe(0.25)
        self.scores = self.maybe(0.25) and self.heads == self.key_heads
        self.head_norm = self.maybe(0.2) and self.head_width >= 5

    def draw_feed_forward(self):
        self.unit = self.pick(["relu", "relu", "gelu", "gelu_tanh", "silu", "silu gated", "gelu_tanh gated", "gelu gated"])
        self.inner = self.chance.randint(1, 150)
        self.inner_merged, self.inner_bias = self.maybe(0.4), self.maybe()

    def draw_positions(self):
        self.position = self.pick(["sinusoidal", "none", "halves", "learned", "rotary halves", "rotary interleaved", "rotary halves"])
        self.base = self.pick(["10000.0", "500.0", "1000000.0"])
        even = 2 * (self.head_width // 2)
        self.turned = self.pick([even, even, max(2, 2 * (self.head_width // 4))])
        if "rotary" in self.position and even < 2:
            self.position = "none"

    def draw_mask(self):
        self.window = self.pick([1, 2, self.chance.randint(1, 80), self.chance.randint(1, 20)])
        if self.kind == "picture":
            self.mask = self.pick(["none", "none", "none", "causal", "sided window"])
        elif self.kind == "encoder":
            self.mask = self.pick(["none", "none", "sided window", "tensor"])
        else:
            self.mask = self.pick(["causal", "causal", "causal window", "combined", "tensor"])

    def draw_ends(self):
        self.scaled, self.first_norm, self.last_norm = self.maybe(), self.maybe(0.3), self.maybe()
        self.tied, self.head_bias = self.maybe(), self.maybe(0.3)
        self.vectors = self.kind == "picture" or self.kind == "encoder" and self.maybe(0.25)
        self.pooling = self.pick(["none", "mean", "first"]) if self.kind == "encoder" else "none"

    # The text.

    def write(self, number):
        entries = {"encoder-decoder": self.encoder_decoder, "picture": self.picture, "captions": self.captions}.get(self.kind, self.single)()
        functions = [self.norm_function(), self.attend_function(), self.feed_forward_function(), self.block_function()]
        if not self.vectors:
            functions.append(self.embedding_function())
        return f"heddle 1\n\n## Model {number} of tools/dev/random-models.\nmodel drawn {{\n{self.configuration()}\n" + "\n\n".join(functions + entries) + "\n}\n"

    def configuration(self):
        keys = ["width", "layers", "heads", "key_heads", "head_width", "value_width", "inner"]
        return "".join(f"  config {key}: int = {getattr(self, key)}\n" for key in keys)

    @staticmethod
    def function(head, lines, word="fn"):
        return f"  {word} {head} {{\n" + "".join(f"    {line}\n" for line in lines) + "  }"

    def norm_function(self):
        # A seeded weight whose name ends so is near 1, another one near 0.
        name = "gain" if "1 +" in self.norm else "weight"
        gain, bias = f'weight("{{w}}.{name}", [n])', 'weight("{w}.bias", [n])'
        if self.norm == "layer_norm":
            body = f"layer_norm(x, {gain}, {bias}, {self.epsilon})"
        elif self.norm == "written":
            body = f"(x - mean(x)) / sqrt(var(x) + {self.epsilon}) * {gain} + {bias}"
        else:
            body = f"rms_norm(x, {'1 + ' * ('one_plus' in self.norm)}{gain}, {self.epsilon})"
        return f"  fn norm(x: f32[.., n], w) = {body}"

    def attend_function(self):
        flag = f"bias={str(self.attention_bias).lower()}"
        lines = []
        if self.merged:
            lines.append("sizes = [heads * head_width, key_heads * head_width, key_heads * value_width]")
            lines.append(f'all = linear(x, "{{w}}.qkv", sizes[0] + sizes[1] + sizes[2], {flag})')
            lines.append("q, k, v = split(all, sizes)")
            lines.append(f'if cross {{ _, k, v = split(linear(y, "{{w}}.qkv", sizes[0] + sizes[1] + sizes[2], {flag}), sizes) }}')
        else:
            lines.append(f'q = linear(x, "{{w}}.q", heads * head_width, {flag})')
            lines.append(f'k = linear(y, "{{w}}.k", key_heads * head_width, {flag})')
            lines.append(f'v = linear(y, "{{w}}.v", key_heads * value_width, {flag})')
        lines.append("q = heads(q, heads)")
        lines.append("k = heads(k, key_heads)")
        if self.head_norm:
            lines += ['q = norm(q, "{w}.q_norm")', 'k = norm(k, "{w}.k_norm")']
        if "rotary" in self.position:
            layout = self.position.split()[1]
            turn = f'frequencies({self.turned}, base={self.base}), layout="{layout}"'
            lines.append(f"if not cross {{ q = rotary(q, {turn}) k = rotary(k, {turn}) }}")
        if self.scores:
            self.scale = self.scale or "1.0 / sqrt(head_width)"
            cap = f"softcap({{}}, {self.softcap})" if self.softcap else "{}"
            scores = cap.format(f"q @ transpose(k) * ({self.scale})") + (f" + {self.bias_text()}" if self.bias else "")
            lines += [f"p = {scores}", "if cross { p = softmax(p) } else { p = softmax(" + ("p" if self.mask == "none" else "mask(p, seen)") + ") }"]
            lines.append(f'return linear(join(p @ heads(v, heads)), "{{w}}.o", width, {flag})')
            return self.function("attend(x, y, w, seen, cross: bool)", lines)
        options = "".join(f", {name}={value}" for name, value in (("scale", self.scale), ("softcap", self.softcap)) if value)
        options += f", bias={self.bias_text()}" if self.bias else ""
        lines.append(f'return linear(join(attention(q, k, heads(v, key_heads), mask=seen{options})), "{{w}}.o", width, {flag})')
        return self.function("attend(x, y, w, seen, cross: bool)", lines)

    def bias_text(self):
        both = str(self.kind in ("encoder", "picture")).lower()
        return f'relative(weight("buckets", [16, heads]), {both}, 40)'

    def feed_forward_function(self):
        flag, function = f"bias={str(self.inner_bias).lower()}", self.unit.split()[0]
        if "gated" not in self.unit:
            return f'  fn feed_forward(x, w) = linear({function}(linear(x, "{{w}}.up", inner, {flag})), "{{w}}.down", width, {flag})'
        if self.inner_merged:
            parts = f'    gate, up = split(linear(x, "{{w}}.gate_up", 2 * inner, {flag}), 2)\n'
        else:
            parts = f'    gate = linear(x, "{{w}}.gate", inner, {flag})\n    up = linear(x, "{{w}}.up", inner, {flag})\n'
        return f'  fn feed_forward(x, w) {{\n{parts}    return linear({function}(gate) * up, "{{w}}.down", width, {flag})\n  }}'

    def block_function(self):
        """A block of self-attention, perhaps attention to the memory, and the feed-forward net."""
        step = {
            "pre": "x = x + {call}({n}, ARGS)", "parallel": "x = x + {call}({n}, ARGS)",
            "post": "x = norm(x + {call}(x, ARGS), NAME)", "both": "x = x + norm({call}({n}, ARGS), AFTER)",
        }[self.order]

        def line(call, arguments, name):
            text = step.replace("{call}", call).replace("{n}", f'norm(x, "{{w}}.{name}")').replace("ARGS", arguments)
            return text.replace("NAME", f'"{{w}}.{name}"').replace("AFTER", f'"{{w}}.{name}_after"')

        cross = line("attend", 'memory, "{w}.cross", none, true', "norm2")
        last = line("feed_forward", '"{w}.net"', "norm3")
        if self.order == "parallel":
            lines = ['y = norm(x, "{w}.norm1")', 'z = norm(x, "{w}.norm3")',
                     'x = x + attend(y, y, "{w}.self", seen, false) + feed_forward(z, "{w}.net")', f"if cross {{ {cross} }}"]
        else:
            first = line("attend", 'y, "{w}.self", seen, false', "norm1").replace('norm(x, "{w}.norm1"), y', "y, y")
            lines = ["y = x" if self.order == "post" else 'y = norm(x, "{w}.norm1")', first, f"if cross {{ {cross} }}", last]
        return self.function("block(x, memory, w, seen, cross: bool)", lines + ["return x"])

    def embedding_function(self):
        lines = ['x = weight("{w}.words", [n, width])[tokens]' + " * sqrt(width)" * self.scaled]
        if self.position == "learned":
            lines.append(f'x = x + weight("{{w}}.places", [{BOUND}, width])[positions(tokens)]')
        elif self.position in ("sinusoidal", "halves"):
            layout = ', layout="halves"' if self.position == "halves" else ""
            lines.append(f"x = x + sinusoidal(positions(tokens), frequencies(width, base={self.base}), width=width{layout})")
        if self.first_norm:
            lines.append('x = norm(x, "{w}.first")')
        return self.function("embedding(tokens, w, n: int)", lines + ["return x"])

    def seen(self, rows):
        tensor = lambda what: f"rearrange(mask_values({what}, {rows}, {rows}), [b, s, t] -> [b, 1, s, t])"
        return {
            "none": "none", "causal": "causal", "sided window": f"window({self.window}, right={self.window + 2})", "causal window": f"causal and window({self.window})",
            "combined": f"causal and {tensor('none')}", "tensor": tensor("none" if self.kind == "encoder" else "causal"),
        }[self.mask]

    def stack(self, words, start, seen, memory):
        lines = [f"x = {start}"] * (start is not None) + [f"seen = {seen}", f'for i in 0..layers {{ x = block(x, {memory}, "{words}.{{i}}", seen, {str(memory != "none").lower()}) }}']
        return lines + ([f'x = norm(x, "{words}.last")'] if self.last_norm else [])

    def single(self):
        name = "x" if self.vectors else "tokens"
        if self.vectors:
            features = self.chance.randint(1, 50)
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
        self.entries = [Entry("forward", {name: features}, set() if self.vectors else {name}, ragged, causal=self.kind == "decoder")]
        return [self.function(f"forward({argument}) -> {result}", lines + [f"return {head}"], "entry")]

    def picture(self):
        """A fixed number of parts, perhaps with one token of its own in front, whose vector is then the result."""
        parts, features = self.chance.randint(2, 40), self.chance.randint(1, 50)
        while self.width in (parts, parts + 1):  # an axis is named by its extent
            parts = self.chance.randint(2, 40)
        lines, tokens, head, result = ['x: f32[batch, parts, width] = linear(x, "first", width)'], parts, "x", f"f32[batch, {parts}, width]"
        if self.maybe():
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
        parts, known = self.chance.randint(2, 150), self.chance.randint(2, 60)
        while self.width == parts:
            parts = self.chance.randint(2, 150)
        decode = self.stack("target", f'embedding(target, "target", {known})', self.seen("target"), "memory")
        self.entries = [Entry("decode", {"target": known, "memory": self.width}, {"target"}, "target", causal=True, fixed={"memory": parts})]
        return [self.function(f"decode(target: i32[batch, target... <= {BOUND}], memory: f32[batch, {parts}, width]) -> f32[batch, target..., {known}]",
                              decode + [f"return {self.logits('target', known)}"], "entry")]

    def encoder_decoder(self):
        known = self.chance.randint(2, 60)
        encode = self.stack("source", f'embedding(source, "source", {self.words_known})', "none", "none")
        decode = self.stack("target", f'embedding(target, "target", {known})', self.seen("target"), "memory")
        self.entries = [Entry("encode", {"source": self.words_known}, {"source"}, "source"),
                        Entry("decode", {"target": known, "memory": self.width}, {"target"}, "target", causal=True)]
        source, memory = f"source: i32[batch, source... <= {BOUND}]", "memory: f32[batch, source..., width]"
        return [
            self.function(f"encode({source}) -> f32[batch, source..., width]", encode + ["return x"], "entry"),
            self.function(f"decode(target: i32[batch, target... <= {BOUND}], {memory}) -> f32[batch, target..., {known}]",
                          decode + [f"return {self.logits('target', known)}"], "entry"),
        ]
