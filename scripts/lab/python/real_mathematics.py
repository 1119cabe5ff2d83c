# SPDX-License-Identifier: Apache-2.0
"""Unary mathematics for scripts/lab/real-cases, sorted by name."""
import mpmath
from mpmath import mpf, pi, sqrt
from real_case import ORDINARY, SPECIAL, RealOperator

NEAR_ONE = [1 - 2.0**-11, 1 - 2.0**-24, 1 + 2.0**-10, 1 + 2.0**-23, -1 + 2.0**-24]
# Near multiples of π/2 and where a library's argument reduction ends.
ANGLES = [1.5707963705062866, 3.1415927410125732, -1.57080078125, 3.140625, 22.0, 355.0, 710.0, 65504.0, 2.0**20, 1e10, 1e30]
FAR = [11.0, -11.5, 88.5, -89.5, 710.0, -711.0, 1e4, 1e30, -1e30]


def within(function, least, greatest):
    """NaN outside the domain."""
    return lambda x: function(x) if least <= x <= greatest else "NaN"


def integral(rounding):
    """A zero has the argument's sign."""
    return lambda x: rounding(x) or ("-0" if x < 0 else mpf(0))


def half_to_even(x):
    below = mpmath.floor(x)
    rest = x - below
    return below + 1 if rest > 0.5 or (rest == 0.5 and int(below) % 2 == 1) else below


def keeps_sign(infinity):
    """What an odd function gives that grows to this."""
    return {"-0": "-0", "Inf": infinity, "-Inf": "-Inf" if infinity == "Inf" else infinity if infinity == "NaN" else lambda: -infinity(), "NaN": "NaN"}


def trigonometric(name, function, special, since, arguments):
    return RealOperator(name, f"{name.lower()} x", function, special, [since, 22], arguments=ORDINARY + arguments + SPECIAL, bfloat16_since=22,
                        input="input", output="output")


def since_1(name, source, function, special, arguments, **names):
    return RealOperator(name, source, function, special, [1, 6, 13], arguments=ORDINARY + arguments + SPECIAL, **names)


NAMES = {"input": "input", "output": "output"}
OPERATORS = [
    since_1("Abs", "|x|", abs, {"-0": 0, "Inf": "Inf", "-Inf": "Inf", "NaN": "NaN"}, []),
    trigonometric("Acos", within(mpmath.acos, -1, 1), {"-0": lambda: pi / 2, "Inf": "NaN", "-Inf": "NaN", "NaN": "NaN"}, 7, NEAR_ONE),
    trigonometric("Acosh", within(mpmath.acosh, 1, mpmath.inf), {"-0": "NaN", "Inf": "Inf", "-Inf": "NaN", "NaN": "NaN"}, 9, NEAR_ONE + FAR),
    trigonometric("Asin", within(mpmath.asin, -1, 1), keeps_sign("NaN"), 7, NEAR_ONE),
    trigonometric("Asinh", mpmath.asinh, keeps_sign("Inf"), 9, FAR),
    trigonometric("Atan", mpmath.atan, keeps_sign(lambda: pi / 2), 7, NEAR_ONE + FAR),
    trigonometric("Atanh", lambda x: "NaN" if abs(x) > 1 else ("Inf" if x > 0 else "-Inf") if abs(x) == 1 else mpmath.atanh(x), keeps_sign("NaN"), 9,
                  NEAR_ONE),
    since_1("Ceil", "the least integer >= x", integral(mpmath.ceil), keeps_sign("Inf"), [2.5, -2.5, 1.0 + 2.0**-10, 2.0**23 - 0.5, 2.0**52 - 0.5, 1e30]),
    # cos 2^-12 is beside a tie in float32
    trigonometric("Cos", mpmath.cos, {"-0": 1, "Inf": "NaN", "-Inf": "NaN", "NaN": "NaN"}, 7, [*ANGLES, 2.0**-26]),
    trigonometric("Cosh", mpmath.cosh, {"-0": 1, "Inf": "Inf", "-Inf": "Inf", "NaN": "NaN"}, 9, [*FAR, 2.0**-26]),
    RealOperator("Erf", "erf x", mpmath.erf, keeps_sign(lambda: mpf(1)), [9, 13], arguments=ORDINARY + [2.0, -3.5, 4.0, 5.9, -6.0, 26.5, 1e4] + SPECIAL, **NAMES),
    # 1 + 2^-p is beside a tie; at 88.7 float32 ends, at -103 its subnormal numbers.
    since_1("Exp", "e^x", mpmath.exp, {"-0": 1, "Inf": "Inf", "-Inf": 0, "NaN": "NaN"},
            [2.0**-25, -(2.0**-25), 2.0**-53, 88.7, 88.8, -87.5, -103.2, -103.9, -104.5, 710.0, -745.5, 11.09, 11.1, 1e30, -1e30], **NAMES),
    since_1("Floor", "the greatest integer <= x", integral(mpmath.floor), keeps_sign("Inf"), [2.5, -2.5, -1.0 - 2.0**-10, 2.0**23 - 0.5, 2.0**52 - 0.5, 1e30]),
    since_1("Log", "ln x", lambda x: "-Inf" if x == 0 else "NaN" if x < 0 else mpmath.log(x), {"-0": "-Inf", "Inf": "Inf", "-Inf": "NaN", "NaN": "NaN"},
            [*NEAR_ONE, 65504.0, 1e30, 1e300], **NAMES),
    since_1("Neg", "-x", lambda x: -x if x else "-0", {"-0": 0, "Inf": "-Inf", "-Inf": "Inf", "NaN": "NaN"}, []),
    since_1("Reciprocal", "1/x", lambda x: 1 / x if x else "Inf", {"-0": "-Inf", "Inf": 0, "-Inf": "-0", "NaN": "NaN"}, [7.0, 65504.0, -1e5, 1e30, 3e38]),
    RealOperator("Round", "the nearest integer, of two the even one", integral(half_to_even), keeps_sign("Inf"), [11, 22], bfloat16_since=22,
                 arguments=ORDINARY + [1.5, 2.5, -2.5, -3.5, 0.5 + 2.0**-11, 2.0**23 - 0.5, 2.0**52 - 0.5, 2.0**53 - 1, 1e30] + SPECIAL),
    RealOperator("Sign", "-1, 0 or 1", lambda x: mpf(x > 0) - mpf(x < 0), {"-0": 0, "Inf": 1, "-Inf": -1, "NaN": "NaN"}, [9, 13], **NAMES),
    trigonometric("Sin", mpmath.sin, keeps_sign("NaN"), 7, ANGLES),
    trigonometric("Sinh", mpmath.sinh, keeps_sign("Inf"), 9, FAR),
    since_1("Sqrt", "√x", lambda x: "NaN" if x < 0 else sqrt(x), {"-0": "-0", "Inf": "Inf", "-Inf": "NaN", "NaN": "NaN"},
            [2.0, 4.0, 1 - 2.0**-24, 1 + 2.0**-23, 65504.0, 2.0**-148, 1e30, 1e-310]),
    trigonometric("Tan", mpmath.tan, keeps_sign("NaN"), 7, ANGLES),
    since_1("Tanh", "tanh x", mpmath.tanh, keeps_sign(lambda: mpf(1)), [4.5, -9.5, 10.0, 19.5, 1e30], **NAMES),
]
