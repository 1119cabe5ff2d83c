# SPDX-License-Identifier: Apache-2.0
"""Operators that compute numbers, at the sizes and with the data of everyday models, to judge right kernels by: activations as after
a Relu or a normalization, weights as they are initialised, pixels, logits, some thousands of values each."""
import numpy

from operator_work import between, given, normal, positive, whole
from operator_works import INDICES, work

ACTIVATIONS = normal(1, 32, 14, 14)
TOKENS = normal(64, 256)
ROWS = {"X": normal(64, 200), "Axes": given([1], INDICES)}


def plus(make, offset):
    return lambda random: make(random) + numpy.float32(offset)


def rectified(*shape):
    return lambda random: numpy.maximum(normal(*shape)(random), 0)


def weights(*shape):
    """As He initialises them."""
    return normal(*shape, factor=(2 / numpy.prod(shape[1:])) ** 0.5)


def columns(rows, count):
    """Weights [rows, count] of `count` outputs."""
    return normal(rows, count, factor=rows ** -0.5)


def pixels(*shape):
    """0 to 1: waves, with some noise."""
    def make(random):
        y, x = numpy.mgrid[0:shape[2], 0:shape[3]]
        planes = numpy.array([numpy.sin(x * a + y * b + 6 * c) for a, b, c in random.random((shape[0] * shape[1], 3)) / 4])
        return (0.5 + 0.4 * planes.reshape(shape) + 0.03 * random.standard_normal(shape)).astype(numpy.float32)
    return make


def boxes(random):
    low = random.uniform(0, 150, (30, 2))
    return numpy.concatenate([low, low + random.uniform(10, 70, (30, 2))], 1).astype(numpy.float32)


def turned(random):
    """A grid that turns and enlarges the image a little."""
    y, x = numpy.meshgrid(numpy.linspace(-1.1, 1.1, 40), numpy.linspace(-1.1, 1.1, 40), indexing="ij")
    angle = random.uniform(-0.5, 0.5)
    return numpy.stack([x * numpy.cos(angle) - y * numpy.sin(angle), x * numpy.sin(angle) + y * numpy.cos(angle)], -1)[None].astype(numpy.float32)


def unary(names, x=ACTIVATIONS, **attributes):
    return [work(name, {"X": x}, **attributes) for name in names.split()]


def recurrent(name, gates, **attributes):
    return work(name, {"X": normal(16, 2, 32), "W": normal(1, gates * 48, 32, factor=0.15), "R": normal(1, gates * 48, 48, factor=0.12),
                       "B": normal(1, 2 * gates * 48, factor=0.1)}, outputs=3 if gates == 4 else 2, hidden_size=48, **attributes)


CHANNELS = {"S": plus(normal(32, factor=0.1), 1), "B": normal(32, factor=0.1)}
AFFINE = {"S": plus(normal(256, factor=0.1), 1), "B": normal(256, factor=0.1)}
SMALL = whole(0, 256, 1, 32, 14, 14, dtype="uint8")

EVERYDAY = [
    *unary("Exp Sin Cos Tan Tanh Sinh Cosh Sigmoid Erf Gelu Elu Selu Celu Softplus Softsign Mish Atan Asinh HardSigmoid HardSwish LeakyRelu"),
    work("Gelu tanh", {"X": ACTIVATIONS}, approximate="tanh"), *unary("Swish", opset=24),
    *unary("Log Sqrt Reciprocal", positive(1, 32, 14, 14, least=0.01)), *unary("Acosh", positive(1, 32, 14, 14, least=1)),
    *unary("Acos Asin Atanh", between(-0.99, 0.99, 1, 32, 14, 14)),
    *[work(name, {"A": TOKENS, "B": normal(256)}) for name in ("Add", "Sub", "Mul", "Div")],
    work("Pow", {"A": positive(64, 256), "B": given(2.5)}), work("Sum", {k: TOKENS for k in "ABC"}), work("Mean", {k: TOKENS for k in "ABC"}),
    work("PRelu", {"X": ACTIVATIONS, "S": positive(32, 1, 1, least=0)}),
    work("Softmax", {"X": normal(16, 1000, factor=3)}), work("Softmax scores", {"X": normal(1, 8, 40, 40)}, op="Softmax"),
    work("LogSoftmax", {"X": normal(16, 1000, factor=3)}),
    work("BatchNormalization", {"X": ACTIVATIONS, **CHANNELS, "M": normal(32, factor=0.5), "V": positive(32, least=0.2)}),
    work("InstanceNormalization", {"X": ACTIVATIONS, **CHANNELS}), work("GroupNormalization", {"X": ACTIVATIONS, **CHANNELS}, num_groups=8),
    work("LayerNormalization", {"X": TOKENS, **AFFINE}), work("LayerNormalization of mean 5", {"X": plus(TOKENS, 5), **AFFINE}),
    work("RMSNormalization", {"X": TOKENS, "S": AFFINE["S"]}, opset=23),
    work("MeanVarianceNormalization", {"X": normal(4, 8, 14, 14)}), work("LpNormalization", {"X": TOKENS}), work("LRN", {"X": rectified(1, 32, 14, 14)}, size=5),
    work("SoftmaxCrossEntropyLoss", {"X": normal(64, 100), "T": whole(0, 100, 64)}, reduction="none"),
    *[work(f"Reduce{name}", ROWS) for name in ("Sum", "Mean", "L1", "L2", "SumSquare", "LogSumExp")],
    work("ReduceMean of pixels", {"X": pixels(1, 16, 32, 32), "Axes": given([2, 3], INDICES)}),
    *[work(name, {"X": positive(64, 40), "Axes": given([1], INDICES)}) for name in ("ReduceProd", "ReduceLogSum")],
    work("CumSum", {"X": normal(20, 200), "Axis": given(1, INDICES)}),
    work("MatMul 64", {"A": normal(64, 64), "B": columns(64, 64)}), work("MatMul 256", {"A": normal(128, 256), "B": columns(256, 128)}),
    work("MatMul batched", {"A": normal(8, 40, 32), "B": normal(8, 32, 40)}), work("Einsum", {"A": normal(8, 40, 32), "B": normal(8, 40, 32)}, equation="hid,hjd->hij"),
    work("Gemm", {"A": normal(16, 256), "B": weights(128, 256), "C": normal(128, factor=0.1)}, transB=1),
    work("Gemm scaled", {"A": normal(16, 256), "B": weights(128, 256), "C": normal(128, factor=0.1)}, transB=1, alpha=0.7, beta=1.3),
    work("Conv 8 to 16", {"X": rectified(1, 8, 14, 14), "W": weights(16, 8, 3, 3), "B": normal(16, factor=0.1)}, pads=[1] * 4),
    work("Conv 64 to 32", {"X": rectified(1, 64, 14, 14), "W": weights(32, 64, 3, 3), "B": normal(32, factor=0.1)}, pads=[1] * 4),
    work("Conv 7x7", {"X": pixels(1, 3, 64, 64), "W": weights(16, 3, 7, 7)}, pads=[3] * 4, strides=[2, 2]),
    work("Conv 1x1", {"X": rectified(1, 128, 14, 14), "W": weights(64, 128, 1, 1)}),
    work("Conv depthwise", {"X": rectified(1, 64, 14, 14), "W": weights(64, 1, 3, 3)}, pads=[1] * 4, group=64),
    work("Conv 1d", {"X": normal(1, 32, 300), "W": weights(32, 32, 3)}, pads=[1] * 2),
    work("ConvTranspose", {"X": rectified(1, 32, 10, 10), "W": weights(32, 16, 4, 4)}, strides=[2, 2], pads=[1] * 4),
    work("DeformConv", {"X": rectified(1, 8, 12, 12), "W": weights(8, 8, 3, 3), "Offset": normal(1, 18, 12, 12)}, pads=[1] * 4),
    work("Attention", {k: normal(1, 4, 40, 32) for k in "QKV"}, opset=23), work("Attention causal", {k: normal(1, 4, 40, 32) for k in "QKV"}, opset=23, is_causal=1),
    work("RotaryEmbedding", {"X": normal(1, 4, 40, 32), "Cos": between(-1, 1, 1, 40, 16), "Sin": between(-1, 1, 1, 40, 16)}, opset=23),
    recurrent("LSTM", 4), recurrent("GRU", 3), recurrent("GRU linear before reset", 3, linear_before_reset=1), recurrent("RNN", 1),
    work("Det", {"X": normal(50, 5, 5)}), work("DFT", {"X": normal(4, 256, 1)}, opset=17, axis=1),
    work("STFT", {"X": normal(1, 2000), "Step": given(160, INDICES), "Window": positive(400, least=0)}, opset=17, onesided=1),
    work("AveragePool", {"X": pixels(1, 16, 32, 32)}, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
    work("GlobalAveragePool", {"X": rectified(1, 64, 14, 14)}), work("GlobalLpPool", {"X": ACTIVATIONS}),
    work("LpPool", {"X": ACTIVATIONS}, kernel_shape=[3, 3], strides=[2, 2]),
    *[work(f"Resize {mode}", {"X": pixels(1, 3, 50, 40), "_roi": None, "_scales": None, "Sizes": given([1, 3, 75, 72], INDICES)}, mode=mode) for mode in ("linear", "cubic")],
    work("Resize linear doubled", {"X": pixels(1, 3, 40, 40), "_roi": None, "Scales": given([1, 1, 2, 2])}, mode="linear"),
    work("Upsample", {"X": pixels(1, 3, 32, 32), "Scales": given([1, 1, 2, 2])}, opset=9, mode="linear"),
    work("GridSample", {"X": pixels(1, 4, 32, 32), "Grid": turned}), work("GridSample cubic", {"X": pixels(1, 4, 32, 32), "Grid": turned}, mode="cubic"),
    work("AffineGrid", {"Theta": normal(1, 2, 3), "Size": given([1, 3, 40, 40], INDICES)}),
    work("RoiAlign", {"X": rectified(1, 8, 56, 56), "Rois": boxes, "B": given([0] * 30, INDICES)}, opset=16, output_height=5, output_width=5, sampling_ratio=2, spatial_scale=0.25),
    work("Col2Im", {"X": normal(1, 8 * 9, 100), "Shape": given([12, 12], INDICES), "Block": given([3, 3], INDICES)}),
    work("QuantizeLinear", {"X": TOKENS, "Scale": given(0.02), "Zero": given(3, "int8")}),
    work("QuantizeLinear axis", {"X": TOKENS, "Scale": positive(256, least=0.01), "Zero": given([0] * 256, "int8")}, axis=1),
    work("DequantizeLinear", {"X": whole(0, 256, 64, 256, dtype="uint8"), "Scale": given(0.02), "Zero": given(128, "uint8")}),
    work("DynamicQuantizeLinear", {"X": TOKENS}, outputs=3),
    work("MatMulInteger", {"A": whole(0, 256, 64, 128, dtype="uint8"), "B": whole(-127, 128, 128, 64, dtype="int8")}),
    work("QLinearMatMul", {"A": whole(0, 256, 64, 128, dtype="uint8"), "As": given(0.02), "Az": given(128, "uint8"), "B": whole(-127, 128, 128, 64, dtype="int8"),
                           "Bs": given(0.01), "Bz": given(0, "int8"), "Ys": given(0.5), "Yz": given(128, "uint8")}, opset=20),
    work("QLinearConv", {"X": SMALL, "Xs": given(0.02), "Xz": given(128, "uint8"), "W": whole(-127, 128, 32, 32, 3, 3, dtype="int8"), "Ws": given(0.01),
                         "Wz": given(0, "int8"), "Ys": given(0.5), "Yz": given(128, "uint8")}, pads=[1] * 4),
    work("Range", {"A": given(0.5), "B": given(300.0), "C": given(0.7)}),
    *[work(op, {"Size": given(400, INDICES)}) for op in ("HannWindow", "HammingWindow", "BlackmanWindow")],
    work("MelWeightMatrix", {"A": given(40, INDICES), "B": given(400, INDICES), "C": given(16000, INDICES), "D": given(20.0), "E": given(8000.0)}),
]
