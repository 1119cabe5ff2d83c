#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with onnx.reference, for `opref check --runner scripts/runners/onnx_reference_runner.py`."""
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import RuntimeImplementationError

import worker


def compute(path, model, feeds):
    try:
        return ReferenceEvaluator(model).run(None, feeds)
    except (NotImplementedError, RuntimeImplementationError) as problem:
        raise worker.Unsupported(problem) from problem
    except AssertionError as problem:
        raise worker.Unsupported(problem) if "is not supported with" in str(problem) else problem


if __name__ == "__main__":
    worker.serve_onnx(compute)
