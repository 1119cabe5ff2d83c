# SPDX-License-Identifier: Apache-2.0
"""What the runners share: the protocol of `opref check --runner`, and the tensor files of both standards.

A runner is a worker: it reads one JSON object per line, {"id", "model", "inputs", "outputs"}, evaluates the model on
the files in the folder `inputs`, fills the empty folder `outputs`, and answers one line, {"id", "status", "why"}.
With three arguments, RUNNER MODEL INPUTS OUTPUTS, it evaluates one case: handy for looking into a failure.

Values in Python: an array (bfloat16, 8-bit and 4-bit types are ml_dtypes'), a list (sequence), None (empty optional),
a dict (map).
"""
import functools
import json
import os
import sys

import ml_dtypes
import numpy
import onnx
from onnx import numpy_helper


class Unsupported(Exception):
    """The backend says that it does not implement this, rather than that something is wrong."""


def serve(evaluate):
    """Runs a worker until its input ends. `evaluate(model, inputs, outputs)` takes paths; what it raises is the answer."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    if len(sys.argv) == 4:
        answer = answer_to(evaluate, *sys.argv[1:])
        print(": ".join(filter(None, answer.values())), file=answers)
        sys.exit({"ok": 0, "unsupported": 5}.get(answer["status"], 1))
    for line in sys.stdin:
        request = json.loads(line)
        answer = answer_to(evaluate, request["model"], request["inputs"], request["outputs"])
        print(json.dumps({"id": request["id"], **answer}), file=answers, flush=True)


def serve_onnx(compute):
    """A worker for ONNX models: `compute(path, model, feeds)` returns the values of the graph's outputs."""
    serve(lambda path, inputs, outputs: evaluate_onnx(compute, path, inputs, outputs))


def evaluate_onnx(compute, path, inputs, outputs):
    if path.endswith(".xml"):
        raise Unsupported("an OpenVINO layer is no ONNX model")
    model = onnx.load(path)
    write_outputs(model, compute(path, model, read_inputs(model, inputs)), outputs)


def keeping(most):
    """For what a compiler makes of a model, which takes longer than to run it: a function that keeps what it returned or raised for its
    last arguments, at most `most`. Many golden cases differ in their values alone."""

    def wrapped(function):
        kept = {}

        @functools.wraps(function)
        def once(*arguments):
            if arguments not in kept:
                if len(kept) == most:
                    kept.clear()
                try:
                    kept[arguments] = function(*arguments), None
                except Exception as problem:  # of many types: the same arguments have the same one again
                    kept[arguments] = None, problem
            value, problem = kept[arguments]
            if problem is not None:
                raise problem.with_traceback(None)
            return value

        return once

    return wrapped


def answer_to(evaluate, model, inputs, outputs):
    try:
        evaluate(model, inputs, outputs)
    except (Unsupported, ImportError) as problem:  # ImportError: a part of the backend that is not installed
        return {"status": "unsupported", "why": one_line(str(problem).replace(model, "model"))}
    except Exception as problem:  # anything that a backend may raise is its verdict on this case alone
        return {"status": "error", "why": one_line(f"{type(problem).__name__}: {problem}".replace(model, "model"))}
    return {"status": "ok", "why": ""}


def one_line(problem, most=2000):
    """The beginning and the end: runtimes put their own C++ functions between the two."""
    text = " ".join(str(problem).split())
    return text if len(text) <= most else f"{text[:most // 3]} … {text[-most * 2 // 3:]}"


# ---- ONNX: input_K.pb and output_K.pb -------------------------------------------------------------------------------


def read_inputs(model, folder):
    """The values of a model's graph inputs that have a file, by name: input_K.pb belongs to input K of those that no
    initializer gives. Up to IR 3, a graph lists its initializers among the inputs."""
    initialized = {tensor.name for tensor in model.graph.initializer}
    return {
        value.name: read_value(path, value.type)
        for k, value in enumerate(value for value in model.graph.input if value.name not in initialized)
        if os.path.exists(path := os.path.join(folder, f"input_{k}.pb"))
    }


def read_value(path, declared):
    """The value in a .pb file: a TensorProto, SequenceProto, MapProto or OptionalProto, as the graph declares it."""
    with open(path, "rb") as file:
        data = file.read()
    kind = declared.WhichOneof("value")
    if kind == "map_type":
        return from_map(onnx.MapProto.FromString(data))
    if holds_maps(declared):
        return [from_map(element) for element in onnx.SequenceProto.FromString(data).map_values]
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    array = numpy_helper.to_array(onnx.TensorProto.FromString(data))
    if declared.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 and array.dtype == numpy.uint16:
        return array.view(ml_dtypes.bfloat16)  # as some official cases store it
    return array


def write_outputs(model, values, folder):
    """Writes one value per graph output as output_K.pb."""
    for k, (value, output) in enumerate(zip(values, model.graph.output)):
        with open(os.path.join(folder, f"output_{k}.pb"), "wb") as file:
            file.write(to_proto(value, output.name, output.type).SerializeToString())


def to_proto(value, name, declared):
    if isinstance(value, onnx.TensorProto):
        return value
    kind = declared.WhichOneof("value")
    if kind == "map_type":
        return to_map(value, name, declared.map_type)
    if holds_maps(declared):
        elements = [to_map(element, "", declared.sequence_type.elem_type.map_type) for element in value]
        return onnx.SequenceProto(name=name, elem_type=onnx.SequenceProto.MAP, map_values=elements)
    if kind == "optional_type":
        inner = declared.optional_type.elem_type
        if value is None:
            kinds = {"tensor_type": onnx.OptionalProto.TENSOR, "sequence_type": onnx.OptionalProto.SEQUENCE}
            return onnx.OptionalProto(name=name, elem_type=kinds.get(inner.WhichOneof("value"), 0))
        return numpy_helper.from_optional(value if isinstance(value, list) else numpy.asarray(value), name)
    if kind == "sequence_type" or isinstance(value, list):
        elements = [tensor(element, "") for element in value]
        return onnx.SequenceProto(name=name, elem_type=onnx.SequenceProto.TENSOR, tensor_values=elements)
    return tensor(value, name)


def tensor(value, name):
    return value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(numpy.asarray(value), name)


# ---- maps ------------------------------------------------------------------------------------------------------------


def holds_maps(declared):
    """Whether it is a sequence of them."""
    return declared.WhichOneof("value") == "sequence_type" and declared.sequence_type.elem_type.WhichOneof("value") == "map_type"


def from_map(proto):
    """The dict of a MapProto, whose values are scalars."""
    is_text = proto.key_type == onnx.TensorProto.STRING
    keys = [key.decode() for key in proto.string_keys] if is_text else list(proto.keys)
    values = [numpy_helper.to_array(element).item() for element in proto.values.tensor_values]
    return dict(zip(keys, (value.decode() if isinstance(value, bytes) else value for value in values)))


def to_map(value, name, declared):
    """The MapProto of a dict, keys in order, of the declared type."""
    is_text = declared.key_type == onnx.TensorProto.STRING
    proto = onnx.MapProto(name=name, key_type=declared.key_type)
    proto.values.elem_type = onnx.SequenceProto.TENSOR
    dtype = onnx.helper.tensor_dtype_to_np_dtype(declared.value_type.tensor_type.elem_type)
    for key in sorted(value, key=lambda key: key.encode() if is_text else key):
        if is_text:
            proto.string_keys.append(key.encode())
        else:
            proto.keys.append(int(key))
        proto.values.tensor_values.append(numpy_helper.from_array(numpy.array(value[key], dtype)))
    return proto


# ---- element bits: types that numpy does not have, as ONNX stores them in raw_data (4-bit elements in pairs) -----------


def raw_bytes(array):
    return numpy_helper.from_array(array).raw_data


def from_raw_bytes(data, element_type, shape, name=""):
    return onnx.TensorProto(data_type=element_type, dims=shape, raw_data=data, name=name)
