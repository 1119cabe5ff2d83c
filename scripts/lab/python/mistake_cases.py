# SPDX-License-Identifier: Apache-2.0
# Writes cases of known mistakes into testdata/DOMAIN/OPERATOR/mistakes.json: nodes, what they must give, and what a
# backend with the mistake gives, both worked out by numpy alone. A case of the same mistake is replaced, unless it was
# worked out by hand; others stay.
# Usage: mistake_cases.py [OPERATOR…], in the repository's root
import json
import math
import pathlib
import sys

import numpy as np

f16, f32, f64 = np.float16, np.float32, np.float64
WANTED = set(sys.argv[1:])
rng = np.random.default_rng(7)
np.seterr(all="ignore")


def number(x):
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else "Inf" if x > 0 else "-Inf"
    return x


def numbers(x):
    return [numbers(y) for y in x] if isinstance(x, list) else number(x)


def tensor(x):
    if isinstance(x, dict):  # of a type that numpy does not have
        return x
    if isinstance(x, list):
        return [tensor(y) for y in x]
    x = np.asarray(x)
    if x.size == 0:
        return {"dtype": str(x.dtype), "shape": list(x.shape), "data": []}
    return {"dtype": str(x.dtype), "data": numbers(x.tolist())}


def case(op, opset, mistake, inputs, right, wrong, source, attributes=None, ulp=None, domain="ai.onnx"):
    if WANTED and op not in WANTED:
        return
    path = pathlib.Path("testdata") / domain / op / "mistakes.json"
    row = {"opset": opset, "mistake": mistake, "attributes": attributes or {},
           "inputs": {k: tensor(v) for k, v in inputs.items()}, "right": {k: tensor(v) for k, v in right.items()},
           "wrong": {k: tensor(v) for k, v in wrong.items()}, "source": source}
    if ulp is not None:
        row["ulp"] = ulp
    rows = [r for r in json.loads(path.read_text()) if r["mistake"] != mistake or r["source"] == "by hand"] if path.exists() else []
    rows.append(row)
    path.write_text("[\n" + ",\n".join("  " + json.dumps(r) for r in rows) + "\n]\n")


def whole(*shape, low=-5, high=6, dtype=f32):
    return rng.integers(low, high, shape).astype(dtype)


# --- formulas of one element: the double nearest to the function, and each step rounded

class Step:
    """A number of a type; what an operation gives is rounded to it."""

    def __init__(self, x, of):
        self.of, self.v = of, float(of(x))

    def other(self, x):
        return x.v if isinstance(x, Step) else float(self.of(x))

    def __add__(self, x): return Step(self.v + self.other(x), self.of)
    def __radd__(self, x): return self + x
    def __sub__(self, x): return Step(self.v - self.other(x), self.of)
    def __rsub__(self, x): return Step(self.other(x) - self.v, self.of)
    def __mul__(self, x): return Step(self.v * self.other(x), self.of)
    def __rmul__(self, x): return self * x
    def __truediv__(self, x): return Step(float(np.divide(f64(self.v), self.other(x))), self.of)
    def __rtruediv__(self, x): return Step(float(np.divide(f64(self.other(x)), self.v)), self.of)
    def __neg__(self): return Step(-self.v, self.of)


def lifted(f):
    return lambda x: Step(float(f(f64(x.v))), x.of)


exp, log, sqrt, tanh = lifted(np.exp), lifted(np.log), lifted(np.sqrt), lifted(np.tanh)
erf = lifted(lambda x: math.erf(x))
ALPHA, GAMMA = 1.67326319217681884765625, 1.05070102214813232421875
near = [-9.5, -6.25, -3.0, -0.75, -0.0625, -0.01, 0.01, 0.3, 1.5, 3.5, 5.0]
below = [-0.9, -0.3, -0.07, -0.0123, -0.004, -0.0017, -0.0008, 0.5]
FORMULAS = [  # operator, opset, input, places in float16, right, formula, its name
    ("Softplus", 22, "X", near, lambda x: np.logaddexp(0, x), lambda x: log(1 + exp(x)), "log(1 + e^x)"),
    ("Sigmoid", 13, "X", near, lambda x: 1 / (1 + np.exp(-x)), lambda x: 1 / (1 + exp(-x)), "1/(1 + e^-x)"),
    ("Sigmoid", 13, "X", near, lambda x: 1 / (1 + np.exp(-x)), lambda x: exp(x) / (1 + exp(x)), "e^x/(1 + e^x)"),
    ("Tanh", 13, "input", near, np.tanh, lambda x: (exp(x) - exp(-x)) / (exp(x) + exp(-x)),
     "(e^x - e^-x)/(e^x + e^-x)"),
    ("Tanh", 13, "input", near, np.tanh, lambda x: 2 / (1 + exp(-2 * x)) - 1, "2/(1 + e^-2x) - 1"),
    ("Gelu", 20, "X", near, lambda x: np.array([y / 2 * math.erfc(-y / math.sqrt(2)) for y in x]),
     lambda x: 0.5 * x * (1 + erf(x / Step(f64(Step(2, x.of).v) ** 0.5, x.of))), "x/2 times (1 + erf(x/root 2))"),
    ("Gelu", 20, "X", near, lambda x: np.array([y / 2 * math.erfc(-y / math.sqrt(2)) for y in x]),
     lambda x: 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x)))), "x/2 times (1 + tanh)"),
    ("Elu", 22, "X", below, lambda x: np.where(x < 0, np.expm1(x), x), lambda x: 1 * (exp(x) - 1) if x.v < 0 else x,
     "alpha times (e^x - 1)"),
    ("Selu", 22, "X", below, lambda x: GAMMA * np.where(x > 0, x, ALPHA * np.expm1(x)),
     lambda x: GAMMA * x if x.v > 0 else GAMMA * (ALPHA * exp(x) - ALPHA), "gamma times (alpha e^x - alpha)"),
    ("Selu", 22, "X", below, lambda x: GAMMA * np.where(x > 0, x, ALPHA * np.expm1(x)),
     lambda x: GAMMA * x if x.v > 0 else GAMMA * (ALPHA * (exp(x) - 1)), "gamma alpha times (e^x - 1)"),
    ("Celu", 28, "X", below, lambda x: np.where(x < 0, np.expm1(x), x),
     lambda x: 1 * (exp(x / 1) - 1) if x.v < 0 else x, "alpha times (e^(x/alpha) - 1)"),
    ("Swish", 24, "X", near, lambda x: x / (1 + np.exp(-x)), lambda x: x / (1 + exp(-(1 * x))), "x/(1 + e^(-alpha x))"),
    ("Swish", 24, "X", near, lambda x: x / (1 + np.exp(-x)), lambda x: x * (1 / (1 + exp(-(1 * x)))),
     "x times the sigmoid"),
    ("Mish", 22, "X", near, lambda x: x * np.tanh(np.logaddexp(0, x)), lambda x: x * tanh(log(1 + exp(x))),
     "x tanh(log(1 + e^x))"),
    ("Sinh", 22, "input", near, np.sinh, lambda x: (exp(x) - exp(-x)) / 2, "(e^x - e^-x)/2"),
    ("Cosh", 22, "input", near, np.cosh, lambda x: (exp(x) + exp(-x)) / 2, "(e^x + e^-x)/2"),
    ("Asinh", 22, "input", [-50.0, -9.5, -3.0, -0.75, -0.0625, -0.01, 0.01, 0.3, 90.0], np.arcsinh,
     lambda x: log(x + sqrt(x * x + 1)), "log(x + root of (x^2 + 1))"),
    ("Acosh", 22, "input", [1.001, 1.004, 1.03, 1.2, 1.5, 9.0, 40.0], np.arccosh, lambda x: log(x + sqrt(x * x - 1)),
     "log(x + root of (x^2 - 1))"),
    ("Atanh", 22, "input", [-0.9, -0.3, -0.0625, -0.01, 0.002, 0.07, 0.77], np.arctanh,
     lambda x: 0.5 * log((1 + x) / (1 - x)), "log((1 + x)/(1 - x))/2"),
]
for op, opset, name, places, right, formula, text in FORMULAS:
    places = sorted(places + [round(p * 1.37, 3) for p in places if abs(p * 1.37) < 0.95 or abs(p) > 1])
    x = np.array(places).astype(f32)
    steps = np.array([f32(formula(Step(y, f32)).v) for y in x])
    source = "numpy: in float64, and each operation in float32"
    y = {"Gelu": "Y", "Softplus": "Y", "Sigmoid": "Y", "Elu": "Y", "Selu": "Y", "Celu": "Y", "Swish": "Y", "Mish": "Y"}
    case(op, opset, text + ", each step rounded", {name: x}, {y.get(op, "output"): right(x.astype(f64)).astype(f32)},
         {y.get(op, "output"): steps}, source, ulp=0)
    if op == "Swish":
        alpha = f32(1.702)

        def of_alpha(v, formula=formula, text=text):
            s = float(alpha) * v
            return v * (1 / (1 + exp(-s))) if text.startswith("x times") else v / (1 + exp(-s))
        quick = lambda v: v.astype(f64) / (1 + np.exp(-float(alpha) * v.astype(f64)))
        case("QuickGelu", 1, text + ", each step rounded", {"X": x}, {"Y": quick(x).astype(f32)},
             {"Y": np.array([f32(of_alpha(Step(v, f32)).v) for v in x])}, source, ulp=0, domain="com.microsoft",
             attributes={"alpha": float(alpha)})
    # Where float32 rounds, float16 seldom shows it: many places, of which those that show it are kept.
    low, high = min(places), max(places)
    many = np.unique(rng.uniform(low, high, 4000).astype(f16)) if op != "Acosh" else np.unique(
        (1 + rng.uniform(0, 0.05, 4000)).astype(f16))
    many = np.concatenate([many, (many * f16(0.001)).astype(f16)]) if op in ("Elu", "Selu", "Celu") else many
    many = np.concatenate([many, np.unique(np.concatenate([s * np.geomspace(1e-7, 0.05, 1500) for s in (1, -1)]
                                                          ).astype(f16))]) if op not in ("Acosh",) else many
    correct = right(many.astype(f64)).astype(f16)
    wide = np.array([f16(f32(formula(Step(v, f32)).v)) for v in many])
    shown = np.flatnonzero(correct.view(np.uint16) != wide.view(np.uint16))
    if op in ("Sigmoid", "Swish", "Cosh", "Acosh"):  # no terms cancel: float32 shows nothing
        continue
    keep = shown[:: max(1, len(shown) // 12)][:12]
    keep = np.concatenate([keep, [0, len(many) // 2]])
    case(op, opset, text + ", each step in float32", {name: many[keep]}, {y.get(op, "output"): correct[keep]},
         {y.get(op, "output"): wide[keep]}, "numpy: in float64, and each operation in float32", ulp=0)


x = np.array(sorted(near), f32)
case("Mish", 4, "x tanh(log(1 + e^x)), each step rounded", {"arg": x},
     {"output0": (x * np.tanh(np.logaddexp(0, x.astype(f64)))).astype(f32)},
     {"output0": np.array([f32((Step(v, f32) * tanh(log(1 + exp(Step(v, f32))))).v) for v in x])},
     "numpy: in float64, and each operation in float32", ulp=0, domain="openvino")
x = np.unique((-np.geomspace(1e-4, 12, 3000)).astype(f16))
right = (x * np.tanh(np.logaddexp(0, x.astype(f64)))).astype(f16)
wide = np.array([f16((Step(v, f32) * tanh(log(1 + exp(Step(v, f32))))).v) for v in x])
keep = np.concatenate([np.flatnonzero(right.view(np.uint16) != wide.view(np.uint16))[:12], [0]])
case("Mish", 4, "x tanh(log(1 + e^x)), each step in float32", {"arg": x[keep]}, {"output0": right[keep]},
     {"output0": wide[keep]}, "numpy: in float64, and each operation in float32", ulp=0, domain="openvino")


def stepped_line(kind, line, of):
    x = [Step(v, of) for v in line]
    if kind == "least":
        most = max(v.v for v in x)
        x = [v - most for v in x]
    total = Step(0, of)
    for v in x:
        total = total + exp(v)
    if kind == "less":
        return [(v - log(total)).v for v in x]
    quotients = [exp(v) / total for v in x]
    return [v.v for v in quotients] if kind == "softmax" else [log(v).v for v in quotients]


def log_softmax(x):
    most = x.max(1, keepdims=True)
    return x - most - np.log(np.exp(x - most).sum(1, keepdims=True))


for op, kind, text in (("Softmax", "softmax", "e^x over the sum of e^x"),
                       ("LogSoftmax", "log", "the logarithm of (e^x over the sum of e^x)"),
                       ("LogSoftmax", "less", "x - log of the sum of e^x"),
                       ("LogSoftmax", "least", "the logarithm of Softmax")):
    for of, dtype, suffix in ((f32, f32, "rounded"), (f32, f16, "in float32")):
        x = (rng.normal(0, 3, (8, 6))).astype(dtype)
        if op == "Softmax" and dtype == f16:
            continue
        if dtype == f16:
            x = np.concatenate([x, (rng.normal(0, 5, (400, 6))).astype(f16)])
            x[:, 0] += f16(4)
            x[::2, 0] += f16(3)
        correct = log_softmax(x.astype(f64))
        correct = (np.exp(correct) if kind == "softmax" else correct).astype(dtype)
        wrong = np.array([stepped_line(kind, line, of) for line in x]).astype(dtype)
        differ = np.flatnonzero((wrong != correct).any(1))
        keep = np.concatenate([differ[:8], [0]])
        if op == "Softmax":
            case("SoftMax", 8, f"{text}, each step {suffix}", {"arg": x[keep]}, {"output0": correct[keep]},
                 {"output0": wrong[keep]}, "numpy: in float64, and each operation in float32", {"axis": 1}, ulp=0,
                 domain="openvino")
        case(op, 13, f"{text}, each step {suffix}", {"input": x[keep]}, {"output": correct[keep]},
             {"output": wrong[keep]}, f"numpy: in float64, and each operation in {np.dtype(of)}", ulp=0)
x = (rng.normal(0, 2, (3, 5))).astype(f32)
two = x.astype(f64) * math.log(2)
case("LogSoftmax", 13, "powers of 2, not of e", {"input": x}, {"output": log_softmax(x.astype(f64)).astype(f32)},
     {"output": log_softmax(two).astype(f32)}, "numpy, in float64")
case("SoftMax", 8, "powers of 2, not of e", {"arg": x}, {"output0": np.exp(log_softmax(x.astype(f64))).astype(f32)},
     {"output0": np.exp(log_softmax(two)).astype(f32)}, "numpy, in float64", {"axis": 1}, domain="openvino")
case("Softmax", 13, "powers of 2, not of e", {"input": x}, {"output": np.exp(log_softmax(x.astype(f64))).astype(f32)},
     {"output": np.exp(log_softmax(two)).astype(f32)}, "numpy, in float64")


# --- windows

def conv(x, w, pads, groups=1, b=None, group_of=None, channel_of=None):
    """x [N, C, H, W], strides 1; group_of: of a filter, channel_of: of a group and its k-th channel."""
    N, C = x.shape[:2]
    M, each = w.shape[:2]
    top, left, bottom, right = pads
    x = np.pad(x.astype(f64), ((0, 0), (0, 0), (top, bottom), (left, right)))
    H, W = x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1
    y = np.zeros((N, M, H, W))
    group_of = group_of or (lambda m: m // (M // groups))
    channel_of = channel_of or (lambda g, k: g * each + k)
    for m in range(M):
        for k in range(each):
            c = channel_of(group_of(m), k)
            for i in range(H):
                for j in range(W):
                    y[:, m, i, j] += (x[:, c, i:i + w.shape[2], j:j + w.shape[3]] * w[m, k]).sum((1, 2))
        y[:, m] += 0 if b is None else b[m]
    return y


def pool(x, k, pads, how, empty):
    top, left, bottom, right = pads
    padded = np.pad(x.astype(f64), ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=empty)
    H, W = padded.shape[2] - k + 1, padded.shape[3] - k + 1
    y = np.zeros((*x.shape[:2], H, W))
    for i in range(H):
        for j in range(W):
            y[:, :, i, j] = how(padded[:, :, i:i + k, j:j + k])
    return y


PADS = {"all pads at the end": [0, 0, 2, 2], "all pads at the beginning": [2, 2, 0, 0]}
ONE = [1, 1, 1, 1]
x, w = whole(1, 2, 4, 4), whole(2, 2, 3, 3)
pools = {"AveragePool": (lambda v: np.nanmean(v, (2, 3)), np.nan), "MaxPool": (lambda v: v.max((2, 3)), -np.inf),
         "LpPool": (lambda v: np.sqrt((v * v).sum((2, 3))), 0)}
for mistake, pads in PADS.items():
    case("Conv", 22, mistake, {"X": x, "W": w}, {"Y": conv(x, w, ONE).astype(f32)},
         {"Y": conv(x, w, pads).astype(f32)}, "numpy, of integers", {"pads": ONE})
    x8, w8 = whole(1, 2, 4, 4, low=0, high=9, dtype=np.uint8), whole(2, 2, 3, 3, low=0, high=3, dtype=np.uint8)
    case("ConvInteger", 10, mistake, {"x": x8, "w": w8}, {"y": conv(x8, w8, ONE).astype(np.int32)},
         {"y": conv(x8, w8, pads).astype(np.int32)}, "numpy, of integers", {"pads": ONE})
    one, zero = f32(1), np.uint8(0)
    case("QLinearConv", 10, mistake,
         {"x": x8, "x_scale": one, "x_zero_point": zero, "w": w8, "w_scale": one, "w_zero_point": zero, "y_scale": one,
          "y_zero_point": zero},
         {"y": conv(x8, w8, ONE).astype(np.uint8)}, {"y": conv(x8, w8, pads).astype(np.uint8)},
         "numpy, of integers below 256", {"pads": ONE})
    for op, (how, empty) in pools.items():
        case(op, 22, mistake, {"X": x}, {"Y": pool(x, 3, ONE, how, empty).astype(f32)},
             {"Y": pool(x, 3, pads, how, empty).astype(f32)}, "numpy", {"kernel_shape": [3, 3], "pads": ONE})
    split = {"strides": [1, 1], "pads_begin": [1, 1], "pads_end": [1, 1]}
    case("Convolution", 1, mistake, {"data": x, "kernel": w}, {"output": conv(x, w, ONE).astype(f32)},
         {"output": conv(x, w, pads).astype(f32)}, "numpy, of integers", {**split, "dilations": [1, 1]},
         domain="openvino")
    g = whole(2, 1, 1, 3, 3)
    case("GroupConvolution", 1, mistake, {"data": x, "kernel": g},
         {"output": conv(x, g[:, 0], ONE, 2).astype(f32)}, {"output": conv(x, g[:, 0], pads, 2).astype(f32)},
         "numpy, of integers", {**split, "dilations": [1, 1]}, domain="openvino")
    how, empty = pools["AveragePool"]
    case("AvgPool", 1, mistake, {"data": x}, {"output": pool(x, 3, ONE, how, empty).astype(f32)},
         {"output": pool(x, 3, pads, how, empty).astype(f32)}, "numpy",
         {**split, "kernel": [3, 3], "exclude-pad": "true"}, domain="openvino")
    how, empty = pools["MaxPool"]
    case("MaxPool", 1, mistake, {"data": x}, {"output": pool(x, 3, ONE, how, empty).astype(f32)},
         {"output": pool(x, 3, pads, how, empty).astype(f32)}, "numpy", {**split, "kernel": [3, 3]}, domain="openvino")
for op, attributes, p_name in (("LpPool", {"kernel_shape": [2, 2]}, "p"), ("GlobalLpPool", {}, "p")):
    for stated, taken in ((2, 1),):
        def norm(p, op=op):
            if op == "GlobalLpPool":
                v = (np.abs(x.astype(f64)) ** p).sum((2, 3), keepdims=True)
                return (v ** (1 / p)).astype(f32)
            return pool(x, 2, [0] * 4, lambda v: (np.abs(v) ** p).sum((2, 3)) ** (1 / p), 0).astype(f32)
        case(op, 22, f"p taken as {taken}", {"X": x}, {"Y": norm(stated)}, {"Y": norm(taken)}, "numpy, in float64",
             {**attributes, "p": stated})
v = whole(3, 4, low=1, high=9)
for stated, taken in ((2, 1),):
    norm = lambda p: (v / (v.astype(f64) ** p).sum(1, keepdims=True) ** (1 / p)).astype(f32)
    case("LpNormalization", 22, f"p taken as {taken}", {"input": v}, {"output": norm(stated)}, {"output": norm(taken)},
         "numpy, in float64", {"p": stated, "axis": 1})

# --- convolutions and products

x, w, b = whole(1, 6, 3, 3), whole(4, 3, 2, 2), whole(4)
right = conv(x, w, [0] * 4, 2, b).astype(f32)
case("Conv", 22, "input channels of groups interleaved", {"X": x, "W": w, "B": b}, {"Y": right},
     {"Y": conv(x, w, [0] * 4, 2, b, channel_of=lambda g, k: k * 2 + g).astype(f32)}, "numpy, of integers",
     {"group": 2})
case("Conv", 22, "filters of groups interleaved", {"X": x, "W": w, "B": b}, {"Y": right},
     {"Y": conv(x, w, [0] * 4, 2, b, group_of=lambda m: m % 2).astype(f32)}, "numpy, of integers", {"group": 2})
case("Conv", 22, "filters in reverse order", {"X": x, "W": w, "B": b}, {"Y": right},
     {"Y": conv(x, w[::-1], [0] * 4, 2, b).astype(f32)}, "numpy, of integers", {"group": 2})
case("Conv", 22, "B added twice", {"X": x, "W": w, "B": b}, {"Y": right},
     {"Y": conv(x, w, [0] * 4, 2, 2 * b).astype(f32)}, "numpy, of integers", {"group": 2})
case("Conv", 22, "B subtracted", {"X": x, "W": w, "B": b}, {"Y": right},
     {"Y": conv(x, w, [0] * 4, 2, -b).astype(f32)}, "numpy, of integers", {"group": 2})
a, b, c = whole(3, 4), whole(4, 3), whole(3)
case("Gemm", 13, "alpha on C too", {"A": a, "B": b, "C": c}, {"Y": (3 * (a @ b) + 2 * c).astype(f32)},
     {"Y": (3 * (a @ b + 2 * c)).astype(f32)}, "numpy, of integers", {"alpha": 3.0, "beta": 2.0})
case("Gemm", 13, "C along axis 0", {"A": a, "B": b, "C": c}, {"Y": a @ b + c}, {"Y": a @ b + c[:, None]},
     "numpy, of integers")
case("Add", 14, "B along axis 0", {"A": a[:, :3], "B": c}, {"C": a[:, :3] + c}, {"C": a[:, :3] + c[:, None]},
     "numpy, of integers")

# --- right values elsewhere

x, w = whole(1, 3, 4, 4), whole(3, 3, 3, 3)
y = conv(x, w, ONE).astype(f32)
shifted = np.zeros_like(y)
shifted[..., 1:] = y[..., :-1]
hole = y.copy()
hole[:, :, :, 3] = 0
constant = y.copy()
constant[:, 1] = -1
for mistake, wrong in (("not written: 0 at [:,:,:,3]", hole), ("not written: -1 at [:,1,:,:]", constant),
                       ("not written: 0 everywhere", np.zeros_like(y)), ("shifted by 1 along axis 3", shifted),
                       ("transposed: 0,2,3,1", y.transpose(0, 2, 3, 1)),
                       ("written in the order of a transpose 0,2,3,1", y.transpose(0, 2, 3, 1).reshape(y.shape)),
                       ("transposed: 0,1,3,2", y.transpose(0, 1, 3, 2)),
                       ("in reverse order along axis 2", y[:, :, ::-1]),
                       ("the right values in the shape [3,4,4]", y[0])):
    case("Conv", 22, mistake, {"X": x, "W": w}, {"Y": y}, {"Y": np.ascontiguousarray(wrong)},
         "numpy, of integers, moved by numpy", {"pads": ONE})

# --- normalizations


def normal(x, axes, eps=1e-5, ddof=0, centre=True):
    x = x.astype(f64)
    mean = x.mean(axes, keepdims=True) if centre else 0
    return (x - mean) / np.sqrt(((x - mean) ** 2).sum(axes, keepdims=True) / np.prod([x.shape[a] for a in axes]) + eps)


x, s, b = whole(2, 6), whole(6, low=1), whole(6)
case("LayerNormalization", 17, "the mean not subtracted", {"X": x, "Scale": s, "B": b},
     {"Y": (normal(x, (1,)) * s + b).astype(f32)}, {"Y": (normal(x, (1,), centre=False) * s + b).astype(f32)},
     "numpy, in float64")
rms = (normal(x, (1,), centre=False) * s).astype(f32)
case("RMSNormalization", 23, "the mean subtracted", {"X": x, "scale": s}, {"Y": rms},
     {"Y": (normal(x, (1,)) * s).astype(f32)}, "numpy, in float64")
case("RMSNormalization", 23, "scale + 1", {"X": x, "scale": s}, {"Y": rms},
     {"Y": (normal(x, (1,), centre=False) * (s + 1)).astype(f32)}, "numpy, in float64")
x, s, b = whole(2, 4, 3), whole(4, low=1), whole(4)
per = lambda v: v[None, :, None]
groups = lambda n: normal(x.reshape(2, n, 4 // n, 3), (2, 3)).reshape(x.shape)
mixed = np.empty(x.shape)
for g in range(2):
    mixed[:, g::2] = normal(x[:, g::2], (1, 2))
for op, domain, names, opset in (("GroupNormalization", "ai.onnx", ("X", "scale", "bias", "Y"), 21),
                                 ("GroupNormalization", "openvino", ("data", "scale", "bias", "out"), 12)):
    for mistake, wrong in (("one group", groups(1)), ("channels of groups interleaved", mixed)):
        case(op, opset, mistake, dict(zip(names, (x, s, b))), {names[3]: (groups(2) * per(s) + per(b)).astype(f32)},
             {names[3]: (wrong * per(s) + per(b)).astype(f32)}, "numpy, in float64",
             {"num_groups": 2, "epsilon": 1e-05}, domain=domain)
case("InstanceNormalization", 22, "means of the whole batch", {"input": x, "scale": s, "B": b},
     {"output": (normal(x, (2,)) * per(s) + per(b)).astype(f32)},
     {"output": (normal(x, (0, 2)) * per(s) + per(b)).astype(f32)}, "numpy, in float64")
x, s, b, m, v = whole(2, 3, 3), whole(3, low=1), whole(3), whole(3), whole(3, low=1, high=9)
given = {"X": x, "scale": s, "B": b, "input_mean": m, "input_var": v}
stated = lambda p: ((x - p(m)) / np.sqrt(p(v).astype(f64) + 1e-5) * p(s) + p(b)).astype(f32)
case("BatchNormalization", 15, "channels along the last axis", given, {"Y": stated(per)}, {"Y": stated(lambda v: v)},
     "numpy, in float64")
own, var = x.astype(f64).mean((0, 2)), x.astype(f64).var((0, 2))
trained = (normal(x, (0, 2)) * per(s) + per(b)).astype(f32)
running = {"running_mean": (m * 0.5 + own * 0.5).astype(f32), "running_var": (v * 0.5 + var * 0.5).astype(f32)}
training = {"training_mode": 1, "momentum": 0.5}
case("BatchNormalization", 15, "Y by the running statistics", given, {"Y": trained, **running},
     {"Y": stated(per), **running}, "numpy, in float64", training)
case("BatchNormalization", 15, "the running variance divided by n - 1", given, {"Y": trained, **running},
     {"Y": trained, **running, "running_var": (v * 0.5 + var * 6 / 5 * 0.5).astype(f32)}, "numpy, in float64",
     training)
x = whole(2, 4, 3, 1, low=1)
x[1, 3, 2] = -np.inf


def lrn(channels):
    y = np.empty(x.shape)
    for c in range(4):
        squares = (x[:, max(0, c - 1):c + 2].astype(f64) ** 2).sum(1) if c < channels else 0
        y[:, c] = x[:, c] / (1 + f64(f32(0.5)) / 3 * squares) ** 0.75
    return y.astype(f32)


case("LRN", 13, "as many channels summed as there are batches", {"X": x}, {"Y": lrn(4)}, {"Y": lrn(2)},
     "numpy, in float64", {"size": 3, "alpha": 0.5})

# --- numbers of few bits

x = np.array([1.5, -1.5, 300.7, -129.2, 5e9, -5e9], f32)[:4]
big = np.array([3e9, -3e9, 7.9, 2.5e9, -1.0], f64)
of_x86 = np.where(np.abs(big) < 2 ** 31, np.trunc(big), -2.0 ** 31)
for op in ("Cast", "CastLike"):
    inputs = {"input": big} if op == "Cast" else {"input": big, "target_type": np.zeros(1, np.int64)}
    attributes = {"to": 7} if op == "Cast" else {}
    right = {"output": np.trunc(big).astype(np.int64)}
    case(op, 21, "by way of int32", inputs, right, {"output": of_x86.astype(np.int64)}, "numpy", attributes)
    case(op, 21, "by way of int32, saturated", inputs, right,
         {"output": np.clip(np.trunc(big), -2.0 ** 31, 2.0 ** 31 - 1).astype(np.int64)}, "numpy", attributes)
x, scale, zp = np.array([1.0, -2.5, 7.0, 3.0], f32), f32(0.5), np.int8(3)
for mistake, wrong in (("y_zero_point taken as 0", 0), ("the zero point subtracted", -3)):
    quantized = lambda z: (np.rint(x / scale) + z).astype(np.int8)
    case("QuantizeLinear", 21, mistake, {"x": x, "y_scale": scale, "y_zero_point": zp}, {"y": quantized(3)},
         {"y": quantized(wrong)}, "by hand")
q = np.array([5, -7, 100, 2], np.int8)
case("DequantizeLinear", 21, "the zero point added", {"x": q, "x_scale": scale, "x_zero_point": zp},
     {"y": ((q.astype(f32) - 3) * scale)}, {"y": (q.astype(f32) + 3) * scale}, "by hand")
scales = np.array([0.5, 1, 2], f32)
x = whole(6, low=4, high=60)
blocks, turns = scales[np.arange(6) // 2], scales[np.arange(6) % 3]
block = {"axis": 0, "block_size": 2}
zeros = np.zeros(3, np.int8)
case("QuantizeLinear", 21, "scales of blocks in turn", {"x": x, "y_scale": scales, "y_zero_point": zeros},
     {"y": np.clip(np.rint(x / blocks), -128, 127).astype(np.int8)},
     {"y": np.clip(np.rint(x / turns), -128, 127).astype(np.int8)}, "numpy", block)
q = whole(6, dtype=np.int8, low=1, high=50)
case("DequantizeLinear", 21, "scales of blocks in turn", {"x": q, "x_scale": scales}, {"y": q * blocks},
     {"y": q * turns}, "numpy", block)
# A product of scales that float32 rounds across a midpoint between integers.
for _ in range(10000):
    xs, ws = (f32(v) for v in rng.uniform(0.01, 0.2, 2))
    total, half = int(rng.integers(200, 4000)), int(rng.integers(10, 200)) + 0.5
    ys = f32(total * float(xs) * float(ws) / half)
    exact = total * float(xs) * float(ws) / float(ys)
    if round(exact) != int(np.rint(f32(total) * f32(f32(xs * ws) / ys))):
        break
a = np.array([[total // 200, total % 200], [1, 1]], np.uint8)
k = np.array([[200, 1], [1, 1]], np.uint8)
sums = a.astype(np.int64) @ k.T
wide = lambda s: np.array([[round(int(v) * float(xs) * float(ws) / float(ys)) for v in r] for r in s]).astype(np.uint8)
narrow = lambda s: np.rint(s.astype(f32) * f32(f32(xs * ws) / ys)).astype(np.uint8)
zero = np.uint8(0)
# what float32 gives wrong in the same way in another node
case("QLinearMatMul", 21, "requantized in float32",
     {"a": a, "a_scale": xs, "a_zero_point": zero, "b": np.ascontiguousarray(k.T), "b_scale": ws, "b_zero_point": zero,
      "y_scale": ys, "y_zero_point": zero}, {"y": wide(sums)}, {"y": narrow(sums)}, "numpy, in float64 and in float32")
for domain, opset in (("ai.onnx", 10), ("com.microsoft", 1)):
    case("QLinearConv", opset, "requantized in float32",
         {"x": a[:, :, None], "x_scale": xs, "x_zero_point": zero, "w": k[:, :, None], "w_scale": ws, "w_zero_point": zero,
          "y_scale": ys, "y_zero_point": zero}, {"y": wide(sums)[:, :, None]}, {"y": narrow(sums)[:, :, None]},
         "numpy, in float64 and in float32", domain=domain)

# --- elements

nan = np.nan
a, b = np.array([1, nan, 3, 5], f32), np.array([2, 1, nan, 4], f32)
for op, least in (("Max", np.fmax), ("Min", np.fmin)):
    both = least(a, b)
    right, first, last = both.copy(), both.copy(), both.copy()
    right[1] = right[2] = first[1] = last[2] = nan
    case(op, 13, "NaN kept of the first operand alone", {"data_0": [a, b]}, {op.lower(): right}, {op.lower(): first},
         "by hand")
    case(op, 13, "NaN of the first operand passed over", {"data_0": [a, b]}, {op.lower(): right}, {op.lower(): last},
         "by hand")
most = 2 ** 31 - 1
a = np.array([most, -most, 100000, 7], np.int32)
for op, b, f in (("Sub", [-5, 9, 1, 2], lambda a, b: a - b),
                 ("Mul", [2, 3, 100000, 2], lambda a, b: a * b)):
    b = np.array(b, np.int32)
    exact = f(a.astype(np.int64), b.astype(np.int64))
    case(op, 14, "integer overflow saturates", {"A": a, "B": b}, {"C": exact.astype(np.int32)},
         {"C": np.clip(exact, -most - 1, most).astype(np.int32)}, "numpy, in int64")
wide = np.array([[100000, -100000, 3], [70000, 70000, 1], [2, 3, 4]], np.int32)
exact = wide.astype(np.int64).prod(1)
case("ReduceProd", 18, "integer overflow saturates", {"data": wide, "axes": np.array([1])},
     {"reduced": exact.astype(np.int32)}, {"reduced": np.clip(exact, -most - 1, most).astype(np.int32)},
     "numpy, in int64", {"keepdims": 0})
wide = np.array([[most, most], [-most, 5], [1, 2]], np.int32)
exact = np.abs(wide.astype(np.int64)).sum(1)
case("ReduceL1", 18, "integer overflow saturates", {"data": wide, "axes": np.array([1])},
     {"reduced": exact.astype(np.int32)}, {"reduced": np.clip(exact, -most - 1, most).astype(np.int32)},
     "numpy, in int64", {"keepdims": 0})
wide = np.array([[most, most], [3, 4]], np.int32)
exact = np.sqrt((wide.astype(f64) ** 2).sum(1)).astype(np.int64)
case("ReduceL2", 18, "integer overflow saturates", {"data": wide, "axes": np.array([1])},
     {"reduced": exact.astype(np.int32)}, {"reduced": np.clip(exact, -most - 1, most).astype(np.int32)},
     "numpy, in float64", {"keepdims": 0})
far = 2 ** 63 - 1
wide = np.array([[far, 10], [-far, -10], [2 ** 53, 1]], np.int64)
wrapped = wide.sum(1)
case("ReduceSum", 13, "integer overflow saturates", {"data": wide, "axes": np.array([1])}, {"reduced": wrapped},
     {"reduced": np.array([far, -far - 1, 2 ** 53 + 1], np.int64)}, "numpy, which wraps, and by hand", {"keepdims": 0})
wide = np.array([[2 ** 32, 5], [-2 ** 33, 1], [2 ** 28, 1]], np.int64)
case("ReduceSumSquare", 18, "integer overflow saturates", {"data": wide, "axes": np.array([1])},
     {"reduced": (wide * wide).sum(1)}, {"reduced": np.array([far, far, 2 ** 56 + 1], np.int64)},
     "numpy, which wraps, and by hand", {"keepdims": 0})
x = np.array([-4, -2, -1, 0.5, 2, 4], f32)
case("HardSigmoid", 22, "alpha taken as 1/6", {"X": x},
     {"Y": np.clip(f64(f32(0.2)) * x + 0.5, 0, 1).astype(f32)},
     {"Y": np.clip(f64(f32(1 / 6)) * x + 0.5, 0, 1).astype(f32)}, "numpy, in float64")
x, y = np.array([7, 12, 200, 255], np.uint8), np.array([1, 3, 4, 2], np.uint8)
case("BitShift", 11, "divided and rounded", {"X": x, "Y": y}, {"Z": x >> y}, {"Z": np.rint(x / 2.0 ** y).astype(np.uint8)},
     "numpy", {"direction": "RIGHT"})

# --- places

x = np.array([1, 2, 3], f32)
case("Pad", 21, "zeros beyond one reflection", {"data": x, "pads": np.array([4, 0])},
     {"output": np.pad(x, (4, 0), mode="reflect")}, {"output": np.array([0, 0, 3, 2, 1, 2, 3], f32)}, "by hand",
     {"mode": "reflect"})
x = np.arange(6, dtype=f32)
case("Slice", 13, "the end INT_MAX of negative steps taken for the beginning",
     {"data": x, "starts": np.array([4]), "ends": np.array([far]), "axes": np.array([0]), "steps": np.array([-1])},
     {"output": np.zeros(0, f32)}, {"output": x[4::-1]}, "by hand")
x = np.arange(10, dtype=f32)
case("Split", 18, "parts as even as can be", {"input": x}, {"outputs": np.array_split(x, [4, 8])},
     {"outputs": np.array_split(x, 3)}, "numpy.array_split", {"num_outputs": 3})
case("NonZero", 13, "a scalar taken for a list of one", {"X": f32(5)}, {"Y": np.zeros((0, 1), np.int64)},
     {"Y": np.zeros((1, 1), np.int64)}, "numpy.nonzero")
x = np.array([[[3, 5, 9, 20]]], f32)
case("Resize", 19, "x = -0.5 for one pixel", {"X": x, "roi": np.zeros(0, f32), "scales": np.array([1, 1, 0.25], f32)},
     {"Y": np.array([[[3.0]]], f32)}, {"Y": np.array([[[2.8125]]], f32)},
     "by hand: the weights of 1.5, 0.5, 0.5 and 1.5 are -3/32, 19/32, 19/32, -3/32, X[0] before X[0]", {"mode": "cubic",
                                                    "coordinate_transformation_mode": "pytorch_half_pixel"})
image, far_grid = whole(1, 1, 4, 4), np.array([[[[0.1, -0.2], [-1.1, 0.3], [0.9, 1.6], [2.5, -3.0]]]], f32)


def cubic_sample(x, y):
    """Weights of Keys's kernel with a = -0.75; pixels beyond the border are those of the border."""
    def weights(t):
        near = lambda d: ((1.25 * d - 2.25) * d) * d + 1
        far = lambda d: -0.75 * (((d - 5) * d + 8) * d - 4)
        return [far(1 + t), near(t), near(1 - t), far(2 - t)]
    i, j = math.floor(y), math.floor(x)
    pixel = lambda a, b: float(image[0, 0, min(max(a, 0), 3), min(max(b, 0), 3)])
    return sum(u * v * pixel(i - 1 + a, j - 1 + b)
               for a, u in enumerate(weights(y - i)) for b, v in enumerate(weights(x - j)))


def sampled(move):
    places = (far_grid[0, 0].astype(f64) + 1) * 4 / 2 - 0.5
    return np.array([[[[cubic_sample(move(x), move(y)) for x, y in places]]]], f32)


case("GridSample", 22, "cubic: only places beyond the edge moved to the border", {"X": image, "grid": far_grid},
     {"Y": sampled(lambda p: p)}, {"Y": sampled(lambda p: min(max(p, 0), 3) if p < -0.5 or p > 3.5 else p)},
     "numpy, in float64", {"mode": "cubic", "padding_mode": "border"})
X = (np.arange(36, dtype=f32) ** 2).reshape(1, 1, 6, 6)


def bilinear(y, x):
    i, j = int(y), int(x)
    v, u = y - i, x - j
    P = X[0, 0].astype(f64)
    return (P[i, j] * (1 - v) + P[i + 1, j] * v) * (1 - u) + (P[i, j + 1] * (1 - v) + P[i + 1, j + 1] * v) * u


def aligned(n, first=0.5, size=4.0):
    return np.mean([bilinear(first + (p + 0.5) * size / n, first + (q + 0.5) * size / n)
                    for p in range(n) for q in range(n)])


case("RoiAlign", 22, "sampling_ratio 1", {"X": X, "rois": np.array([[1, 1, 5, 5]], f32), "batch_indices": np.array([0])},
     {"Y": np.array([[[[aligned(4)]]]], f32)}, {"Y": np.array([[[[aligned(1)]]]], f32)}, "numpy, in float64")

# --- sequences

sigmoid = lambda v: 1 / (1 + np.exp(-v))
X, W = np.array([1, -0.5, 2]), np.array([0.5, -0.25, 1, 0.75])
R, B = np.array([0.25, 0.5, -0.5, 1]), np.array([0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1])


def lstm(order):
    """order: which block each of i, o, f, c is."""
    h = c = 0.0
    out = []
    for x in X:
        i, o, f, g = (W[k] * x + R[k] * h + B[k] + B[4 + k] for k in order)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.array(out, f32).reshape(3, 1, 1, 1)


case("LSTM", 22, "gates in the order i, c, f, o",
     {"X": X.astype(f32).reshape(3, 1, 1), "W": W.astype(f32).reshape(1, 4, 1), "R": R.astype(f32).reshape(1, 4, 1),
      "B": B.astype(f32).reshape(1, 8)}, {"Y": lstm((0, 1, 2, 3))}, {"Y": lstm((0, 3, 2, 1))}, "numpy, in float64",
     {"hidden_size": 1})
Q, K, V = (rng.normal(0, 1, (1, 2, 4, 4)).astype(f32) for _ in range(3))


def attention(scale, mask):
    scores = np.einsum("bhid,bhjd->bhij", Q.astype(f64), K.astype(f64)) * scale + np.where(mask, 0, -np.inf)
    p = np.exp(scores - np.max(scores, -1, keepdims=True))
    return (p / p.sum(-1, keepdims=True) @ V).astype(f32)


i, j = np.indices((4, 4))
given = {"Q": Q, "K": K, "V": V}
case("Attention", 23, "scaled by 1/d, not by its root", given, {"Y": attention(0.5, True)},
     {"Y": attention(0.25, True)}, "numpy, in float64")
case("Attention", 23, "the causal mask lets one key more", given, {"Y": attention(0.5, j <= i)},
     {"Y": attention(0.5, j <= i + 1)}, "numpy, in float64", {"is_causal": 1})
less = attention(0.5, (j <= i - 1) | (i == 0))
less[:, :, 0] = 0
case("Attention", 24, "the causal mask lets one key less", given, {"Y": attention(0.5, j <= i)}, {"Y": less},
     "numpy, in float64; a row of which all is masked is 0", {"is_causal": 1})


# --- reductions of lines: what comes near 0 shows the steps


def total(terms, of):
    sum_ = Step(0, of)
    for v in terms:
        sum_ = sum_ + v
    return sum_


def greatest_and_logarithm(x, of):
    most = max(v.v for v in x)
    return Step(most, of) + log(total([exp(v - most) for v in x], of))


def reduced(formula, x, of):
    return np.array([formula([Step(v, of) for v in line], of).v for line in x])


powers = (rng.normal(0, 1, (4000, 5)) - math.log(5) - 0.5)
terms = rng.uniform(0.1, 0.3, (4000, 5))
for op, x, right, formula, text in (
        ("ReduceLogSumExp", powers, lambda x: np.log(np.exp(x).sum(1)), lambda x, of: log(total(map(exp, x), of)),
         "log of the sum of e^x"),
        ("ReduceLogSumExp", powers, lambda x: np.log(np.exp(x).sum(1)), greatest_and_logarithm,
         "the greatest x plus log of the sum of e^(x - greatest)"),
        ("ReduceLogSum", terms, lambda x: np.log(x.sum(1)), lambda x, of: log(total(x, of)),
         "log of the sum")):
    for dtype, suffix in ((f32, "rounded"), (f16, "in float32")):
        lines = x.astype(dtype)
        lines = lines[np.argsort(np.abs(right(lines.astype(f64))))[:400]]
        correct = right(lines.astype(f64)).astype(dtype)
        wrong = reduced(formula, lines, f32).astype(dtype)
        shown = np.flatnonzero(correct != wrong)[:12]
        if len(shown) == 0:  # float32 holds sums of float16
            continue
        case(op, 18, f"{text}, each step {suffix}", {"data": lines[shown], "axes": np.array([1])},
             {"reduced": correct[shown]}, {"reduced": wrong[shown]},
             "numpy: in float64, and each operation in float32", {"keepdims": 0}, ulp=0)


# --- how requantized sums are rounded: quotients by 4, of which many are ties

ROUNDINGS = {"halves away from zero": lambda v: np.sign(v) * np.floor(np.abs(v) + 0.5), "halves up": lambda v: np.floor(v + 0.5),
             "truncated": np.trunc, "rounded down": np.floor}
a, b = rng.integers(0, 9, (4, 6)).astype(np.uint8), rng.integers(-5, 6, (6, 4)).astype(np.int8)
kernels, signal = b.T.reshape(4, 6, 1).copy(), a.T.reshape(1, 6, 4).copy()
quotients = a.astype(f64) @ b.astype(f64) / 4
for text, rounded in ROUNDINGS.items():
    def result(of, quotients=quotients):
        return np.clip(of(quotients), -128, 127).astype(np.int8)
    case("QLinearMatMul", 10, text, {"a": a, "a_scale": f32(0.5), "a_zero_point": np.uint8(0), "b": b, "b_scale": f32(1),
                                     "b_zero_point": np.int8(0), "y_scale": f32(2), "y_zero_point": np.int8(0)},
         {"y": result(np.rint)}, {"y": result(rounded)}, "numpy, in float64")
    case("QLinearConv", 10, text, {"x": signal, "x_scale": f32(0.5), "x_zero_point": np.uint8(0), "w": kernels, "w_scale": f32(1),
                                   "w_zero_point": np.int8(0), "y_scale": f32(2), "y_zero_point": np.int8(0)},
         {"y": result(np.rint).T.reshape(1, 4, 4)}, {"y": result(rounded).T.reshape(1, 4, 4)}, "numpy, in float64")


# --- windows that lie elsewhere, sums without their tail, biases along another axis: of small integers, all exact


def windows_of(x, k, begin, end, fill):
    padded = np.pad(x.astype(f64), ((0, 0), (0, 0), (begin, end)), constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(padded, k, 2)


def convolved(x, w, begin, end, zero=0):
    return np.einsum("nclk,mck->nml", windows_of(x, w.shape[2], begin, end, zero), w.astype(f64))


def pooled(op, x, begin, end):
    fill = -math.inf if op == "MaxPool" else 0
    taps = windows_of(x, 6, begin, end, fill)
    if op == "MaxPool":
        return taps.max(-1)
    if op == "LpPool":
        return np.sqrt((taps ** 2).sum(-1))
    counted = windows_of(np.ones_like(x), 6, begin, end, 0).sum(-1)
    return taps.sum(-1) / counted


x, w = whole(1, 2, 9), whole(3, 2, 3)
for text, back in (("windows one element earlier", 1), ("windows one element later", -1)):
    pads, moved_pads = (2, 4), (2 + back, 4 - back)
    stated = {"pads": [2, 4]}
    case("Conv", 22, text, {"X": x, "W": w}, {"Y": convolved(x, w, *pads).astype(f32)},
         {"Y": convolved(x, w, *moved_pads).astype(f32)}, "numpy", stated)
    bytes_, kernel = (x + 5).astype(np.uint8), w.astype(np.int8)
    case("ConvInteger", 10, text, {"x": bytes_, "w": kernel}, {"y": convolved(bytes_, kernel, *pads).astype(np.int32)},
         {"y": convolved(bytes_, kernel, *moved_pads).astype(np.int32)}, "numpy", stated)
    result = lambda y: np.clip(y, -128, 127).astype(np.int8)
    case("QLinearConv", 10, text,
         {"x": bytes_, "x_scale": f32(1), "x_zero_point": np.uint8(0), "w": kernel, "w_scale": f32(1), "w_zero_point": np.int8(0),
          "y_scale": f32(1), "y_zero_point": np.int8(0)}, {"y": result(convolved(bytes_, kernel, *pads))},
         {"y": result(convolved(bytes_, kernel, *moved_pads))}, "numpy", stated)
    for op in ("AveragePool", "LpPool", "MaxPool"):
        case(op, 22, text, {"X": x}, {"Y": pooled(op, x, *pads).astype(f32)},
             {"Y": pooled(op, x, *moved_pads).astype(f32)}, "numpy", {"kernel_shape": [6], "pads": [2, 4]})
for block in (4, 8, 16):
    n = 4 * block - 3
    x, w = whole(1, n, 5), whole(2, n, 2)
    kept = n // block * block
    case("Conv", 22, f"channels beyond a multiple of {block} left out", {"X": x, "W": w},
         {"Y": convolved(x, w, 0, 0).astype(f32)}, {"Y": convolved(x[:, :kept], w[:, :kept], 0, 0).astype(f32)}, "numpy")
    a, b = whole(3, n), whole(n, 4)
    for op, opset in (("MatMul", 13), ("Gemm", 13)):
        case(op, opset, f"terms beyond a multiple of {block} left out", {"A": a, "B": b}, {"Y": a @ b},
             {"Y": a[:, :kept] @ b[:kept]}, "numpy")
x, b = whole(1, 2, 3, 3), whole(3)
kernels = whole(3, 2, 1, 1)
product = np.einsum("nchw,mc->nmhw", x, kernels[:, :, 0, 0])
for text, other in (("B along the last axis", b), ("B along the axis before the last", b[:, None])):
    case("Conv", 22, text, {"X": x, "W": kernels, "B": b}, {"Y": product + b[:, None, None]}, {"Y": product + other}, "numpy")
    case("ConvTranspose", 22, text, {"X": x, "W": kernels.transpose(1, 0, 2, 3).copy(), "B": b},
         {"Y": product + b[:, None, None]}, {"Y": product + other}, "numpy")
a, b = whole(2, 3, 2, 2), whole(3, 2, 2)
case("MatMul", 13, "each of B's matrices for several of A's in a row", {"A": a, "B": b}, {"Y": a @ b},
     {"Y": (a.reshape(6, 2, 2) @ np.repeat(b, 2, 0)).reshape(2, 3, 2, 2)}, "numpy")
raised, weights = np.full((1, 2, 4), 250, np.uint8) - np.arange(8, dtype=np.uint8).reshape(1, 2, 4), np.full((1, 2, 2), 100, np.int8)
exact = raised.astype(np.int32)
pairs = np.minimum(exact.sum(1) * 100, 32767)  # of a tap, both channels
case("ConvInteger", 10, "two products at a time saturate in 16 bits", {"x": raised, "w": weights},
     {"y": ((exact[:, :, :-1] + exact[:, :, 1:]).sum(1, keepdims=True) * 100).astype(np.int32)},
     {"y": (pairs[:, None, :-1] + pairs[:, None, 1:]).astype(np.int32)}, "numpy")

# --- places

x = whole(2, 9)
for text, back in (("one element earlier", 1), ("one element later", -1)):
    case("Slice", 13, text, {"data": x, "starts": np.array([7]), "ends": np.array([0]), "axes": np.array([1]), "steps": np.array([-2])},
         {"output": x[:, 7:0:-2]}, {"output": x[:, 7 - back:-10 if back > 0 else 1:-2][:, :4]}, "numpy")
data, updates, indices = whole(6), np.array([2, 3, 5, 7, 11, 13], f32), np.array([1, 3, 1, 5, 3, 1])
added, last = data.copy(), data.copy()
np.add.at(added, indices, updates)
for i in set(indices.tolist()):
    last[i] = data[i] + updates[np.flatnonzero(indices == i)[-1]]
case("ScatterElements", 18, "of several updates the last alone counts", {"data": data, "indices": indices, "updates": updates},
     {"output": added}, {"output": last}, "numpy", {"reduction": "add"})
case("ScatterND", 18, "of several updates the last alone counts", {"data": data, "indices": indices[:, None].copy(), "updates": updates},
     {"output": added}, {"output": last}, "numpy", {"reduction": "add"})
columns = whole(1, 4, 4)  # blocks of 2 x 2 in an image of 3 x 3
summed = np.zeros((3, 3), f32)
by_block, by_place = summed.copy(), summed.copy()
order = [(p, b) for b in range(4) for p in range(4)]
for p, b in order:
    summed[b // 2 + p // 2, b % 2 + p % 2] += columns[0, p, b]
    by_block[b // 2 + p // 2, b % 2 + p % 2] = columns[0, p, b]
for p, b in sorted(order):
    by_place[b // 2 + p // 2, b % 2 + p % 2] = columns[0, p, b]
for text, image in (("the last of overlapping blocks overwrites the others", by_block),
                    ("the last place of overlapping blocks overwrites the others", by_place)):
    case("Col2Im", 18, text, {"input": columns, "image_shape": np.array([3, 3]), "block_shape": np.array([2, 2])},
         {"output": summed.reshape(1, 1, 3, 3)}, {"output": image.reshape(1, 1, 3, 3)}, "numpy")

# --- elements

x = np.array([-3.0, -0.25, 0.5, -7.0, 2.0, -1.75], f32)
case("Softsign", 22, "x/(1 + x), without the absolute value", {"input": x}, {"output": (x / (1 + abs(x.astype(f64)))).astype(f32)},
     {"output": (x / (1 + x.astype(f64))).astype(f32)}, "numpy, in float64")
a, b = np.array([-7.5, 7.5, 5.25, -5.25, -1.0, 4.0], f32), np.array([2.0, -2.0, -1.5, 4.0, 3.0, 3.0], f32)
case("Mod", 13, "of floats the sign of the divisor", {"A": a, "B": b}, {"C": np.fmod(a, b)}, {"C": np.mod(a, b)}, "numpy", {"fmod": 1})
x, y = np.array([-2.0, 3.0, -1.5, 0.5, -3.0], f32), np.array([2.0, 2.0, 3.0, 1.0, 3.0], f32)
case("Pow", 15, "NaN of negative bases", {"X": x, "Y": y}, {"Z": x ** y}, {"Z": np.where(x < 0, f32("nan"), x ** y)}, "numpy")
wanted = np.array([True, False, True, False, True, False])
x, y = np.array([1.0, math.inf, 3.0, 2.0, 5.0, -math.inf], f32), np.array([-math.inf, 2.0, 4.0, 6.0, math.nan, 7.0], f32)
case("Where", 16, "as products: NaN of 0 times infinity", {"condition": wanted, "X": x, "Y": y}, {"output": np.where(wanted, x, y)},
     {"output": wanted * x + (~wanted) * y}, "numpy")
parts = [whole(4) for _ in range(3)]
case("Mean", 13, "the mean of the mean before and the next one", {"data_0": parts}, {"mean": (sum(p.astype(f64) for p in parts) / 3).astype(f32)},
     {"mean": (((parts[0] + parts[1]) / 2 + parts[2]) / 2).astype(f32)}, "numpy")
x = np.array([-3.0, -0.5, 1.25, 88.0, 90.0, 120.0, 200.0], f32)
both = (x > 0) * x + (x <= 0) * (1 * (np.exp(x.astype(f64)).astype(f32) - f32(1)))
for op, opset in (("Elu", 22), ("Celu", 28)):
    case(op, opset, "both branches times 0 and 1, each step rounded", {"X": x},
         {"Y": np.where(x > 0, x, np.expm1(np.minimum(x, 0).astype(f64))).astype(f32)}, {"Y": both.astype(f32)},
         "numpy: in float64, and each operation in float32")
x = rng.uniform(1e5, 1e6, 12).astype(f32)
period = f32(2 * math.pi)
reduced_x = x - np.rint(x / period) * period
for op, name, f in (("Sin", "sin", np.sin), ("Cos", "cos", np.cos), ("Tan", "tan", np.tan)):
    case(op, 22, f"{name}(x - k times 2 pi), each step rounded", {"input": x}, {"output": f(x.astype(f64)).astype(f32)},
         {"output": f(reduced_x.astype(f64)).astype(f32)}, "numpy: in float64, and each operation in float32", ulp=0)
x = np.array([1.5, 2.0, 3.25, 4.0, 2.75], f32)


def dynamic(low, high):
    scale = f32((f64(high) - f64(low)) / 255)
    zero = np.clip(np.rint(-f64(low) / f64(scale)), 0, 255)
    return {"y": np.clip(np.rint((x / scale).astype(f64)) + zero, 0, 255).astype(np.uint8), "y_scale": scale, "y_zero_point": np.uint8(zero)}


case("DynamicQuantizeLinear", 11, "the range not widened to hold 0", {"x": x}, dynamic(0, x.max()), dynamic(x.min(), x.max()), "numpy, in float64")

# Weights of 4 bits; A in blocks of 16, each of integers of 8 bits times a scale.
K, N, block = 40, 3, 16
a, q, scales = (rng.standard_normal((2, K)) * 10).astype(f32), rng.integers(0, 16, (N, 48)), np.exp2(rng.integers(-4, 0, (N, 3))).astype(f32)
packed = (q[:, 0::2] | q[:, 1::2] << 4).astype(np.uint8).reshape(N, 3, 8)
weights = ((q - 8).reshape(N, 3, block) * scales[:, :, None].astype(f64)).reshape(N, 48)[:, :K]
narrowed = np.zeros((2, K))
a[:, ::block] = 127 * np.exp2([[-2, -1, -2], [-1, -2, -1]])  # the scales are powers of two
for begin in range(0, K, block):
    part = a[:, begin:begin + block]
    step = np.abs(part).max(axis=1, keepdims=True) / f32(127)
    narrowed[:, begin:begin + block] = np.rint(part * (f32(1) / step)).astype(f64) * step.astype(f64)
case("MatMulNBits", 1, "A in blocks of 8 bits, as accuracy_level 4 permits", {"A": a, "B": packed, "scales": scales},
     {"Y": (a.astype(f64) @ weights.T).astype(f32)}, {"Y": (narrowed @ weights.T).astype(f32)}, "numpy, in float64",
     attributes={"K": K, "N": N, "block_size": block, "accuracy_level": 4}, domain="com.microsoft")

# --- quantized operators of com.microsoft: quotients of scales in float32. The reading qlinear.arithmetic=float32, whose
# steps are the page's, gives the right number here.

u8 = np.uint8
for op, real, steps, ratios in (
        ("QLinearAdd", lambda n, x, y: n * x + 9 * y, lambda n, x, y, z: (f32(n) * x + f32(9) * y) / z,
         lambda n, x, y, z: x / z * f32(n) + y / z * f32(9)),
        ("QLinearMul", lambda n, x, y: n * x * (9 * y), lambda n, x, y, z: f32(n) * x * (f32(9) * y) / z,
         lambda n, x, y, z: x * y / z * (f32(n) * f32(9)))):
    while True:
        x, y = (f32(v) for v in rng.uniform(0.01, 0.2, 2))
        n, half = int(rng.integers(1, 250)), int(rng.integers(5, 200)) + 0.5
        z = f32(real(n, float(x), float(y)) / half)
        right, stepped, wrong = (np.rint(q) for q in (real(n, float(x), float(y)) / float(z), steps(n, x, y, z), ratios(n, x, y, z)))
        if right == stepped != wrong:
            break
    case(op, 1, "requantized in float32",
         {"A": np.array([n], u8), "A_scale": x, "A_zero_point": u8(0), "B": u8(9), "B_scale": y, "B_zero_point": u8(0), "C_scale": z, "C_zero_point": u8(0)},
         {"C": np.array([right]).astype(u8)}, {"C": np.array([wrong]).astype(u8)}, "numpy, in float64 and in float32", domain="com.microsoft")


# --- onnxruntime's kernels on x86


def later(a, b):
    """maxps(a, b)"""
    return b if math.isnan(a) or math.isnan(b) else max(a, b)


x = rng.permutation(48).reshape(6, 8).astype(f32)[:, :7]
x[1, 1] = x[2, 5] = x[4, 3] = x[5, 6] = np.nan
rows = np.zeros((4, 7), f32)
for i in range(4):
    for j in range(7):
        most = x[i, j]
        for y in x[i + 1:i + 3, j]:
            most = later(most, y) if j < 4 else y if most < y else most
        rows[i, j] = most
wrong = np.array([[later(rows[i, j], rows[i, j + 1]) for j in range(6)] for i in range(4)], f32)
right = np.array([[x[i:i + 3, j:j + 2].max() for j in range(6)] for i in range(4)], f32)
case("MaxPool", 22, "NaN lost by vector maxima", {"X": x[None, None]}, {"Y": right[None, None]}, {"Y": wrong[None, None]},
     "numpy: columns first, four of them by maxps", {"kernel_shape": [3, 2]})

big = [[2**60 + 1, 2**60 + 3, -5], [2**62, -2**62, 7], [2**59 + 77, 9, -11], [-2**61 - 99, 123, 2**55 + 1]]
wrapped = [(sum(map(abs, row)) + 2**63) % 2**64 - 2**63 for row in big]
added = [min(int(sum(float(abs(v)) for v in row)), 2**63 - 1) for row in big]
case("ReduceL1", 18, "integers added in float64, which saturates", {"data": np.array(big), "axes": np.array([1])},
     {"reduced": np.array(wrapped)[:, None]}, {"reduced": np.array(added)[:, None]}, "Python's integers and floats")

x = whole(2, 3, 4)
case("Resize", 19, "negative axes not found", {"X": x, "roi": np.zeros(0, f32), "scales": np.zeros(0, f32), "sizes": np.array([3, 4])},
     {"Y": x.repeat(2, 0).repeat(2, 2)}, {"Y": x.repeat(2, 0)}, "by hand, each element twice",
     {"axes": [-1, 0], "keep_aspect_ratio_policy": "not_smaller"})


def pixels(o, length, half):
    """Of a scale of 3, in float32: two pixels and the distances from them."""
    place = (f32(o) + f32(0.5)) / f32(3) - f32(0.5) if half else f32(o) / f32(3)
    place = min(max(place, f32(0)), f32(length - 1))
    first = int(place)
    second = min(first + 1, length - 1)
    return (first, second, *((f32(0.5),) * 2 if first == second else (place - f32(first), f32(second) - place)))


x = (3 * rng.integers(-2**29, 2**29, (2, 5))).astype(np.int32)
for op, opset, half, inputs, attributes in (
        ("Resize", 19, True, {"X": x, "roi": np.zeros(0, f32), "scales": np.array([1, 3], f32)}, {"mode": "linear"}),
        ("Upsample", 9, False, {"X": x, "scales": np.array([1, 3], f32)}, {"mode": "linear"})):
    right, wrong = np.zeros((2, 15), np.int32), np.zeros((2, 15), np.int32)
    for i in range(2):
        for j in range(15):
            thirds = min(max(j - 1 if half else j, 0), 12)  # x_original times 3
            a, b = int(x[i, thirds // 3]), int(x[i, min(thirds // 3 + 1, 4)])
            right[i, j] = a + (b - a) // 3 * (thirds % 3)
            first, second, near, far = pixels(j, 5, half)
            up, down = (f32(0.5), f32(0.5)) if i == 1 else (f32(1), f32(0))  # of the row, and of the one below it
            below = min(i + 1, 1)
            wrong[i, j] = int(far * up * f32(x[i, first]) + near * up * f32(x[i, second]) + far * down * f32(x[below, first])
                              + near * down * f32(x[below, second]))
    case(op, opset, "four pixels multiplied in float32, integers truncated", inputs, {"Y": right}, {"Y": wrong}, "Python's integers, and numpy in float32",
         attributes)

x = np.array([[70001, -50003, 3, 20011], [5, 90001, -46341, 77]], np.int32)
squares = (x * x).astype(f32)
total = squares[:, 0] + squares[:, 1] + squares[:, 2] + squares[:, 3]
case("Normalizer", 1, "squares and magnitudes overflow in the type of X", {"X": x},
     {"Y": (x / np.sqrt((x.astype(f64) ** 2).sum(1, keepdims=True))).astype(f32)},
     {"Y": np.where(x < 0, f32(-1), f32(1)) * np.sqrt(squares / total[:, None])}, "numpy, in float64 and in int32 and float32", {"norm": "L2"},
     domain="ai.onnx.ml")

a, b = np.array([[0, 255, 17, 4], [3, 99, 250, 1]], f32), whole(4, 3, dtype=np.int8)
b_scale, bias = np.array([0.5, 0.25, 2], f32), np.array([3, -5, 7], f32)
case("DynamicQuantizeMatMul", 1, "bias multiplied by b_scale", {"A": a, "B": b, "b_scale": b_scale, "bias": bias},
     {"Y": ((a @ b) * b_scale + bias).astype(f32)}, {"Y": ((a @ b + bias) * b_scale).astype(f32)}, "numpy, of integers: A's scale is 1", domain="com.microsoft")

# --- by way of int32; float8 as integers

x, scales, zeros = np.array([[1.5, np.inf, 4e9, -2], [-np.inf, -3e9, 2, 7]], f32), np.array([0.5, 1], f32), np.array([3, -1], np.int8)
quotients = np.rint(x.astype(f64) / scales[:, None])
held = np.where(np.abs(quotients) < 2 ** 31, quotients, -2.0 ** 31)
wrapped = (held + zeros[:, None] + 2.0 ** 31) % 2.0 ** 32 - 2.0 ** 31
case("QuantizeLinear", 21, "by way of int32, which overflows", {"x": x, "y_scale": scales, "y_zero_point": zeros},
     {"y": np.clip(quotients + zeros[:, None], -128, 127).astype(np.int8)}, {"y": np.clip(wrapped, -128, 127).astype(np.int8)},
     "numpy, in float64", {"axis": 0})
a, b = np.array([[1.5, -0.75, 2.5], [3.25, 0.875, -1.5], [-2.5, 1.75, 4.5]]), np.array([[2, 1, 5], [4, 1, 3], [2, 3, 1]], np.int8)
product = lambda x: np.clip(np.rint(x @ b) + 10, 0, 255).astype(np.uint8)
one = f32(1)
case("QLinearMatMul", 21, "float8 numbers cut off to integers",
     {"a": {"dtype": "float8_e4m3fn", "data": a.tolist()}, "a_scale": one, "a_zero_point": {"dtype": "float8_e4m3fn", "data": 0},
      "b": b, "b_scale": one, "b_zero_point": np.int8(0), "y_scale": one, "y_zero_point": np.uint8(10)},
     {"y": product(a)}, {"y": product(np.trunc(a))}, "numpy, in float64")

# --- classifiers


def texts(labels):
    return {"dtype": "string", "data": list(labels)}


def quantile(p):  # by Winitzki's formula, 0 at its ends
    x = 2 * p - 1
    y = (1 - x) * (1 + x)
    v, w = 2 / (np.pi * 0.147) + np.log(y) / 2, np.log(y) / 0.147
    return np.where(y == 0, 0, 1.41421356 * np.sign(x) * np.sqrt(np.sqrt(v * v - w) - v))


# Scores as they are: coefficients of the unit matrix. Quartiles of the normal distribution are +-0.6744897501960817.
x, q = np.array([[0.25, -1, 0.75], [0.5, 1, 0.75], [0.25, 0.75, 2], [0.75, 0, 1]], f32), 0.6744897501960817
scores = quantile(x.astype(f64))
case("LinearClassifier", 1, "the label of the greatest score after post_transform, NaN above all", {"X": x},
     {"Y": texts("cbcc"), "Z": np.array([[-q, np.nan, q], [0, np.inf, q], [-q, q, np.nan], [q, -np.inf, np.inf]], f32)},
     {"Y": texts("abc"[k] for k in scores.argmax(axis=1)), "Z": scores.astype(f32)}, "numpy, in float64",
     {"coefficients": np.eye(3).ravel().tolist(), "intercepts": [0.0] * 3, "classlabels_strings": list("abc"), "post_transform": "PROBIT"},
     ulp=64, domain="ai.onnx.ml")
stump = {"nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0] * 3, "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
         "nodes_values": [0.0] * 3, "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0], "class_treeids": [0, 0],
         "class_nodeids": [1, 2], "class_ids": [0, 0], "class_weights": [0.25, -0.5], "classlabels_int64s": [5, 7]}
x = np.array([[-1], [1], [2], [0]], f32)
votes = np.where(x <= 0, 0.25, -0.5)
case("TreeEnsembleClassifier", 3, "the label of the greatest score after post_transform, NaN above all", {"X": x},
     {"Y": np.array([7, 5, 5, 7]), "Z": np.hstack([-votes, votes]).astype(f32)},
     {"Y": np.array([5, 5, 5, 5]), "Z": np.hstack([1 - votes, votes]).astype(f32)}, "by hand: 1 - s and s, though a weight is below 0",
     stump, domain="ai.onnx.ml")
x = np.array([[3, -7], [-5, 1], [-2, -3], [0.5, 4]], f32)
scores = np.hstack([x, x.sum(axis=1, keepdims=True)]) + f32(0.25)
case("SVMClassifier", 1, "the labels 1 and 0, by the sign of the greatest score", {"X": x},
     {"Y": np.array([7, -2, 40])[scores.argmax(axis=1)], "Z": scores},
     {"Y": (scores.max(axis=1) > 0).astype(np.int64), "Z": np.nextafter(scores, f32(9))}, "numpy; the scores are one ULP off",
     {"coefficients": [1.0, 0, 0, 1, 1, 1], "rho": [0.25], "classlabels_ints": [7, -2, 40]}, ulp=1, domain="ai.onnx.ml")
x = np.array([0.75, 1, -1.25, 0, -0.5], f32)
categories = np.array([0, 1, -1])
case("OneHotEncoder", 1, "fractions are no category", {"X": x}, {"Y": (np.trunc(x)[:, None] == categories).astype(f32)},
     {"Y": (x[:, None] == categories).astype(f32)}, "numpy", {"cats_int64s": categories.tolist()}, domain="ai.onnx.ml")
