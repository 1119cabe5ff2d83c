# SPDX-License-Identifier: Apache-2.0
"""Writes files of tensors as torch.save and safetensors do, without either.

Usage: named_tensors.py torch|pickle|safetensors FOLDER    seeds of scripts/lab/fuzz
"""
import collections
import io
import json
import os
import pickle
import struct
import sys
import types
import zipfile


def module(name):
    sys.modules[name] = types.ModuleType(name)
    return sys.modules[name]


def named(thing, module_name, name):
    """A class or function that a pickle calls module_name.name."""
    thing.__module__, thing.__qualname__, thing.__name__ = module_name, name, name
    setattr(sys.modules[module_name], name, thing)
    return thing


module("torch")
module("torch._utils")
REBUILD = named(lambda *_: None, "torch._utils", "_rebuild_tensor_v2")
REBUILD_TYPED = named(lambda *_: None, "torch._utils", "_rebuild_tensor_v3")
PARAMETER = named(lambda *_: None, "torch._utils", "_rebuild_parameter")
STORAGES = {name: named(type(name, (), {}), "torch", name) for name in ("FloatStorage", "LongStorage", "BFloat16Storage")}


class Storage:
    def __init__(self, kind, key, count):
        self.id = ("storage", STORAGES[kind], key, "cpu", count)


class Call:
    """What a pickle has as a call of a function."""

    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


def tensor(storage, offset, size, stride):
    return Call(REBUILD, storage, offset, size, stride, False, collections.OrderedDict())


def parameter(of):
    return Call(PARAMETER, of, True, collections.OrderedDict())


def pickled(value, protocol=2):
    class Pickler(pickle.Pickler):
        def persistent_id(self, one):
            return one.id if isinstance(one, Storage) else None

    data = io.BytesIO()
    Pickler(data, protocol).dump(value)
    return data.getvalue()


def save(path, value, storages, protocol=2, data=None):
    """As torch.save; `data` takes the place of the pickle."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", data or pickled(value, protocol))
        archive.writestr("archive/byteorder", "little")
        for key, elements in storages.items():
            archive.writestr("archive/data/" + key, elements)
        archive.writestr("archive/version", "3\n")


def save_safetensors(path, header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


FLOATS = Storage("FloatStorage", "0", 6)
LONGS = Storage("LongStorage", "1", 3)
STORED = {"0": struct.pack("<6f", *range(6)), "1": struct.pack("<3q", 5, 6, 7)}


def state():
    tensors = collections.OrderedDict(
        [("conv.weight", tensor(FLOATS, 0, (2, 3), (3, 1))), ("conv.bias", tensor(FLOATS, 1, (2,), (2,)))])
    tensors._metadata = collections.OrderedDict()
    return tensors


def checkpoint():
    return {"epoch": 3, "rate": 0.1, "model": state(), "step": {0: tensor(LONGS, 0, (3,), (1,))}, "list": [parameter(tensor(LONGS, 1, (), ()))]}


VALUES = [tensor(FLOATS, 0, (3, 2), (1, 3)), state(), checkpoint()]
HEADER = {"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
          "b": {"dtype": "BF16", "shape": [2], "data_offsets": [24, 28]}}


def main():
    kind, folder = sys.argv[1:]
    for number, (value, protocol) in enumerate((value, protocol) for value in VALUES for protocol in (2, 4)):
        path = os.path.join(folder, str(number))
        if kind == "torch":
            save(path, value, STORED, protocol)
        elif kind == "pickle":
            with open(path, "wb") as file:
                file.write(pickled(value, protocol))
        else:
            save_safetensors(path, HEADER, STORED["0"] + b"\x80\x3f\x00\x40")


if __name__ == "__main__":
    main()
