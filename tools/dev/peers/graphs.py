"""The ONNX graph of a case, for the peers: standard operations alone, whose fusing is theirs, and static shapes. Weights stay in model.safetensors."""
import os

import numpy as np
from onnx import TensorProto, helper, save

from peers import checkpoint

OPSET = 20


class Graph:
    """Nodes in the making. Names of weights are those of the file."""

    def __init__(self, case, folder):
        self.case, self.sizes = case, case.model.sizes
        self.nodes, self.constants, self.inputs, self.count = [], [], [], 0
        self.places, self.used = checkpoint.places(folder), {}

    def op(self, kind, *operands, results=1, unused=0, out=None, **attributes):
        names = [out] if out else [f"t{self.count + i}" for i in range(results)]
        self.count += results
        self.nodes.append(helper.make_node(kind, list(operands), names + [f"{names[0]}.{i}" for i in range(unused)], **attributes))
        return names[0] if results == 1 else names

    def constant(self, value):
        name = f"c{len(self.constants)}"
        element = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}[str(value.dtype)]
        self.constants.append(helper.make_tensor(name, element, value.shape, value.tobytes(), raw=True))
        return name

    def number(self, value):
        return self.constant(np.float32(value))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def weight(self, name):
        """A tensor whose bytes stand in the file of the weights."""
        if name not in self.used:
            shape, offset, size = self.places[name]
            tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
            for key, value in (("location", "model.safetensors"), ("offset", offset), ("length", size)):
                tensor.external_data.add(key=key, value=str(value))
            self.used[name] = tensor
        return name

    def input(self, name, element=TensorProto.FLOAT, shape=None):
        self.inputs.append(helper.make_tensor_value_info(name, element, shape or self.case.inputs[name]))
        return name

    def transposed(self, name):
        return self.op("Transpose", self.weight(name), perm=[1, 0])

    def linear(self, x, name):
        """The matrix is stored [out, in]."""
        return self.op("Add", self.op("MatMul", x, self.transposed(f"{name}.weight")), self.weight(f"{name}.bias"))

    def project(self, x, name):
        """The matrix is stored [in, out]."""
        return self.op("Add", self.op("MatMul", x, self.weight(f"{name}.weight")), self.weight(f"{name}.bias"))

    def norm(self, x, name, epsilon):
        return self.op("LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), axis=-1, epsilon=epsilon)

    def attention(self, q, k, v, heads, width, mask=None, out=None):
        """Of heads that lie side by side: softmax(q k^T / sqrt(d) + mask) v."""
        size = width // heads
        q, k, v = (self.op("Transpose", self.op("Reshape", x, self.ints(0, 0, heads, size)), perm=perm)
                   for x, perm in ((q, [0, 2, 1, 3]), (k, [0, 2, 3, 1]), (v, [0, 2, 1, 3])))
        scores = self.op("Mul", self.op("MatMul", q, k), self.number(size ** -0.5))
        if mask:
            scores = self.op("Add", scores, mask)
        joined = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.op("Reshape", joined, self.ints(0, 0, width), out=out)

    def causal_mask(self, length):
        return self.constant(np.where(np.tri(length, dtype=bool), np.float32(0), np.float32(-1e9))[None, None])

    def finish(self, path, shape):
        result = helper.make_tensor_value_info("result", TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "graph", self.inputs, [result], self.constants + list(self.used.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = 9
        save(model, path)


def products(g):
    x, copies = g.input("x"), g.sizes["copies"]
    terms = [g.op("Add", g.op("MatMul", x, g.weight(f"w.{i}")), g.weight(f"b.{i}"), out="result" if copies == 1 else None) for i in range(copies)]
    if copies > 1:
        g.op("Sum", *terms, out="result")
    return [g.case.inputs["x"][0], g.sizes["n"]]


def attention(g):
    shape = g.case.inputs["q"]
    mask = g.causal_mask(shape[1]) if g.case.entry == "causal" else None
    g.attention(*(g.input(name) for name in "qkv"), g.sizes["num_heads"], g.sizes["width"], mask, out="result")
    return shape


def tokens(g, words):
    shape = g.case.inputs["tokens"]
    return g.op("Gather", g.weight(words), g.input("tokens", TensorProto.INT32)), *shape


def positions(g, name, length):
    return g.op("Slice", g.weight(name), g.ints(0), g.ints(length), g.ints(0))


def bert(g):
    sizes, epsilon = g.sizes, 1e-12
    width, heads = sizes["hidden_size"], sizes["num_attention_heads"]
    x, batch, length = tokens(g, "embeddings.word_embeddings.weight")
    x = g.op("Add", x, g.op("Slice", g.weight("embeddings.token_type_embeddings.weight"), g.ints(0), g.ints(1), g.ints(0)))
    x = g.norm(g.op("Add", x, positions(g, "embeddings.position_embeddings.weight", length)), "embeddings.LayerNorm", epsilon)
    mask = g.input("mask", shape=[batch, 1, 1, length]) if g.case.lengths else None
    for i in range(sizes["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        q, k, v = (g.linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        y = g.linear(g.attention(q, k, v, heads, width, mask), f"{layer}.attention.output.dense")
        x = g.norm(g.op("Add", x, y), f"{layer}.attention.output.LayerNorm", epsilon)
        y = g.linear(g.op("Gelu", g.linear(x, f"{layer}.intermediate.dense")), f"{layer}.output.dense")
        x = g.norm(g.op("Add", x, y), f"{layer}.output.LayerNorm", epsilon)
    g.op("Identity", x, out="result")
    return [batch, length, width]


def vit(g):
    sizes, epsilon, patch = g.sizes, 1e-12, g.sizes["patch_size"]
    width, heads, place = sizes["hidden_size"], sizes["num_attention_heads"], "embeddings.patch_embeddings.projection"
    x = g.op("Conv", g.input("pixels"), g.weight(f"{place}.weight"), g.weight(f"{place}.bias"), strides=[patch, patch], kernel_shape=[patch, patch])
    x = g.op("Transpose", g.op("Reshape", x, g.ints(0, width, -1)), perm=[0, 2, 1])
    x = g.op("Add", g.op("Concat", g.weight("embeddings.cls_token"), x, axis=1), g.weight("embeddings.position_embeddings"))
    for i in range(sizes["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        y = g.norm(x, f"{layer}.layernorm_before", epsilon)
        q, k, v = (g.linear(y, f"{layer}.attention.attention.{part}") for part in ("query", "key", "value"))
        x = g.op("Add", x, g.linear(g.attention(q, k, v, heads, width), f"{layer}.attention.output.dense"))
        y = g.op("Gelu", g.linear(g.norm(x, f"{layer}.layernorm_after", epsilon), f"{layer}.intermediate.dense"))
        x = g.op("Add", x, g.linear(y, f"{layer}.output.dense"))
    x = g.op("Gather", g.norm(x, "layernorm", epsilon), g.constant(np.array(0, np.int64)), axis=1)
    g.op("Identity", g.linear(x, "classifier"), out="result")
    return [1, sizes["num_labels"]]


def gpt2(g):
    sizes, epsilon = g.sizes, 1e-5
    width, heads = sizes["n_embd"], sizes["n_head"]
    x, batch, length = tokens(g, "wte.weight")
    x = g.op("Add", x, positions(g, "wpe.weight", length))
    mask = g.causal_mask(length)
    for i in range(sizes["n_layer"]):
        q, k, v = g.op("Split", g.project(g.norm(x, f"h.{i}.ln_1", epsilon), f"h.{i}.attn.c_attn"), results=3, axis=-1, num_outputs=3)
        x = g.op("Add", x, g.project(g.attention(q, k, v, heads, width, mask), f"h.{i}.attn.c_proj"))
        y = g.project(g.norm(x, f"h.{i}.ln_2", epsilon), f"h.{i}.mlp.c_fc")
        x = g.op("Add", x, g.project(g.op("Gelu", y, approximate="tanh"), f"h.{i}.mlp.c_proj"))
    last = "last" in g.case.name
    if last:
        x = g.op("Gather", x, g.constant(np.array(length - 1, np.int64)), axis=1)
    g.op("MatMul", g.norm(x, "ln_f", epsilon), g.transposed("wte.weight"), out="result")
    return [batch, sizes["vocab_size"]] if last else [batch, length, sizes["vocab_size"]]


def write(case, folder, path, kind=Graph):
    g = kind(case, folder)
    shape = {"products": products, "attention": attention, "bert": bert, "vit": vit, "gpt2": gpt2}[case.model.family](g)
    g.finish(path, shape)


def feeds(case, found):
    """The graph's inputs, from those of the case."""
    fed = {name: found[name] for name in case.inputs}
    if case.lengths:
        hidden = np.arange(case.inputs["tokens"][1]) >= found["lengths"][:, None]
        fed["mask"] = np.where(hidden, np.float32(-1e9), np.float32(0))[:, None, None, :]
    return fed
