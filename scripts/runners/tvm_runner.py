#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with Apache TVM (relax, LLVM), for `opref check --runner scripts/runners/tvm_runner.py`."""
import re

import numpy
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

import worker

# What TVM says of what it does not have.
NOT_THERE = re.compile(r"not supported|not implemented|[Oo]nly .*support|Unsupported|NotImplemented|unknown dtype", re.S)


def compute(_, model, feeds):
    if not all(isinstance(value, numpy.ndarray) for value in feeds.values()):
        raise worker.Unsupported("its inputs are tensors")
    try:
        machine, names = program(model.SerializeToString(), *((name, value.shape, value.dtype.name) for name, value in feeds.items()))
        return plain(machine["main"](*(tvm.runtime.tensor(feeds[name]) for name in names)), model.graph.output)
    except (NotImplementedError, tvm.error.OpNotImplemented) as problem:
        raise worker.Unsupported(str(problem)) from problem
    except Exception as problem:
        if NOT_THERE.search(str(problem)):
            raise worker.Unsupported(str(problem)) from problem
        raise


@worker.keeping(100)
def program(content, *inputs):
    """The model of these bytes for inputs of these names, shapes and types; with the names in the order of its parameters."""
    shapes = {name: list(shape) for name, shape, _ in inputs}
    types = {name: dtype for name, _, dtype in inputs}
    model = onnx.ModelProto.FromString(content)
    module = relax.transform.DecomposeOpsForInference()(from_onnx(model, shapes, types, keep_params_in_input=False))
    names = [parameter.name for parameter in module["main"].params]
    return relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu()), names


def plain(value, outputs):
    """A list of numpy's arrays, one for each output; of a sequence a list."""
    if len(outputs) == 1 and outputs[0].type.HasField("sequence_type"):
        return [[element.numpy() for element in value]]
    if isinstance(value, tvm.runtime.ShapeTuple):
        return [numpy.array(list(value), numpy.int64)]
    many = isinstance(value, (list, tuple)) or type(value).__name__ == "Array"
    return [element.numpy() for element in value] if many else [value.numpy()]


if __name__ == "__main__":
    worker.serve_onnx(compute)
