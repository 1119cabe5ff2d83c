# SPDX-License-Identifier: Apache-2.0
"""Real models, and what tools make of them: simplified, optimised, converted, quantised."""
import os
import warnings

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)
LEVELS = onnxruntime.GraphOptimizationLevel

# Of testdata/models.jsonl, and the shape of the image that they get instead of their row's input.
BASES = {
    "rapidocr_onnxruntime-ch_ppocr_mobile_v2_0_cls_infer": ("cls", (2, 3, 48, 192)),
    "rapidocr_onnxruntime-ch_PP-OCRv4_rec_infer": ("rec", (1, 3, 48, 160)),
    "magika-model": ("magika", None),
    "silero_vad-silero_vad_openvino_16k": ("silero", None),
    "silero_vad-silero_vad_16k_sequence": ("silero_seq", None),
    "onnx_asr-nemo128_conv": ("nemo", None),
    "onnx_asr-kaldi_conv": ("kaldi", None),
    "onnx-light_resnet50": ("resnet50", (1, 3, 224, 224)),
    "onnx-light_shufflenet": ("shufflenet", (1, 3, 224, 224)),
    "onnx-light_inception_v2": ("inception_v2", (1, 3, 224, 224)),
}
SAME = ("simplified", "slimmed", "basic", "extended", "opset")  # kinds of the same arithmetic


def session(model, level=LEVELS.ORT_DISABLE_ALL, save=None):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = level
    if save:
        options.optimized_model_filepath = save
    source = model if isinstance(model, str) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def free_inputs(model):
    held = {tensor.name for tensor in model.graph.initializer}
    return [info for info in model.graph.input if info.name not in held]


def values_of(model, feeds):
    """All tensors by their names, by onnxruntime without optimisations."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    have = {output.name for output in copy.graph.output}
    for node in copy.graph.node:
        for output in node.output:
            if output and output not in have:
                copy.graph.output.append(onnx.ValueInfoProto(name=output))
                have.add(output)
    run = session(copy)
    names = [output.name for output in run.get_outputs()]
    wanted = {info.name for info in run.get_inputs()}
    values = dict(zip(names, run.run(names, {name: value for name, value in feeds.items() if name in wanted})))
    values.update({tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer})
    values.update(feeds)
    return values


def with_weights(model, rng):
    """ONNX's light models fill each weight with one number: they get random ones, so that values say something."""
    held = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in list(model.graph.node):
        if node.op_type != "ConstantOfShape":
            continue
        size = tuple(int(n) for n in numpy_helper.to_array(held[node.input[0]]))
        name = node.output[0]
        reader = next((other for other in model.graph.node if name in other.input), None)
        place = list(reader.input).index(name) if reader else 0
        if reader is not None and reader.op_type == "BatchNormalization":
            weights = {1: rng.uniform(0.7, 1.3, size), 2: rng.normal(0, 0.2, size), 3: rng.normal(0, 0.2, size),
                       4: rng.uniform(0.5, 1.5, size)}[place]
        elif len(size) >= 2:
            weights = rng.normal(0, numpy.sqrt(2 / max(1, numpy.prod(size[1:]))), size)
        elif reader is not None and reader.op_type == "Unsqueeze":
            weights = rng.uniform(0.7, 1.3, size)
        else:
            weights = rng.normal(0, 0.05, size)
        model.graph.initializer.append(numpy_helper.from_array(weights.astype(numpy.float32), name))
        model.graph.node.remove(node)
    model.ir_version = max(model.ir_version, 8)
    return model


class Builder:
    """Nodes and constants by names as exporters write them."""

    def __init__(self, rng):
        self.rng, self.nodes, self.held = rng, [], []

    def constant(self, name, value):
        self.held.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def node(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name + "_output_0"], name=name, **attributes))
        return name + "_output_0"

    def weights(self, *size):
        return (self.rng.normal(0, 1, size) / numpy.sqrt(size[0])).astype(numpy.float32)

    def linear(self, x, name, size, to):
        product = self.node("MatMul", [x, self.constant(name + ".weight", self.weights(size, to))], name + "/MatMul")
        bias = self.constant(name + ".bias", self.rng.normal(0, 0.1, to).astype(numpy.float32))
        return self.node("Add", [bias, product], name + "/Add")

    def norm(self, x, name, size):
        mean = self.node("ReduceMean", [x], name + "/ReduceMean", axes=[-1])
        apart = self.node("Sub", [x, mean], name + "/Sub")
        squares = self.node("Pow", [apart, self.constant(name + "/two", numpy.float32(2))], name + "/Pow")
        variance = self.node("ReduceMean", [squares], name + "/ReduceMean_1", axes=[-1])
        sum_ = self.node("Add", [variance, self.constant(name + "/eps", numpy.float32(1e-5))], name + "/Add")
        quotient = self.node("Div", [apart, self.node("Sqrt", [sum_], name + "/Sqrt")], name + "/Div")
        weight = self.constant(name + ".weight", self.rng.uniform(0.7, 1.3, size).astype(numpy.float32))
        bias = self.constant(name + ".bias", self.rng.normal(0, 0.1, size).astype(numpy.float32))
        return self.node("Add", [self.node("Mul", [quotient, weight], name + "/Mul"), bias], name + "/Add_1")

    def gelu(self, x, name):
        quotient = self.node("Div", [x, self.constant(name + "/sqrt2", numpy.float32(numpy.sqrt(2)))], name + "/Div")
        error = self.node("Erf", [quotient], name + "/Erf")
        sum_ = self.node("Add", [error, self.constant(name + "/one", numpy.float32(1))], name + "/Add")
        half = self.constant(name + "/half", numpy.float32(0.5))
        return self.node("Mul", [self.node("Mul", [x, sum_], name + "/Mul"), half], name + "/Mul_1")


def transformer(rng, layers=2, size=64, heads=4, length=24, words=100):
    """A small encoder whose LayerNormalization and Gelu are written out."""
    made = Builder(rng)
    x = made.node("Gather", [made.constant("emb.weight", rng.normal(0, 1, (words, size)).astype(numpy.float32)), "ids"],
                  "/emb/Gather")
    places = made.constant("pos.weight", rng.normal(0, 0.3, (1, length, size)).astype(numpy.float32))
    x = made.norm(made.node("Add", [x, places], "/emb/Add"), "/emb/norm", size)
    for layer in range(layers):
        name, parts = f"/layer.{layer}", []
        for part in "qkv":
            own = f"{name}/attn/{part}"
            shape = made.constant(own + "/shape", numpy.array([0, 0, heads, size // heads]))
            y = made.node("Reshape", [made.linear(x, own, size, size), shape], own + "/Reshape")
            parts.append(made.node("Transpose", [y], own + "/Transpose", perm=[0, 2, 3, 1] if part == "k" else [0, 2, 1, 3]))
        scale = made.constant(name + "/attn/scale", numpy.float32(numpy.sqrt(size // heads)))
        scores = made.node("Div", [made.node("MatMul", parts[:2], name + "/attn/MatMul"), scale], name + "/attn/Div")
        shares = made.node("Softmax", [scores], name + "/attn/Softmax", axis=-1)
        mixed = made.node("MatMul", [shares, parts[2]], name + "/attn/MatMul_1")
        moved = made.node("Transpose", [mixed], name + "/attn/Transpose", perm=[0, 2, 1, 3])
        flat = made.node("Reshape", [moved, made.constant(name + "/attn/shape", numpy.array([0, 0, size]))],
                         name + "/attn/Reshape")
        y = made.linear(flat, name + "/attn/out", size, size)
        x = made.norm(made.node("Add", [y, x], name + "/attn/Add"), name + "/attn/norm", size)
        y = made.gelu(made.linear(x, name + "/mlp/up", size, 4 * size), name + "/mlp/act")
        y = made.linear(y, name + "/mlp/down", 4 * size, size)
        x = made.norm(made.node("Add", [y, x], name + "/mlp/Add"), name + "/mlp/norm", size)
    pooled = made.node("ReduceMean", [x], "/pool/ReduceMean", axes=[1], keepdims=0)
    made.nodes.append(helper.make_node("Identity", [made.linear(pooled, "/head", size, 10)], ["logits"], name="/out/Identity"))
    graph = helper.make_graph(made.nodes, "transformer", [helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", length])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 10])], made.held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return model, {"ids": rng.integers(0, words, (2, length))}


def loaded(folder, row, image, rng):
    """A base model and its inputs; `folder` is what shipped_models keeps of it."""
    model = onnx.load(os.path.join(folder, "model.onnx"))
    feeds = {name: numpy.load(os.path.join(folder, f"{k}.npy")) for k, name in enumerate(row["inputs"])}
    if row["name"].startswith("onnx-light"):
        model = with_weights(model, rng)
        for info in free_inputs(model)[1:]:
            model.graph.input.remove(info)
        feeds = {free_inputs(model)[0].name: rng.normal(0, 1, image).astype(numpy.float32)}
    elif image is not None:
        feeds = {free_inputs(model)[0].name: rng.uniform(-1, 1, image).astype(numpy.float32)}
    return model, feeds


def pinned(model, feeds):
    """With the shapes of these inputs, which some tools need."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for info in free_inputs(copy):
        if info.name in feeds:
            del info.type.tensor_type.shape.dim[:]
            for size in feeds[info.name].shape:
                info.type.tensor_type.shape.dim.add().dim_value = size
    return copy


class Rows:
    def __init__(self, rows):
        self.rows = iter(rows)

    def get_next(self):
        return next(self.rows, None)


def simplified(model, feeds):
    import onnxsim
    return onnxsim.simplify(pinned(model, feeds))[0]


def optimised(model, level, scratch):
    session(model, level, save=scratch)
    return onnx.load(scratch)


def variants(model, feeds, rng, path, scratch):
    """By kind, functions that make them; `path` is the model's file."""
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_dynamic, quantize_static

    def slimmed():
        import onnxslim
        return onnxslim.slim(onnx.load_from_string(pinned(model, feeds).SerializeToString()))

    def converted():
        from onnx import version_converter
        opset = next(entry.version for entry in model.opset_import if entry.domain == "")
        return version_converter.convert_version(model, 21 if opset > 9 else 13)

    def half():
        from onnxconverter_common import float16
        copy = onnx.load_from_string(pinned(model, feeds).SerializeToString())
        return float16.convert_float_to_float16(copy, keep_io_types=True)

    def static(form, **more):
        def moved(value):
            return (value * rng.uniform(0.7, 1.2)).astype(value.dtype) if value.dtype == numpy.float32 else value
        rows = [feeds] + [{name: moved(value) for name, value in feeds.items()} for _ in range(2)]
        quantize_static(path, scratch, Rows(rows), quant_format=form, activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8, **more)
        return onnx.load(scratch)

    def dynamic():
        quantize_dynamic(path, scratch, weight_type=QuantType.QInt8)
        return onnx.load(scratch)

    return {
        "simplified": lambda: simplified(model, feeds),
        "slimmed": slimmed,
        "basic": lambda: optimised(model, LEVELS.ORT_ENABLE_BASIC, scratch),
        "extended": lambda: optimised(model, LEVELS.ORT_ENABLE_EXTENDED, scratch),
        "opset": converted,
        "half": half,
        "qdq": lambda: static(QuantFormat.QDQ),
        "per channel": lambda: static(QuantFormat.QDQ, per_channel=True),
        "qoperator": lambda: static(QuantFormat.QOperator),
        "dynamic": dynamic,
    }


# Nodes that the quantiser quantises, of operators whose results are new numbers.
QUANTIZED = ("Conv", "MatMul", "Gemm", "Add", "Mul", "AveragePool", "Concat", "Sigmoid", "Softmax", "Div", "Sub",
             "BatchNormalization", "Relu", "Clip", "HardSigmoid")


def quantized(path, feeds, scratch, only=None):
    """As QDQ, all nodes of the file or only one, with the same calibration each time."""
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    factors = numpy.random.default_rng(0).uniform(0.7, 1.2, (2, len(feeds)))
    rows = [feeds] + [{name: (value * factor).astype(value.dtype) if value.dtype == numpy.float32 else value
                       for (name, value), factor in zip(feeds.items(), row)} for row in factors]
    quantize_static(path, scratch, Rows(rows), quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8, nodes_to_quantize=[only] if only else None)
    return onnx.load(scratch)


def renamed(model):
    """All tensors but the graph's inputs and outputs, and all nodes, get names that say nothing; and the new names by
    the old ones."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    kept = {info.name for info in [*copy.graph.input, *copy.graph.output]}
    numbers = iter(numpy.random.default_rng(len(copy.graph.node)).permutation(100000))
    names = {}

    def name(old):
        if not old or old in kept:
            return old
        if old not in names:
            names[old] = f"t{next(numbers)}"
        return names[old]

    def walk(graph):
        for tensor in graph.initializer:
            tensor.name = name(tensor.name)
        for info in [*graph.input, *graph.output]:
            info.name = name(info.name)
        for node in graph.node:
            node.name = f"n{next(numbers)}"
            for k, old in enumerate(node.input):
                node.input[k] = name(old)
            for k, old in enumerate(node.output):
                node.output[k] = name(old)
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    walk(attribute.g)
        del graph.value_info[:]

    walk(copy.graph)
    return copy, names
