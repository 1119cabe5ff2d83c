# SPDX-License-Identifier: Apache-2.0
"""What the specification says that a neural-network operator returns, as numpy arrays, computed by the program opref.

>>> import numpy, opref
>>> x = numpy.float32([[[1, 2, 3]]])
>>> opref.run("LpPool", X=x, kernel_shape=[2], p=1)
array([[[3., 5.]]], dtype=float32)
>>> opref.judge("LpPool", X=x, kernel_shape=[2], p=1, outputs=numpy.float32([[[3, 5]]])).equal
True
"""
from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import json
import os
import re
import tempfile
import warnings
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import ArrayLike

from opref import _tensors
from opref._errors import Error, in_python
from opref._judging import (Bisection, Bound, Case, Golden, Report, bisect, cases, check, first_line, golden, rule)
from opref._nodes import Call, Node, is_plain, literal, takes_sequence, versions, whole, with_known_keywords
from opref._program import command as _command
from opref._program import program
from opref._tensors import Value

__all__ = ["Bisection", "Case", "Comparison", "Error", "Explanation", "Golden", "Node", "Report", "TensorType", "Value", "bisect",
           "cases", "check", "compare", "explain", "golden", "infer", "judge", "ops", "program", "run"]

try:
    __version__ = importlib.metadata.version("opref")
except importlib.metadata.PackageNotFoundError:  # the module beside a program that was built, not installed
    __version__ = json.loads(_command(["--version", "--json"])[0])["opref"]

Index = Union[int, Sequence[int], numpy.ndarray]


class TensorType(NamedTuple):
    """The type of a tensor; `shape` is None where values decide it. Of maps `dtype` is the whole type, "map(int64,float)"."""

    dtype: str
    shape: Optional[Tuple[int, ...]]


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison:
    """How tensors compare; true where all are equal by the rule.

    `text` is for people, `document` holds everything that opref knows of it, as `opref help json` describes it.
    """

    equal: bool
    text: str
    document: Dict[str, Any]

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<opref.Comparison: {first_line(self.text)}>"


@dataclasses.dataclass(frozen=True, repr=False)
class Explanation:
    """How one element of an output comes about, term by term.

    `value` is the element and `exact` what the formula gives before it is rounded, as texts; `text` is for people, `document`
    holds everything, as `opref help json` describes it.
    """

    value: str
    exact: Optional[str]
    text: str
    document: Dict[str, Any]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<opref.Explanation: {first_line(self.text)}>"


_INSTEAD = {
    "diff": "opref.compare compares tensors, and opref diff models, on the command line",
    "show": "print(x) shows an array, and opref show a model, on the command line",
    **dict.fromkeys(("InferenceSession", "SessionOptions", "ReferenceEvaluator", "Session"),
                    'there are no sessions: opref.run("model.onnx", x=…) evaluates a model, and opref.backend.prepare(model) keeps one'),
    **dict.fromkeys(("load", "load_model", "open"), 'opref.run takes the path of a model, and numpy.load reads an array'),
    **dict.fromkeys(("save", "save_model"), "opref.run returns arrays, which numpy.save writes"),
    **dict.fromkeys(("allclose", "assert_allclose", "isclose", "assert_equal", "array_equal", "testing"),
                    "opref.compare(actual, expected) compares tensors, and opref.judge an operator's outputs"),
    **dict.fromkeys(("array", "asarray", "tensor", "Tensor"), "tensors are numpy's arrays"),
    **dict.fromkeys(("evaluate", "eval", "run_model", "run_node", "call", "compute"), "opref.run evaluates a node or a model"),
    **dict.fromkeys(("list_ops", "list_operators", "operators", "schema", "get_schema"), 'opref.ops() lists operators, opref.ops("Conv") describes one'),
}


def __getattr__(name: str) -> Any:
    """The submodule that needs onnx, once it is asked for; and how to get what is not here."""
    if name == "backend":
        return importlib.import_module("opref.backend")
    instead = _INSTEAD.get(name, "")
    if name in ("extract", "report"):
        instead = f"only on the command line: opref {name} …"
    elif not instead and not name.startswith("_"):
        operator = _operator_meant(name)
        instead = f'opref.run("{operator}", …) evaluates this operator' if operator else ""
    raise AttributeError(f"module 'opref' has no attribute {name!r}" + (f"; {instead}" if instead else ""))


def _operator_meant(name: str) -> str:
    """The operator that a name stands for, as conv and layer_norm do; "" if there is none."""
    try:
        if versions(name):
            return name
        _command(["ops", "--json", "--", name])
    except FileNotFoundError:  # the program
        return ""
    except Error as error:
        meant = re.search(r"did you mean '([\w.]+)'", error.message)
        letters = name.replace("_", "").lower()
        return meant[1] if meant and meant[1].lower().startswith(letters[:4]) else ""
    return ""


def run(node: Node, /, *tensors: Optional[ArrayLike], opset: Optional[int] = None,
        readings: Optional[Mapping[str, str]] = None, nodes: Union[str, Sequence[str]] = (),
        outputs: Union[str, Sequence[str]] = (), max_bytes: Optional[int] = None, threads: Optional[int] = None,
        **named: Any) -> Any:
    """Evaluates a node or a model.

    Parameters
    ----------
    node : str, os.PathLike, onnx.NodeProto or onnx.ModelProto
        an operator's name ("LpPool", "LpPool-11" for that of opset 11), ONNX text ("Y = LpPool <kernel_shape = [2]> (X)"), or
        the path of a model, a case or an OpenVINO file
    *tensors : array_like
        the inputs in their order; None leaves one out
    opset : int, optional
        the opset in force; the newest where neither it nor the model says one
    readings : dict, optional
        choices where the specification is ambiguous, by their names, as `opref.ops` lists them
    nodes : str or sequence of str, optional
        names of nodes of a model: only these are evaluated
    outputs : str or sequence of str, optional
        names of outputs, or of tensors of a model, inner ones too: these are returned
    max_bytes, threads : int, optional
        limits of memory and of threads; no number of threads changes a byte
    **named
        inputs and attributes by their names, told apart by the operator's schema. An input is anything that numpy.asarray takes;
        a list of arrays is a sequence, a dict a map, a list of dicts a sequence of maps, a list or tuple of arrays a variadic
        input, None is left out. A number of Python, or a list of at most 1000, takes the type that the node has for it, as in
        run("Add", A=numpy.float32([1, 2]), B=[3, 4]). Where the node leaves it open, as in run("Relu", [1.0]), it has numpy's:
        float64, int64 or bool. A data type may be one of numpy: to=numpy.float16

    Returns
    -------
    Value, or a tuple of these
        the output, or all of several in the node's order: an array, of a sequence a list, of a map a dict, of an empty optional None.
        An operator by its name returns its required outputs; `outputs` names optional ones. Types that numpy does not have are
        those of the package ml_dtypes, without which they are numpy's void type

    Raises
    ------
    Error
        where the specification or opref refuses the node

    Warns
    -----
    UserWarning
        where opref warns, as of a reading that decides the result

    Examples
    --------
    >>> import numpy
    >>> run("Softmax", [[1.0, 2.0]], axis=-1).round(3)
    array([[0.269, 0.731]])
    >>> y, indices = run("Y, I = MaxPool <kernel_shape = [2]> (X)", X=numpy.float32([[[1, 3, 2]]]))
    >>> indices
    array([[[1, 1]]])
    """
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        made = os.path.join(folder, "outputs", "")
        call = Call(node, tensors, named, folder, opset, readings, nodes)
        asked = [outputs] if isinstance(outputs, str) else outputs
        words = ["run"]
        for option, value in (("max_bytes", max_bytes), ("threads", threads)):
            words += [] if value is None else ["--" + option.replace("_", "-"), str(whole(option, value))]
        words += [word for name in dict.fromkeys(asked) for word in ("-o", f"{name}={made}")] if asked else ["-o", made]
        output, said = call.ask([*words, "--json"])
        _warn(said)
        described = json.loads(output)["outputs"]
        for name in asked:
            if name not in described:
                raise Error(f"{name!r} is an input, and none of the tensors that are computed", "usage")
        values = tuple(_tensors.read(made + _tensors.file_name(name), described[name]) for name in asked or described)
    return values[0] if len(values) == 1 else values


def judge(node: Node, /, *tensors: Optional[ArrayLike], outputs: Union[ArrayLike, Mapping[str, ArrayLike]],
          opset: Optional[int] = None, readings: Optional[Mapping[str, str]] = None, rtol: Optional[float] = None,
          atol: Optional[float] = None, ulp: Optional[int] = None, bound: Optional[Bound] = None, exact: bool = False,
          ignore_dtype: bool = False, **named: Any) -> Comparison:
    """Judges outputs that a backend computed, and says what the backend did where they differ.

    Parameters
    ----------
    outputs : array_like, tuple or dict
        the backend's first output, its outputs as a tuple in their order, or by their names
    rtol, atol, ulp, bound, exact, ignore_dtype
        when an element passes: numpy's rule; so many representable values apart; within the rigorous error bound of a kernel: of
        float32 with bound=True, or as in bound={"accumulator": "float16"}; the same bits. Where none is given, the rule of the
        operator and its type
    node, *tensors, opset, readings, **named
        as of `run`

    Returns
    -------
    Comparison
        its text names readings, other arithmetic or a known mistake that gives the backend's outputs

    Raises
    ------
    Error
        where the specification or opref refuses the node

    Examples
    --------
    >>> import numpy
    >>> x, wrong = numpy.float32([[[256, 1, 1, 256, 1, 1]]]), numpy.float32([[[256, 258, 256, 256]]])
    >>> print(judge("LpPool", X=x, kernel_shape=3, p=1, outputs=wrong))
    Y beyond the bound of float32: 3 of 4 elements, largest share 2.601e+04 at
      [0,0,0]: actual 256, expected 258, allowed ±7.689e-05 (0x43800000,
      0x43810000), 65536 ULP
      share: an error over what a right float32 kernel may lose; median 2.601e+04
      share 0: 1, above 10: 3
      max error 2 absolute, 0.007752 relative, 65536 ULP; mean 1.5, 0.005814,
        4.915e+04
      ULP 0: 1, above 1024: 3
    reproduced by: bfloat16 accumulation in order
    """
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        call = Call(node, tensors, named, folder, opset, readings)
        words = ["run", *rule(exact, False, ulp, rtol, atol, bound, ignore_dtype)]
        judged = _judged(outputs, call.schema)
        for name, value in judged.items():
            if is_plain(value):
                words += ["--judge", f"{name}={literal(value)}"]
                continue
            path, dtype = _tensors.write(value, os.path.join(folder, f"judged_{len(words)}"), _types_of_output(call.schema, name))
            call.renamed[path] = "the output"
            words += ["--judge", f"{name}{':' if dtype else ''}{dtype}={path}"]
        try:
            return _comparison(words, call.renamed, call.ask)
        except Error as error:
            if error.message.startswith("no output has the place "):
                there = re.sub("^there (is|are) ", "", error.way_out).split(", ")
                raise Error(f"outputs has {len(judged)} tensors, but {call.title or 'the model'} has {len(there)} "
                            f"output{'s' * (len(there) > 1)} ({', '.join(map(repr, there))})", error.fault) from None
            raise


@with_known_keywords
def compare(actual: ArrayLike, expected: ArrayLike, /, *, rtol: Optional[float] = None, atol: Optional[float] = None,
            ulp: Optional[int] = None, exact: bool = False, strict_nan: bool = False, ignore_dtype: bool = False) -> Comparison:
    """Compares two tensors, exactly unless a rule is chosen.

    Parameters
    ----------
    actual, expected : array_like
        what is judged, and what it is compared with. A list of Python's numbers takes the type of an array beside it
    rtol, atol, ulp, exact, ignore_dtype
        as of `judge`
    strict_nan : bool
        payloads of NaN count too

    Returns
    -------
    Comparison

    Raises
    ------
    Error
        where a tensor cannot be read, or two rules are given

    Examples
    --------
    >>> compare([1.0, 2.0], [1.0, 2.0000000001], rtol=1e-6).equal
    True
    """
    for value, other in ((actual, expected), (expected, actual)):
        if isinstance(value, Mapping) and any(isinstance(element, (numpy.ndarray, list)) for element in value.values()):
            raise TypeError("compare takes tensors or lists, not a dict: give one tensor of each dict")
        if isinstance(value, str) and numpy.asarray(other).dtype.kind not in "USO" and not value.endswith((".npy", ".npz", ".pb")):
            raise TypeError(f"{value!r} is no tensor: compare takes two tensors, judge an operator with its inputs and outputs")
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        words = ["diff"]
        renamed: Dict[str, Optional[str]] = {}
        for name, value, other in (("actual", actual, expected), ("expected", expected, actual)):
            path, dtype = _tensors.write(_typed_as(value, other), os.path.join(folder, name))
            renamed[path] = name
            words.append(path)
        if dtype:
            words += ["--dtype", dtype]
        words += rule(exact, strict_nan, ulp, rtol, atol, None, ignore_dtype)
        return _comparison(words, renamed, lambda given: _command(given, renamed))


def explain(node: Node, /, *tensors: Optional[ArrayLike], at: Optional[Union[str, Index]] = None,
            against: Optional[ArrayLike] = None, opset: Optional[int] = None, readings: Optional[Mapping[str, str]] = None, nodes: Union[str, Sequence[str]] = (),
            **named: Any) -> Explanation:
    """Explains one element of an output: its terms, its exact value, what other readings and arithmetic would give.

    Parameters
    ----------
    at : str or sequence of int
        the element: "Y[0,0,1]", or the coordinates alone where there is one output
    against : array_like, optional
        a backend's output, or its element alone: what would give that?
    node, *tensors, opset, readings, nodes, **named
        as of `run`

    Returns
    -------
    Explanation

    Raises
    ------
    Error
        where the specification or opref refuses the node, or there is no such element

    Examples
    --------
    >>> explain("LpPool", X=[[[1.0, 2.0, 3.0]]], kernel_shape=[2], at="Y[0,0,0]").exact
    '2.23606797749978969640917366873…'
    """
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        call = Call(node, tensors, named, folder, opset, readings, nodes)
        if at is None:
            raise TypeError('explain needs the element: at="Y[0,0,0]", or the coordinates alone where there is one output')
        words = ["--at", _place(at)]
        if against is not None:
            number = _number(against)
            if number:
                words.append(f"--against={number}")
            else:
                words += ["--against", _tensors.write(against, os.path.join(folder, "against"))[0]]
                call.renamed[words[-1]] = "the tensor"
        document = json.loads(call.ask(["explain", "--json", *words])[0])
        text = call.ask(["explain", *words])[0]
    return Explanation(document["value"], document["facts"].get("exact"), text, document)


def infer(node: Node, /, *types: Optional[ArrayLike], opset: Optional[int] = None,
          readings: Optional[Mapping[str, str]] = None, nodes: Union[str, Sequence[str]] = (),
          **named: Any) -> Dict[str, Optional[TensorType]]:
    """The types of the outputs of a node, or of every tensor that a model computes; nothing is computed.

    Parameters
    ----------
    *types, **named
        as of `run`; in the place of an input its type may stand: X="float32[1,3,8,8]"
    node, opset, readings, nodes
        as of `run`

    Returns
    -------
    dict
        the type of each output by its name; None where it is not known

    Raises
    ------
    Error
        where the specification or opref refuses the node

    Examples
    --------
    >>> infer("MaxPool", X="float32[1,3,32,32]", kernel_shape=[2, 2], strides=[2, 2])
    {'Y': TensorType(dtype='float32', shape=(1, 3, 16, 16)), 'Indices': TensorType(dtype='int64', shape=(1, 3, 16, 16))}
    """
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        call = Call(node, types, named, folder, opset, readings, nodes, types_alone=True)
        output, said = call.ask(["infer", "--json"])
        _warn(said)
    found = {}
    for made in json.loads(output)["nodes"]:
        for name, described in made.get("outputs", {}).items():
            found[name] = _type(described)
    return found


@with_known_keywords
def ops(operator: Optional[str] = None) -> List[Dict[str, Any]]:
    """The operators that opref knows, or the one of this name: versions, attributes, inputs, outputs, types, readings.

    Returns
    -------
    list of dict
        as `opref help json` describes the member `operators` of `opref ops --json`

    Raises
    ------
    Error
        where no operator has the name

    Examples
    --------
    >>> [version["since_version"] for version in ops("LpPool")[0]["versions"]]
    [1, 2, 11, 18, 22]
    """
    if not isinstance(operator, (str, type(None))):
        raise TypeError(f"{operator!r} is no operator's name")
    output, _ = _command(["ops", "--json", "--", *([] if operator is None else [operator])])
    return list(json.loads(output)["operators"])


def _typed_as(value: Any, other: Any) -> Any:
    """A number or list of Python in the type of the array that it is compared with, which loses no fraction."""
    if not is_plain(value) or is_plain(other) or isinstance(other, (str, list, tuple, Mapping)):
        return value
    array, dtype = numpy.asarray(value), numpy.asarray(other).dtype
    keeps = dtype.kind in "fcV" or (dtype.kind in "iu" and array.dtype.kind in "iu")
    return array.astype(dtype) if keeps else array


def _judged(outputs: Any, schema: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """Outputs by their names, or by their places: @1 is the first."""
    if isinstance(outputs, Mapping):
        judged = dict(outputs)
    else:
        splits = _tensors.holds_arrays(outputs) and not takes_sequence(schema, schema and schema["outputs"][0])
        several = outputs if isinstance(outputs, tuple) or splits else (outputs,)
        judged = {f"@{k + 1}": value for k, value in enumerate(several)}
    judged = {name: value for name, value in judged.items() if value is not None}
    if not judged:
        raise TypeError("there is no output to judge")
    return judged


def _types_of_output(schema: Optional[Mapping[str, Any]], name: str) -> Sequence[str]:
    """The types that an output of this name or place can have; none where they are not known."""
    for k, output in enumerate(schema["outputs"] if schema else ()):
        if name in (output["name"], f"@{k + 1}"):
            return schema["types"].get(output["type"], [output["type"]])  # type: ignore[index, no-any-return]
    return ()


def _place(at: Union[str, Index]) -> str:
    if isinstance(at, str):
        return at
    indices = numpy.asarray(at)
    if indices.ndim > 1 or (indices.size > 0 and indices.dtype.kind not in "iu"):
        raise TypeError(f'at={at!r}: it must be as "Y[0,0,1]" or a sequence of int')
    return "[" + ",".join(str(k) for k in indices.ravel().tolist()) + "]"


def _number(value: Any) -> str:
    """As it is written; "" of what is no number."""
    array = numpy.asarray(value)
    if array.ndim > 0 or not (array.dtype.kind in "biuf" or _tensors.is_extension(array.dtype)):
        return ""
    return str(int(array)) if array.dtype.kind in "biu" else repr(float(array))


def _comparison(words: List[str], renamed: Mapping[str, Optional[str]],
                ask: Callable[[Sequence[str]], Tuple[str, str]]) -> Comparison:
    document, text = ask([words[0], "--json", *words[1:]])[0], ask(words)[0]
    for path, name in renamed.items():
        document = document.replace(path, name or "it")
    described = json.loads(document)
    equal = all(comparison["equal"] for comparison in described["comparisons"].values())
    return Comparison(equal, in_python(text, (), {path: name or "it" for path, name in renamed.items()}).rstrip("\n"), described)


def _type(described: Any) -> Optional[TensorType]:
    if described is None or "dtype" not in described:
        return None
    shape = described.get("shape")
    if "key" in described:
        text = f'map({_tensors.onnx_name(described["key"])},{_tensors.onnx_name(described["dtype"])})'
        return TensorType(text if described["form"] == "map" else f"seq({text})", None)
    return TensorType(described["dtype"], None if shape is None else tuple(shape))


def _warn(said: str) -> None:
    """The program's warnings, each line a clause or a sentence of its own."""
    for text in re.split(r"^warning: ", said, flags=re.MULTILINE):
        if text:
            warnings.warn("\n  ".join(line.strip() for line in in_python(text).splitlines()), stacklevel=3)
