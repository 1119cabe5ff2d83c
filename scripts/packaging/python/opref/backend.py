# SPDX-License-Identifier: Apache-2.0
"""opref as a backend of ONNX's own interface, onnx.backend.base: needs the package onnx.

>>> import onnx, opref.backend
>>> outputs = opref.backend.prepare(onnx.load("model.onnx")).run([x])
"""
from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from typing import Any, Dict, FrozenSet, List, Mapping, Sequence, Tuple, Union

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.base import BackendRep, namedtupledict
from onnx.backend.base import Backend as BaseBackend

import opref
from opref._program import command
from opref.worker import Worker

_worker = Worker()
Inputs = Union[numpy.ndarray, Sequence[Any], Mapping[str, Any]]


class PreparedModel(BackendRep):
    """A model in a file, which a worker evaluates as often as is asked."""

    def __init__(self, model: onnx.ModelProto):
        self._folder = tempfile.mkdtemp(prefix="opref-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._model = model
        self._paths: Dict[FrozenSet[str], str] = {}
        self._inputs = list(model.graph.input)
        self._initialized = {initializer.name for initializer in model.graph.initializer}
        self._outputs = list(model.graph.output)

    def run(self, inputs: Inputs, **kwargs: Any) -> Tuple[Any, ...]:
        """The model's outputs, as a tuple with their names. `inputs` are all inputs of the graph in its order, or those that
        have no initializer, or a dict by name; None is an input that is not given. Raises opref.Error where opref refuses."""
        with tempfile.TemporaryDirectory(prefix="opref-") as folder:
            given, made = os.path.join(folder, "inputs"), os.path.join(folder, "outputs")
            os.mkdir(given)
            os.mkdir(made)
            named = {name: value for name, value in self._named(inputs).items() if value is not None}
            replaced = self._initialized.intersection(named)
            numbered = [declared for declared in self._inputs if declared.name in replaced or declared.name not in self._initialized]
            for k, declared in enumerate(numbered):
                if declared.name in named:
                    _write(named[declared.name], declared, os.path.join(given, f"input_{k}.pb"))
            _worker.evaluate(self._file_without(frozenset(replaced)), given, made)
            values = [_read(os.path.join(made, f"output_{k}.pb"), output.type) for k, output in enumerate(self._outputs)]
        return namedtupledict("Outputs", [output.name for output in self._outputs])(*values)

    def _file_without(self, initializers: FrozenSet[str]) -> str:
        """The model's file, where the inputs with these initializers have none: files of inputs are numbered without the others."""
        if initializers not in self._paths:
            model = self._model
            if initializers:
                model = onnx.ModelProto()
                model.CopyFrom(self._model)
                kept = [initializer for initializer in model.graph.initializer if initializer.name not in initializers]
                del model.graph.initializer[:]
                model.graph.initializer.extend(kept)
            path = os.path.join(self._folder, f"model_{len(self._paths)}.onnx")
            onnx.save(model, path)
            self._paths[initializers] = path
        return self._paths[initializers]

    def _named(self, inputs: Inputs) -> Mapping[str, Any]:
        names = [declared.name for declared in self._inputs]
        if isinstance(inputs, Mapping):
            if strangers := sorted(set(inputs) - set(names)):
                raise ValueError(f"the graph has no input {strangers[0]!r}")
            return inputs
        values = [inputs] if isinstance(inputs, numpy.ndarray) else list(inputs)
        if len(values) != len(names):
            open_names = [name for name in names if name not in self._initialized]
            names = open_names if len(values) == len(open_names) else names
        if len(values) > len(names):
            raise ValueError(f"{len(values)} inputs are given, but the graph has {len(names)}")
        return dict(zip(names, values))


class Backend(BaseBackend):
    """Evaluates models on the CPU by the specification's rules, each output rounded once."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"

    @classmethod
    def unknown_operators(cls, model: onnx.ModelProto) -> List[str]:
        """The operators of a model, its functions and subgraphs, that opref does not know: sorted names."""
        with tempfile.TemporaryDirectory(prefix="opref-") as folder:
            path = os.path.join(folder, "model.onnx")
            onnx.save(model, path)
            shown, _ = command(["show", path, "--json"], {path: "the model"})
        operators = next(iter(json.loads(shown)["files"].values()))["operators"]
        return sorted(operator["operator"] for operator in operators if not operator["known"])

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        return cls.supports_device(device) and not cls.unknown_operators(model)

    @classmethod
    def prepare(cls, model: Union[onnx.ModelProto, str, "os.PathLike[str]"], device: str = "CPU",
                **kwargs: Any) -> PreparedModel:
        """The model (a ModelProto or a path), ready to be run. Raises ValueError for a device other than CPU, and opref.Error where
        opref does not know an operator."""
        if not cls.supports_device(device):
            raise ValueError(f"opref has no device {device!r}, only CPU")
        loaded = model if isinstance(model, onnx.ModelProto) else onnx.load(model)
        if unknown := cls.unknown_operators(loaded):
            raise opref.Error(f"operator {unknown[0]!r} is not known", "unsupported", "opref.ops() lists those that are")
        return PreparedModel(loaded)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Sequence[Any], device: str = "CPU", outputs_info: Any = None,
                 **kwargs: Any) -> Tuple[Any, ...]:
        """The outputs of one node, by the newest opset or that which opset_version gives, as a tuple with their names."""
        named = {name: value for name, value in zip(node.input, inputs) if name and value is not None}
        outputs = opref.run(node, opset=kwargs.get("opset_version"), **named)
        names = [name for name in node.output if name]
        made: Tuple[Any, ...] = namedtupledict("Outputs", names)(*(outputs if isinstance(outputs, tuple) else (outputs,)))
        return made


def _write(value: Any, declared: onnx.ValueInfoProto, path: str) -> None:
    kind = declared.type.WhichOneof("value")
    if isinstance(value, onnx.TensorProto):
        proto = value
    elif kind == "map_type":
        proto = _to_map(value, declared.name, declared.type.map_type)
    elif _holds_maps(declared.type):
        elements = [_to_map(element, "", declared.type.sequence_type.elem_type.map_type) for element in value]
        proto = onnx.SequenceProto(name=declared.name, elem_type=onnx.SequenceProto.MAP, map_values=elements)
    elif kind == "optional_type":
        proto = numpy_helper.from_optional(value if isinstance(value, list) else numpy.asarray(value), declared.name)
    elif kind == "sequence_type":
        elements = [numpy_helper.from_array(numpy.asarray(element)) for element in value]
        proto = onnx.SequenceProto(name=declared.name, elem_type=onnx.SequenceProto.TENSOR, tensor_values=elements)
    else:
        proto = numpy_helper.from_array(numpy.asarray(value), declared.name)
    with open(path, "wb") as file:
        file.write(proto.SerializeToString())


def _read(path: str, declared: onnx.TypeProto) -> Any:
    with open(path, "rb") as file:
        data = file.read()
    kind = declared.WhichOneof("value")
    if kind == "map_type":
        return _from_map(onnx.MapProto.FromString(data))
    if _holds_maps(declared):
        return [_from_map(element) for element in onnx.SequenceProto.FromString(data).map_values]
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def _holds_maps(declared: onnx.TypeProto) -> bool:
    """Whether it is a sequence of maps."""
    return bool(declared.WhichOneof("value") == "sequence_type" and declared.sequence_type.elem_type.WhichOneof("value") == "map_type")


def _from_map(proto: onnx.MapProto) -> Any:
    is_text = proto.key_type == onnx.TensorProto.STRING
    keys = [key.decode() for key in proto.string_keys] if is_text else list(proto.keys)
    values = [numpy_helper.to_array(element) for element in proto.values.tensor_values]
    return {key: value.item() if value.dtype == object else value[()] for key, value in zip(keys, values)}


def _to_map(value: Mapping[Any, Any], name: str, declared: Any) -> onnx.MapProto:
    is_text = declared.key_type == onnx.TensorProto.STRING
    proto = onnx.MapProto(name=name, key_type=declared.key_type)
    proto.values.elem_type = onnx.SequenceProto.TENSOR
    dtype = onnx.helper.tensor_dtype_to_np_dtype(declared.value_type.tensor_type.elem_type)
    for key, element in value.items():
        if is_text:
            proto.string_keys.append(key.encode())
        else:
            proto.keys.append(int(key))
        proto.values.tensor_values.append(numpy_helper.from_array(numpy.array(element, dtype)))
    return proto


prepare = Backend.prepare
run_model = Backend.run_model
run_node = Backend.run_node
supports_device = Backend.supports_device
is_compatible = Backend.is_compatible
