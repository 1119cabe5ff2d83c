#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates cases with OpenVINO's CPU plugin, for `opref check --runner scripts/runners/openvino_runner.py`: ONNX models
through its ONNX frontend, an IR's <net> as it is, a single <layer> (layer.xml) as the only layer of an IR."""
import collections
import contextlib
import functools
import glob
import json
import os
import pathlib
import re
import xml.etree.ElementTree as xml
from urllib.parse import quote, unquote

import numpy
import onnx
import openvino

import worker

# With one thread OpenVINO loses the error of a layer that it refuses, and returns memory that nothing has written.
SETTINGS = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "2", "NUM_STREAMS": "1"}
# What OpenVINO says of what it does not have.
NOT_THERE = ("no conversion rule found", "not implemented", "not supported", "unsupported", "doesn't support")
# Lines of its messages that say only where in its own sources and in the model.
PLACES = re.compile("Exception from|Check '.*' failed|FrontEnd API failed|Model wasn't fully|Summary:|While validating|"
                    "-- Conversion is failed|-- .* with a message:")
# Types that numpy does not have, by the name of ml_dtypes.
TYPES = {"bfloat16": "bf16", "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2", "float8_e8m0fnu": "f8e8m0",
         "float4_e2m1fn": "f4e2m1", "int4": "i4", "uint4": "u4", "uint2": "u2"}
# What is published of each operation: the names of its inputs. Some have other names in opref's schemas.
PUBLISHED = pathlib.Path(__file__).resolve().parents[2] / "testdata/openvino-schemas.jsonl"
OTHER_NAMES = [["data", "kernel", "output_shape"]]
WINDOWED = ("AvgPool", "MaxPool", "Convolution", "GroupConvolution", "ConvolutionBackpropData", "GroupConvolutionBackpropData",
            "BinaryConvolution", "DeformableConvolution")

core = openvino.Core()


def evaluate(path, inputs, outputs):
    if path.endswith(".xml"):
        with said_clearly():
            evaluate_xml(path, inputs, outputs)
    else:
        worker.evaluate_onnx(compute, path, inputs, outputs)


@contextlib.contextmanager
def said_clearly():
    """OpenVINO knows one kind of exception: its text says what is not there, between lines about its own sources."""
    try:
        yield
    except RuntimeError as problem:
        lines = [line.strip() for line in str(problem).splitlines()]
        why = "; ".join(line for line in lines if line and not PLACES.match(line))
        unsupported = any(text in why.lower() for text in NOT_THERE)
        raise (worker.Unsupported if unsupported else RuntimeError)(why or problem) from problem


def compute(path, model, feeds):
    with said_clearly():
        read = core.read_model(path)
        return run(read, [to_openvino(feeds[port.get_node().get_friendly_name()]) for port in read.inputs])


def evaluate_xml(path, inputs, outputs):
    root = xml.parse(path).getroot()
    files = {unquote(os.path.basename(file)[:-4]): file for file in glob.glob(os.path.join(inputs, "*.npy"))}
    if root.tag == "net":
        model = core.read_model(path)
        feeds = [read_npy(files[name_of(port.get_node())], port.get_element_type().to_string()) for port in model.inputs]
        values = run(model, [to_openvino(array) for array in feeds])
        names = [output_name(result) for result in model.results]
    else:
        ports = root.findall("input/port")
        names = in_order(root.get("type"), int(root.get("version", "opset1")[len("opset"):]), files)
        arrays = [read_npy(files[name], ports[k].get("precision") if k < len(ports) else None)
                  for k, name in enumerate(names)]
        weights = pathlib.Path(path).with_suffix(".bin")
        ir, weights, fed = one_layer_ir(root, arrays, weights.read_bytes() if weights.exists() else b"")
        values = run(core.read_model(ir, weights), [to_openvino(array) for array in fed])
        names = [f"output_{k}" for k in range(len(values))]
    for name, value in zip(names, values):
        numpy.save(os.path.join(outputs, f"{name}.npy"), onnx_array(value))


def name_of(node):
    return node.get_friendly_name()


def output_name(result):
    """What the file of a Result is called: result_K, as opref calls those that it adds, is output_K; what another one
    takes has the name of its layer, of several outputs with a number."""
    added = re.fullmatch("result_([0-9]+)", name_of(result))
    if added:
        return f"output_{added[1]}"
    port = result.input_value(0)
    node = port.get_node()
    return quote(name_of(node) + (f":{port.get_index()}" if node.get_output_size() > 1 else ""), safe="")


@functools.cache
def published():
    """By type and the opset that brought it, the names of a version's inputs."""
    found = collections.defaultdict(dict)
    for schema in map(json.loads, PUBLISHED.read_text().splitlines() if PUBLISHED.exists() else []):
        found[schema["op_type"]][schema["since_version"]] = [parameter["name"] for parameter in schema["inputs"]]
    return found


def in_order(op_type, opset, files):
    """The names of a layer's inputs as its ports come; those of an unknown layer are input_0, input_1, …"""
    versions = published()[op_type]
    in_force = [versions[since] for since in sorted(versions, reverse=True) if since <= opset]
    for known in [*in_force[:1], *OTHER_NAMES]:
        place = {name: known.index(formal) for name in files for formal in [formal_of(name, known)] if formal}
        if len(place) == len(files):
            return sorted(files, key=lambda name: (place[name], number_at_end(name)))
    return [f"input_{k}" for k in range(len(files))]


def formal_of(name, known):
    """The formal input of a file's name: of a variadic one, data, the files are data_0, data_1, …"""
    if name in known:
        return name
    before, _, number = name.rpartition("_")
    return before if number.isdigit() and before in known else None


def number_at_end(name):
    number = name.rpartition("_")[2]
    return int(number) if number.isdigit() else 0


def run(model, tensors):
    compiled = core.compile_model(model, "CPU", SETTINGS)
    request = compiled.create_infer_request()
    request.infer(dict(enumerate(tensors)))
    return [from_openvino(request.get_output_tensor(k)) for k in range(len(compiled.outputs))]


def one_layer_ir(layer, arrays, weights):
    """An IR with `layer` alone, its weights after those of its bodies, and the arrays that are fed; small lists of
    integers (a shape, axes) are constants, so that the output's shape is known."""
    net = xml.Element("net", name="case", version="11")
    layers, edges = xml.SubElement(net, "layers"), xml.SubElement(net, "edges")
    node = xml.SubElement(layers, "layer", id="0", name="node", type=layer.get("type"), version=layer.get("version", "opset1"))
    node.extend(child for child in layer if child.tag not in ("input", "output"))
    state_windows(node, arrays)
    ports = xml.SubElement(node, "input")
    weights, fed = weights + bytes(-len(weights) % 8), []
    for k, array in enumerate(arrays):
        kind, shape = element_type(array).to_string(), ",".join(map(str, array.shape))
        constant = k > 0 and array.ndim <= 1 and array.dtype.kind in "iu"
        source = xml.SubElement(layers, "layer", id=str(k + 1), name=f"input_{k}",
                                type="Const" if constant else "Parameter", version="opset1")
        data = xml.SubElement(source, "data", element_type=kind, shape=shape)
        if constant:
            data.attrib.update(offset=str(len(weights)), size=str(array.nbytes))
            weights += array.tobytes() + bytes(-array.nbytes % 8)
        else:
            fed.append(array)
        add_port(xml.SubElement(source, "output"), 0, array.shape, precision(kind))
        add_port(ports, k, array.shape)
        xml.SubElement(edges, "edge", {"from-layer": str(k + 1), "from-port": "0", "to-layer": "0", "to-port": str(k)})
    if layer.get("type") == "Assign":
        raise worker.Unsupported("OpenVINO returns nothing of an Assign")
    for k, declared in enumerate(layer.findall("output/port")):
        shape = [dim.text for dim in declared.findall("dim")]
        end, port = str(len(arrays) + 1 + k), len(arrays) + k
        results = node.find("output")
        add_port(xml.SubElement(node, "output") if results is None else results, port, shape,
                 declared.get("precision") or precision(element_type(arrays[0]).to_string()))
        result = xml.SubElement(layers, "layer", id=end, name=f"output_{k}", type="Result", version="opset1")
        add_port(xml.SubElement(result, "input"), 0, shape)
        xml.SubElement(edges, "edge", {"from-layer": "0", "from-port": str(port), "to-layer": end, "to-port": "0"})
    if layer.get("type") == "ReadValue":  # OpenVINO gives a variable that is not assigned no value
        end, port = str(len(arrays) + 9), str(len(arrays))
        sink = xml.SubElement(layers, "layer", id=end, name="sink", type="Assign", version=layer.get("version"))
        xml.SubElement(sink, "data", variable_id=layer.find("data").get("variable_id"))
        add_port(xml.SubElement(sink, "input"), 0, [])
        add_port(xml.SubElement(sink, "output"), 1, [], precision(element_type(arrays[0]).to_string()) if arrays else "FP32")
        xml.SubElement(edges, "edge", {"from-layer": "0", "from-port": port, "to-layer": end, "to-port": "0"})
    return xml.tostring(net), openvino.Tensor(numpy.frombuffer(weights or bytes(8), numpy.uint8)), fed


def state_windows(node, arrays):
    """Where a layer leaves out what pages of windows require, opref takes strides of 1 and pads of 0, OpenVINO nothing."""
    data = node.find("data")
    if node.get("type") not in WINDOWED or data is None:
        return
    axes = arrays[0].ndim - 2
    ones = ["strides"] if node.get("type").endswith("Pool") else ["strides", "dilations"]
    for name in [*ones, "pads_begin", "pads_end"]:
        data.attrib.setdefault(name, ",".join(["1" if name in ones else "0"] * axes))


def precision(kind):
    """"f32" as a port writes it: "FP32"."""
    return {"boolean": "BOOL"}.get(kind) or (kind.upper().replace("F", "FP", 1) if kind[0] == "f" else kind.upper())


def add_port(parent, number, shape, kind=None):
    port = xml.SubElement(parent, "port", id=str(number), **({"precision": kind} if kind else {}))
    for size in shape:
        xml.SubElement(port, "dim").text = str(size)


def read_npy(path, precision):
    """`precision`, the port's, says what void elements are; numpy writes all of ml_dtypes' types as such."""
    array = numpy.load(path)
    if array.dtype.kind != "V":
        return array
    name = {"V1": "float8_e4m3fn", "V2": "bfloat16"}.get(f"V{array.itemsize}")
    for ours, theirs in TYPES.items():
        if theirs == (precision or "").lower():
            name = ours
    return array.view(numpy.dtype(name))


def element_type(array):
    name = TYPES.get(array.dtype.name)
    return getattr(openvino.Type, name) if name else openvino.Type(array.dtype)


def to_openvino(value):
    if not isinstance(value, numpy.ndarray):
        raise worker.Unsupported("OpenVINO has no sequences and optionals as inputs")
    if value.dtype.kind in "OUS":
        return openvino.Tensor(value.astype(str))
    tensor = openvino.Tensor(element_type(value), value.shape)
    if value.size:
        tensor.data.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(worker.raw_bytes(value), numpy.uint8)
    return tensor


def from_openvino(tensor):
    kind = tensor.get_element_type()
    if kind == openvino.Type.string:
        return numpy.array(tensor.str_data, dtype=object)
    for ours, theirs in TYPES.items():
        if kind == getattr(openvino.Type, theirs):
            element = onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(ours))
            return worker.from_raw_bytes(tensor.data.tobytes(), element, tensor.shape)
    return tensor.data.copy()


def onnx_array(value):
    array = onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    return array.astype(str) if array.dtype.kind == "O" else array


if __name__ == "__main__":
    worker.serve(evaluate)
