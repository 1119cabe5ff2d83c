# SPDX-License-Identifier: Apache-2.0
"""The runtimes that compare-peers judges: each has a worker in scripts/runners."""
import importlib.metadata
import os
import shlex
import subprocess
import sys

import environment

RUNNERS = os.path.join(environment.ROOT, "scripts", "runners")
ONNX = ("ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")


class Peer:
    """`packages` are of PyPI, the first one has the version. It has operators of `domains` alone: cases of the others count as
    unsupported without a run. Of a slow one usually one case in `share` is judged."""

    def __init__(self, packages, domains, share=1):
        self.packages, self.domains, self.share = packages, domains, share


PEERS = {
    "onnxruntime": Peer(["onnxruntime"], (*ONNX, "com.microsoft")),
    "onnx_reference": Peer(["onnx"], ONNX),
    "openvino": Peer(["openvino"], ("ai.onnx", "com.microsoft", "openvino")),
    "tract": Peer(["tract"], ("ai.onnx", "ai.onnx.ml")),
    "tvm": Peer(["apache-tvm"], ("ai.onnx", "com.microsoft"), 40),
    "iree": Peer(["iree-base-compiler", "iree-base-runtime"], ("ai.onnx", "com.microsoft"), 40),
    "tinygrad": Peer(["tinygrad"], ("ai.onnx", "ai.onnx.preview.training", "com.microsoft"), 10),
}


def is_there(backend):
    """Whether its packages are."""
    return all(any(importlib.metadata.distributions(name=name)) for name in PEERS[backend].packages)


def install(backend):
    """What it needs, as far as it is not there; returns why it cannot be had, or an empty text."""
    packages = PEERS[backend].packages
    try:
        environment.install(packages)
    except Exception as problem:  # of pip: no network, no wheel for this machine
        return f"{', '.join(packages)} cannot be installed: {problem}"
    started = subprocess.run(worker(backend), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return "" if started.returncode == 0 else f"its worker does not start: {started.stderr.strip().splitlines()[-1]}"


def title(backend):
    """"onnx.reference 1.23.2", or as "onnx_reference-1.23.2" the name of its files."""
    return f"{backend.replace('_', '.')} {environment.version(PEERS[backend].packages[0])}"


def file_name(backend):
    return f"{backend}-{environment.version(PEERS[backend].packages[0])}"


def worker(backend):
    return [sys.executable, os.path.join(RUNNERS, f"{backend}_runner.py")]


def keeping_runner(backend, kept, seconds):
    """The command of its worker, which keeps outputs in the file `kept`."""
    keeper = os.path.join(environment.ROOT, "scripts", "lab", "python", "kept_runner.py")
    return shlex.join([sys.executable, keeper, kept, str(seconds), *worker(backend)])
