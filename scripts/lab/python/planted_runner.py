# SPDX-License-Identifier: Apache-2.0
"""A worker that computes one node of a model wrongly, and all others as onnxruntime does without fusions:
planted_runner.py MISTAKE OUTPUT, where OUTPUT is the node's first output. Without arguments no node is wrong."""
import copy
import os
import sys

import ml_dtypes
import numpy
import onnx
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "runners"))
import onnxruntime_runner  # noqa: E402
import worker  # noqa: E402


def evaluated(model, feeds):
    """Its outputs' values by onnxruntime, by name."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # each part gives the same bits
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = onnxruntime_runner.run(session, feeds, model)
    return {output.name: value for output, value in zip(model.graph.output, values)}


def alone(model, node, inputs):
    """The outputs of a node that is a model of its own."""
    def declared(name, value=None):
        kind = onnx.TensorProto.FLOAT if value is None else onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
        return onnx.helper.make_tensor_value_info(name, kind, None if value is None else value.shape)

    graph = onnx.helper.make_graph([node], "node", [declared(name, value) for name, value in inputs.items()],
                                   [declared(name) for name in node.output if name])
    return evaluated(onnx.helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version), inputs)


def moved_pad(model, node, inputs):
    pads = next(attribute for attribute in node.attribute if attribute.name == "pads")
    half = len(pads.ints) // 2
    pads.ints[:] = [*pads.ints[half:], *pads.ints[:half]]
    return alone(model, node, inputs)


def swapped_gates(model, node, inputs):
    """i, f, c, o in place of i, o, f, c."""
    def swapped(value, sets):
        gates = numpy.split(value, 4 * sets, axis=1)
        return numpy.concatenate([gates[4 * k + gate] for k in range(sets) for gate in (0, 3, 1, 2)], axis=1)

    parts = [(name, sets) for name, sets in zip(node.input[1:4], (1, 1, 2)) if name]
    return alone(model, node, inputs | {name: swapped(inputs[name], sets) for name, sets in parts})


def bfloat16_sums(_, node, inputs):
    """A matrix product whose sums are kept in bfloat16: float32 multiplies and adds."""
    a, b = (inputs[name] for name in node.input)
    total = numpy.zeros(numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1]), numpy.float32)
    for k in range(a.shape[-1]):
        total = (total + a[..., k, None] * b[..., k, None, :]).astype(ml_dtypes.bfloat16).astype(numpy.float32)
    return {node.output[0]: total}


def dropped_nan(model, node, inputs):
    """0 where the result is NaN, as C's fmax makes it."""
    return {name: numpy.where(numpy.isnan(value), 0, value).astype(value.dtype)
            for name, value in alone(model, node, inputs).items()}


def compute(mistake, wanted, model, feeds):
    """The node's inputs by onnxruntime, its outputs with the mistake, then what is computed from these."""
    weights = {weight.name: weight for weight in model.graph.initializer}
    place = next(k for k, node in enumerate(model.graph.node) if wanted in node.output)
    node = copy.deepcopy(model.graph.node[place])
    inputs = {name: feeds[name] if name in feeds else onnx.numpy_helper.to_array(weights[name])
              for name in node.input if name in feeds or name in weights}
    head = copy.deepcopy(model)
    del head.graph.output[:]
    head.graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(node.input) if name and name not in inputs)
    if head.graph.output:
        inputs |= evaluated(typed(head), feeds)
    made = mistake(model, node, {name: inputs[name] for name in node.input if name})
    rest = copy.deepcopy(model)
    del rest.graph.node[place], rest.graph.output[:]
    rest.graph.input.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, value.shape)
                            for name, value in made.items())
    rest.graph.output.extend(output for output in model.graph.output if output.name not in made)
    values = made | (evaluated(rest, feeds | made) if rest.graph.output else {})
    return [values[output.name] for output in model.graph.output]


def typed(model):
    """With the types of its outputs, which onnxruntime's reader wants."""
    known = {value.name: value for value in onnx.shape_inference.infer_shapes(model).graph.value_info}
    for output in model.graph.output:
        output.CopyFrom(known.get(output.name, onnx.helper.make_tensor_value_info(output.name, onnx.TensorProto.FLOAT, None)))
    return model


MISTAKES = {mistake.__name__: mistake for mistake in (moved_pad, swapped_gates, bfloat16_sums, dropped_nan)}

if __name__ == "__main__":
    if len(sys.argv) == 1:
        worker.serve_onnx(lambda _, model, feeds: list(evaluated(model, feeds).values()))
    else:
        name, output = sys.argv[1:3]
        del sys.argv[1:3]
        worker.serve_onnx(lambda _, model, feeds: compute(MISTAKES[name], output, model, feeds))
