# SPDX-License-Identifier: Apache-2.0
"""The outputs of one node by each backend, in this process, on one thread: model file, inputs by name, outputs' names."""
import numpy


def onnxruntime(path, feeds, outputs):
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return dict(zip(outputs, session.run(outputs, feeds)))


def reference(path, feeds, outputs):
    from onnx.reference import ReferenceEvaluator

    return dict(zip(outputs, map(numpy.asarray, ReferenceEvaluator(path).run(outputs, feeds))))


def openvino(path, feeds, outputs):
    import openvino as runtime

    core = runtime.Core()
    compiled = core.compile_model(core.read_model(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    request = compiled.create_infer_request()
    request.infer({port.get_any_name(): feeds[port.get_any_name()] for port in compiled.inputs})
    return {name: numpy.array(request.get_tensor(name).data) for name in outputs}


PEERS = {"onnxruntime": onnxruntime, "reference": reference, "openvino": openvino}
