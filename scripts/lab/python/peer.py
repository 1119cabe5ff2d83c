# SPDX-License-Identifier: Apache-2.0
"""One peer in a process of its own, warm: `peer.py BACKEND FOLDER THREADS` loads the work in FOLDER (see works.py), then
answers every line on standard input: a number with the median seconds of so many evaluations, after one more; "save" with the
seconds of one, which is written to peer.npy."""
import json
import os
import statistics
import sys
import time


def onnxruntime(folder, arrays, threads):
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = runtime.InferenceSession(os.path.join(folder, "peer.onnx"), options, providers=["CPUExecutionProvider"])
    feeds = {value.name: arrays[value.name] for value in session.get_inputs()}
    return lambda: session.run(None, feeds)[0]


def openvino(folder, arrays, threads):
    import openvino as runtime

    core = runtime.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1}
    compiled = core.compile_model(core.read_model(os.path.join(folder, "peer.onnx")), "CPU", settings)
    request = compiled.create_infer_request()
    for port in compiled.inputs:
        request.set_tensor(port, runtime.Tensor(arrays[port.get_any_name()], shared_memory=True))

    def run():
        request.infer()
        return request.get_output_tensor(0).data

    return run


def onnx_reference(folder, arrays, threads):
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(os.path.join(folder, "peer.onnx"))
    feeds = {name: arrays[name] for name in evaluator.input_names}
    return lambda: evaluator.run(None, feeds)[0]


def torch(folder, arrays, threads):
    import torch as runtime
    from torch.nn import functional

    runtime.set_num_threads(threads)
    with open(os.path.join(folder, "work.json"), encoding="utf-8") as file:
        work = json.load(file)
    attributes = work["attributes"]
    tensors = {name: runtime.from_numpy(array) for name, array in arrays.items()}
    x, rank = tensors["X"], tensors["X"].ndim - 2
    if work["op_type"] == "ConvTranspose":
        function = getattr(functional, f"conv_transpose{rank}d")
        settings = {"stride": attributes["strides"], "padding": attributes.get("pads", [0] * rank)[:rank],
                    "groups": attributes.get("group", 1)}
        return lambda: function(x, tensors["W"], **settings).numpy()
    if work["op_type"] == "LpPool":
        return lambda: functional.lp_pool2d(x, attributes["p"], attributes["kernel_shape"], attributes["strides"]).numpy()
    plane = 4 * x.shape[2] * x.shape[3]  # torch's indices begin anew in every plane
    indices = tensors["I"] % plane
    return lambda: functional.max_unpool2d(x, indices, attributes["kernel_shape"], attributes["strides"]).numpy()


def main():
    backend, folder, threads = sys.argv[1:]
    import numpy

    arrays = {file[:-4]: numpy.load(os.path.join(folder, file)) for file in os.listdir(folder)
              if file.endswith(".npy") and file[0].isupper() and file != "Y.npy"}
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    run = globals()[backend](folder, arrays, int(threads))
    print("ready", file=answers, flush=True)

    def timed():
        start = time.perf_counter()
        value = run()
        return time.perf_counter() - start, value

    for line in sys.stdin:
        if line.strip() == "save":
            seconds, value = timed()
            value = numpy.asarray(value)
            numpy.save(os.path.join(folder, "peer.npy"), value.astype(str) if value.dtype == object else value)
        else:
            seconds = statistics.median([timed()[0] for _ in range(int(line) + 1)][1:])
        print(seconds, file=answers, flush=True)


if __name__ == "__main__":
    main()
