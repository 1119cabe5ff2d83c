# SPDX-License-Identifier: Apache-2.0
"""ONNX's own backend tests over opref.backend: every official case of operators that opref knows must pass. The others are
excluded by the names of the operators that it does not know, and counted. Models that would have to be downloaded are excluded
too."""
import collections
import os
import sys
import unittest

import onnx
import onnx.backend.test
from onnx.backend.test.loader import load_model_tests

import opref.backend

LIGHT = "onnx/backend/test/data/light/"  # what a test that names this as its address does not download
KINDS = ["node", "simple", "pytorch-converted", "pytorch-operator", "real"]


def unknown_operators():
    """For each official case that is here, by name: the operators in it that opref does not know; None for a download."""
    unknown = {}
    for kind in KINDS:
        for case in load_model_tests(kind=kind):
            model = case.model or load_model(case)
            unknown[case.name] = None if model is None else opref.backend.Backend.unknown_operators(model)
    return unknown


def load_model(case):
    """The model of a case that is in a file; None for one that would be downloaded."""
    if case.model_dir is not None:
        return onnx.load(os.path.join(case.model_dir, "model.onnx"))
    if case.url.startswith(LIGHT):
        return onnx.load(os.path.join(os.path.dirname(os.path.dirname(onnx.__file__)), case.url))
    return None


def print_excluded(unknown):
    downloads = sum(operators is None for operators in unknown.values())
    counts = collections.Counter(operator for operators in unknown.values() for operator in operators or [])
    excluded = sum(bool(operators) for operators in unknown.values())
    print(f"onnx {onnx.__version__}: {len(unknown)} official cases; excluded: {downloads} models to be downloaded, and {excluded} "
          f"cases with {len(counts)} operators that opref does not know:")
    words = [f"{operator} {count}" for operator, count in sorted(counts.items())]
    line = " "
    for word in words:
        if len(line) + len(word) > 78:
            print(line)
            line = " "
        line += f" {word},"
    print(line.rstrip(","))


def main():
    unknown = unknown_operators()
    print_excluded(unknown)
    tests = onnx.backend.test.BackendTest(opref.backend, __name__)
    for name, operators in unknown.items():
        if operators != []:
            tests.exclude(f"^{name}_(cpu|cuda)$")
    tests.exclude("_cuda$")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(tests.test_suite)
    known = sum(operators == [] for operators in unknown.values())
    passed = result.testsRun - len(result.skipped) - len(result.failures) - len(result.errors)
    print(f"onnx.backend.test: {passed} of {known} cases of known operators pass")
    return 0 if passed == known and known > 0 and result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
