# SPDX-License-Identifier: Apache-2.0
"""The nodes of scripts/lab/same-bytes and their data, which are the same on every machine."""
import os
import random
import struct
from dataclasses import dataclass
from math import prod

NUMBERS = 1 << 16  # of each kind in its file; larger tensors repeat them
FLOATS = {"float16": "e", "bfloat16": None, "float32": "f", "float64": "d"}
INTEGERS = {"int8": 1, "uint8": 1, "int16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8}
SPECIALS = (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 2.0**-24, -(2.0**-140), 65504.0, 2.0**100)


def packed(numbers, dtype):
    """Little endian; bfloat16 by truncation. What float16 cannot hold becomes infinite."""
    if dtype == "bfloat16":
        return b"".join(struct.pack("<f", number)[2:] for number in numbers)
    if dtype == "float16":
        numbers = [number if abs(number) <= 65504 or number != number else float("inf") for number in numbers]
    return struct.pack(f"<{len(numbers)}{FLOATS[dtype]}", *numbers)


def write_data(folder):
    """KIND.DTYPE.bin for all kinds of numbers."""
    source = random.Random(7)
    spread = [2 * sum(source.random() for _ in range(3)) - 3 for _ in range(NUMBERS)]
    kinds = {"spread": spread, "whole": [float(round(4 * number)) for number in spread],
             "special": [source.choice(SPECIALS) if source.random() < 0.02 else number for number in spread]}
    for kind, numbers in kinds.items():
        for dtype in FLOATS:
            with open(os.path.join(folder, f"{kind}.{dtype}.bin"), "wb") as file:
                file.write(packed(numbers, dtype))
    with open(os.path.join(folder, "integers.bin"), "wb") as file:
        file.write(source.randbytes(8 * NUMBERS))


@dataclass(frozen=True)
class Node:
    operator: str
    opset: int
    dtype: str
    shapes: tuple  # (name, shape) of each input
    attributes: tuple  # "name=value"
    kind: str = "spread"
    small: bool = True
    output: str = ""  # of several, this one

    def title(self):
        shapes = " ".join(f"{name}{list(shape)}" for name, shape in self.shapes)
        return f"{self.operator}-{self.opset} {self.dtype} {shapes} {' '.join(self.attributes)} ({self.kind})"

    def command(self, folder):
        arguments = [self.operator] + ([] if self.operator.endswith("BackpropData") else ["--opset", str(self.opset)])
        for attribute in self.attributes:
            arguments += ["-a", attribute]
        for position, (name, shape) in enumerate(self.shapes):
            dtype = "int64" if name == "I" else self.dtype
            file = os.path.join(folder, f"{name}.bin")
            with open(file, "wb") as tensor:
                tensor.write(self.elements(folder, name, prod(shape), 977 * position))
            arguments.append(f"{name}:{dtype}[{','.join(map(str, shape))}]={file}")
        return arguments

    def elements(self, folder, name, count, start):
        if name == "I":  # a permutation of the first elements of the output
            return struct.pack(f"<{count}q", *((5 * i + 3) % count for i in range(count)))
        integers = self.dtype in INTEGERS
        file = "integers.bin" if integers else f"{self.kind}.{self.dtype}.bin"
        with open(os.path.join(folder, file), "rb") as source:
            data = source.read()
        size = INTEGERS[self.dtype] if integers else len(data) // NUMBERS
        data = data[start * size:] + data[:start * size]
        return (data * (count * size // len(data) + 1))[:count * size]


def transposed(opset, dtype, x, w, *attributes, bias=True, **settings):
    group = next((int(a.split("=")[1]) for a in attributes if a.startswith("group=")), 1)
    shapes = [("X", x), ("W", w)] + ([("B", (w[1] * group,))] if bias else [])
    return Node("ConvTranspose", opset, dtype, tuple(shapes), attributes, **settings)


def pool(opset, dtype, x, *attributes, **settings):
    return Node("LpPool", opset, dtype, (("X", x),), attributes, **settings)


def backprop(dtype, x, w, *attributes, **settings):
    operator = "openvino.GroupConvolutionBackpropData" if len(w) > len(x) else "openvino.ConvolutionBackpropData"
    return Node(operator, 1, dtype, (("data", x), ("kernel", w)), attributes, **settings)


def small_nodes():
    for opset in (1, 11, 22):
        for dtype in FLOATS:
            if dtype == "bfloat16" and opset < 22:
                continue
            for kind in ("spread", "whole", "special"):
                yield transposed(opset, dtype, (2, 3, 7, 9), (3, 5, 3, 4), "strides=2,3", "pads=1,0,1,2", kind=kind)
                yield transposed(opset, dtype, (1, 20, 6, 5), (20, 3, 3, 3), "strides=2,2", "dilations=2,1", kind=kind)
                yield transposed(opset, dtype, (1, 4, 40), (4, 1, 5), "strides=3", "group=4", kind=kind)
                yield transposed(opset, dtype, (1, 9, 3, 4, 5), (9, 2, 3, 2, 3), "strides=2,2,2", kind=kind, bias=False)
    for opset, powers in ((1, (1, 2, 3, 2.5, 0.3)), (2, (1, 2)), (11, (3,)), (18, (2, 4)), (22, (1, 2, 5, 9))):
        for dtype in FLOATS:
            if dtype == "bfloat16" and opset < 22:
                continue
            for p in powers:
                for kind in ("spread", "whole", "special"):
                    yield pool(opset, dtype, (1, 2, 9, 21), "kernel_shape=3,2", "strides=2,1", "pads=1,1,1,0", f"p={p}",
                               kind=kind)
    for opset in (9, 11, 22):
        for dtype in FLOATS:
            if dtype != "bfloat16" or opset == 22:
                yield Node("MaxUnpool", opset, dtype, (("X", (1, 2, 4, 6)), ("I", (1, 2, 4, 6))),
                           ("kernel_shape=2,2", "strides=2,2"), kind="special")
    for dtype in FLOATS:
        for kind in ("spread", "whole", "special"):
            for opset in (1, 11, 13):
                if dtype == "bfloat16" and opset < 13:
                    continue
                axis = () if opset == 13 else ("axes=1",)
                yield Node("ReduceSum", opset, dtype, (("data", (5, 301, 3)),), axis, kind=kind)
                yield Node("Softmax", opset, dtype, (("input", (7, 3, 61)),), ("axis=1",), kind=kind)
            yield Node("Add", 14, dtype, (("A", (5, 1, 33)), ("B", (4, 33))), (), kind=kind)
            if dtype != "bfloat16":
                yield Node("MaxPool", 12, dtype, (("X", (1, 3, 11, 13)),), ("kernel_shape=3,2", "strides=2,1"), kind=kind, output="Y")
    for dtype in [*FLOATS, *INTEGERS]:
        yield backprop(dtype, (1, 6, 5, 7), (6, 4, 3, 3), "strides=2,2", "pads_begin=1,1", "pads_end=0,1")
        yield backprop(dtype, (2, 6, 11), (3, 2, 4, 5), "strides=2", "dilations=2")
        yield backprop(dtype, (1, 4, 3, 4, 5), (2, 2, 3, 2, 2, 2), "strides=2,1,2")


def large_nodes():
    for dtype in FLOATS:
        yield transposed(22, dtype, (1, 64, 24, 24), (64, 32, 4, 4), "strides=2,2", "pads=1,1,1,1", small=False)
        yield transposed(22, dtype, (1, 64, 48, 48), (64, 1, 4, 4), "strides=2,2", "group=64", small=False)
        yield transposed(22, dtype, (1, 32, 8, 12, 16), (32, 8, 3, 3, 3), "strides=2,2,2", small=False)
        yield transposed(22, dtype, (1, 1100, 5, 6), (1100, 4, 3, 3), kind="whole", small=False)
        for p in (1, 2, 3, 7):
            yield pool(22, dtype, (1, 8, 96, 130), "kernel_shape=3,3", "strides=2,2", f"p={p}", small=False)
        if dtype != "bfloat16":
            yield pool(1, dtype, (1, 4, 60, 70), "kernel_shape=3,3", "strides=2,2", "p=1.7", small=False)
        yield Node("MaxUnpool", 22, dtype, (("X", (1, 8, 60, 60)), ("I", (1, 8, 60, 60))),
                   ("kernel_shape=2,2", "strides=2,2"), kind="special", small=False)
        yield Node("ReduceSum", 13, dtype, (("data", (300, 1000)),), (), small=False)
        yield Node("Softmax", 13, dtype, (("input", (40, 3000)),), ("axis=-1",), small=False)
    for dtype in ("int8", "int32", "uint64"):
        yield backprop(dtype, (1, 32, 30, 30), (32, 16, 3, 3), "strides=2,2", small=False)


def all_nodes(part):
    """`part`: of the small nodes every third."""
    small, large = list(small_nodes()), list(large_nodes())
    return (small[::3] if part else small) + large
