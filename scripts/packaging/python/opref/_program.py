# SPDX-License-Identifier: Apache-2.0
"""The program opref: where it is, and how its commands are called."""
from __future__ import annotations

import functools
import importlib.metadata
import json
import os
import shutil
from typing import Mapping, Optional, Sequence, Tuple

from opref._errors import Error, FAULTS, error_of
from opref.worker import Worker

_worker = Worker()


@functools.lru_cache(maxsize=None)
def _installed() -> Optional[str]:
    try:
        files = importlib.metadata.files("opref") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "opref" and file.parent.name == "bin":
            path = os.path.realpath(file.locate())
            if os.path.exists(path):
                return path
    return None


def program() -> str:
    """The path of the program that came with this module, or else of the first `opref` on PATH.

    Raises
    ------
    FileNotFoundError
        if there is none
    """
    path = _installed() or shutil.which("opref")
    if path is None:
        raise FileNotFoundError("there is no program 'opref' on PATH")
    return path


def command(words: Sequence[str], renamed: Optional[Mapping[str, Optional[str]]] = None) -> Tuple[str, str]:
    """Runs a command of the program in one process that stays up.

    Returns its standard output and what it wrote to standard error; a command that ends with 1 found a difference, which is no
    error. `renamed` is as for in_python.
    """
    answer = _worker.command([*words])
    code = answer["exit_code"]
    if code in (0, 1):
        return answer["output"], answer["errors"].strip()
    try:
        refused = json.loads(answer["output"])["error"]
    except (ValueError, KeyError):
        message = answer["errors"].strip() or f"opref {words[0]} ended with {code}"
        raise Error(message, FAULTS.get(code, "internal")) from None
    raise error_of(refused, words, renamed or {})
