# SPDX-License-Identifier: Apache-2.0
"""Operators that are functions of real numbers, as scripts/lab/real-cases takes them, and rounding to their types."""
import dataclasses
import typing

import mpmath

# significant bits, least and greatest exponent of a normal number
FORMATS = {"float16": (11, -14, 15), "bfloat16": (8, -126, 127), "float32": (24, -126, 127), "float64": (53, -1022, 1023)}
FLOATS = ["float16", "float32", "float64"]
# Of every size; in the narrow types fewer of them are left.
ORDINARY = [0.0, 1.0, -1.0, 0.5, -0.5, 0.75, -2.0, 3.0, 0.1, -0.3, 2.71828182845904509, -5.5, 10.25, 1e-3, -1e-5, 2.0**-12, -(2.0**-24), 2.0**-149, -3 * 2.0**-149]
SPECIAL = ["-0", "Inf", "-Inf", "NaN"]


@dataclasses.dataclass
class RealOperator:
    name: str
    source: str  # whose formula the expected values come from
    formula: typing.Callable  # of an mpf, and the attributes by name
    special: dict  # what "-0", "Inf", "-Inf" and "NaN" give: a text, a number, or a function of the attributes
    versions: list  # of opsets, all of one meaning
    arguments: list = dataclasses.field(default_factory=lambda: ORDINARY + SPECIAL)
    attributes: list = dataclasses.field(default_factory=lambda: [{}])
    bfloat16_since: int = 13
    input: str = "X"
    output: str = "Y"

    def types(self, version):
        return FLOATS + (["bfloat16"] if version >= self.bfloat16_since else [])


def nearest(dtype, x):
    """The number of the type that is nearest to x, ties to even, as an mpf; or "Inf", "-Inf", "NaN", "-0"."""
    precision, least, greatest = FORMATS[dtype]
    if mpmath.isnan(x):
        return "NaN"
    if mpmath.isinf(x):
        return "Inf" if x > 0 else "-Inf"
    if x == 0:
        return mpmath.mpf(0)
    _, exponent = mpmath.frexp(abs(x))
    quantum = max(exponent - 1, least) - precision + 1
    scaled = mpmath.ldexp(abs(x), -quantum)
    whole = mpmath.floor(scaled)
    rest = scaled - whole
    assert rest == 0.5 or abs(rest - 0.5) > mpmath.mpf(2) ** -1500, f"{x} is too near to a tie for 2,000 bits"
    if rest > 0.5 or (rest == 0.5 and int(whole) % 2 == 1):
        whole += 1
    rounded = mpmath.ldexp(whole, quantum)
    if rounded >= mpmath.mpf(2) ** (greatest + 1):
        return "Inf" if x > 0 else "-Inf"
    if rounded == 0:
        return "-0" if x < 0 else rounded
    return rounded if x > 0 else -rounded


def number_text(x):
    """What JSON has: a number, all of whose digits a double keeps, or the text of a special value."""
    if isinstance(x, str):
        return -0.0 if x == "-0" else x
    value = float(x)
    return int(value) if value == int(value) and abs(value) < 2**53 else value
