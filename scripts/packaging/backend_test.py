# SPDX-License-Identifier: Apache-2.0
"""ONNX's own backend tests over opref.backend: every official case of operators that opref knows must pass, but for those that
DEPARTS lists with the reason, and those whose values opref refuses to compute, which are printed with its words. Cases with
operators that it does not know are excluded and counted. Models that would have to be downloaded are excluded too."""
import collections
import os
import sys
import unittest

import onnx
import onnx.backend.test
from onnx.backend.test.loader import load_model_tests

import opref.backend

LIGHT = "onnx/backend/test/data/light/"  # what a test that names this as its address does not download
# Cases that the tests' own rule fails: opref's values are the exact ones (opref help official-cases).
DEPARTS = {
    "test_dft_inverse": "exact zeros, published as up to 1.9e-6",
    "test_dft_inverse_opset19": "exact zeros, published as up to 1.9e-6",
    "test_attention_4d_causal_fp16_expanded": "one float16 step, which is more than rtol 1e-3",
    "test_loop16_seq_none": "ONNX's comparison asks a scalar in a sequence for its len()",
}
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


class Result(unittest.TextTestResult):
    """Failures of cases in DEPARTS, and of those that opref refuses, are expected; each is printed with its reason."""

    def _expect(self, test, reason):
        print(f"  {test._testMethodName}: {reason}")
        self.expectedFailures.append((test, reason))

    def addFailure(self, test, err):
        self._add(super().addFailure, test, err)

    def addError(self, test, err):
        self._add(super().addError, test, err)

    def _add(self, add, test, err):
        name = test._testMethodName.removesuffix("_cpu")
        if isinstance(err[1], opref.Error) and err[1].fault == "unsupported":
            self._expect(test, err[1])
        elif name in DEPARTS:
            self._expect(test, DEPARTS[name])
        else:
            add(test, err)


def main():
    unknown = unknown_operators()
    print_excluded(unknown)
    tests = onnx.backend.test.BackendTest(opref.backend, __name__)
    for name, operators in unknown.items():
        if operators != []:
            tests.exclude(f"^{name}_(cpu|cuda)$")
    tests.exclude("_cuda$")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result).run(tests.test_suite)
    known = sum(operators == [] for operators in unknown.values())
    passed = result.testsRun - len(result.skipped) - len(result.failures) - len(result.errors) - len(result.expectedFailures)
    print(f"onnx.backend.test: {passed} of {known} cases of known operators pass")
    return 0 if passed + len(result.expectedFailures) == known > len(result.expectedFailures) and result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
