"""A peer from its start to one result: python -m peers.fresh PEER THREADS FOLDER TOKENS. Prints when its imports were done; the graph is there already."""
import importlib
import os
import sys
import time

import numpy as np


def main():
    name, threads, folder, tokens = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    peer = importlib.import_module("openvino" if name == "openvino" else "onnxruntime")
    print(f"imported {time.time()}", flush=True)
    if name == "openvino":
        # With its cache of compiled models, filled by the first run.
        settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "CACHE_DIR": f"{folder}/openvino-cache"}
        result = peer.Core().compile_model(f"{folder}/openvino.onnx", "CPU", settings)({"tokens": np.load(tokens)})[0]
    else:
        options = peer.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        result = peer.InferenceSession(f"{folder}/ort.onnx", options, providers=["CPUExecutionProvider"]).run(None, {"tokens": np.load(tokens)})[0]
    sys.stdout.write(f"{result.shape}\n")
    sys.stdout.flush()
    os._exit(0)  # without the interpreter's own end


if __name__ == "__main__":
    main()
