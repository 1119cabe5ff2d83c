#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with onnxruntime's CPU provider, for `opref check --runner scripts/runners/onnxruntime_runner.py`.

With --as-is it executes a model's nodes as they are, without optimising the graph. `--optimised MODEL -o OUT.onnx`
writes the graph that onnxruntime makes of MODEL (level extended; --level all: with nodes for this machine alone), whose
new nodes say in their doc_string which nodes of MODEL they stand for. `opref bisect OUT.onnx --runner '… --as-is'`
judges them.
"""
import argparse
import ctypes
import re
import sys

import onnx
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

import worker

# What onnxruntime says of what it does not have, beside the status NOT_IMPLEMENTED.
NOT_THERE = (
    "Unsupported model IR version",
    "is not a registered function/op",
    "No Op registered for",
    "is not currently registered or supported",  # a type
    "is under development and support for this is limited",  # an opset
    "Unsupported pooling size",
    "Unsupported kernel dimension",
    "are not supported. If you need support",
    "is not supported now",
    "it cannot be linked to C type",  # Python's maps have floats as values
    "Actual: ((map(",
)
# What its messages say of its own sources, statuses and functions.
NOISE = re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : |Non-zero status code returned while running |Name:'' Status Message: |"
                   r"/onnxruntime_src/\S+:\d+ .*?\) |\[with [^]]*\] ", re.DOTALL)
THREADS = 1  # 0: as many as there are cores
LEVELS = {
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
level = "all"


def compute(path, model, feeds):
    try:
        return run(open_session(path), feeds, model)
    except Exception as problem:
        unsupported = isinstance(problem, state.NotImplemented) or any(text in str(problem) for text in NOT_THERE)
        kind = worker.Unsupported if unsupported else type(problem)
        raise kind(NOISE.sub("", str(problem))) from problem


def open_session(model, optimised=None):
    """`optimised`: a file for the graph that is executed."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.log_severity_level = 4
    options.graph_optimization_level = LEVELS[level]
    if optimised:
        options.optimized_model_filepath = optimised
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run(session, feeds, model):
    """The outputs' values. Python's usual way knows numpy's types only: where others occur, the bits are moved."""
    declared = [*model.graph.input, *model.graph.output]
    if not any(is_foreign(value.type.tensor_type.elem_type) for value in declared):
        return session.run(None, feeds)
    types = {value.name: value.type.tensor_type.elem_type for value in model.graph.input}
    feeds = {name: to_ort(value, types[name]) for name, value in feeds.items()}
    return [from_ort(value) for value in session.run_with_ort_values(None, feeds)]


def is_foreign(element_type):
    """Whether numpy itself does not have this type. 0: not a tensor."""
    return element_type != 0 and onnx.helper.tensor_dtype_to_np_dtype(element_type).isbuiltin == 2


def to_ort(array, element_type):
    if not is_foreign(element_type):
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(array.shape), element_type)
    data = worker.raw_bytes(array)
    ctypes.memmove(value.data_ptr(), data, len(data))
    return value


def from_ort(value):
    if not value.is_tensor() or not is_foreign(value.element_type()):
        return value.numpy()
    data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
    return worker.from_raw_bytes(data, value.element_type(), value.shape())


def write_optimised(path, out):
    open_session(path, out)
    before, after = onnx.load(path, load_external_data=False).graph, onnx.load(out)
    known = {(node.name, node.op_type, tuple(node.output)) for node in before.node}
    for node in after.graph.node:
        replaced = replaced_by(node, before) if (node.name, node.op_type, tuple(node.output)) not in known else []
        if replaced:
            node.doc_string = "in place of " + ", ".join(f"{old.op_type} '{old.name or old.output[0]}'" for old in replaced)
    onnx.save(after, out)


def replaced_by(new, graph):
    """The nodes of the graph between the new node's outputs and inputs, in order, as far as tensors keep their names."""
    giver = {output: k for k, node in enumerate(graph.node) for output in node.output if output}
    wanted, found = [output for output in new.output if output in giver], set()
    while wanted:
        k = giver.get(wanted.pop())
        if k is None or k in found:
            continue
        found.add(k)
        wanted += [name for name in graph.node[k].input if name not in new.input]
    return [graph.node[k] for k in sorted(found)]


def main():
    global level
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as-is", action="store_true", help="execute nodes as they are")
    parser.add_argument("--optimised", metavar="MODEL", help="write what onnxruntime makes of MODEL")
    parser.add_argument("--level", choices=["basic", "extended", "all"], default="extended", help="how far, with --optimised")
    parser.add_argument("-o", metavar="OUT", help="the file that --optimised writes")
    parser.add_argument("case", nargs="*", metavar="MODEL INPUTS OUTPUTS", help="one case, to look into a failure")
    options = parser.parse_args()
    if options.optimised:
        if not options.o:
            parser.error("--optimised needs -o OUT.onnx")
        level = options.level
        write_optimised(options.optimised, options.o)
        return
    level = "none" if options.as_is else level
    sys.argv[1:] = options.case
    worker.serve_onnx(compute)


if __name__ == "__main__":
    main()
