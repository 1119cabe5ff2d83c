#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with tinygrad's runner for ONNX, for `opref check --runner scripts/runners/tinygrad_runner.py`."""
import os
import shutil

os.environ.setdefault("DEV", "CPU")  # whose programs clang compiles
os.environ.setdefault("CC", next(filter(shutil.which, ("clang", "clang-16")), "clang"))

from tinygrad.nn.onnx import OnnxRunner  # noqa: E402

import worker  # noqa: E402


def compute(path, model, feeds):
    try:
        runner = OnnxRunner(path)
        values = runner({name: feeds[name] for name in runner.graph_inputs if name in feeds})
    except NotImplementedError as problem:
        raise worker.Unsupported(str(problem) or "NotImplementedError") from problem
    return [plain(values[output.name]) for output in model.graph.output]


def plain(value):
    """Of tensors numpy's arrays."""
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    return value.numpy() if hasattr(value, "numpy") else value


if __name__ == "__main__":
    worker.serve_onnx(compute)
