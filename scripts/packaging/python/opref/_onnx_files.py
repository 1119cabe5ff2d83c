# SPDX-License-Identifier: Apache-2.0
"""ONNX's files as far as cases need them: the names and types of a model's inputs and outputs, and the values of .pb files.
Without the package onnx, whose releases give the types that numpy does not have in different ways."""
from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple, Union

import numpy

Field = Union[int, memoryview]

# TensorProto.DataType, by the names of numpy and ml_dtypes.
_DTYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
           11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8_e4m3fn",
           18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4_e2m1fn",
           24: "float8_e8m0fnu", 25: "uint2", 26: "int2", 27: "float6_e2m3fn", 28: "float6_e3m2fn"}
_STRING, _BFLOAT16 = 8, 16
_BITS = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2, 27: 6, 28: 6}  # of elements that share bytes, the first in the lowest bits
# The fields of typed data, by the type of what they hold; int32_data holds all other types, of floats their bits.
_FLOAT_DATA, _INT32_DATA, _STRING_DATA, _INT64_DATA, _RAW_DATA, _DOUBLE_DATA, _UINT64_DATA = 4, 5, 6, 7, 9, 10, 11
_DATA_OF = {1: _FLOAT_DATA, 14: _FLOAT_DATA, 7: _INT64_DATA, 11: _DOUBLE_DATA, 15: _DOUBLE_DATA, 12: _UINT64_DATA, 13: _UINT64_DATA}
_FIXED = {_FLOAT_DATA: "<f4", _DOUBLE_DATA: "<f8"}


class Declared(NamedTuple):
    """An input or output of a graph. `kind`: the field of TypeProto, of which TENSOR to OPTIONAL are here."""

    name: str
    kind: int
    element: int


TENSOR, SEQUENCE, MAP, OPTIONAL = 1, 4, 5, 9


def signature(model: str) -> Tuple[List[Declared], List[Declared]]:
    """The inputs of a model's graph that no initializer gives, and its outputs, in order."""
    inputs: List[Declared] = []
    outputs: List[Declared] = []
    initialized: Set[str] = set()
    for number, graph in _fields(_read(model)):
        if number != 7:
            continue
        for member, value in _fields(_bytes(graph)):
            if member == 5:
                initialized.update(_text(name) for inner, name in _fields(_bytes(value)) if inner == 8)
            elif member in (11, 12):
                (inputs if member == 11 else outputs).append(_declared(_bytes(value)))
    return [declared for declared in inputs if declared.name not in initialized], outputs


def read_value(path: str, declared: Declared) -> Any:
    """The value of a .pb file: an array, a list, a dict, or None for an empty optional."""
    message = _read(path)
    if declared.kind == SEQUENCE:
        return _sequence(message)
    if declared.kind == MAP:
        return _map(message)
    if declared.kind == OPTIONAL:
        return _optional(message)
    array = _tensor(message, os.path.dirname(path))
    if declared.element == _BFLOAT16 and array.dtype == numpy.uint16:  # as some official cases store it
        return array.view(_dtype(_BFLOAT16))
    return array


def _read(path: str) -> memoryview:
    with open(path, "rb") as file:
        return memoryview(file.read())


def _fields(message: memoryview) -> Iterator[Tuple[int, Field]]:
    """The fields of a protobuf message in order: numbers, or the bytes of all others."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        wire = key & 7
        if wire == 0:
            number, at = _varint(message, at)
            yield key >> 3, number
            continue
        size = {1: 8, 5: 4}.get(wire, 0)
        if wire == 2:
            size, at = _varint(message, at)
        elif size == 0:
            raise ValueError(f"a field of the wire type {wire} is none of ONNX's")
        yield key >> 3, message[at:at + size]
        at += size


def _varint(message: memoryview, at: int) -> Tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def _bytes(field: Field) -> memoryview:
    if isinstance(field, int):
        raise ValueError("a number stands where a message is expected")
    return field


def _text(field: Field) -> str:
    return bytes(_bytes(field)).decode()


def _numbers(field: Field) -> List[int]:
    """Of a repeated field of integers, packed or not."""
    if isinstance(field, int):
        return [field]
    found, at = [], 0
    while at < len(field):
        number, at = _varint(field, at)
        found.append(number)
    return found


def _declared(message: memoryview) -> Declared:
    name, kind, element = "", TENSOR, 0
    for number, value in _fields(message):
        if number == 1:
            name = _text(value)
        elif number == 2:
            for kind, inner in _fields(_bytes(value)):
                if kind == TENSOR:
                    element = next((found for member, found in _fields(_bytes(inner)) if member == 1 and isinstance(found, int)), 0)
                if kind in (TENSOR, SEQUENCE, MAP, OPTIONAL):
                    break
    return Declared(name, kind, element)


def _dtype(data_type: int) -> numpy.dtype[Any]:
    name = _DTYPES[data_type]
    try:
        dtype: numpy.dtype[Any] = numpy.dtype(name)
    except TypeError:
        import ml_dtypes  # the only one who has it
        dtype = numpy.dtype(getattr(ml_dtypes, name))
    return dtype


def _tensor(message: memoryview, folder: str) -> numpy.ndarray:
    shape: List[int] = []
    data_type = 0
    data: Dict[int, List[Field]] = {}
    external: Dict[str, str] = {}
    for number, value in _fields(message):
        if number == 1:
            shape += _numbers(value)
        elif number == 2 and isinstance(value, int):
            data_type = value
        elif number == 13:
            pair = dict(_fields(_bytes(value)))
            external[_text(pair[1])] = _text(pair[2])
        elif number in (_FLOAT_DATA, _INT32_DATA, _STRING_DATA, _INT64_DATA, _RAW_DATA, _DOUBLE_DATA, _UINT64_DATA):
            data.setdefault(number, []).append(value)
    if data_type == _STRING:
        return numpy.array([_text(element) for element in data.get(_STRING_DATA, [])], object).reshape(shape)
    if external:
        data = {_RAW_DATA: [_external(external, folder)]}
    dtype = _dtype(data_type)
    if _RAW_DATA in data:
        raw = numpy.frombuffer(b"".join(_bytes(part) for part in data[_RAW_DATA]), numpy.uint8)
        return _unpacked(raw, data_type, shape) if data_type in _BITS else raw.view(dtype.newbyteorder("<")).astype(dtype).reshape(shape)
    field = _DATA_OF.get(data_type, _INT32_DATA)
    parts = data.get(field, [])
    if field in _FIXED:
        return numpy.frombuffer(b"".join(_bytes(part) for part in parts), _FIXED[field]).view(dtype).reshape(shape)
    bits = numpy.array([number for part in parts for number in _numbers(part)], numpy.uint64)
    if data_type in _BITS:
        return _unpacked(bits.astype(numpy.uint8), data_type, shape)
    whole = bits.astype(f"u{dtype.itemsize}")  # the lowest bits, whether the number is one or stands for a float's bits
    return whole.view(dtype).reshape(shape)


def _external(entries: Dict[str, str], folder: str) -> memoryview:
    offset, length = int(entries.get("offset", 0)), entries.get("length")
    held = _read(os.path.join(folder, entries["location"]))
    return held[offset:] if length is None else held[offset:offset + int(length)]


def _unpacked(packed: numpy.ndarray, data_type: int, shape: Sequence[int]) -> numpy.ndarray:
    """An element a byte, in its lowest bits, as ml_dtypes has them."""
    bits, count = _BITS[data_type], int(numpy.prod(shape, dtype=int))
    single = numpy.unpackbits(packed, bitorder="little")[:count * bits].reshape(count, bits)
    elements = numpy.packbits(single, axis=1, bitorder="little").reshape(count)
    return elements.view(_dtype(data_type)).reshape(shape)


def _sequence(message: memoryview) -> List[Any]:
    made: List[Any] = []
    for number, value in _fields(message):
        if number == 3:
            made.append(_tensor(_bytes(value), ""))
        elif number == 5:
            made.append(_sequence(_bytes(value)))
        elif number == 6:
            made.append(_map(_bytes(value)))
        elif number == 7:
            made.append(_optional(_bytes(value)))
    return made


def _map(message: memoryview) -> Dict[Union[int, str], Any]:
    keys: List[Union[int, str]] = []
    values: List[Any] = []
    for number, value in _fields(message):
        if number == 3:
            keys += [key - (1 << 64) if key >> 63 else key for key in _numbers(value)]
        elif number == 4:
            keys.append(_text(value))
        elif number == 5:
            values += [element.item() if element.dtype == object else element[()] for element in _sequence(_bytes(value))]
    return dict(zip(keys, values))


def _optional(message: memoryview) -> Any:
    for number, value in _fields(message):
        if number == 3:
            return _tensor(_bytes(value), "")
        if number == 5:
            return _sequence(_bytes(value))
        if number == 6:
            return _map(_bytes(value))
    return None
