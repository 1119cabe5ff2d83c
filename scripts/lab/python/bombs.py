# SPDX-License-Identifier: Apache-2.0
"""Models that are small as files and large as values, and models that are long. Usage: bombs.py KIND FOLDER [N].

A case folder each: FOLDER/NAME/model.onnx with test_data_set_0. KIND is memory, or scale with the size N. With recipe,
FOLDER is the file of one.
"""
import json
import pathlib
import struct
import sys

FLOAT, UINT8, INT64, STRING, BOOL, FLOAT16 = 1, 2, 7, 8, 9, 10


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def texts(field, values):
    return b"".join(text(field, value) for value in values)


def tensor(dtype, dims, raw, name=""):
    return b"".join(number(1, d) for d in dims) + number(2, dtype) + text(9, raw) + (text(8, name) if name else b"")


def tensor_of_strings(name, *values):
    return number(1, len(values)) + number(2, STRING) + texts(6, values) + text(8, name)


def tensor_type(dtype, dims=None):
    shape = b"" if dims is None else text(2, b"".join(text(1, number(1, d)) for d in dims))
    return text(1, number(1, dtype) + shape)


def sequence_type(dtype):
    return text(4, text(1, tensor_type(dtype)))


def info(name, type_):
    return text(1, name) + text(2, type_)


def integer(name, value):
    return text(1, name) + number(20, 2) + number(3, value)


def integers(name, *values):
    return text(1, name) + number(20, 7) + b"".join(number(8, value) for value in values)


def constant(name, value):
    return text(1, name) + number(20, 4) + text(5, value)


def body(name, value):
    return text(1, name) + number(20, 5) + text(6, value)


def node(op, inputs, outputs, attributes=(), domain=""):
    parts = texts(1, inputs) + texts(2, outputs) + text(4, op) + texts(5, attributes)
    return parts + (text(7, domain) if domain else b"")


def graph(nodes, inputs=(), outputs=(), initializers=(), sparse=()):
    return texts(1, nodes) + text(2, "g") + texts(5, initializers) + texts(11, inputs) + texts(12, outputs) + texts(15, sparse)


def function(name, inputs, outputs, nodes):
    imports = text(9, text(1, "") + number(2, 17)) + text(9, text(1, "bomb") + number(2, 1))
    return text(1, name) + texts(4, inputs) + texts(5, outputs) + texts(7, nodes) + imports + text(10, "bomb")


def model(main, functions=(), opset=17):
    others = ("bomb", "ai.onnx.preview")
    opsets = text(8, number(2, opset)) + b"".join(text(8, text(1, domain) + number(2, 1)) for domain in others)
    return number(1, 8) + text(7, main) + opsets + texts(25, functions)


X = info("X", tensor_type(FLOAT, [2]))
X_VALUE = tensor(FLOAT, [2], struct.pack("<2f", 1, 2))
NO_SEQUENCE = number(2, 1)


def save(folder, name, bytes_, inputs=(), output=NO_SEQUENCE):
    case = pathlib.Path(folder) / name
    data = case / "test_data_set_0"
    data.mkdir(parents=True)
    (case / "model.onnx").write_bytes(bytes_)
    for k, value in enumerate(inputs):
        (data / f"input_{k}.pb").write_bytes(value)
    (data / "output_0.pb").write_bytes(output)


def int64s(name, *values):
    return node("Constant", [], [name], [constant("value", tensor(INT64, [len(values)], struct.pack(f"<{len(values)}q", *values)))])


def scalar(name, value):
    return node("Constant", [], [name], [integer("value_int", value)])


def loop(count, inputs, outputs, nodes, types_in, types_out):
    """nodes of a body with the inputs i, c and `inputs`, the outputs d and `outputs`."""
    inner = graph([node("Identity", ["c"], ["d"]), *nodes],
                  [info("i", tensor_type(INT64, [])), info("c", tensor_type(BOOL, []))] + [info(n, t) for n, t in zip(inputs, types_in)],
                  [info("d", tensor_type(BOOL, []))] + [info(n, t) for n, t in zip(outputs, types_out)])
    return scalar("n", count), body("body", inner)


def memory(folder):
    floats = sequence_type(FLOAT)
    inserts = [node("SequenceInsert", [f"s{i}", "X"], [f"s{i + 1}"]) for i in range(2000)]
    chain = graph([node("SequenceConstruct", ["X"] * 1000, ["s0"])] + inserts, [X], [info("s2000", floats)])
    save(folder, "chain", model(chain), [X_VALUE])
    empty = info("X", tensor_type(FLOAT, [0]))
    save(folder, "chain_of_empty_tensors",
         model(graph([node("SequenceConstruct", ["X"] * 1000, ["s0"])] + inserts, [empty], [info("s2000", floats)])),
         [tensor(FLOAT, [0], b"")])
    many = graph([node("SequenceConstruct", ["X"] * 300000, ["S"])], [X], [info("S", floats)])
    save(folder, "many_inputs", model(many), [X_VALUE])
    zeros = text(1, tensor(FLOAT, [0], b"", "w")) + text(2, tensor(INT64, [0], b"")) + number(3, 2500000)
    save(folder, "one_tensor_100_times",
         model(graph([node("SequenceConstruct", ["w"] * 100, ["S"])], [], [info("S", floats)], sparse=[zeros])))
    save(folder, "value_ints", model(graph([node("Constant", [], ["Y"], [text(1, "value_ints") + number(20, 7) + text(8, b"\1" * 50_000_000)])],
                                           [], [info("Y", tensor_type(INT64))])), [], tensor(INT64, [0], b""))
    save(folder, "value_strings", model(graph([node("Constant", [], ["Y"], [text(1, "value_strings") + number(20, 8) + text(9, "") * 20_000_000])],
                                              [], [info("Y", tensor_type(STRING))])), [], number(1, 0) + number(2, STRING))
    bytes_ = constant("value", tensor(UINT8, [1], b"\0"))
    split = [int64s("shape", 20_000_000), node("ConstantOfShape", ["shape"], ["w"], [bytes_]), node("SplitToSequence", ["w"], ["S"])]
    save(folder, "split", model(graph(split, [], [info("S", sequence_type(UINT8))])))
    count, insert = loop(3_000_000, ["s"], ["t"], [node("SequenceInsert", ["s", "x"], ["t"])], [floats], [floats])
    x = node("ConstantOfShape", ["shape"], ["x"])
    save(folder, "loop_that_inserts", model(graph(
        [count, int64s("shape", 2), x, node("SequenceEmpty", [], ["e"]), node("Loop", ["n", "", "e"], ["S"], [insert])], [], [info("S", floats)])))
    count, scan = loop(10_000_000, [], ["t"], [node("ConstantOfShape", ["shape"], ["t"])], [], [tensor_type(FLOAT)])
    save(folder, "loop_that_stacks", model(graph(
        [count, int64s("shape", 100), node("Loop", ["n", ""], ["S"], [scan])], [], [info("S", tensor_type(FLOAT))])), [], tensor(FLOAT, [0], b""))
    count, twice = loop(60, ["v"], ["w"], [node("Concat", ["v", "v"], ["w"], [integer("axis", 0)])], [tensor_type(FLOAT)], [tensor_type(FLOAT)])
    save(folder, "loop_that_doubles", model(graph(
        [count, int64s("shape", 2), x, node("Loop", ["n", "", "x"], ["S"], [twice])], [], [info("S", tensor_type(FLOAT))])), [], tensor(FLOAT, [0], b""))
    grown = graph([node("ConstantOfShape", ["large"], ["y"])], [info("item", tensor_type(FLOAT, [2]))], [info("y", tensor_type(FLOAT))])
    save(folder, "sequence_map", model(graph(
        [int64s("shape", 2), int64s("large", 10_000), x, node("SequenceConstruct", ["x"] * 10_000, ["s"]),
         node("SequenceMap", ["s"], ["S"], [body("body", grown)])], [], [info("S", floats)])))
    doubling = [function("f0", ["a"], ["b"], [node("Concat", ["a", "a"], ["b"], [integer("axis", 0)])])]
    for k in range(1, 6):
        calls = [node(f"f{k - 1}", [f"t{i}"], [f"t{i + 1}"], domain="bomb") for i in range(6)]
        doubling.append(function(f"f{k}", ["t0"], ["t6"], calls))
    save(folder, "function_that_doubles", model(graph([node("f5", ["X"], ["S"], domain="bomb")], [X], [info("S", tensor_type(FLOAT))]), doubling),
         [X_VALUE], tensor(FLOAT, [0], b""))
    grows = [node("SequenceConstruct", ["a"] * 1000, ["s0"])] + inserts
    appends = [function("f", ["a"], ["s2000"], [n.replace(b"X", b"a") if n is not grows[0] else n for n in grows])]
    calls = [node("f", ["X"], [f"r{k}"], domain="bomb") for k in range(300)]
    save(folder, "function_of_sequences", model(graph(calls, [X], [info(f"r{k}", floats) for k in range(300)]), appends), [X_VALUE])
    strings(folder)
    scratch(folder)
    no_elements(folder)


def strings(folder):
    """Outputs that are few strings, but many characters."""
    long, words = tensor_of_strings("a", "a" * 100_000), info("y", tensor_type(STRING))

    def save_strings(name, nodes, output=words, initializer=long):
        value = number(1, 0) + number(2, STRING) if output is words else NO_SEQUENCE
        save(folder, name, model(graph(nodes, [], [output], [initializer]), opset=20), [], value)

    doubled = [node("StringConcat", [f"s{i}", f"s{i}"], [f"s{i + 1}" if i < 29 else "y"]) for i in range(30)]
    save_strings("strings_doubled", doubled, initializer=tensor_of_strings("s0", "a"))
    save_strings("strings_expanded", [int64s("shape", 30_000), node("Expand", ["a", "shape"], ["y"])])
    save_strings("strings_tiled", [int64s("times", 30_000), node("Tile", ["a", "times"], ["y"])])
    joined = [node("Concat", [a] * 100, [b], [integer("axis", 0)]) for a, b in (("a", "b"), ("b", "c"), ("c", "y"))]
    save_strings("strings_joined", joined)
    gathered = [int64s("n", 30_000), node("ConstantOfShape", ["n"], ["i"], [constant("value", tensor(INT64, [1], bytes(8)))]), node("Gather", ["a", "i"], ["y"])]
    save_strings("strings_gathered", gathered)
    chosen = [int64s("n", 30_000), node("ConstantOfShape", ["n"], ["c"], [constant("value", tensor(BOOL, [1], b"\1"))]), node("Where", ["c", "a", "a"], ["y"])]
    save_strings("strings_chosen", chosen)
    count, stack = loop(10_000, [], ["t"], [node("StringConcat", ["a", "a"], ["t"])], [], [tensor_type(STRING)])
    save_strings("loop_that_stacks_strings", [count, node("Loop", ["n", ""], ["y"], [stack])])
    count, twice = loop(30, ["v"], ["w"], [node("StringConcat", ["v", "v"], ["w"])], [tensor_type(STRING)], [tensor_type(STRING)])
    save_strings("loop_that_doubles_strings", [count, node("Loop", ["n", "", "a"], ["y"], [twice])], initializer=tensor_of_strings("a", "a"))
    sequence = sequence_type(STRING)
    count, insert = loop(10_000, ["s"], ["t"], [node("StringConcat", ["a", "a"], ["w"]), node("SequenceInsert", ["s", "w"], ["t"])], [sequence], [sequence])
    save_strings("loop_that_inserts_strings",
                 [count, node("SequenceEmpty", [], ["e"], [integer("dtype", STRING)]), node("Loop", ["n", "", "e"], ["y"], [insert])], info("y", sequence))
    rows = tensor_of_strings("x", "a," * 45_000, *[""] * 200)
    save_strings("strings_split", [node("StringSplit", ["x"], ["y", "n"], [text(1, "delimiter") + number(20, 3) + text(4, ",")])], initializer=rows)


def zeros(name, dtype, *dims):
    """ConstantOfShape: a large tensor in a small file."""
    size = {FLOAT: 4, UINT8: 1, INT64: 8, BOOL: 1}[dtype]
    return [int64s(name + "_shape", *dims), node("ConstantOfShape", [name + "_shape"], [name], [constant("value", tensor(dtype, [1], bytes(size)))])]


def scratch(folder):
    """Inputs and outputs fit, what kernels work in may not."""
    def save_one(name, nodes, outputs, dtype):
        save(folder, name, model(graph(nodes, [], [info(outputs, tensor_type(dtype))]), opset=24), [], tensor(dtype, [0], b""))

    save_one("attention", [*zeros("x", FLOAT, 1, 1, 1_000_000, 1), node("Attention", ["x"] * 3, ["y"])], "y", FLOAT)
    save_one("attention_to_one", [*zeros("q", FLOAT, 1, 1, 1, 1), *zeros("x", FLOAT, 1, 1, 5_000_000, 1), node("Attention", ["q", "x", "x"], ["y"])], "y", FLOAT)
    boxes = [*zeros("b", FLOAT, 1, 1_500_000, 4), *zeros("s", FLOAT, 1, 1, 1_500_000), int64s("most", 10), node("NonMaxSuppression", ["b", "s", "most"], ["y"])]
    save_one("non_max_suppression", boxes, "y", INT64)
    save_one("unique", [*zeros("x", UINT8, 15_000_000), node("Unique", ["x"], ["y"])], "y", UINT8)
    save_one("top_k", [*zeros("x", UINT8, 30_000_000), int64s("k", 10), node("TopK", ["x", "k"], ["y", "i"])], "y", UINT8)
    save_one("conv_integer", [*zeros("x", UINT8, 1, 1, 20_000_000), node("ConvInteger", ["x", "x"], ["y"])], "y", 6)
    save_one("max_pool", [*zeros("x", FLOAT, 1, 1, 8_000_000), node("MaxPool", ["x"], ["y"], [integers("kernel_shape", 8_000_000)])], "y", FLOAT)
    attributes = [integer(name, 1) for name in ("max_gram_length", "min_gram_length")] + [
        integer("max_skip_count", 0), text(1, "mode") + number(20, 3) + text(4, "TF"), integers("ngram_counts", 0), integers("pool_int64s", 0)]
    for name, most, size in (("tf_idf", 0, 3_000_000), ("tf_idf_to_many", 7_000_000, 1)):
        words = [*zeros("x", INT64, size), node("TfIdfVectorizer", ["x"], ["y"], [*attributes, integers("ngram_indexes", most)])]
        save_one(name, words, "y", FLOAT)
    save_one("sum_of_many", [*zeros("x", FLOAT, 5_000_000), node("ReduceSum", ["x"], ["y"])], "y", FLOAT)


def no_elements(folder):
    """Tensors without elements whose sizes are huge all the same."""
    huge = 1 << 62

    def save_one(name, op, inputs, attributes=(), opset=24, output=FLOAT, domain="", outputs=("y",)):
        infos = [info(f"x{k}", tensor_type(dtype, dims)) for k, (dtype, dims) in enumerate(inputs)]
        nodes = [node(op, ["", *[f"x{k}" for k in range(len(inputs))]] if op == "Scan" else [f"x{k}" for k in range(len(inputs))], outputs, attributes, domain)]
        values = [tensor(dtype, dims, b"" if 0 in dims else bytes(4 * dims[0])) for dtype, dims in inputs]
        save(folder, name, model(graph(nodes, infos, [info("y", tensor_type(output))]), opset=opset), values, tensor(output, [0], b""))

    save_one("no_elements_layer", "LayerNormalization", [(FLOAT, [huge, 0]), (FLOAT, [0])])
    save_one("no_elements_mean", "MeanVarianceNormalization", [(FLOAT, [0, huge, 1, 1])])
    save_one("no_elements_rms", "RMSNormalization", [(FLOAT, [huge, 0]), (FLOAT, [0])])
    save_one("no_elements_batch", "BatchNormalization", [(FLOAT, [huge, 2, 0, 2])] + [(FLOAT, [2])] * 4, opset=9)
    heads = [integer("q_num_heads", 1), integer("kv_num_heads", 1), text(1, "update_rule") + number(20, 3) + text(4, "linear")]
    save_one("no_elements_linear_attention", "LinearAttention", [(FLOAT, [1 << 31, 3, 0])] * 3, heads, opset=27, outputs=["y", "state"])
    save_one("no_elements_flex_attention", "FlexAttention", [(FLOAT, [1 << 31, 1, 3, 0])] * 3, domain="ai.onnx.preview")
    save_one("no_elements_unique", "Unique", [(BOOL, [400_000_000, 0])], [integer("axis", 0)], output=BOOL)
    save_one("no_elements_conv", "Conv", [(FLOAT16, [1, 0, 200_000_000]), (FLOAT16, [2, 0, 200_000_000])], output=FLOAT16)
    save_one("no_elements_conv_integer", "ConvInteger", [(UINT8, [1, 0, 200_000_000]), (UINT8, [2, 0, 200_000_000])], output=6)
    inner = graph([node("Identity", ["a"], ["b"])], [info("a", tensor_type(FLOAT, [0]))], [info("b", tensor_type(FLOAT, [0]))])
    save_one("no_elements_scan", "Scan", [(FLOAT, [100_000_000, 3, 0])], [integer("num_scan_inputs", 1), body("body", inner)], opset=8)
    save_one("no_elements_scatter", "TensorScatter", [(FLOAT, [100_000_000, 1, 0])] * 2)


def recipe(file):
    """For `opref golden`: a case of many long strings."""
    inputs = {"input": {"dtype": "string", "data": ["a" * 100_000]}, "shape": {"dtype": "int64", "data": [30_000]}}
    pathlib.Path(file).write_text(json.dumps({"op_type": "Expand", "opset": 13, "inputs": inputs}), encoding="utf-8")


def scale(folder, n):
    wide = tensor_type(FLOAT, [2])
    nodes = [node("Add", [f"x{i}", "X"], [f"x{i + 1}"]) if i else node("Identity", ["X"], ["x1"]) for i in range(n)]
    save(folder, "nodes", model(graph(nodes, [X], [info(f"x{n}", wide)])), [X_VALUE], tensor(FLOAT, [0], b""))
    count, add = loop(n, ["v"], ["w"], [node("Add", ["v", "x"], ["w"])], [wide], [wide])
    x = [int64s("shape", 2), node("ConstantOfShape", ["shape"], ["x"])]
    save(folder, "loop", model(graph([count, *x, node("Loop", ["n", "", "x"], ["S"], [add])], [], [info("S", wide)])), [], tensor(FLOAT, [0], b""))
    count, stack = loop(n, [], ["w"], [node("Identity", ["x"], ["w"])], [], [wide])
    save(folder, "loop_that_stacks", model(graph([count, *x, node("Loop", ["n", ""], ["S"], [stack])], [], [info("S", tensor_type(FLOAT))])), [], tensor(FLOAT, [0], b""))
    floats = sequence_type(FLOAT)
    for name, place in (("loop_that_inserts", []), ("loop_that_inserts_in_front", ["zero"])):
        count, insert = loop(n, ["s"], ["t"], [node("SequenceInsert", ["s", "x", *place], ["t"])], [floats], [floats])
        save(folder, name, model(graph([count, *x, scalar("zero", 0), node("SequenceEmpty", [], ["e"]), node("Loop", ["n", "", "e"], ["S"], [insert]),
                                        node("SequenceLength", ["S"], ["L"])], [], [info("L", tensor_type(INT64, []))])), [], tensor(INT64, [0], b""))
    doubled = graph([node("Add", ["item", "item"], ["y"])], [info("item", wide)], [info("y", wide)])
    save(folder, "sequence_map", model(graph([*x, node("SequenceConstruct", ["x"] * n, ["s"]), node("SequenceMap", ["s"], ["S"], [body("body", doubled)]),
                                              node("SequenceLength", ["S"], ["L"])], [], [info("L", tensor_type(INT64, []))])), [], tensor(INT64, [0], b""))


if __name__ == "__main__":
    if sys.argv[1] == "memory":
        memory(sys.argv[2])
    elif sys.argv[1] == "recipe":
        recipe(sys.argv[2])
    else:
        scale(sys.argv[2], int(sys.argv[3]))
