# SPDX-License-Identifier: Apache-2.0
"""ir_peer.py FOLDER OUT {f32|f16} NAME…: converts FOLDER/model.onnx to OUT/model.xml, with constants in f32 or compressed
to f16, and evaluates that once with OpenVINO's CPU plugin in f32 on one thread, its inputs in FOLDER as 0.npy, 1.npy, …:
OUT/expected_K.npy. Sizes that the model leaves open are those of the inputs where it does not convert otherwise. Prints
the names that opref has for the outputs, as JSON."""
import json
import os
import sys

import numpy
import openvino

SETTINGS = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1", "NUM_STREAMS": "1"}


def tensor_name(port):
    node = port.get_node()
    if node.get_type_name() == "Assign":
        return node.get_variable_id()
    return node.get_friendly_name() + (f":{port.get_index()}" if node.get_output_size() > 1 else "")


def saved(core, model, path, kind):
    openvino.save_model(model, path, compress_to_fp16=kind == "f16")
    return core.compile_model(core.read_model(path), "CPU", SETTINGS)


def main(folder, out, kind, *names):
    core = openvino.Core()
    inputs = {name: numpy.load(os.path.join(folder, f"{k}.npy")) for k, name in enumerate(names)}
    source, path = os.path.join(folder, "model.onnx"), os.path.join(out, "model.xml")
    try:
        compiled = saved(core, openvino.convert_model(source), path, kind)
    except Exception:  # whatever it says
        sizes = [(name, array.shape) for name, array in inputs.items()]
        compiled = saved(core, openvino.convert_model(source, input=sizes), path, kind)
    model = core.read_model(path)
    outputs = compiled(inputs)
    for k, value in enumerate(outputs.values()):
        numpy.save(os.path.join(out, f"expected_{k}.npy"), value)
    print(json.dumps([tensor_name(result.input_value(0)) for result in model.results]))


main(*sys.argv[1:])
