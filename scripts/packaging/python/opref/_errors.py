# SPDX-License-Identifier: Apache-2.0
"""What opref refuses, as an exception."""
from __future__ import annotations

# What the program's exit codes say, beside 1 for values that differ (`opref help exit-codes`).
FAULTS = {2: "usage", 3: "malformed", 4: "invalid", 5: "unsupported", 6: "system", 70: "internal"}

# What may be done, by the names that the program gives to it; {} is what it needs.
_WAYS_OUT = {
    "more_memory": "max_bytes= sets the limit",
    "other_opset": "opset={0} evaluates it as {0}",
    "pick_node": "nodes=[…] picks nodes: {0}",
    "evaluate_all": "without nodes=, all that {0} needs is evaluated",
    "give_attribute": "{0} is an attribute",
    "give_values": "give {0}=…",
    "give_types": "give {0}=…, an array or a type such as \"float32[1,3]\"",
    "give_input": "it is an input: give {0}=…",
    "name_input": "give {0}",
    "swap_inputs": "with {0} swapped it would fit",
    "missing_inputs": "{0} is missing",
    "known_names": "there are {0}",
    "write_list": "give a list",
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

    def __init__(self, message, fault, way_out="", places=()):
        super().__init__(message, fault, way_out, places)
        self.message, self.fault, self.way_out, self.places = message, fault, way_out, list(places)

    def __str__(self):
        text = f"{self.message}; {self.way_out}" if self.way_out else self.message
        return "\n  ".join([text, *self.places])


def error_of(document, renamed):
    """The exception of the program's error document. `renamed` gives, for each path that the caller has never seen, the words
    that stand for it, or None where a place that names it says nothing."""
    def in_python(text):
        for path, words in renamed.items():
            text = text.replace(path, words or "")
        return text

    argument, text = document["remedy_argument"], _WAYS_OUT.get(document["remedy"], "")
    way_out = text.format(argument) if argument or "{" not in text else ""
    hidden = [path for path, words in renamed.items() if words is None] + ["the command line"]
    places = [in_python(place) for place in document["places"] if not any(word in place for word in hidden)]
    return Error(in_python(document["message"]), document["fault"], in_python(way_out), places)
