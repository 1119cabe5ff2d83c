# SPDX-License-Identifier: Apache-2.0
"""Arrays as files that the program reads and writes."""
from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy

Map = Dict[Union[int, str], Any]
Value = Union[numpy.ndarray, List[numpy.ndarray], Map, List[Map], None]


def holds_arrays(value: Any) -> bool:
    """Whether it is several tensors, rather than one that is written as a list."""
    return isinstance(value, (list, tuple)) and any(isinstance(element, numpy.ndarray) for element in value)


def holds_maps(value: Any) -> bool:
    """Whether it is a map, or a sequence of them."""
    return isinstance(value, Mapping) or (isinstance(value, (list, tuple)) and bool(value) and
                                          all(isinstance(element, Mapping) for element in value))


def write(value: Any, path: str, types: Sequence[str] = ()) -> Tuple[str, str]:
    """Writes an array to `path`.npy, a sequence into the folder `path`, or maps to `path`.json: of the types that are allowed
    that of their keys and values, or the one whose values are nearest to these.

    Returns the name of the file or folder, and the dtype that the file leaves open, or "".
    """
    if holds_maps(value):
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump(_map_document(value, types), file)
        return path + ".json", ""
    if holds_arrays(value):
        os.mkdir(path)
        dtypes = [write(element, os.path.join(path, str(k)))[1] for k, element in enumerate(value)]
        return path, dtypes[0]
    array = _array(value)
    numpy.save(path + ".npy", array)
    return path + ".npy", array.dtype.name if is_extension(array.dtype) else ""


_NAMES = {"float32": "float", "float64": "double", "object": "string"}


def onnx_name(dtype: str) -> str:
    """As ONNX's types of maps have it: float for float32."""
    return _NAMES.get(dtype, dtype)


def _map_document(value: Any, types: Sequence[str]) -> Dict[str, Any]:
    """As `opref help cases` describes a value of type map."""
    maps = [value] if isinstance(value, Mapping) else list(value)
    are_text = {isinstance(key, str) for each in maps for key in each}
    if len(are_text) > 1 or any(isinstance(key, bool) or not isinstance(key, (str, int, numpy.integer))
                                for each in maps for key in each):
        raise TypeError("the keys of a map are all str or all int")
    elements = [_array(element) for each in maps for element in each.values()]
    if any(element.ndim for element in elements) or (types and not any("map(" in text for text in types)):
        raise TypeError("a dict is no tensor: give each input by its name, for all of a dict as **inputs")
    dtype = numpy.result_type(*elements) if elements else numpy.dtype(numpy.float32)
    name = "string" if dtype.kind == "U" else _NAMES.get(dtype.name, dtype.name)
    key = "string" if True in are_text else "int64"
    around = "{}" if isinstance(value, Mapping) else "seq({})"
    found = [re.fullmatch(r"(?:seq\()?map\((\w+),(\w+)\)+", text) for text in types]
    allowed = [each[2] for each in found if each and each[1] == key]
    if allowed and name not in allowed and dtype.kind in "fiu":  # a number of Python has the type that the node has for it
        name = next((other for other in ("float", "double", "int64") if other in allowed and (dtype.kind != "f" or other != "int64")),
                    name)
    documents = [{str(k): _json_element(element) for k, element in each.items()} for each in maps]
    return {"map": documents[0] if isinstance(value, Mapping) else documents, "type": around.format(f"map({key},{name})")}


def _json_element(element: Any) -> Any:
    """A number, a boolean or a string, as JSON can write it."""
    plain = _array(element).item()
    if isinstance(plain, float) and not numpy.isfinite(plain):
        return "NaN" if plain != plain else "Inf" if plain > 0 else "-Inf"
    return plain


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
        array: numpy.ndarray = numpy.asarray(value)
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
    if described.get("form") in ("map", "sequence of maps"):
        with open(path + ".json", encoding="utf-8") as file:
            maps: Value = _read_maps(json.load(file)["map"], described)
            return maps
    if "sequence" in described:
        return [_read_array(os.path.join(path, str(k)), element) for k, element in enumerate(described["sequence"])]
    if not os.path.exists(path + ".npy"):
        return None
    return _read_array(path, described)


def _read_maps(maps: Any, described: Mapping[str, Any]) -> Any:
    """The document of maps: dicts whose values are numpy's scalars, or str."""
    if isinstance(maps, list):
        return [_read_maps(each, described) for each in maps]
    dtype = described["dtype"]
    key = str if described["key"] == "string" else int
    return {key(k): element if dtype == "string" else _scalar(element, dtype) for k, element in maps.items()}


def _scalar(element: Any, dtype: str) -> Any:
    if isinstance(element, str) and element.startswith("0x"):  # a NaN of other bits
        bits = numpy.array(int(element, 16), f"u{numpy.dtype(dtype).itemsize}")
        return bits.view(dtype)[()]
    return numpy.dtype(dtype).type(element)


def _read_array(path: str, described: Mapping[str, Any]) -> numpy.ndarray:
    array: numpy.ndarray = numpy.load(path + ".npy")
    if array.dtype.kind != "V":
        return array
    try:
        import ml_dtypes
    except ImportError:
        return array
    return array.view(numpy.dtype(getattr(ml_dtypes, described["dtype"])))


def file_name(name: str) -> str:
    """As opref writes an output's name: all but [A-Za-z0-9._-] as %XX, and the names of folders, "." and ".."."""
    if name in (".", ".."):
        return "%2E" * len(name)
    return "".join(chr(b) if chr(b).isascii() and (chr(b).isalnum() or chr(b) in "._-") else f"%{b:02X}" for b in name.encode())
