# SPDX-License-Identifier: Apache-2.0
"""What a Python user would write instead of `opref check`: `check_loop.py BACKEND LIST` evaluates every ONNX case folder that
the file LIST names with the backend's runner, in this one process, and compares by ONNX's rule. For every line on standard
input it does so once and answers the seconds and the verdicts, as JSON. BACKEND/1: with one thread, if onnxruntime."""
import collections
import importlib
import json
import os
import sys
import time
import warnings

import numpy
import onnx

from environment import ROOT

sys.path.insert(0, os.path.join(ROOT, "scripts", "runners"))
import worker  # noqa: E402


def agrees(actual, expected):
    """ONNX's rule: type, shape, then rtol 1e-3 (bfloat16 and smaller: 2^-6) and atol 1e-7."""
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(agrees, actual, expected))
    if expected is None or actual is None:
        return actual is expected
    if isinstance(actual, onnx.TensorProto):
        actual = onnx.numpy_helper.to_array(actual)
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return False
    if expected.dtype.kind in "OUSbiu":
        return bool((actual == expected).all())
    small = expected.dtype.isbuiltin == 2  # one of ml_dtypes
    if small:
        actual, expected = actual.astype(numpy.float32), expected.astype(numpy.float32)
    return numpy.allclose(actual, expected, rtol=2**-6 if small else 1e-3, atol=1e-7, equal_nan=True)


def judge(compute, case):
    path, data = os.path.join(case, "model.onnx"), os.path.join(case, "test_data_set_0")
    try:
        model = onnx.load(path)
        values = compute(path, model, worker.read_inputs(model, data))
        expected = [worker.read_value(os.path.join(data, f"output_{k}.pb"), output.type)
                    for k, output in enumerate(model.graph.output)]
        return "pass" if all(map(agrees, values, expected)) else "fail"
    except worker.Unsupported:
        return "unsupported"
    except Exception:
        return "error"


def main():
    backend, list_file = sys.argv[1:]
    warnings.simplefilter("ignore")
    backend, _, threads = backend.partition("/")
    runner = importlib.import_module(f"{backend}_runner")
    runner.THREADS = int(threads or 0)
    with open(list_file, encoding="utf-8") as file:
        cases = file.read().splitlines()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print("ready", file=answers, flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        verdicts = collections.Counter(judge(runner.compute, case) for case in cases)
        print(json.dumps({"seconds": time.perf_counter() - start, "verdicts": verdicts}), file=answers, flush=True)


if __name__ == "__main__":
    main()
