# SPDX-License-Identifier: Apache-2.0
"""Faults that may be planted in a model: a weight, an attribute, an operator, a node removed, inputs swapped."""
import numpy
import onnx
from onnx import helper, numpy_helper

ATTRIBUTES = {
    "BatchNormalization": [("epsilon", 1e-3)], "HardSigmoid": [("alpha", 1 / 6)], "LeakyRelu": [("alpha", 0.3)],
    "AveragePool": [("count_include_pad", 1)], "Gemm": [("beta", 0.5)], "LRN": [("beta", 0.5)],
    "InstanceNormalization": [("epsilon", 1e-2)],
}
OPERATORS = {
    "Relu": "LeakyRelu", "Erf": "Tanh", "Sigmoid": "HardSigmoid", "Sqrt": "Abs", "GlobalAveragePool": "GlobalMaxPool",
    "ReduceMean": "ReduceMax", "Tanh": "Softsign", "HardSigmoid": "Sigmoid", "Mul": "Add",
}


def constants_of(model):
    held = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            held[node.output[0]] = node.attribute[0].t
    return held


def live_tensors(model, feeds):
    """What depends on the inputs' values."""
    live = set(feeds)
    for node in model.graph.node:
        if node.op_type not in ("Shape", "Size") and any(name in live for name in node.input):
            live.update(node.output)
    return live


def set_attribute(node, name, value):
    for attribute in list(node.attribute):
        if attribute.name == name:
            node.attribute.remove(attribute)
    node.attribute.append(helper.make_attribute(name, value))


def attribute_of(node, name):
    return next((helper.get_attribute_value(one) for one in node.attribute if one.name == name), None)


class Faults:
    """All that can be planted in one model: rows of kind, place of the node, and what plants it in a copy."""

    def __init__(self, model, feeds, values):
        self.model, self.values = model, values
        self.live, self.held = live_tensors(model, feeds), constants_of(model)
        self.readers = {}
        for node in model.graph.node:
            for name in node.input:
                self.readers[name] = self.readers.get(name, 0) + 1
        self.rows = []
        for place, node in enumerate(model.graph.node):
            value = values.get(node.output[0]) if node.output else None
            if node.output and node.output[0] in self.live and value is not None and value.dtype.kind == "f" and value.size > 1:
                self.add(place, node, value)

    def shape(self, name):
        return numpy.shape(self.values.get(name))

    def add(self, place, node, value):
        data = [name for name in node.input if name in self.live]
        self.add_weights(place, node)
        if len(data) == 1 and self.shape(data[0]) == value.shape and node.op_type not in ("Identity", "Dropout"):
            self.rows.append(("node removed", place, lambda model, rng: remove(model, place, data[0])))
        same = len(node.input) >= 2 and self.shape(node.input[0]) == self.shape(node.input[1])
        if (node.op_type in ("Sub", "Div", "Concat", "Pow") and same) or (node.op_type in ("Sub", "Div") and len(data) == 2):
            self.rows.append(("inputs swapped", place, lambda model, rng: swap(model, place)))
        for name, other in ATTRIBUTES.get(node.op_type, ()):
            if attribute_of(node, name) != other:
                self.rows.append((f"attribute: {name}", place,
                                  lambda model, rng, n=name, v=other: set_attribute(model.graph.node[place], n, v)))
        if node.op_type == "Softmax" and value.ndim > 2:
            self.rows.append(("attribute: axis", place,
                              lambda model, rng: set_attribute(model.graph.node[place], "axis", 1)))
        if node.op_type in OPERATORS and not (node.op_type == "Mul" and len(data) < 2):
            self.rows.append((f"operator: {OPERATORS[node.op_type]}", place,
                              lambda model, rng: replace(model, place, OPERATORS[node.op_type])))
        if node.op_type in ("Add", "Mul", "Concat", "Conv", "MatMul") and data:
            self.add_rewired(place, node, data[0])

    def add_weights(self, place, node):
        for name in node.input:
            tensor = self.held.get(name)
            if tensor is None or tensor.data_type != onnx.TensorProto.FLOAT or self.readers[name] != 1:
                continue
            array = numpy_helper.to_array(tensor)
            if array.size == 0:
                continue
            self.rows.append(("weight: one element by 10 %", place, lambda model, rng, n=name: change(model, n, one_more(rng))))
            if array.size > 8:
                self.rows.append(("weight: rounded to float16", place, lambda model, rng, n=name: change(
                    model, n, lambda a: a.astype(numpy.float16).astype(numpy.float32))))

    def add_rewired(self, place, node, name):
        before = [output for other in self.model.graph.node[:place] for output in other.output
                  if output in self.live and output != name and self.shape(output) == self.shape(name)
                  and output in self.values and self.values[output].dtype == self.values[name].dtype]
        if before:
            def rewire(model, rng):
                changed = model.graph.node[place]
                changed.input[list(changed.input).index(name)] = before[int(rng.integers(len(before)))]
            self.rows.append(("another tensor read", place, rewire))


def change(model, name, made):
    tensor = constants_of(model)[name]
    tensor.CopyFrom(numpy_helper.from_array(made(numpy_helper.to_array(tensor).copy()), tensor.name))


def one_more(rng):
    def made(array):
        k = rng.integers(array.size)
        array.ravel()[k] = array.ravel()[k] * numpy.float32(1.1) + numpy.float32(1e-3)
        return array
    return made


def remove(model, place, name):
    gone = model.graph.node[place]
    output = gone.output[0]
    if output in {info.name for info in model.graph.output}:
        gone.CopyFrom(helper.make_node("Identity", [name], [output]))
        return
    for node in model.graph.node:
        for k, read in enumerate(node.input):
            if read == output:
                node.input[k] = name
    del model.graph.node[place]


def swap(model, place):
    node = model.graph.node[place]
    node.input[0], node.input[1] = node.input[1], node.input[0]


def replace(model, place, op_type):
    node = model.graph.node[place]
    node.op_type = op_type
    if op_type == "Sigmoid":
        del node.attribute[:]
