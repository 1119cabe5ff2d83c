# SPDX-License-Identifier: Apache-2.0
"""Arrays as files that the program reads and writes."""
from __future__ import annotations

import os
import re
from typing import Any, List, Mapping, Tuple, Union

import numpy

Value = Union[numpy.ndarray, List[numpy.ndarray], None]


def holds_arrays(value: Any) -> bool:
    """Whether it is several tensors, rather than one that is written as a list."""
    return isinstance(value, (list, tuple)) and any(isinstance(element, numpy.ndarray) for element in value)


def write(value: Any, path: str) -> Tuple[str, str]:
    """Writes an array to `path`.npy, or a sequence into the folder `path`.

    Returns the name of the file or folder, and the dtype that the file leaves open, or "".
    """
    if holds_arrays(value):
        os.mkdir(path)
        dtypes = [write(element, os.path.join(path, str(k)))[1] for k, element in enumerate(value)]
        return path, dtypes[0]
    array = _array(value)
    numpy.save(path + ".npy", array)
    return path + ".npy", array.dtype.name if is_extension(array.dtype) else ""


def is_extension(dtype: numpy.dtype) -> bool:
    """Whether it is a type of ml_dtypes, which numpy's files do not name."""
    return dtype.kind == "V" and dtype.names is None and dtype.name != f"void{dtype.itemsize * 8}"


# "[1,2]:float32" and "2:int64", and "[1,2]" alone; "float32[1,3]".
_DTYPE = r"(?:bool|string|u?int\d+|b?float\d+\w*|complex\d+)"
_LITERAL = re.compile(rf"(?:\[.*\]|[-+.\d]\S*|true|false) *: *{_DTYPE}|\[[-+.\d,\[\] e]+\]")
_TYPE = re.compile(rf"{_DTYPE}\[[\d, ]*\]")


def _refuse_text(text: str) -> None:
    """Text that stands for a tensor elsewhere: any other one is a scalar string."""
    if text.endswith((".npy", ".npz", ".pb")):
        raise TypeError(f"{text!r} is a path, but a tensor is expected: numpy.load reads it")
    if _LITERAL.fullmatch(text):
        raise TypeError(f"{text!r}: literals are for the command line: give a list or an array")
    if _TYPE.fullmatch(text):
        raise TypeError(f"{text!r} is a type, which opref.infer takes: give a list or an array")


def _array(value: Any) -> numpy.ndarray:
    if value is None:
        raise TypeError("None is no tensor")
    if isinstance(value, (type, numpy.dtype)):
        raise TypeError(f"{value!r} is a type, no tensor: give a list or an array")
    if isinstance(value, str):
        _refuse_text(value)
    if isinstance(value, os.PathLike):
        raise TypeError(f"{str(value)!r} is a path, but a tensor is expected: numpy.load reads it")
    if isinstance(value, Mapping):
        raise TypeError("a dict is no tensor: give each input by its name, for all of a dict as **inputs")
    if isinstance(value, numpy.ma.MaskedArray):
        raise TypeError("a masked array is no tensor: value.filled(…) gives its masked elements a value")
    try:
        array = numpy.asarray(value)
    except ValueError as error:  # lists of different lengths
        raise TypeError(f"it is no tensor: {error}") from None
    if array.dtype != object:
        return array
    if all(isinstance(element, str) for element in array.flat):  # as onnx holds strings
        return array.astype(str)
    raise TypeError("an array of objects is no tensor, unless all elements are str: value.astype(numpy.float32) makes it one")


def read(path: str, described: Mapping[str, Any]) -> Value:
    """What the program wrote to `path`: an array, a list of arrays, or None for an empty optional. `described` is what the
    program says of it: dtype and shape, or a sequence."""
    if "sequence" in described:
        return [_read_array(os.path.join(path, str(k)), element) for k, element in enumerate(described["sequence"])]
    if not os.path.exists(path + ".npy"):
        return None
    return _read_array(path, described)


def _read_array(path: str, described: Mapping[str, Any]) -> numpy.ndarray:
    array = numpy.load(path + ".npy")
    if array.dtype.kind != "V":
        return array
    try:
        import ml_dtypes
    except ImportError:
        return array
    return array.view(getattr(ml_dtypes, described["dtype"]))


def file_name(name: str) -> str:
    """As opref writes an output's name: all but [A-Za-z0-9._-] as %XX, and the names of folders, "." and ".."."""
    if name in (".", ".."):
        return "%2E" * len(name)
    return "".join(chr(b) if chr(b).isascii() and (chr(b).isalnum() or chr(b) in "._-") else f"%{b:02X}" for b in name.encode())
