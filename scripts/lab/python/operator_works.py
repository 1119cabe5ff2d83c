# SPDX-License-Identifier: Apache-2.0
"""Every operator of ai.onnx at an everyday size, all inputs fed; but not the random ones, of which opref gives no values. `must` and
`aim`, where stated, are factors of onnxruntime's time on one thread."""
import numpy

from operator_work import OperatorWork, between, given, normal, positive, truths, whole, words

X = normal(1000, 1000)
IMAGE = normal(1, 64, 112, 112)
INDICES = "int64"


def work(name, inputs, must=None, aim=None, op=None, opset=22, outputs=1, text="", **attributes):
    op = op or name.split()[0]
    return OperatorWork(name, op, inputs, must, aim, opset, outputs, text, attributes=attributes)


def unary(must, aim, names, x=X, **attributes):
    return [work(name, {"X": x}, must, aim, **attributes) for name in names.split()]


def binary(must, aim, names, a=X, b=positive(1000, 1000), **attributes):
    return [work(name, {"A": a, "B": b}, must, aim, **attributes) for name in names.split()]


def rois(random):
    low, size = random.uniform(0, 28, (100, 2)), random.uniform(4, 28, (100, 2))
    return numpy.concatenate([low, low + size], 1).astype(numpy.float32)


def columns(random):
    """A permutation of the columns in each row: no index twice."""
    return random.permuted(numpy.tile(range(1000), (1000, 1)), axis=1)


def graph(name, inputs, text):
    return work(name, inputs, 4, 2, text=text)


ELEMENTS = [
    *unary(1.5, 1.0, "Relu Abs Neg Floor Ceil Round Sign LeakyRelu ThresholdedRelu HardSigmoid Identity Softsign Shrink"),
    *unary(1.5, 1.0, "Reciprocal Sqrt", positive(1000, 1000)),
    *unary(6, 4, "Exp Sin Cos Tan Tanh Sinh Cosh Sigmoid Erf Gelu Selu Celu Softplus Mish Atan Asinh"),
    *unary(6, 4, "Log", positive(1000, 1000)), *unary(6, 4, "Acosh", positive(1000, 1000, least=1)),
    *unary(6, 4, "Acos Asin Atanh", between(-0.99, 0.99, 1000, 1000)), *unary(6, 4, "Swish", opset=24),
    *unary(2.5, 1.6, "HardSwish"), *unary(1.0, 0.6, "Elu"), *unary(2, 1, "IsNaN IsInf"),
    *unary(2, 1, "Not", truths(1000, 1000)), *unary(2, 1, "BitwiseNot", whole(0, 1000, 1000, 1000)),
    *binary(1.5, 1.0, "Add Sub Mul Div Max Min PRelu"), *binary(6, 4, "Pow", positive(1000, 1000), X),
    *binary(6, 4, "Mod", fmod=1), *binary(2, 1, "Equal Less Greater LessOrEqual GreaterOrEqual"),
    *binary(2, 1, "And Or Xor", truths(1000, 1000), truths(1000, 1000)),
    *binary(2, 1, "BitwiseAnd BitwiseOr BitwiseXor", whole(0, 1000, 1000, 1000), whole(0, 1000, 1000, 1000)),
    *binary(2, 1, "BitShift", whole(0, 1000, 1000, 1000, dtype="uint32"), whole(0, 9, 1000, 1000, dtype="uint32"), direction="LEFT"),
    *binary(6, 4, "SwiGLU", opset=28),
    work("Add row", {"A": X, "B": normal(1000)}, 1.5, 1.0), work("Mul column", {"A": X, "B": normal(1000, 1)}, 1.5, 1.0),
    work("Sum of 3", {"A": X, "B": X, "C": X}, 1.5, 0.9), work("Mean of 3", {"A": X, "B": X, "C": X}, 1.5, 0.9),
    work("Clip", {"X": X, "Low": given(-1), "High": given(1)}, 1.5, 1.0),
    work("Where", {"Condition": truths(1000, 1000), "X": X, "Z": X}, 1.5, 1.0),
    work("Dropout", {"X": X}, 1.5, 1.0),
    work("Cast f16", {"X": X}, 2, 1.5, to=10), work("Cast i8", {"X": X}, 2, 1.5, to=3), work("Cast i64", {"X": X}, 2, 1.5, to=7),
    work("CastLike", {"X": X, "Like": given(0, "float16")}, 2, 1.5), work("BitCast", {"X": X}, 2, 1.5, opset=26, to=6),
    work("QuantizeLinear", {"X": X, "Scale": given(0.02), "Zero": given(3, "int8")}, 2, 1.2),
    work("QuantizeLinear axis", {"X": X, "Scale": positive(1000, least=1), "Zero": given([0] * 1000, "int8")}, 2, 1.2),
    work("DequantizeLinear", {"X": whole(-127, 128, 1000, 1000, dtype="int8"), "Scale": given(0.02), "Zero": given(3, "int8")}, 1.5, 0.7),
    work("DynamicQuantizeLinear", {"X": X}, 3, 1.5, outputs=3),
]
ROWS = [
    work("Softmax 1000", {"X": normal(512, 1000)}, 6, 4.5, op="Softmax"), work("LogSoftmax", {"X": normal(512, 1000)}, 6, 4.5),
    work("Softmax axis 1", {"X": normal(8, 64, 1024)}, 6, 4.5, axis=1), work("Hardmax", {"X": normal(512, 1000)}, 4, 2),
    work("BatchNormalization", {"X": IMAGE, "S": normal(64), "B": normal(64), "M": normal(64), "V": positive(64)}, 4, 2),
    work("InstanceNormalization", {"X": IMAGE, "S": normal(64), "B": normal(64)}, 4.5, 3.5),
    work("LayerNormalization", {"X": normal(512, 768), "S": normal(768), "B": normal(768)}, 3, 1.8),
    work("RMSNormalization", {"X": normal(512, 768), "S": normal(768)}, 4, 2, opset=23),
    work("GroupNormalization", {"X": normal(1, 64, 56, 56), "S": normal(64), "B": normal(64)}, 1.5, 1.0, num_groups=8),
    work("MeanVarianceNormalization", {"X": IMAGE}, 4.5, 3.5), work("LpNormalization", {"X": normal(512, 768)}, 4, 2),
    work("LRN", {"X": normal(1, 96, 55, 55)}, 4, 2, size=5),
    work("SoftmaxCrossEntropyLoss", {"X": normal(512, 1000), "T": whole(0, 1000, 512)}, 6, 4.5),
    work("NegativeLogLikelihoodLoss", {"X": normal(512, 1000), "T": whole(0, 1000, 512)}, 4, 2),
    *[work(f"{op} last", {"X": X, "Axes": given([1], INDICES)}, 5, 2.5)
      for op in "ReduceSum ReduceMean ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceProd".split()],
    work("ReduceMean first", {"X": X, "Axes": given([0], INDICES)}, 5, 2.5),
    work("ReduceLogSumExp", {"X": normal(512, 1000), "Axes": given([1], INDICES)}, 1, 0.3),
    *[work(op, {"X": X, "Axes": given([1], INDICES)}, 2, 1) for op in ("ReduceMax", "ReduceMin")],
    work("ArgMax", {"X": X}, 4, 2, axis=1), work("ArgMin", {"X": X}, 4, 2, axis=1),
    work("CumSum", {"X": normal(100, 10000), "Axis": given(1, INDICES)}, 4, 2),
    work("CumProd", {"X": normal(100, 10000), "Axis": given(1, INDICES)}, opset=26),
    work("RotaryEmbedding", {"X": normal(1, 8, 256, 64), "Cos": normal(1, 256, 32), "Sin": normal(1, 256, 32)}, 4, 2, opset=23),
    work("Attention", {k: normal(1, 8, 256, 64) for k in "QKV"}, 5, 2.5, opset=23),
    work("LinearAttention", {k: normal(1, 64, 256) for k in "QKV"}, opset=27, outputs=2, update_rule="linear", q_num_heads=4, kv_num_heads=4),
    work("CausalConvWithState", {"X": normal(1, 256, 256), "W": normal(256, 1, 4)}, opset=27, outputs=2),
]
PRODUCTS = [
    work("MatMul 512", {"A": normal(512, 512), "B": normal(512, 512)}, 2.0, 1.8),
    work("MatMul 1024", {"A": normal(1024, 1024), "B": normal(1024, 1024)}, 2.0, 1.8),
    work("MatMul batched", {"A": normal(64, 128, 64), "B": normal(64, 64, 128)}, 2.5, 2),
    work("Gemm 1x4096x4096", {"A": normal(1, 4096), "B": normal(4096, 4096)}, 2, 1.4),
    work("Gemm transB", {"A": normal(64, 1024), "B": normal(1024, 1024), "C": normal(1024)}, 2.5, 2, transB=1),
    work("MatMulInteger", {"A": whole(0, 256, 512, 512, dtype="uint8"), "B": whole(-127, 128, 512, 512, dtype="int8")}, 3, 2.5),
    work("ConvInteger", {"X": whole(0, 256, 1, 64, 56, 56, dtype="uint8"), "W": whole(0, 256, 64, 64, 3, 3, dtype="uint8")}, 4, 3, pads=[1] * 4),
    work("QLinearMatMul", {"A": whole(0, 256, 512, 512, dtype="uint8"), "As": given(0.02), "Az": given(128, "uint8"),
                           "B": whole(-127, 128, 512, 512, dtype="int8"), "Bs": given(0.01), "Bz": given(0, "int8"),
                           "Ys": given(0.5), "Yz": given(128, "uint8")}, 4, 3, opset=20),
    work("QLinearConv", {"X": whole(0, 256, 1, 64, 56, 56, dtype="uint8"), "Xs": given(0.02), "Xz": given(128, "uint8"),
                         "W": whole(-127, 128, 64, 64, 3, 3, dtype="int8"), "Ws": given(0.01), "Wz": given(0, "int8"),
                         "Ys": given(0.5), "Yz": given(128, "uint8")}, 4, 3, pads=[1] * 4),
    work("Conv 3x3 64", {"X": normal(1, 64, 56, 56), "W": normal(64, 64, 3, 3)}, 1.2, 0.85, pads=[1] * 4),
    work("Conv 3x3 256", {"X": normal(1, 256, 28, 28), "W": normal(256, 256, 3, 3)}, 1.2, 0.85, pads=[1] * 4),
    work("Conv 1x1 256", {"X": normal(1, 256, 28, 28), "W": normal(256, 256, 1, 1)}, 2, 1.5),
    work("Conv 7x7 s2", {"X": normal(1, 3, 224, 224), "W": normal(64, 3, 7, 7)}, 2.5, 2, pads=[3] * 4, strides=[2, 2]),
    work("Conv depthwise 256", {"X": normal(1, 256, 56, 56), "W": normal(256, 1, 3, 3)}, 2, 1.2, pads=[1] * 4, group=256),
    work("Conv depthwise s2", {"X": normal(1, 96, 112, 112), "W": normal(96, 1, 3, 3)}, 2, 1.2, pads=[1] * 4, group=96, strides=[2, 2]),
    work("Conv 1d", {"X": normal(1, 128, 3000), "W": normal(128, 128, 3)}, 2.5, 2, pads=[1] * 2),
    work("Conv 3d", {"X": normal(1, 16, 16, 32, 32), "W": normal(32, 16, 3, 3, 3)}, 2.5, 2, pads=[1] * 6),
    work("ConvTranspose s2", {"X": normal(1, 256, 32, 32), "W": normal(256, 128, 4, 4)}, 2.2, 1.8, strides=[2, 2], pads=[1] * 4),
    work("DeformConv", {"X": normal(1, 16, 32, 32), "W": normal(16, 16, 3, 3), "Offset": normal(1, 18, 32, 32)}, 5, 3, pads=[1] * 4),
    work("Einsum", {"A": normal(8, 128, 64), "B": normal(8, 64, 128)}, 2.5, 2, equation="bij,bjk->bik"),
    work("Det", {"X": normal(100, 8, 8)}),
    work("LSTM 64x128", {"X": normal(64, 1, 64), "W": normal(1, 512, 64, factor=0.1), "R": normal(1, 512, 128, factor=0.09)}, 80, 40, hidden_size=128),
    work("GRU 64x128", {"X": normal(64, 1, 64), "W": normal(1, 384, 64, factor=0.1), "R": normal(1, 384, 128, factor=0.09)}, 70, 40, hidden_size=128),
    work("LSTM 20x512", {"X": normal(20, 1, 256), "W": normal(1, 2048, 256, factor=0.05), "R": normal(1, 2048, 512, factor=0.04)}, 50, 30, hidden_size=512),
    work("RNN 64x128", {"X": normal(64, 1, 64), "W": normal(1, 128, 64, factor=0.1), "R": normal(1, 128, 128, factor=0.09)}, hidden_size=128),
    work("DFT 4096", {"X": normal(8, 4096, 1)}, 4, 2, opset=17, axis=1),
    work("STFT", {"X": normal(1, 16000), "Step": given(160, INDICES), "Window": normal(400)}, 1, 0.2, opset=17, onesided=1),
    *[work(op, {"Size": given(1024, INDICES)}) for op in ("HannWindow", "HammingWindow", "BlackmanWindow")],
    work("MelWeightMatrix", {"A": given(80, INDICES), "B": given(1024, INDICES), "C": given(16000, INDICES), "D": given(20.0), "E": given(8000.0)}),
]
WINDOWS = [
    work("MaxPool", {"X": IMAGE}, 1.5, 1.0, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
    work("AveragePool", {"X": IMAGE}, 7, 4, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
    work("GlobalAveragePool", {"X": normal(1, 512, 28, 28)}, 5, 2.5), work("GlobalMaxPool", {"X": normal(1, 512, 28, 28)}, 2, 1),
    work("GlobalLpPool", {"X": normal(1, 512, 28, 28)}, 5, 2.5), work("LpPool", {"X": IMAGE}, 1.5, 0.9, kernel_shape=[3, 3], strides=[2, 2]),
    work("MaxUnpool", {"X": normal(1, 64, 56, 56), "I": given(4 * numpy.arange(64 * 56 * 56).reshape(1, 64, 56, 56), INDICES)}, 0.7, 0.5,
         kernel_shape=[2, 2], strides=[2, 2]),
    work("MaxRoiPool", {"X": normal(1, 64, 56, 56), "Rois": lambda random: numpy.pad(rois(random), ((0, 0), (1, 0)))}, 4, 2, opset=21, pooled_shape=[7, 7]),
    work("RoiAlign", {"X": normal(1, 64, 56, 56), "Rois": rois, "B": given([0] * 100, INDICES)}, 4, 2,
         opset=21, output_height=7, output_width=7, sampling_ratio=2),
    *[work(f"Resize {mode}", {"X": x, "_roi": None, "Scales": given([1, 1, 2, 2])}, must, aim, mode=mode)
      for mode, x, must, aim in (("linear", normal(1, 3, 256, 256), 3, 2.4), ("cubic", normal(1, 3, 256, 256), 5, 3),
                                 ("nearest", normal(1, 64, 64, 64), 2, 1))],
    work("Upsample", {"X": normal(1, 64, 64, 64), "Scales": given([1, 1, 2, 2])}, 2, 1, opset=9),
    work("GridSample", {"X": normal(1, 16, 128, 128), "Grid": between(-1, 1, 1, 128, 128, 2)}, 5, 3),
    work("AffineGrid", {"Theta": normal(1, 2, 3), "Size": given([1, 3, 256, 256], INDICES)}, 4, 2),
    work("Col2Im", {"X": normal(1, 64 * 9, 54 * 54), "Shape": given([56, 56], INDICES), "Block": given([3, 3], INDICES)}, 4, 2),
]
MOVES = [
    work("Transpose 0231", {"X": normal(1, 256, 56, 56)}, 2.5, 1.5, perm=[0, 2, 3, 1]), work("Transpose 021", {"X": normal(8, 512, 512)}, 2.5, 1.5, perm=[0, 2, 1]),
    work("Concat", {"A": normal(256, 1000), "B": normal(256, 2000)}, 2, 1, axis=1),
    work("Slice", {"X": X, "Starts": given([1, 2], INDICES), "Ends": given([999, 998], INDICES)}, 2, 1),
    work("Split", {"X": X}, 2, 1, outputs=2, axis=1, num_outputs=2),
    work("Pad", {"X": IMAGE, "Pads": given([0, 0, 1, 1, 0, 0, 1, 1], INDICES)}, 2, 1), work("Tile", {"X": normal(100, 1000), "Repeats": given([10, 1], INDICES)}, 2, 1),
    work("Expand", {"X": normal(1000, 1), "Shape": given([1000, 1000], INDICES)}, 2, 1),
    work("CenterCropPad", {"X": X, "Shape": given([900, 1100], INDICES)}, 2, 1),
    work("DepthToSpace", {"X": normal(1, 256, 56, 56)}, 2.5, 1.5, blocksize=2), work("SpaceToDepth", {"X": normal(1, 64, 112, 112)}, 2.5, 1.5, blocksize=2),
    work("Trilu", {"X": X}, 2, 1), work("ReverseSequence", {"X": normal(100, 10, 1000), "L": whole(1, 100, 10)}, 2, 1),
    work("EyeLike", {"X": X}, 2, 1), work("ConstantOfShape", {"Shape": given([1000, 1000], INDICES)}, 2, 1),
    work("Constant", {}, value_floats=[1.0] * 1000), work("Range", {"A": given(0.0), "B": given(100000.0), "C": given(1.0)}, 2, 1),
    *[work(op, {"X": X, "Axes": given([0], INDICES)}, 2, 1) for op in ("Unsqueeze",)], work("Squeeze", {"X": normal(1, 1000, 1000)}, 2, 1),
    work("Flatten", {"X": X}, 2, 1), work("Reshape", {"X": X, "Shape": given([500, 2000], INDICES)}, 2, 1), work("Shape", {"X": X}), work("Size", {"X": X}),
    work("Gather rows", {"X": normal(30000, 768), "I": whole(0, 30000, 512)}, 2, 1), work("GatherElements", {"X": X, "I": whole(0, 1000, 1000, 1000)}, 4, 2, axis=1),
    work("GatherND", {"X": X, "I": whole(0, 1000, 500, 1)}, 4, 2),
    work("ScatterND", {"X": X, "I": lambda random: random.permutation(1000)[:500, None], "U": normal(500, 1000)}, 3, 1.5),
    work("ScatterElements", {"X": X, "I": columns, "U": X}, 4, 2, axis=1),
    work("Scatter", {"X": X, "I": columns, "U": X}, 4, 2, opset=10, axis=1),
    work("TensorScatter", {"X": normal(4, 512, 256), "U": normal(4, 64, 256), "I": given([0, 3, 9, 64], INDICES)}, 4, 2, opset=24),
    work("OneHot", {"I": whole(0, 1000, 1000), "Depth": given(1000, INDICES), "V": given([0.0, 1.0])}, 2, 1),
    work("NonZero", {"X": X}, 4, 2), work("Compress", {"X": X, "Condition": truths(1000)}, 2, 1, axis=0),
    work("Unique", {"X": whole(0, 5000, 100000)}, 4, 2, outputs=1), work("TopK", {"X": normal(10, 100000), "K": given([100], INDICES)}, 4, 2, outputs=2),
    work("NonMaxSuppression", {"B": positive(1, 1000, 4, least=0), "S": positive(1, 10, 1000, least=0), "Most": given([50], INDICES), "Iou": given([0.5]),
                               "Least": given([0.1])}, 8, 4),
]
OTHERS = [
    work("StringConcat", {"A": words(10000), "B": words(10000)}, 2, 1), work("StringNormalizer", {"X": words(10000)}, 2, 1, case_change_action="UPPER"),
    work("StringSplit", {"X": words(10000)}, 2, 1, outputs=2, delimiter=" "), work("RegexFullMatch", {"X": words(10000)}, 2, 1, pattern="word [0-9]+ .*"),
    work("TfIdfVectorizer", {"X": whole(0, 100, 100, 200)}, 2, 1, min_gram_length=1, max_gram_length=2, max_skip_count=1, mode="TF",
         ngram_counts=[0, 50], ngram_indexes=list(range(75)), pool_int64s=[k % 100 for k in range(100)]),
]


SEQUENCE = "work (float[1000,1000] X) => (float[N,M] Y) {"
STRUCTURES = [
    graph("SequenceConstruct, SequenceAt", {"X": X}, SEQUENCE + "one = Constant <value_int = 1> () s = SequenceConstruct (X, X) Y = SequenceAt (s, one) }"),
    graph("SequenceEmpty, SequenceInsert, ConcatFromSequence", {"X": X},
          SEQUENCE + "e = SequenceEmpty () s = SequenceInsert (e, X) t = SequenceInsert (s, X) Y = ConcatFromSequence <axis = 0> (t) }"),
    graph("SplitToSequence, SequenceErase, SequenceLength", {"X": X},
          "work (float[1000,1000] X) => (int64 Y) { s = SplitToSequence <axis = 0, keepdims = 0> (X) t = SequenceErase (s) Y = SequenceLength (t) }"),
    graph("SequenceMap", {"X": X}, SEQUENCE + "s = SplitToSequence <axis = 0> (X) t = SequenceMap <body = b (float[N,M] a) => (float[N,M] c) { c = Neg (a) }> (s) "
                                              "Y = ConcatFromSequence <axis = 0> (t) }"),
    graph("Optional, OptionalHasElement, OptionalGetElement", {"X": X}, SEQUENCE + "o = Optional (X) h = OptionalHasElement (o) Y = OptionalGetElement (o) }"),
    graph("If", {"C": given(True, "bool"), "X": X}, "work (bool C, float[1000,1000] X) => (float[N,M] Y) { Y = If <then_branch = t () => (float[N,M] a) { a = Neg (X) }, "
                                                    "else_branch = e () => (float[N,M] b) { b = Abs (X) }> (C) }"),
    graph("Loop of 1000", {"M": given(1000, INDICES), "X": normal(100)},
          "work (int64 M, float[100] X) => (float[100] Y) { c = Constant <value = bool {1}> () Y = Loop <body = b (int64 i, bool d, float[100] v) => (bool e, float[100] w) "
          "{ e = Identity (d) w = Mul (v, X) }> (M, c, X) }"),
    graph("Scan of 1000", {"S": normal(100), "X": normal(1000, 100)},
          "work (float[100] S, float[1000,100] X) => (float[100] Y, float[1000,100] Z) { Y, Z = Scan <num_scan_inputs = 1, body = b (float[100] s, float[100] x) => "
          "(float[100] t, float[100] u) { t = Mul (s, x) u = Identity (t) }> (S, X) }"),
]
# ImageDecoder is left out: onnxruntime lacks it, and its time is that of the image libraries.


ALL = ELEMENTS + ROWS + PRODUCTS + WINDOWS + MOVES + OTHERS + STRUCTURES
