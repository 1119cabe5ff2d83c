#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with PyTorch, whose graph onnx2torch makes, for `opref check --runner scripts/runners/torch_runner.py`."""
import numpy
import onnx2torch
import torch
from onnx import numpy_helper

import worker

# What PyTorch says of types that a function of it does not have.
NOT_THERE = ("not implemented for", "is not implemented", "not supported", "unsupported", "Unsupported", "can't convert np.ndarray of type")

torch.set_num_threads(1)


def compute(path, model, feeds):
    try:
        try:
            module = onnx2torch.convert(model)
        except KeyError:  # it wants weights, shapes and axes as initializers
            fix_inputs(model.graph, feeds)
            module = onnx2torch.convert(model)
        initialized = {tensor.name for tensor in model.graph.initializer}
        given = [to_torch(feeds.get(value.name)) for value in model.graph.input if value.name not in initialized]
        with torch.no_grad():
            values = module.eval()(*given)
        is_one = isinstance(values, torch.Tensor) or len(model.graph.output) == 1  # MaxPool's module gives Y alone
        return [plain(value) for value in ([values] if is_one else values)]
    except NotImplementedError as problem:
        raise worker.Unsupported(str(problem) or "NotImplementedError") from problem
    except (RuntimeError, TypeError) as problem:
        if any(text in str(problem) for text in NOT_THERE):
            raise worker.Unsupported(str(problem)) from problem
        raise


def fix_inputs(graph, feeds):
    """Makes initializers of all inputs but the first one."""
    for value in list(graph.input)[1:]:
        if isinstance(feeds.get(value.name), numpy.ndarray):
            graph.initializer.append(numpy_helper.from_array(feeds[value.name], value.name))
            graph.input.remove(value)


def to_torch(value):
    if isinstance(value, list):
        return [to_torch(element) for element in value]
    if isinstance(value, numpy.ndarray) and value.dtype.name == "bfloat16":
        return torch.from_numpy(value.view(numpy.int16)).view(torch.bfloat16)
    if not isinstance(value, numpy.ndarray) or value.dtype.isbuiltin != 1 or value.dtype.kind in "OSU":
        raise worker.Unsupported("PyTorch has no such type")
    return torch.from_numpy(value)


def plain(value):
    """Of tensors numpy's arrays."""
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    if not isinstance(value, torch.Tensor):
        return value
    if value.dtype == torch.bfloat16:
        return value.contiguous().view(torch.int16).numpy().view("bfloat16")
    return value.numpy()


if __name__ == "__main__":
    worker.serve_onnx(compute)
