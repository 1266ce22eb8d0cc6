"""PyTorch: the nodes of the graph as calls of it, attention through its fused one. Not tried yet: what PyPI has of it for Linux is 5.7 GB with CUDA."""
import os

import onnx
import torch
import torch.nn.functional as functional

from peers import graphs, weights


class Graph(graphs.Graph):
    """Attention stays one node: of four axes, [batch, head, token, size]."""

    def attention(self, q, k, v, heads, width, mask=None, out=None):
        split = [self.op("Transpose", self.op("Reshape", x, self.ints(0, 0, heads, width // heads)), perm=[0, 2, 1, 3]) for x in (q, k, v)]
        causal = mask == "causal"
        joined = self.op("FusedAttention", *split, *([mask] if mask and not causal else []), domain="peers", causal=int(causal))
        return self.op("Reshape", self.op("Transpose", joined, perm=[0, 2, 1, 3]), self.ints(0, 0, width), out=out)

    def causal_mask(self, length):
        return "causal"


def reshape(x, shape):
    return x.reshape([x.shape[i] if extent == 0 else extent for i, extent in enumerate(shape.tolist())])


def slice_rows(x, start, end, axis):
    return x.narrow(axis.item(), start.item(), end.item() - start.item())


# Operation -> a call with its operands and attributes. Of a weight that is only turned, the turned view is a constant too.
CALLS = {
    "Add": lambda x, y: x + y, "Mul": lambda x, y: x * y, "MatMul": torch.matmul, "Sum": lambda *terms: torch.stack(terms).sum(0), "Identity": lambda x: x,
    "Transpose": lambda x, perm: x.permute(perm), "Reshape": reshape, "Slice": slice_rows, "Concat": lambda *parts, axis: torch.cat(parts, axis),
    "Gather": lambda x, ids, axis=0: x[ids] if axis == 0 else x.select(axis, ids.item()),
    "Gelu": lambda x, approximate=b"none": functional.gelu(x, approximate=approximate.decode()),
    "LayerNormalization": lambda x, gain, bias, axis, epsilon: functional.layer_norm(x, x.shape[axis:], gain, bias, epsilon),
    "Split": lambda x, axis, num_outputs: x.chunk(num_outputs, axis),
    "Conv": lambda x, kernel, bias, strides, kernel_shape: functional.conv2d(x, kernel, bias, strides),
    "FusedAttention": lambda q, k, v, mask=None, causal=0: functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=bool(causal)),
}


def build(case, folder, threads, found):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    path = os.path.join(folder, "torch.onnx")
    graphs.write(case, folder, path, Graph)
    graph = onnx.load(path, load_external_data=False).graph
    known = {one.name: torch.from_numpy(onnx.numpy_helper.to_array(one).copy()) for one in graph.initializer if not one.external_data}
    known |= {name: torch.from_numpy(values.copy()) for name, values in weights.read(folder).items()}
    steps = []
    for node in graph.node:
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        call = CALLS[node.op_type]
        if all(name in known for name in node.input) and len(node.output) == 1:
            known[node.output[0]] = call(*(known[name] for name in node.input), **attributes)
        else:
            steps.append((call, list(node.input), list(node.output), attributes))
    fed = {name: torch.from_numpy(values) for name, values in graphs.feeds(case, found).items()}

    def run():
        values = known | fed
        for call, inputs, outputs, attributes in steps:
            got = call(*(values[name] for name in inputs), **attributes)
            values |= zip(outputs, got) if len(outputs) > 1 else [(outputs[0], got)]
        return values["result"].numpy()
    return run
