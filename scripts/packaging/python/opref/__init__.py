# SPDX-License-Identifier: Apache-2.0
"""What the specification says that a neural-network operator returns, as numpy arrays, computed by the program opref.

>>> import numpy, opref
>>> opref.run("Y = LpPool <kernel_shape = [2], p = 1> (X)", X=numpy.float32([[[1, 2, 3]]]))
array([[[3., 5.]]], dtype=float32)
"""
from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import tempfile
import warnings

import numpy

__all__ = ["Error", "program", "run"]

# What the program's exit codes say, beside 1 for values that differ (`opref help exit-codes`).
FAULTS = {2: "usage", 3: "malformed", 4: "invalid", 5: "unsupported", 6: "system", 70: "internal"}


class Error(Exception):
    """What opref refuses, in its own words; `fault` says of what kind that is: usage, malformed, invalid, unsupported, system or
    internal."""

    def __init__(self, message, fault):
        super().__init__(message)
        self.fault = fault


def program():
    """The path of the program that came with this module, or else of the first `opref` on PATH."""
    try:
        files = importlib.metadata.files("opref") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "opref" and file.parent.name == "bin":
            path = os.path.realpath(file.locate())
            if os.path.exists(path):
                return path
    path = shutil.which("opref")
    if path is None:
        raise FileNotFoundError("there is no program 'opref' on PATH")
    return path


def run(node, /, *options, **tensors):
    """The outputs of a node or model: one value, or a tuple of them in the node's order.

    `node` is what `opref run` takes: ONNX text, an operator's name or a path; or a NodeProto or ModelProto. `options` are
    words of the command line, as in run("LpPool", "--opset", "18", "-a", "kernel_shape=2", X=x). A tensor is anything that
    numpy.asarray takes; a list of arrays is a sequence, a tuple of arrays a variadic input, and None is left out. Types that
    numpy does not have are those of the package ml_dtypes, without which they come back as numpy's void type.

    Raises Error where opref refuses, and warns where it does.
    """
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        outputs = os.path.join(folder, "outputs", "")
        words = [program(), "run", _node_word(node, folder), *options, *_bindings(tensors, folder), "-o", outputs, "--json"]
        ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
        said = ended.stderr.strip()
        if ended.returncode:
            fault = FAULTS.get(ended.returncode, "internal")
            raise Error(_without("error: ", said) or f"opref ended with {ended.returncode}", fault)
        if said:
            warnings.warn(_without("warning: ", said), stacklevel=2)
        described = json.loads(ended.stdout)["outputs"]
        values = tuple(_read(outputs + _file_name(name), value) for name, value in described.items())
    return values[0] if len(values) == 1 else values


def _without(prefix, text):
    return text[len(prefix):] if text.startswith(prefix) else text


def _node_word(node, folder):
    if not hasattr(node, "SerializeToString"):
        return os.fspath(node)
    path = os.path.join(folder, "node.onnx")
    with open(path, "wb") as file:
        file.write(node.SerializeToString())
    return path


def _bindings(tensors, folder):
    """The words NAME=FILE of the tensors, whose files are written into `folder`."""
    words = []
    for name, given in tensors.items():
        for value in given if isinstance(given, tuple) else (given,):
            if value is None:
                continue
            path = os.path.join(folder, f"input_{len(words)}")
            dtype = _write(value, path)
            words.append(f"{name}{':' if dtype else ''}{dtype}={path}" + ("" if os.path.isdir(path) else ".npy"))
    return words


def _write(value, path):
    """Writes an array to `path`.npy, or a sequence into the folder `path`; returns the dtype that the files leave open, or ""."""
    if isinstance(value, list) and any(isinstance(element, numpy.ndarray) for element in value):
        os.mkdir(path)
        dtypes = [_write(element, os.path.join(path, str(k))) for k, element in enumerate(value)]
        return dtypes[0]
    array = numpy.asarray(value)
    if array.dtype == object:  # as onnx holds strings
        array = array.astype(str)
    is_named = array.dtype.kind == "V" and array.dtype.names is None and array.dtype.name != f"void{array.dtype.itemsize * 8}"
    numpy.save(path + ".npy", array)
    return array.dtype.name if is_named else ""


def _file_name(name):
    """As opref writes an output's name: all but [A-Za-z0-9._-] as %XX."""
    return "".join(chr(b) if chr(b).isascii() and (chr(b).isalnum() or chr(b) in "._-") else f"%{b:02X}" for b in name.encode())


def _read(path, described):
    if "sequence" in described:
        return [_read(os.path.join(path, str(k)), element) for k, element in enumerate(described["sequence"])]
    if not os.path.exists(path + ".npy"):  # an empty optional
        return None
    array = numpy.load(path + ".npy")
    if array.dtype.kind != "V":
        return array
    try:
        import ml_dtypes
    except ImportError:
        return array
    return array.view(getattr(ml_dtypes, described["dtype"]))
