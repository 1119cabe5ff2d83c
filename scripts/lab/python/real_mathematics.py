# SPDX-License-Identifier: Apache-2.0
"""Unary mathematics for scripts/lab/real-cases, sorted by name."""
import mpmath
from real_case import ORDINARY, SPECIAL, RealOperator

OPERATORS = [
    RealOperator("Abs", "|x|", abs, {"-0": 0, "Inf": "Inf", "-Inf": "Inf", "NaN": "NaN"}, [1, 6, 13]),
    # 1 + 2^-p is beside a tie; at 88.7 float32 ends, at -103 its subnormal numbers.
    RealOperator("Exp", "e^x", mpmath.exp, {"-0": 1, "Inf": "Inf", "-Inf": 0, "NaN": "NaN"}, [1, 6, 13], input="input", output="output",
                 arguments=ORDINARY + [2.0**-25, -(2.0**-25), 2.0**-53, 88.7, 88.8, -87.5, -103.2, -103.9, -104.5, 710.0, -745.5, 11.09, 11.1, 1e30, -1e30] + SPECIAL),
]
