# SPDX-License-Identifier: Apache-2.0
"""A node or model with its attributes and tensors, as words that the program takes."""
from __future__ import annotations

import functools
import json
import os
import re

import numpy

from opref import _tensors
from opref._errors import Error
from opref._program import command


@functools.lru_cache(maxsize=None)
def versions(name):
    """The versions of an operator, as `opref ops --json` describes them, in order; nothing where no operator has the name."""
    try:
        output, _ = command(["ops", "--json", "--", name])
    except Error as error:
        if error.fault in ("unsupported", "usage"):
            return ()
        raise
    return tuple(json.loads(output)["operators"][0]["versions"])


def schema_of(node, opset):
    """The version of the operator that `node` names, by the opset (None: by the name's, else the newest); None of other nodes."""
    named = re.fullmatch(r"([\w.:]+?)(?:[-@](\d+))?", node) if isinstance(node, str) and not os.path.isfile(node) else None
    if named is None:
        return None
    known = versions(named[1])
    limit = opset if opset is not None else int(named[2]) if named[2] else None
    in_force = [version for version in known if limit is None or version["since_version"] <= limit]
    return in_force[-1] if in_force else known[-1] if known else None


class Call:
    """The words of a node's arguments, which end a command line, and the files that hold its tensors."""

    def __init__(self, node, tensors, named, folder, opset=None, readings=None, types_alone=False):
        self._folder = folder
        self._schema = schema_of(node, opset)
        self._types_alone = types_alone
        self._options, self._places, self.renamed = [], [], {}
        self._places.append(self._node_word(node))
        for name, value in [*self._placed(node, tensors), *named.items()]:
            self._add(name, value)
        if opset is not None:
            self._options += ["--opset", str(opset)]
        for name, value in (readings or {}).items():
            self._options += ["--reading", f"{name}={value}"]

    @property
    def words(self):
        """Whatever a node or tensor is called, none of its words is an option."""
        return [*self._options, "--", *self._places]

    def _node_word(self, node):
        if not hasattr(node, "SerializeToString"):
            return os.fspath(node)
        path = os.path.join(self._folder, "node.onnx")
        self.renamed[path] = None
        with open(path, "wb") as file:
            file.write(node.SerializeToString())
        return path

    def _placed(self, node, tensors):
        """The tensors that are given by place, with their names."""
        if not tensors:
            return []
        if isinstance(tensors[0], str) and tensors[0].startswith("-"):
            raise TypeError(f"{tensors[0]!r} is an option of the command line: here options are keywords, as in opset=18")
        if self._schema is not None:
            names = [parameter["name"] for parameter in self._schema["inputs"]]
            if self._schema["inputs"] and self._schema["inputs"][-1]["arity"] == "variadic":
                names += names[-1:] * (len(tensors) - len(names))
        elif hasattr(node, "graph"):
            names = [declared.name for declared in node.graph.input]
        elif hasattr(node, "input"):
            names = list(node.input)
        else:
            raise TypeError("tensors are given by place to an operator, a NodeProto or a ModelProto; give these by their names")
        if len(tensors) > len(names):
            raise TypeError(f"{len(tensors)} tensors are given, but there are {len(names)} inputs: {', '.join(names)}")
        return list(zip(names, tensors))

    def _add(self, name, value):
        if value is None:
            return
        if self._is_attribute(name, value):
            self._options += ["-a", f"{name}={self._attribute(name, value)}"]
            return
        for element in value if isinstance(value, tuple) else (value,):
            if self._types_alone and isinstance(element, str):
                self._places.append(f"{name}={element}")
                continue
            path, dtype = _tensors.write(element, os.path.join(self._folder, f"tensor_{len(self._places)}"))
            self.renamed[path] = f"the tensor {name}"
            self._places.append(f"{name}{':' if dtype else ''}{dtype}={path}")

    def _is_attribute(self, name, value):
        """By the operator's schema; a name that it does not have is what its value looks like."""
        if self._schema is None:
            return False
        if any(parameter["name"] == name for parameter in self._schema["inputs"]):
            return False
        return any(attribute["name"] == name for attribute in self._schema["attributes"]) or not isinstance(value, numpy.ndarray)

    def _attribute(self, name, value):
        """As it is written behind -a NAME=."""
        if hasattr(value, "SerializeToString"):
            return self._message(name, value)
        kind = next((a["type"] for a in self._schema["attributes"] if a["name"] == name), "")
        if kind in ("TENSOR", "SPARSE_TENSOR"):
            path, dtype = _tensors.write(value, os.path.join(self._folder, f"attribute_{len(self._options)}"))
            if dtype:
                raise TypeError(f"the attribute {name} has a type that files do not name: give a TensorProto")
            self.renamed[path] = f"the attribute {name}"
            return path
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            value = value.tolist()
        if not isinstance(value, (list, tuple)):
            return _scalar(value)
        if value and all(isinstance(element, (str, bytes)) for element in value):
            return json.dumps([_scalar(element) for element in value], ensure_ascii=False)
        return ",".join(_scalar(element) for element in value)

    def _message(self, name, value):
        if value.DESCRIPTOR.name == "GraphProto":
            import onnx.printer
            return onnx.printer.to_text(value)
        path = os.path.join(self._folder, f"attribute_{len(self._options)}.pb")
        self.renamed[path] = f"the attribute {name}"
        with open(path, "wb") as file:
            file.write(value.SerializeToString())
        return path


def _scalar(value):
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        value = value.item()
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return repr(value)
    return str(getattr(value, "value", value))  # an enumeration: its value
