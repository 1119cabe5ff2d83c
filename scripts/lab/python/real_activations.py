# SPDX-License-Identifier: Apache-2.0
"""Activations for scripts/lab/real-cases, sorted by name."""
from mpmath import erfc, exp, mpf, pi, sqrt
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


OPERATORS = [
    # x/2 of an odd multiple of the least subnormal is a tie; far below zero the result is tiny.
    RealOperator("Gelu", "x/2·(1 + erf(x/√2)) or, with tanh, x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", gelu,
                 {"-0": "-0", "Inf": "Inf", "-Inf": "NaN", "NaN": "NaN"}, [20], attributes=[{}, {"approximate": "tanh"}],
                 arguments=ORDINARY + [-8.3, -12, -14.2, 8.3, 30, 2.0**-24, 3 * 2.0**-24, 2.0**-133, 2.0**-1074, -3 * 2.0**-1074, 1e30, -1e30] + SPECIAL),
    RealOperator("LeakyRelu", "alpha·x below 0, x else; the numbers' product", leaky_relu,
                 {"-0": "-0", "Inf": "Inf", "-Inf": lambda alpha=0.01: "NaN" if alpha == 0 else "Inf" if alpha < 0 else "-Inf", "NaN": "NaN"},
                 [1, 6, 16], bfloat16_since=16, attributes=[{}, {"alpha": -0.5}, {"alpha": 0.0}]),
    RealOperator("Relu", "max(0, x)", lambda x: max(x, mpf(0)), {"-0": 0, "Inf": "Inf", "-Inf": 0, "NaN": "NaN"}, [1, 6, 13, 14]),
]
