"""ONNX Runtime. Attention alone, and causal attention, go to its own operations, which skip what a mask hides or hold no matrix of all scores; with the rest,
attention written out is the fastest (BERT-base on a Zen 5: 118 ms, 177 with MultiHeadAttention)."""
import os

import onnxruntime
from onnx import TensorProto, helper

from peers import graphs


class Graph(graphs.Graph):
    def attention(self, q, k, v, heads, width, mask=None, out=None):
        domain = {"out": out, "domain": "com.microsoft", "num_heads": heads}
        if mask == "causal":
            return self.op("GroupQueryAttention", q, k, v, "past", "past", "last", "total", kv_num_heads=heads, unused=2, **domain)
        if self.case.workload == "attention":
            return self.op("MultiHeadAttention", q, k, v, **domain)
        return super().attention(q, k, v, heads, width, mask, out)

    def causal_mask(self, length):
        sizes = self.sizes
        heads, width = (sizes["num_heads"], sizes["width"]) if "width" in sizes else (sizes["n_head"], sizes["n_embd"])
        self.constants += [helper.make_tensor("past", TensorProto.FLOAT, [1, heads, 0, width // heads], []),
                           helper.make_tensor("last", TensorProto.INT32, [1], [length - 1]), helper.make_tensor("total", TensorProto.INT32, [1], [length])]
        return "causal"


def write(case, folder):
    path = os.path.join(folder, "ort.onnx")
    graphs.write(case, folder, path, Graph)
    return path


def options(threads):
    chosen = onnxruntime.SessionOptions()
    chosen.intra_op_num_threads, chosen.inter_op_num_threads = threads, 1
    return chosen


def build(case, folder, threads, found):
    session = onnxruntime.InferenceSession(write(case, folder), options(threads), providers=["CPUExecutionProvider"])
    bound = session.io_binding()
    for name, values in graphs.feeds(case, found).items():
        bound.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(values))
    bound.bind_output("result")

    def run():
        session.run_with_iobinding(bound)
        return bound.get_outputs()[0].numpy()
    return run
