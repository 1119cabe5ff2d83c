# SPDX-License-Identifier: Apache-2.0
"""Models that are small as files and large as values, and models that are long. Usage: bombs.py KIND FOLDER [N].

A case folder each: FOLDER/NAME/model.onnx with test_data_set_0. KIND is memory, or scale with the size N.
"""
import pathlib
import struct
import sys

FLOAT, UINT8, INT64, STRING, BOOL = 1, 2, 7, 8, 9


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


def tensor_type(dtype, dims=None):
    shape = b"" if dims is None else text(2, b"".join(text(1, number(1, d)) for d in dims))
    return text(1, number(1, dtype) + shape)


def sequence_type(dtype):
    return text(4, text(1, tensor_type(dtype)))


def info(name, type_):
    return text(1, name) + text(2, type_)


def integer(name, value):
    return text(1, name) + number(20, 2) + number(3, value)


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


def model(main, functions=()):
    opsets = text(8, number(2, 17)) + text(8, text(1, "bomb") + number(2, 1))
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
    else:
        scale(sys.argv[2], int(sys.argv[3]))
