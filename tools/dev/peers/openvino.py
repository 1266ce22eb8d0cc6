"""OpenVINO, through its reader of ONNX; attention alone is built of its own operation."""
import os

import openvino
from openvino import opset13 as ops

from peers import graphs


def attention(case):
    shape, heads = case.inputs["q"], case.model.sizes["num_heads"]
    inputs = [ops.parameter(shape, name=name) for name in "qkv"]
    split = [ops.transpose(ops.reshape(x, [0, 0, heads, shape[2] // heads], special_zero=True), [0, 2, 1, 3]) for x in inputs]
    joined = ops.transpose(ops.scaled_dot_product_attention(*split, causal=case.entry == "causal"), [0, 2, 1, 3])
    for x, name in zip(inputs, "qkv"):
        x.output(0).set_names({name})
    return openvino.Model([ops.reshape(joined, [0, 0, shape[2]], special_zero=True)], inputs, "attention")


def settings(threads):
    return {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}


def build(case, folder, threads, found):
    core = openvino.Core()
    if case.model.family == "attention":
        model = attention(case)
    else:
        path = os.path.join(folder, "openvino.onnx")
        graphs.write(case, folder, path)
        model = core.read_model(path)
    request = core.compile_model(model, "CPU", settings(threads)).create_infer_request()
    for name, values in graphs.feeds(case, found).items():
        request.set_tensor(name, openvino.Tensor(values))

    def run():
        request.infer()
        return request.get_output_tensor(0).data
    return run
