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
import importlib.metadata
import json
import os
import re
import tempfile
import warnings
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from opref import _tensors
from opref._errors import Error
from opref._nodes import Call
from opref._program import command as _command
from opref._program import program

__all__ = ["Comparison", "Error", "Explanation", "TensorType", "compare", "explain", "infer", "judge", "ops", "program", "run"]

try:
    __version__ = importlib.metadata.version("opref")
except importlib.metadata.PackageNotFoundError:  # the module beside a program that was built, not installed
    __version__ = json.loads(_command(["--version", "--json"])[0])["opref"]

Index = Union[int, Sequence[int]]


class TensorType(NamedTuple):
    """The type of a tensor; `shape` is None where values decide it."""

    dtype: str
    shape: Optional[Tuple[int, ...]]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How tensors compare; true where all are equal by the rule.

    `text` is for people, `document` holds everything that opref knows of it, as `opref help json` describes it.
    """

    equal: bool
    text: str
    document: Dict[str, Any]

    def __bool__(self):
        return self.equal

    def __str__(self):
        return self.text


@dataclasses.dataclass(frozen=True)
class Explanation:
    """How one element of an output comes about, term by term.

    `value` is the element and `exact` what the formula gives before it is rounded, as texts; `text` is for people, `document`
    holds everything, as `opref help json` describes it.
    """

    value: str
    exact: Optional[str]
    text: str
    document: Dict[str, Any]

    def __str__(self):
        return self.text


def run(node, /, *tensors, opset: Optional[int] = None, readings: Optional[Mapping[str, str]] = None,
        nodes: Sequence[str] = (), max_bytes: Optional[int] = None, threads: Optional[int] = None, **named):
    """Evaluates a node or a model.

    Parameters
    ----------
    node : str, os.PathLike, onnx.NodeProto or onnx.ModelProto
        an operator's name ("LpPool", "LpPool-11" for that of opset 11), ONNX text ("Y = LpPool <kernel_shape = [2]> (X)"), or
        the path of a model, a case or an OpenVINO file
    *tensors : array_like
        the inputs in their order
    opset : int, optional
        the opset in force; the newest where neither it nor the model says one
    readings : dict, optional
        choices where the specification is ambiguous, by their names, as `opref.ops` lists them
    nodes : sequence of str, optional
        names of nodes of a model: only these are evaluated
    max_bytes, threads : int, optional
        limits of memory and of threads; no number of threads changes a byte
    **named
        inputs and attributes by their names, told apart by the operator's schema. An input is anything that numpy.asarray takes;
        a list of arrays is a sequence, a tuple of arrays a variadic input, None is left out

    Returns
    -------
    numpy.ndarray, list of numpy.ndarray, None, or a tuple of these
        the output, or all of several in the node's order; a sequence is a list, an empty optional None. Types that numpy does
        not have are those of the package ml_dtypes, without which they are numpy's void type

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
        outputs = os.path.join(folder, "outputs", "")
        call = Call(node, tensors, named, folder, opset, readings)
        words = ["run", *_options(nodes, max_bytes, threads), "-o", outputs, "--json", *call.words]
        output, said = _command(words, call.renamed)
        _warn(said)
        described = json.loads(output)["outputs"]
        values = tuple(_tensors.read(outputs + _tensors.file_name(name), value) for name, value in described.items())
    return values[0] if len(values) == 1 else values


def judge(node, /, *tensors, outputs, opset: Optional[int] = None, readings: Optional[Mapping[str, str]] = None,
          rtol: Optional[float] = None, atol: Optional[float] = None, ulp: Optional[int] = None, bound: Optional[str] = None,
          exact: bool = False, ignore_dtype: bool = False, **named) -> Comparison:
    """Judges outputs that a backend computed, and says what the backend did where they differ.

    Parameters
    ----------
    outputs : array_like or dict
        the backend's output, or its outputs by their names
    rtol, atol, ulp, bound, exact, ignore_dtype
        when an element passes: numpy's rule; so many representable values apart; within the rigorous error bound of a kernel, as
        in bound="accumulator=float16"; the same bits. Where none is given, the rule of the operator and its type
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
    Y differs
      3 of 4 elements differ (rtol 0.001, atol 1e-07)
      first [0,0,0]: actual 256, expected 258 (0x43800000, 0x43810000), absolute
        error 2, relative 0.007751937984496124
      max error 2 absolute, 0.007752 relative, 65536 ULP; mean 1.5, 0.005814,
        4.915e+04
      ULP 0: 1, above 1024: 3
    reproduced by: bfloat16 accumulation in order
    """
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        call = Call(node, tensors, named, folder, opset, readings)
        words = ["run", *_rule(rtol, atol, ulp, bound, exact, ignore_dtype)]
        for k, (name, value) in enumerate(outputs.items() if isinstance(outputs, Mapping) else [("", outputs)]):
            path, dtype = _tensors.write(value, os.path.join(folder, f"judged_{k}"))
            call.renamed[path] = f"the output {name}".strip()
            words += ["--judge", f"{name}{':' if dtype else ''}{dtype}={path}" if name else path]
        return _comparison([*words, *call.words], call.renamed, "comparisons")


def compare(actual, expected, /, *, rtol: Optional[float] = None, atol: Optional[float] = None, ulp: Optional[int] = None,
            exact: bool = False, strict_nan: bool = False, ignore_dtype: bool = False) -> Comparison:
    """Compares two tensors, exactly unless a rule is chosen.

    Parameters
    ----------
    actual, expected : array_like
        what is judged, and what it is compared with
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
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        words, renamed = ["diff"], {}
        for name, value in (("actual", actual), ("expected", expected)):
            path, dtype = _tensors.write(value, os.path.join(folder, name))
            renamed[path] = name
            words.append(path)
        if dtype:
            words += ["--dtype", dtype]
        words += _rule(rtol, atol, ulp, None, exact, ignore_dtype) + (["--strict-nan"] if strict_nan else [])
        return _comparison(words, renamed, "comparisons")


def explain(node, /, *tensors, at: Union[str, Index], against=None, opset: Optional[int] = None,
            readings: Optional[Mapping[str, str]] = None, nodes: Sequence[str] = (), **named) -> Explanation:
    """Explains one element of an output: its terms, its exact value, what other readings and arithmetic would give.

    Parameters
    ----------
    at : str or sequence of int
        the element: "Y[0,0,1]", or the coordinates alone where there is one output
    against : array_like, optional
        a backend's output: what would give its element?
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
        call = Call(node, tensors, named, folder, opset, readings)
        place = at if isinstance(at, str) else "[" + ",".join(str(int(k)) for k in (at if isinstance(at, Sequence) else [at])) + "]"
        words = [*_options(nodes), "--at", place]
        if against is not None:
            path, _ = _tensors.write(against, os.path.join(folder, "against"))
            call.renamed[path] = "against"
            words += ["--against", path]
        document = json.loads(_command(["explain", "--json", *words, *call.words], call.renamed)[0])
        text = _command(["explain", *words, *call.words], call.renamed)[0]
    return Explanation(document["value"], document["facts"].get("exact"), text, document)


def infer(node, /, *types, opset: Optional[int] = None, readings: Optional[Mapping[str, str]] = None, nodes: Sequence[str] = (),
          **named) -> Dict[str, Optional[TensorType]]:
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
        call = Call(node, types, named, folder, opset, readings, types_alone=True)
        output, said = _command(["infer", *_options(nodes), "--json", *call.words], call.renamed)
        _warn(said)
    found = {}
    for made in json.loads(output)["nodes"]:
        for name, described in made.get("outputs", {}).items():
            found[name] = _type(described)
    return found


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
    output, _ = _command(["ops", "--json", "--", *([] if operator is None else [operator])])
    return json.loads(output)["operators"]


def _options(nodes=(), max_bytes=None, threads=None):
    words = [word for name in nodes for word in ("--node", name)]
    for option, value in (("--max-bytes", max_bytes), ("--threads", threads)):
        words += [] if value is None else [option, str(value)]
    return words


def _rule(rtol, atol, ulp, bound, exact, ignore_dtype):
    words = [f"--bound={bound}"] if bound is not None else []
    for option, value in (("--rtol", rtol), ("--atol", atol), ("--ulp", ulp)):
        words += [] if value is None else [option, repr(value)]
    return words + (["--exact"] if exact else []) + (["--ignore-dtype"] if ignore_dtype else [])


def _comparison(words, renamed, member):
    document, text = _command([words[0], "--json", *words[1:]], renamed)[0], _command(words, renamed)[0]
    for path, name in renamed.items():
        document, text = document.replace(path, name or "it"), text.replace(path, name or "it")
    document, text = json.loads(document), text.replace("--ignore-dtype", "ignore_dtype=True")
    equal = all(comparison["equal"] for comparison in document[member].values())
    return Comparison(equal, text.rstrip("\n"), document)


def _type(described):
    if described is None or "dtype" not in described:
        return None
    shape = described.get("shape")
    return TensorType(described["dtype"], None if shape is None else tuple(shape))


def _warn(said):
    for text in re.split(r"^warning: ", said, flags=re.MULTILINE):
        if text:
            text = re.sub(r"choose with --reading (\S+)=VALUE", r'choose with readings={"\1": …}', " ".join(text.split()))
            warnings.warn(text, stacklevel=3)
