# SPDX-License-Identifier: Apache-2.0
"""What opref refuses, as an exception."""
from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional, Sequence

# What the program's exit codes say, beside 1 for values that differ (`opref help exit-codes`).
FAULTS = {2: "usage", 3: "malformed", 4: "invalid", 5: "unsupported", 6: "system", 70: "internal"}

# What may be done, by the names that the program gives to it; {0} is what it needs, {1} the name in it.
_WAYS_OUT = {
    "more_memory": "max_bytes= sets the limit",
    "other_opset": "opset={0} evaluates it as {0}",
    "pick_node": "nodes=[…] picks nodes: {0}",
    "evaluate_all": "without nodes=, all that {0} needs is evaluated",
    "give_attribute": "an attribute of such a node stands in the node itself: {1}",
    "give_values": "give {0}=…",
    "give_attributes": "give {0}",
    "make_values": "give {1}=…",
    "give_open_input": "give {0}",
    "give_types": "give {0}=…, an array or a type such as \"float32[1,3]\"",
    "give_list": "a list of one is written {0}=[1]",
    "give_sequence": "a sequence is a list of arrays",
    "write_runner": "opref help backends says what it reads and writes; a backend may also be a function",
    "state_dtype": "give it its type, as in x.view(ml_dtypes.float8_e4m3fn)",
    "give_input": "it is an input: give {0}=…",
    "name_input": "give {0}",
    "check_folder": "opref check {0} judges it, on the command line",
    "state_values": "inputs.{0} needs \"data\" or \"fill\"",
    "swap_inputs": "with {0} swapped it would fit",
    "other_shape": "with {0} it would fit",
    "missing_inputs": "{0} is missing",
    "known_names": "there are {0}",
    "write_list": "give a list",
    "other_attribute": "give {0}",
    "read_report": "opref report merge reads it",
    "check_case": "opref check judges it",
    "convert_file": "x.astype(…) converts an array to {0}",
    "list_operators": "opref.ops() lists those that are",
}


class Error(Exception):
    """What opref refuses, in its own words.

    Attributes
    ----------
    fault : str
        usage, malformed, invalid, unsupported, system or internal
    message : str
        one sentence: the rule, and both values
    way_out : str
        what may be done about it, or empty
    places : list of str
        where it happened, innermost first
    """

    def __init__(self, message: str, fault: str, way_out: str = "", places: Sequence[str] = ()):
        super().__init__(message, fault, way_out, places)
        self.message, self.fault, self.way_out = message, fault, way_out
        self.places: List[str] = list(places)

    def __str__(self) -> str:
        text = f"{self.message}; {self.way_out}" if self.way_out else self.message
        return "\n  ".join([text, *self.places])


def in_python(text: str, words: Sequence[str] = (), renamed: Mapping[str, Optional[str]] = {}) -> str:
    """What the program says, in words of Python: an option is a keyword argument, with the value that `words` give it, and
    `renamed` gives, for each path that the caller has never seen, the words that stand for it."""
    for option, value in zip(words, words[1:]):
        if option.startswith("--") and value in renamed:  # a long path is shortened
            text = re.sub(rf"{option} ({re.escape(value)}|\S*…)", _keyword(option[2:]), text)
        elif option.startswith("--") and value:
            text = text.replace(f"{option} {value}", f"{_keyword(option[2:])}={value}")
    for path, name in renamed.items():
        text = re.sub(re.escape(path) + r"/(\d+)\.npy", rf"element \1 of {name or 'it'}", text).replace(path, name or "")
    text = re.sub(r"--reading (\S+)=VALUE", r'readings={"\1": …}', text)
    text = re.sub(r"(?<![\w'-])--([a-z][a-z-]*)(=| (?='))?", _option, text)
    text = re.sub(r"NAME:(\w+)=FILE", r"….view(ml_dtypes.\1)", text)
    text = re.sub(r"=(\w+\[[^\]]*\])(?= for infer)", r'="\1"', text)
    text = re.sub(r"=… (CMD|DIR)\b", "=…", text)
    return text.replace("=FILE ", "=…, ").replace("=FILE", "=…").replace("FILE#", "PATH#")


def _keyword(option: str) -> str:
    return {"node": "nodes", "reading": "readings", "judge": "outputs", "runner": "backend"}.get(option, option.replace("-", "_"))


# Options without a value.
FLAGS = ("exact", "strict-nan", "ignore-dtype", "strict", "exact-tier", "fail-fast", "verbose", "require-all", "allow-empty",
          "negative", "list", "replace", "hash-only")


def _option(found: re.Match[str]) -> str:
    flag = found[1] in FLAGS or (found[1] == "bound" and not found[2])
    return _keyword(found[1]) + ("=True" if flag else "=" if found[2] else "=…")


def _way_out(remedy: str, argument: str) -> str:
    text = _WAYS_OUT.get(remedy, "")
    if "{0}" in text and not argument:
        return text.partition(":")[0] if ":" in text else ""
    if remedy == "known_names" and "," not in argument:
        return f"there is {argument}"
    if remedy == "give_attributes":
        argument = argument.replace("\n", ", ")
    if remedy in ("give_values", "give_types"):
        argument = argument.replace(", ", "=…, ")
    return text.format(argument, argument.partition("=")[0])


def error_of(document: Mapping[str, Any], words: Sequence[str], renamed: Mapping[str, Optional[str]]) -> Error:
    """The exception of the program's error document; `words` and `renamed` as for in_python. A place that names a path without
    words says nothing."""
    hidden = [path for path, name in renamed.items() if name is None] + ["the command line"]
    places = [place for place in document["places"] if not any(word in place for word in hidden)]
    message, way_out, *places = [in_python(text, words, renamed) for text in
                                 (document["message"], _way_out(document["remedy"], document["remedy_argument"]), *places)]
    return Error(message, document["fault"], way_out, places)
