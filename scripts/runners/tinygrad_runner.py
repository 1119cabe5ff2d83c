#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with tinygrad's runner for ONNX, for `opref check --runner scripts/runners/tinygrad_runner.py`."""
import os
import shutil

os.environ.setdefault("DEV", "CPU")  # whose programs clang compiles
os.environ.setdefault("CC", next(filter(shutil.which, ("clang", "clang-16")), "clang"))

from tinygrad import dtypes  # noqa: E402
from tinygrad.nn.onnx import OnnxRunner  # noqa: E402

import worker  # noqa: E402


def compute(path, model, feeds):
    try:
        runner = OnnxRunner(path)
        values = runner({name: feeds[name] for name in runner.graph_inputs if name in feeds})
    except NotImplementedError as problem:
        raise worker.Unsupported(str(problem) or "NotImplementedError") from problem
    except ValueError as problem:
        if "is not a valid OnnxDataType" in str(problem):  # a type that it does not have
            raise worker.Unsupported(str(problem)) from problem
        raise
    return [plain(values[output.name]) for output in model.graph.output]


def plain(value):
    """Of tensors numpy's arrays. Those of bfloat16 come out as float32, which holds all their values."""
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    if not hasattr(value, "numpy"):
        return value
    array = value.numpy()
    return array.astype("bfloat16") if value.dtype == dtypes.bfloat16 else array


if __name__ == "__main__":
    worker.serve_onnx(compute)
