# SPDX-License-Identifier: Apache-2.0
"""Activations for scripts/lab/real-cases, sorted by name."""
from mpmath import erfc, exp, expm1, log, log1p, mpf, pi, sqrt
from real_case import ORDINARY, SPECIAL, RealOperator, nearest


def gelu(x, approximate="none"):
    if approximate == "tanh":
        return x / (1 + exp(-2 * sqrt(2 / pi) * (x + mpf("0.044715") * x**3)))
    return x / 2 * erfc(-x / sqrt(mpf(2)))


def leaky_relu(x, alpha=0.01):
    product = float32(alpha) * x
    return x if x >= 0 else "-0" if product == 0 else product


def float32(x):
    """A float attribute is the float32 nearest to what a node says."""
    return nearest("float32", mpf(x))


def signed_zero(product):
    """A product, of which one factor is below 0."""
    return "-0" if product == 0 else product


def celu(x, alpha=1.0):
    """max(0, x) + min(0, alpha·(e^(x/alpha) - 1)): of alpha < 0 too the second is not 0 where x < 0."""
    return x if x >= 0 else float32(alpha) * expm1(max(x / float32(alpha), mpf(-2000)))


def elu(x, alpha=1.0):
    return x if x >= 0 else signed_zero(float32(alpha) * expm1(max(x, mpf(-2000))))


def hard_sigmoid(x, alpha=0.2, beta=0.5):
    return max(mpf(0), min(mpf(1), float32(alpha) * x + float32(beta)))


def hard_swish(x):
    return signed_zero(mpf(0)) if x <= -3 else x if x >= 3 else x * (x + 3) / 6


def mish(x):
    """tanh(ln(1 + u)) = ((1 + u)² - 1)/((1 + u)² + 1)"""
    u = exp(x) if x < 0 else exp(-x)
    return x * (u * u + 2 * u) / (u * u + 2 * u + 2) if x < 0 else x * (1 + 2 * u) / (1 + 2 * u + 2 * u * u)


def selu(x, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
    return float32(gamma) * (x if x > 0 else float32(alpha) * expm1(max(x, mpf(-2000))))


def shrink(x, bias=0.0, lambd=0.5):
    return x + float32(bias) if x < -float32(lambd) else x - float32(bias) if x > float32(lambd) else mpf(0)


def swish(x, alpha=1.0):
    return x / (1 + exp(-float32(alpha) * x))


def thresholded_relu(x, alpha=1.0):
    return x if x > float32(alpha) else mpf(0)


def infinities(plus, minus, zero, nan="NaN"):
    return {"-0": zero, "Inf": plus, "-Inf": minus, "NaN": nan}


FAR = [9.0, -9.5, 20.0, -40.0, 89.0, -105.0, -746.0, 60000.0, -60000.0, 1e30, -1e30]
# 1 + 2^-11 is a tie of float16, from which e^-60000 takes something away.
TIE = 1 + 2.0**-11
OPERATORS = [
    RealOperator("Celu", "max(0, x) + min(0, alpha·(e^(x/alpha) - 1))", celu,
                 infinities("Inf", lambda alpha=1.0: "-Inf" if alpha < 0 else -mpf(alpha), 0), [28], attributes=[{}, {"alpha": -2.0}, {"alpha": TIE}],
                 arguments=ORDINARY + FAR + SPECIAL),
    RealOperator("Elu", "alpha·(e^x - 1) below 0, x else", elu, infinities("Inf", lambda alpha=1.0: -mpf(alpha), "-0"), [1, 6, 22], bfloat16_since=22,
                 attributes=[{}, {"alpha": -0.5}, {"alpha": TIE}], arguments=ORDINARY + FAR + SPECIAL),
    # x/2 of an odd multiple of the least subnormal is a tie; far below zero the result is tiny.
    RealOperator("Gelu", "x/2·(1 + erf(x/√2)) or, with tanh, x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", gelu,
                 {"-0": "-0", "Inf": "Inf", "-Inf": "NaN", "NaN": "NaN"}, [20], attributes=[{}, {"approximate": "tanh"}],
                 arguments=ORDINARY + [-8.3, -12, -14.2, 8.3, 30, 2.0**-24, 3 * 2.0**-24, 2.0**-133, 2.0**-1074, -3 * 2.0**-1074, 1e30, -1e30] + SPECIAL),
    RealOperator("HardSigmoid", "max(0, min(1, alpha·x + beta))", hard_sigmoid,
                 infinities(1, 0, lambda alpha=0.2, beta=0.5: mpf(beta)), [1, 6, 22], bfloat16_since=22,
                 attributes=[{}, {"alpha": 0.5, "beta": 0.25}], arguments=ORDINARY + [2.5, -2.5, 2.4990234375, 1e30, -1e30] + SPECIAL),
    RealOperator("HardSwish", "x·max(0, min(1, x/6 + 1/2))", hard_swish, infinities("Inf", "NaN", "-0"), [14, 22], bfloat16_since=22,
                 arguments=ORDINARY + [-3.0, 2.9990234375, -2.9990234375, 3.5, -1.5, 1e30, -1e30] + SPECIAL),
    RealOperator("LeakyRelu", "alpha·x below 0, x else; the numbers' product", leaky_relu,
                 {"-0": "-0", "Inf": "Inf", "-Inf": lambda alpha=0.01: "NaN" if alpha == 0 else "Inf" if alpha < 0 else "-Inf", "NaN": "NaN"},
                 [1, 6, 16], bfloat16_since=16, attributes=[{}, {"alpha": -0.5}, {"alpha": 0.0}]),
    RealOperator("Mish", "x·tanh(ln(1 + e^x))", mish, infinities("Inf", "NaN", "-0"), [18, 22], bfloat16_since=22, arguments=ORDINARY + FAR + SPECIAL),
    RealOperator("Relu", "max(0, x)", lambda x: max(x, mpf(0)), {"-0": 0, "Inf": "Inf", "-Inf": 0, "NaN": "NaN"}, [1, 6, 13, 14]),
    RealOperator("Selu", "gamma·(alpha·e^x - alpha) for x <= 0, gamma·x else", selu,
                 infinities("Inf", lambda alpha=1.67326319217681884765625, gamma=1.05070102214813232421875: -mpf(gamma) * mpf(alpha), 0), [6, 22],
                 bfloat16_since=22, attributes=[{}, {"alpha": TIE, "gamma": 2.0}], arguments=ORDINARY + FAR + SPECIAL),
    # The sum of a number and of a bias that is a midpoint or nearly so is beside it.
    RealOperator("Shrink", "x + bias below -lambd, x - bias above lambd, else 0", shrink, infinities("Inf", "-Inf", lambda bias=0.0, lambd=0.5: float32(bias) if lambd < 0 else mpf(0), 0), [9], bfloat16_since=99,
                 attributes=[{}, {"bias": 1.5, "lambd": 0.25}, {"bias": -(2048 + 1 + 2.0**-11), "lambd": -1.0}], input="input", output="output"),
    RealOperator("Sigmoid", "1/(1 + e^-x)", lambda x: 1 / (1 + exp(-x)), infinities(1, 0, mpf(0.5)), [1, 6, 13],
                 arguments=ORDINARY + FAR + [3 * 2.0**-23] + SPECIAL),
    RealOperator("Softplus", "ln(e^x + 1)", lambda x: log1p(exp(x)), infinities("Inf", 0, lambda: log(mpf(2))), [1, 22], bfloat16_since=22,
                 arguments=ORDINARY + FAR + SPECIAL),
    RealOperator("Softsign", "x/(1 + |x|)", lambda x: x / (1 + abs(x)), infinities("NaN", "NaN", "-0"), [1, 22], bfloat16_since=22,
                 arguments=ORDINARY + [7.0, -15.0, 60000.0, 1e30, -1e30] + SPECIAL, input="input", output="output"),
    RealOperator("Swish", "x/(1 + e^(-alpha·x))", swish, infinities("Inf", "NaN", "-0"), [24], attributes=[{}, {"alpha": 1.702}],
                 arguments=ORDINARY + FAR + [2.0**-1074, -3 * 2.0**-1074] + SPECIAL),
    RealOperator("ThresholdedRelu", "x above alpha, else 0", thresholded_relu,
                 infinities("Inf", 0, lambda alpha=1.0: "-0" if alpha < 0 else mpf(0), 0), [10, 22], bfloat16_since=22,
                 attributes=[{}, {"alpha": 0.25}, {"alpha": -0.5}], arguments=ORDINARY + [0.25, 1.0009765625, 1e30] + SPECIAL),
]
