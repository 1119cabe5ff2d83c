# SPDX-License-Identifier: Apache-2.0
"""The runtimes that compare-peers judges: each has a worker in scripts/runners."""
import functools
import os
import shlex
import subprocess
import sys

import environment

DEBIAN = "/usr/bin/python3"
RUNNERS = os.path.join(environment.ROOT, "scripts", "runners")
ONNX = ("ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")


class Peer:
    """`packages` are of PyPI, the first one has the version. It has operators of `domains` alone: cases of the others count as
    unsupported without a run. `debian`: packages that it needs beside PyPI's, for which it has an environment of its own, since they
    are built with an older numpy."""

    def __init__(self, packages, domains, debian=()):
        self.packages, self.domains, self.debian = packages, domains, debian


PEERS = {
    "onnxruntime": Peer(["onnxruntime"], (*ONNX, "com.microsoft")),
    "onnx_reference": Peer(["onnx"], ONNX),
    "openvino": Peer(["openvino"], ("ai.onnx", "com.microsoft", "openvino")),
    "tract": Peer(["tract"], ("ai.onnx", "ai.onnx.ml")),
    "tvm": Peer(["apache-tvm"], ("ai.onnx", "com.microsoft")),
    "iree": Peer(["iree-base-compiler", "iree-base-runtime"], ("ai.onnx", "com.microsoft")),
    "tinygrad": Peer(["tinygrad"], ("ai.onnx", "ai.onnx.preview.training", "com.microsoft")),
    "torch": Peer(["onnx2torch", "onnx", "ml_dtypes", "numpy<2"], ("ai.onnx",), ("python3-torch", "python3-torchvision")),
}
NAMES = {"onnx_reference": "onnx.reference", "openvino": "OpenVINO", "tvm": "TVM", "iree": "IREE"}


def python(backend):
    """The Python that runs its worker."""
    if not PEERS[backend].debian:
        return sys.executable
    return os.path.join(environment.ROOT, "build", f"peers-{backend}", "bin", "python")


@functools.cache
def version(backend, package=None):
    """That of its first package, or of this one; nothing if it is not there."""
    ask = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    try:
        done = subprocess.run([python(backend), "-c", ask, package or PEERS[backend].packages[0]], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def install(backend):
    """What it needs, as far as it is not there; returns why it cannot be had, or an empty text."""
    peer = PEERS[backend]
    if not version(backend):
        if peer.debian and not has_debian():
            return f"it needs Debian's {', '.join(peer.debian)}"
        try:
            if peer.debian:
                install_apart(backend, peer)
            else:
                environment.install(peer.packages)
        except subprocess.CalledProcessError:  # no network, no wheel for this machine
            return f"pip cannot install {', '.join(peer.packages)}"
        version.cache_clear()
    started = subprocess.run(worker(backend), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    needs = f"; it needs Debian's {', '.join(peer.debian)}" if peer.debian else ""
    last = (started.stderr.strip().splitlines() or ["it gives no reason"])[-1]
    return "" if started.returncode == 0 else f"its worker does not start: {last}{needs}"


def has_debian():
    """Whether Debian's Python has torch: PyPI's needs gigabytes of libraries."""
    look = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, ['torch', 'torchvision'])))"
    return os.path.exists(DEBIAN) and subprocess.run([DEBIAN, "-c", look]).returncode == 0


def install_apart(backend, peer):
    """Into its own environment, of Debian's Python, which sees Debian's packages."""
    folder = os.path.join(environment.ROOT, "build", f"peers-{backend}")
    subprocess.run([DEBIAN, "-m", "venv", "--system-site-packages", folder], check=True)
    environment.pip_install(python(backend), peer.packages)


def title(backend):
    """"onnx.reference 1.23.2"."""
    if backend == "torch":
        return f"torch {version(backend, 'torch').partition('+')[0]} (onnx2torch {version(backend)})"
    return f"{name(backend)} {version(backend)}"


def name(backend):
    """As its people write it."""
    return NAMES.get(backend, backend)


def file_name(backend):
    """Of the files of what it answers: "onnx_reference-1.23.2"."""
    return f"{backend}-{version(backend)}"


def worker(backend):
    return [python(backend), os.path.join(RUNNERS, f"{backend}_runner.py")]


def runner(backend):
    """As a user calls it in this repository: "build/peers/bin/python scripts/runners/tract_runner.py"."""
    folder = f"peers-{backend}" if PEERS[backend].debian else "peers"
    return f"build/{folder}/bin/python scripts/runners/{backend}_runner.py"


def keeping_runner(backend, kept, seconds):
    """The command of its worker, which keeps outputs in the file `kept`."""
    keeper = os.path.join(environment.ROOT, "scripts", "lab", "python", "kept_runner.py")
    return shlex.join([sys.executable, keeper, kept, str(seconds), *worker(backend)])
