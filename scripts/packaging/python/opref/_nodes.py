# SPDX-License-Identifier: Apache-2.0
"""A node or model with its attributes and tensors, as words that the program takes."""
from __future__ import annotations

import difflib
import functools
import inspect
import json
import numbers
import os
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

import numpy

from opref import _tensors
from opref._errors import Error
from opref._program import command

if TYPE_CHECKING:
    import onnx

Answer = TypeVar("Answer")
Node = Union[str, "os.PathLike[str]", "onnx.NodeProto", "onnx.ModelProto"]
KEYWORDS = ("opset", "readings", "nodes", "outputs", "max_bytes", "threads", "against", "ignore_dtype")
# Which functions take a keyword that not all of them have.
_TAKEN_BY = {**dict.fromkeys(("rtol", "atol", "ulp", "exact", "ignore_dtype"), "judge and compare take"),
             **dict.fromkeys(("at", "against"), "explain takes"), **dict.fromkeys(("max_bytes", "threads"), "run takes"),
             "bound": "judge takes", "strict_nan": "compare takes", "nodes": "run, explain and infer take"}


_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_known_keywords(function: _Function) -> _Function:
    """The function, which says what its keywords are where one is given that it does not have."""
    parameters = inspect.signature(function).parameters.values()
    known = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        for name in named:
            if name not in known:
                near = ["rtol", "atol", "ulp"] if name in ("tolerance", "tol") and "ulp" in known else _nearest(name, known).split()
                meant = f", did you mean {' or '.join(near)}?" if near else f"; there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
                raise TypeError(f"{function.__name__} has no keyword {name!r}{meant}")
        return function(*given, **named)

    return called  # type: ignore[return-value]


def whole(name: str, value: Any) -> int:
    """The value of a keyword that is an int."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}={value!r}: it must be an int")
    return int(value)


def real(name: str, value: Any) -> float:
    """The value of a keyword that is a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}={value!r}: it must be a float")
    return float(value)


@functools.lru_cache(maxsize=None)
def versions(name: str) -> Tuple[Dict[str, Any], ...]:
    """The versions of an operator, as `opref ops --json` describes them, in order; nothing where no operator has the name."""
    try:
        output, _ = command(["ops", "--json", "--", name])
    except Error as error:
        if error.fault in ("unsupported", "usage"):
            return ()
        raise
    return tuple(json.loads(output)["operators"][0]["versions"])


def schema_of(node: Any, opset: Optional[int]) -> Optional[Dict[str, Any]]:
    """The version of the operator that `node` names, by the opset (None: by the name's, else the newest); None of other nodes."""
    named = re.fullmatch(r"([\w.:]+?)(?:[-@](\d+))?", node) if isinstance(node, str) and not os.path.isfile(node) else None
    if named is None:
        return None
    known = versions(named[1])
    limit = opset if opset is not None else int(named[2]) if named[2] else None
    in_force = [version for version in known if limit is None or version["since_version"] <= limit]
    return in_force[-1] if in_force else known[-1] if known else None


def takes_sequence(schema: Optional[Mapping[str, Any]], parameter: Optional[Mapping[str, Any]]) -> bool:
    """Whether an input or output of the operator can be a sequence; anything can where the operator is not known."""
    if schema is None or parameter is None:
        return True
    types = schema["types"].get(parameter["type"], [parameter["type"]])
    return any("sequence" in name for name in types)


class Call:
    """The words of a node's arguments, which end a command line, and the files that hold its tensors."""

    def __init__(self, node: Node, tensors: Sequence[Any], named: Mapping[str, Any], folder: str, opset: Optional[int] = None,
                 readings: Optional[Mapping[str, str]] = None, nodes: Union[str, Sequence[str]] = (), types_alone: bool = False):
        opset = None if opset is None else whole("opset", opset)
        if not isinstance(readings or {}, Mapping):
            raise TypeError(f'readings={readings!r}: it must be a dict, as in readings={{"lp_pool.nan": "skip"}}')
        self._folder = folder
        self.schema = schema_of(node, opset)
        self._types_alone = types_alone
        self._options: List[str] = []
        self.renamed: Dict[str, Optional[str]] = {}
        self._name = node if isinstance(node, str) else ""
        self._named = named
        self._unknown: Dict[str, Any] = {}
        self._literals: Dict[int, str] = {}  # by their places in _places
        self._places = [self._node_word(node)]
        for k, value in enumerate(tensors):
            self._add_placed(k, value)
        for name, value in named.items():
            self._add(name, value)
        self._refuse_unknown()
        if opset is not None:
            self._options += ["--opset", str(opset)]
        for name, choice in (readings or {}).items():
            self._options += ["--reading", f"{name}={choice}"]
        for name in [nodes] if isinstance(nodes, str) else nodes:
            self._options += ["--node", str(name)]

    @property
    def title(self) -> str:
        """The operator's version; "" of other nodes and of models."""
        return f"{self._operator}-{self.schema['since_version']}" if self.schema else ""

    def ask(self, words: Sequence[str]) -> Tuple[str, str]:
        """Runs the command whose first words these are, as `command` does."""
        return self.ask_by(lambda options, places: command([*words, *options, *places], self.renamed))

    def ask_by(self, run: Callable[[Sequence[str], Sequence[str]], Answer]) -> Answer:
        """What `run` returns for the options, and for the words that end the command line.

        A number of Python takes the type that the node has for it. Where that is open, all of them have numpy's types.
        """
        try:
            return self._ask(run, [self._literals.get(k, word) for k, word in enumerate(self._places)])
        except Error as error:
            if not self._literals or not error.message.startswith("values without a type"):
                raise
        self._literals = {}
        return self._ask(run, self._places)

    def _ask(self, run: Callable[[Sequence[str], Sequence[str]], Answer], places: Sequence[str]) -> Answer:
        """Whatever a node or tensor is called, none of its words is an option."""
        try:
            return run(self._options, ["--", *places])
        except Error as error:
            unknown = re.match(r"'(\w+)' is not an input here", error.message)
            if unknown and unknown[1] in self._named:
                _refuse_foreign(unknown[1], self._named[unknown[1]])
            raise

    def _node_word(self, node: Any) -> str:
        if isinstance(node, (str, os.PathLike)):
            return os.fspath(node)
        if not hasattr(node, "SerializeToString"):
            raise TypeError(f"a node is an operator's name, ONNX text, a path, a NodeProto or a ModelProto, but this is of the "
                            f"type {type(node).__name__}")
        path = os.path.join(self._folder, "node.onnx")
        self.renamed[path] = None
        with open(path, "wb") as file:
            file.write(node.SerializeToString())
        return path

    def _add_placed(self, k: int, value: Any) -> None:
        if isinstance(value, str) and value.startswith("-"):
            raise TypeError(f"{value!r} is no tensor: options are keywords here, as in opset=18")
        inputs = self.schema["inputs"] if self.schema else []
        parameter = inputs[k] if k < len(inputs) else inputs[-1] if inputs and _is_variadic(inputs[-1]) else None
        if self.schema and parameter is None:
            names = ", ".join(known["name"] for known in inputs) or "none"
            keywords = ", ".join(known["name"] for known in self.schema["attributes"]) or "none"
            raise TypeError(f"{value!r} has place {k + 1}, but the inputs are {names}; attributes are keywords: {keywords}")
        self._add_input(f"@{k + 1}", value, parameter, None)

    def _add(self, name: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, Mapping) and self.schema is not None and self._parameter(name) is None:
            _refuse_foreign(name, value)
        if self._is_unknown(name):
            _refuse_foreign(name, value)
            self._unknown[name] = value
        elif self._is_attribute(name, value):
            self._options += ["-a", f"{name}={self._attribute(name, value)}"]
        else:
            self._add_input(name, value, self._parameter(name), f"the tensor {name}")

    def _parameter(self, name: str) -> Optional[Dict[str, Any]]:
        return next((parameter for parameter in (self.schema or {"inputs": []})["inputs"] if parameter["name"] == name), None)

    def _add_input(self, name: str, value: Any, parameter: Optional[Mapping[str, Any]], words: Optional[str]) -> None:
        """`name` is as the program takes it, @1 for the first; `words` stand for the tensor's file."""
        for element in self._elements(value, parameter):
            if self._types_alone and isinstance(element, str):
                if "[" not in element and "map(" not in element:
                    raise TypeError(f'{element!r} is no type, which is written "float32[1,3]"')
                self._places.append(f"{name}={element}")
                continue
            try:
                path, dtype = _tensors.write(self._allowed(element, parameter), os.path.join(self._folder, f"tensor_{len(self._places)}"),
                                             self._types_of(parameter))
            except TypeError as error:
                raise TypeError(f"{words}: {error}" if words else str(error)) from None
            self.renamed[path] = words
            if is_plain(element):
                self._literals[len(self._places)] = f"{name}={literal(element)}"
            self._places.append(f"{name}{':' if dtype else ''}{dtype}={path}")

    def _types_of(self, parameter: Optional[Mapping[str, Any]]) -> Sequence[str]:
        """The types that an input can have; none where they are not known."""
        if self.schema is None or parameter is None:
            return ()
        return self.schema["types"].get(parameter["type"], [parameter["type"]])  # type: ignore[no-any-return]

    def _allowed(self, value: Any, parameter: Optional[Mapping[str, Any]]) -> Any:
        """Floats of Python are float32 where the node has no float64."""
        types = self._types_of(parameter)
        if is_plain(value) and "float64" not in types and "float32" in types:
            array = numpy.asarray(value)
            return array.astype(numpy.float32) if array.dtype == numpy.float64 else value
        return value

    def _elements(self, value: Any, parameter: Optional[Mapping[str, Any]]) -> Sequence[Any]:
        """The tensors that an argument gives: several of a variadic input."""
        if value is None:
            return ()
        if self._types_alone and isinstance(value, (type, numpy.dtype)):
            raise TypeError(f'{value!r}: a type is written "{numpy.dtype(value).name}[1,3]", with the shape')
        variadic = parameter is not None and _is_variadic(parameter)
        if isinstance(value, tuple):
            if variadic or _tensors.holds_arrays(value) or any(isinstance(element, str) for element in value):
                return value
            if self._types_alone:
                text = ",".join(map(str, value))
                raise TypeError(f'{value!r}: a type is written "float32[{text}]", and values are a list or an array')
        splits = variadic and _tensors.holds_arrays(value) and not takes_sequence(self.schema, parameter)
        return value if splits else (value,)

    def _is_unknown(self, name: str) -> bool:
        """Whether no version of the operator has the name; one that another version has is the program's to refuse."""
        return self.schema is not None and not any(name == known["name"] for version in versions(self._operator)
                                                   for known in version["inputs"] + version["attributes"])

    @property
    def _operator(self) -> str:
        return re.split(r"[-@](?=\d+$)", self._name)[0]

    def _refuse_unknown(self) -> None:
        """All names at once that are neither inputs nor attributes."""
        if not self._unknown or self.schema is None:
            return
        for name, value in self._unknown.items():
            if meant_by_others := self._meant_by_others(name, value):
                raise Error(f"{name!r} is neither an input nor an attribute of {self.title}", "usage", f"give {meant_by_others}")
        inputs, attributes = ([known["name"] for known in self.schema[kind]] for kind in ("inputs", "attributes"))
        near = [_nearest(name, inputs + attributes) for name in self._unknown]
        meant = " and ".join(repr(name) for name in dict.fromkeys(near) if name)
        one = len(self._unknown) == 1
        what = "is neither an input nor an attribute" if one else "are neither inputs nor attributes"
        there = " and ".join(f"the {noun}{'s are' if len(names) != 1 else ' is'} {', '.join(names)}"
                             for noun, names in (("input", inputs), ("attribute", attributes)) if names)
        raise Error(f"{' and '.join(map(repr, self._unknown))} {what} of {self.title}" +
                    (f", did you mean {meant}?" if meant else ""), "usage", "" if meant else there)

    def _meant_by_others(self, name: str, value: Any) -> str:
        """The attribute that PyTorch, TensorFlow or numpy call so, with its value; the program knows them."""
        if isinstance(value, (numpy.ndarray, Mapping)):
            return ""
        try:
            command(["infer", "--json", "-a", f"{name}={self._attribute(name, value)}", "--", self._name])
        except Error as error:
            found = re.match(r"give (\w+)=(.*)", error.way_out) if error.message.startswith(f"{name!r} is not an attribute") else None
            if found:
                number = re.fullmatch(r"[-+.\de]+", found[2])
                return f"{found[1]}=" + (found[2] if number else f"[{found[2]}]" if "," in found[2] else repr(found[2]))
        return ""

    def _is_attribute(self, name: str, value: Any) -> bool:
        """By the operator's schema; what only another version has is what its value looks like."""
        if self.schema is None or self._parameter(name) is not None:
            return False
        return not isinstance(value, numpy.ndarray) or any(a["name"] == name for a in self.schema["attributes"])

    def _attribute(self, name: str, value: Any) -> str:
        """As it is written behind -a NAME=."""
        if hasattr(value, "SerializeToString"):
            return self._message(name, value)
        kind = next((a["type"] for a in (self.schema or {"attributes": []})["attributes"] if a["name"] == name), "")
        if kind in ("TENSOR", "SPARSE_TENSOR"):
            path, dtype = _tensors.write(value, os.path.join(self._folder, f"attribute_{len(self._options)}"))
            if dtype:
                raise TypeError(f"the attribute {name} has a type of ml_dtypes: give a TensorProto")
            self.renamed[path] = f"the attribute {name}"
            return path
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            value = value.tolist()
        if not isinstance(value, (list, tuple)):
            return _scalar(value)
        if value and all(isinstance(element, (str, bytes)) for element in value):
            return json.dumps([_scalar(element) for element in value], ensure_ascii=False)
        return ",".join(_scalar(element) for element in value)

    def _message(self, name: str, value: Any) -> str:
        if value.DESCRIPTOR.name == "GraphProto":
            import onnx.printer
            return onnx.printer.to_text(value)
        path = os.path.join(self._folder, f"attribute_{len(self._options)}.pb")
        self.renamed[path] = f"the attribute {name}"
        with open(path, "wb") as file:
            file.write(value.SerializeToString())
        return path


def _is_variadic(parameter: Mapping[str, Any]) -> bool:
    return parameter["arity"] not in ("single", "optional")


def _nearest(name: str, known: Sequence[str]) -> str:
    """The name that is meant; "" where none is near."""
    same = [other for other in known if other.lower() == name.lower()]
    return (same or difflib.get_close_matches(name, known, 1, 0.7) or [""])[0]


def _refuse_foreign(name: str, value: Any) -> None:
    """A keyword that is none of the node's, but that another function has, or this one by another name."""
    if name in ("attrs", "attributes", "attr") and isinstance(value, Mapping):
        example = next((f"{key}={given!r}" for key, given in value.items()), "axis=0")
        raise TypeError(f"attributes are keywords: give {example} in place of {name}=…")
    if name == "node" and isinstance(value, str):
        raise TypeError(f'there is no keyword node: outputs=["{value}"] gives that tensor, nodes=["{value}"] evaluates that '
                        f"node alone")
    if name in ("version", "opset_version", "since_version") and isinstance(value, int):
        raise TypeError(f"there is no keyword {name}: give opset={value}")
    if name in ("expected", "actual", "expect"):
        raise TypeError(f"there is no keyword {name}: judge takes what a backend computed as outputs=…")
    if name in ("tolerance", "tol"):
        raise TypeError(f"{name!r} is neither an input nor an attribute: judge and compare take rtol, atol, ulp")
    if name in _TAKEN_BY:
        raise TypeError(f"{name!r} is neither an input nor an attribute: {_TAKEN_BY[name]} {name}")
    for near in difflib.get_close_matches(name, KEYWORDS, 1, 0.85):
        raise TypeError(f"{name!r} is neither an input nor an attribute here, did you mean {near}=?")
    if isinstance(value, Mapping):
        raise TypeError("a dict is no tensor: give each input by its name, for all of a dict as **inputs")


_MOST_IN_WORDS = 1000  # more numbers are an array, as numpy makes one


def is_plain(value: Any) -> bool:
    """Whether it is a number of Python, or lists of such numbers."""
    return 0 < _count_plain(value) <= _MOST_IN_WORDS


def _count_plain(value: Any) -> int:
    """How many numbers it has; more than any literal's where something else is there."""
    if isinstance(value, numpy.generic):
        return _MOST_IN_WORDS + 1
    if isinstance(value, (int, float)):
        return 1
    if not isinstance(value, list) or len(value) > _MOST_IN_WORDS or any(isinstance(element, bool) for element in value):
        return _MOST_IN_WORDS + 1
    return sum(map(_count_plain, value))


def literal(value: Any) -> str:
    """A number or list as the command line takes it; with its sign a number is hardly the name of a file."""
    if isinstance(value, list):
        return "[" + ",".join(literal(element).lstrip("+") for element in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return text if text.startswith("-") else "+" + text


def _scalar(value: Any) -> str:
    if isinstance(value, type):  # numpy.float16, float or bool for the data type that it stands for
        value = numpy.dtype(value)
    if isinstance(value, numpy.dtype):
        return "string" if value.kind in "TU" else value.name
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        value = value.item()
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return repr(value)
    return str(getattr(value, "value", value))  # an enumeration: its value
