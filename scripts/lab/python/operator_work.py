# SPDX-License-Identifier: Apache-2.0
"""A node and its tensors at an everyday size: what makes them, and how they are written."""
import os
from dataclasses import dataclass, field, replace

import ml_dtypes
import numpy
from onnx import TensorProto, helper, parser, save, shape_inference


def normal(*shape, factor=1.0):
    return lambda random: random.standard_normal(shape, numpy.float32) * numpy.float32(factor)


def positive(*shape, least=0.5):
    return lambda random: abs(random.standard_normal(shape, numpy.float32)) + numpy.float32(least)


def between(low, high, *shape):
    return lambda random: random.uniform(low, high, shape).astype(numpy.float32)


def whole(low, high, *shape, dtype="int64"):
    return lambda random: random.integers(low, high, shape).astype(dtype)


def truths(*shape):
    return lambda random: random.integers(0, 2, shape).astype(bool)


def words(*shape):
    return lambda random: numpy.array([f"word {k} of a text" for k in range(numpy.prod(shape))]).reshape(shape)


def given(values, dtype="float32"):
    return lambda random: numpy.array(values, dtype)


@dataclass(frozen=True)
class OperatorWork:
    """`inputs` are functions of a random generator, by name; the name "_" and what follows it leaves an optional one out."""
    name: str
    op_type: str
    inputs: dict
    must: float | None = None
    aim: float | None = None
    opset: int = 22
    outputs: int = 1
    text: str = ""  # the graph in ONNX's text form, where it is more than the node
    dtype: str = "float32"  # what is float32 in `inputs` is made of it
    attributes: dict = field(default_factory=dict)

    @property
    def title(self):
        return self.name if self.dtype == "float32" else f"{self.name} in {self.dtype}"

    def of(self, dtype):
        return replace(self, dtype=dtype)

    def write(self, folder, seed=5):
        """NAME.npy of each input, model.onnx and peer.onnx, which are alike. Returns the folder."""
        os.makedirs(folder, exist_ok=True)
        random = numpy.random.default_rng(seed)
        dtype = numpy.dtype(getattr(ml_dtypes, self.dtype, self.dtype))
        arrays = {}
        for name, make in self.inputs.items():
            if name[0] == "_":
                continue
            array = numpy.asarray(make(random))
            arrays[name] = array.astype(dtype) if array.dtype == numpy.float32 else array
            numpy.save(os.path.join(folder, f"{name}.npy"), arrays[name])
        model = self.model(arrays)
        for file in ("model.onnx", "peer.onnx"):
            save(model, os.path.join(folder, file))
        return folder

    def model(self, arrays):
        if self.text:
            return parser.parse_model(f'<ir_version: 10, opset_import: ["" : {self.opset}]>\n{self.text}')
        names = ["" if name[0] == "_" else name for name in self.inputs]
        node = helper.make_node(self.op_type, names, self.output_names(), **self.attributes)
        inputs = [helper.make_tensor_value_info(name, element_type(array.dtype), array.shape) for name, array in arrays.items()]
        outputs = [helper.make_empty_tensor_value_info(name) for name in self.output_names()]
        model = helper.make_model(helper.make_graph([node], "work", inputs, outputs), ir_version=10,
                                  opset_imports=[helper.make_opsetid("", self.opset)])
        return shape_inference.infer_shapes(model)

    def output_names(self):
        return ["Y", *(f"Y{k}" for k in range(1, self.outputs))]


def element_type(dtype):
    return TensorProto.STRING if dtype.kind in "UO" else helper.np_dtype_to_tensor_dtype(dtype)
