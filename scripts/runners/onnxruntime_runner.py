#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with onnxruntime's CPU provider, for `opref check --runner scripts/runners/onnxruntime_runner.py`."""
import ctypes
import re

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


def compute(path, model, feeds):
    try:
        return run(open_session(path), feeds, model)
    except Exception as problem:
        unsupported = isinstance(problem, state.NotImplemented) or any(text in str(problem) for text in NOT_THERE)
        kind = worker.Unsupported if unsupported else type(problem)
        raise kind(NOISE.sub("", str(problem))) from problem


def open_session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.log_severity_level = 4
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


if __name__ == "__main__":
    worker.serve_onnx(compute)
