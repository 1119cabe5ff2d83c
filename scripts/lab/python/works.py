# SPDX-License-Identifier: Apache-2.0
"""The work that is timed: one node and its tensors each, written as .npy files and ONNX models."""
import json
import os
from dataclasses import dataclass, replace

import ml_dtypes
import numpy
from onnx import helper, numpy_helper, save


@dataclass(frozen=True)
class Work:
    title: str
    op_type: str
    attributes: dict
    shapes: dict  # of the inputs, by name
    dtype: str = "float32"
    weights: tuple = ()  # inputs that a deployed model holds as constants

    def of(self, dtype):
        return replace(self, dtype=dtype)

    def terms(self):
        """Multiplications of a ConvTranspose."""
        x, w = self.shapes["X"], self.shapes["W"]
        return int(numpy.prod(x) * numpy.prod(w[1:]))

    def write(self, folder):
        """NAME.npy; model.onnx, whose inputs are all tensors; peer.onnx, which holds the weights, as suits a runtime best;
        work.json. Returns the folder."""
        os.makedirs(folder, exist_ok=True)
        arrays = self.arrays()
        for name, array in arrays.items():
            numpy.save(os.path.join(folder, f"{name}.npy"), array)
        save(self.model(arrays, ()), os.path.join(folder, "model.onnx"))
        save(self.model(arrays, self.weights), os.path.join(folder, "peer.onnx"))
        with open(os.path.join(folder, "work.json"), "w", encoding="utf-8") as file:
            json.dump({"op_type": self.op_type, "attributes": self.attributes}, file)
        return folder

    def arrays(self):
        random = numpy.random.default_rng(7)
        dtype = numpy.dtype(getattr(ml_dtypes, self.dtype, self.dtype))
        if self.op_type == "MaxUnpool":
            return max_pooled(random.standard_normal(self.shapes["X"], numpy.float32), dtype)
        return {name: random.standard_normal(shape, numpy.float32).astype(dtype) for name, shape in self.shapes.items()}

    def model(self, arrays, inside):
        def info(name, array):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

        node = helper.make_node(self.op_type, list(arrays), ["Y"], **self.attributes)
        element = helper.np_dtype_to_tensor_dtype(next(iter(arrays.values())).dtype)
        graph = helper.make_graph(
            [node], "work", [info(name, array) for name, array in arrays.items() if name not in inside],
            [helper.make_tensor_value_info("Y", element, None)],
            [numpy_helper.from_array(arrays[name], name) for name in inside])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)


def max_pooled(x, dtype):
    """X and I as MaxPool with kernel 2, stride 2 gives them from a tensor twice as large as x."""
    n, c, h, w = x.shape
    random = numpy.random.default_rng(8)
    offset_h, offset_w = (random.integers(0, 2, x.shape) for _ in range(2))
    plane = numpy.arange(n * c).reshape(n, c, 1, 1) * (4 * h * w)
    rows, columns = numpy.arange(h).reshape(1, 1, h, 1), numpy.arange(w)
    return {"X": x.astype(dtype), "I": (plane + (2 * rows + offset_h) * (2 * w) + 2 * columns + offset_w).astype(numpy.int64)}


def conv_transpose(title, x, w, **attributes):
    return Work(f"ConvTranspose {title}", "ConvTranspose", attributes, {"X": x, "W": w}, weights=("W",))


def conv(title, w, **attributes):
    return Work(f"Conv 1x64x56x56, {title}", "Conv", attributes, {"X": (1, 64, 56, 56), "W": w}, weights=("W",))


CONVOLUTIONS = {"3x3": conv("W 64x64x3x3", (64, 64, 3, 3), pads=[1] * 4), "1x1": conv("W 64x64x1x1", (64, 64, 1, 1)),
                "depthwise": conv("W 64x1x3x3, depthwise", (64, 1, 3, 3), pads=[1] * 4, group=64)}
CONV = conv_transpose("1x256x32x32, W 256x128x4x4, s2", (1, 256, 32, 32), (256, 128, 4, 4), strides=[2, 2], pads=[1] * 4)
CONV_K2 = conv_transpose("1x64x128x128, W 64x32x2x2, s2", (1, 64, 128, 128), (64, 32, 2, 2), strides=[2, 2])
DEPTHWISE = conv_transpose("1x256x64x64, W 256x1x4x4, depthwise, s2", (1, 256, 64, 64), (256, 1, 4, 4), strides=[2, 2],
                           pads=[1] * 4, group=256)
CONV_3D = conv_transpose("1x32x16x32x32, W 32x16x3x3x3, s2", (1, 32, 16, 32, 32), (32, 16, 3, 3, 3), strides=[2] * 3)
MAX_UNPOOL = Work("MaxUnpool 1x64x112x112, k2", "MaxUnpool", {"kernel_shape": [2, 2], "strides": [2, 2]},
                  {"X": (1, 64, 112, 112)})
MAT_MUL = Work("MatMul 1024x1024, 1024x1024", "MatMul", {}, {"A": (1024, 1024), "B": (1024, 1024)})
GIB = conv_transpose("1x1x16384x16384 (1 GiB), W 1x1x1x1", (1, 1, 16384, 16384), (1, 1, 1, 1))


def lp_pool(p):
    return Work(f"LpPool 1x64x224x224, k3, s2, p={p}", "LpPool", {"kernel_shape": [3, 3], "strides": [2, 2], "p": p},
                {"X": (1, 64, 224, 224)})


def growing(exponent):
    """A ConvTranspose of about 10^exponent terms that differs only in the size of X's spatial axes."""
    size = max(1, round((10**exponent / (64 * 32 * 16)) ** 0.5))
    return conv_transpose(f"1x64x{size}x{size}, W 64x32x4x4, s2", (1, 64, size, size), (64, 32, 4, 4), strides=[2, 2])
