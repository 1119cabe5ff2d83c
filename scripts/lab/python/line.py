# SPDX-License-Identifier: Apache-2.0
"""A line of the benchmark's table."""
import statistics
from dataclasses import dataclass

from measure import Failed, Opref, ratio


@dataclass
class Line:
    """One line of the table. `ours` over `theirs`, both in `unit`, must be at most `must`."""
    title: str
    threads: str
    ours: float
    theirs: float
    other: str  # what `theirs` is of
    ratio: float
    must: float | None = None
    aim: float | None = None
    unit: str = "ms"
    note: str = ""
    first: float | None = None  # of ours, an evaluation that is the first of its process
    row: str = ""  # the row's name; from the row itself, what follows the name


@dataclass
class Settings:
    opref: Opref
    folder: str  # for the tensors
    runs: int = 9
    cap: float = 60  # seconds for a line
    short: bool = False


def line(title, threads, times, ours, theirs, other, must=None, aim=None, first=()):
    return Line(title, threads, 1e3 * statistics.median(times[ours]), 1e3 * statistics.median(times[theirs]), other,
                ratio(times[ours], times[theirs]), must, aim, first=1e3 * statistics.median(first) if first else None)


def require_threads(settings, threads):
    if threads > 1 and not settings.opref.has_threads():
        raise Failed("this opref has no --threads")
