#!/usr/bin/env python3
"""Evaluates ONNX cases with onnx.reference, for `opref check --runner scripts/runners/onnx_reference_runner.py`."""
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import RuntimeImplementationError

import worker


def evaluate(path, inputs, outputs):
    model = onnx.load(path)
    feeds = worker.read_inputs(model, inputs)
    try:
        values = ReferenceEvaluator(model).run(None, feeds)
    except (NotImplementedError, RuntimeImplementationError) as problem:
        raise worker.Unsupported(problem) from problem
    worker.write_outputs(model, values, outputs)


if __name__ == "__main__":
    worker.serve(evaluate)
