# SPDX-License-Identifier: Apache-2.0
"""The runtimes that compare-peers judges: each has a worker in scripts/runners."""
import os
import shlex
import sys

import environment

RUNNERS = os.path.join(environment.ROOT, "scripts", "runners")
# Of each the package that has its version, and what else it needs from PyPI.
PACKAGES = {
    "onnxruntime": ["onnxruntime"],
    "onnx_reference": ["onnx"],
    "openvino": ["openvino"],
    "tract": ["tract"],
    "tvm": ["apache-tvm"],
    "iree": ["iree-base-compiler", "iree-base-runtime"],
    "tinygrad": ["tinygrad"],
}
USUAL = ["onnxruntime", "onnx_reference", "openvino"]


def outputs_of(case):
    """The comparisons of its outputs, of a case of check's document."""
    return [output["comparison"] for output in case.get("outputs", [])]


def is_bit_equal(case):
    """Whether it has outputs, and all are equal to the bit."""
    outputs = outputs_of(case)
    return bool(outputs) and all(output["bit_equal"] == output["count"] for output in outputs)


def install(backend):
    """What it needs, as far as it is not there; returns why it cannot be had, or an empty text."""
    try:
        environment.install(PACKAGES[backend])
    except Exception as problem:  # of pip: no network, no wheel for this machine
        return f"{', '.join(PACKAGES[backend])} cannot be installed: {problem}"
    return ""


def title(backend):
    return f"{backend.replace('_', '.')} {environment.version(PACKAGES[backend][0])}"


def runner(backend):
    """The command of its worker, which keeps outputs in build/court."""
    kept = os.path.join(environment.ROOT, "build", "court", title(backend).replace(" ", "-"))
    os.makedirs(kept, exist_ok=True)
    keeper = os.path.join(environment.ROOT, "scripts", "lab", "python", "kept_runner.py")
    return shlex.join([sys.executable, keeper, kept, sys.executable, os.path.join(RUNNERS, f"{backend}_runner.py")])
