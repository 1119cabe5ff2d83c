# SPDX-License-Identifier: Apache-2.0
"""The domains of operators: rows of src/schema/domains.def."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = ROOT / "src/schema/domains.def"


class Domain:
    def __init__(self, space, name, page):
        self.space, self.name, self.page = space, name, page


DOMAINS = [Domain(*row) for row in re.findall(r'^X\((\w+), "([^"]+)", .*"([^"]*)"\)$', TABLE.read_text(), re.M)]


def find(name):
    """By its name or by its namespace."""
    return next((d for d in DOMAINS if name in (d.name, d.space)), None)
