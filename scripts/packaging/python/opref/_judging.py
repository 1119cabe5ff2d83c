# SPDX-License-Identifier: Apache-2.0
"""What judges backends: check, golden and bisect, and cases as objects."""
from __future__ import annotations

import atexit
import dataclasses
import functools
import json
import os
import re
import shlex
import shutil
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from numpy.typing import ArrayLike

from opref import _functions
from opref._errors import Error, FAULTS, FLAGS, in_python
from opref._functions import Function, HandedCase
from opref._nodes import Call, Node, real, versions, whole, with_known_keywords
from opref._program import command

Path = Union[str, "os.PathLike[str]"]
Backend = Union[str, Function]
Bound = Union[bool, str, Mapping[str, Any]]


@dataclasses.dataclass(frozen=True, repr=False)
class _Found:
    """What a command that judges printed and found."""

    exit_code: int
    text: str
    document: Dict[str, Any]

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True, repr=False)
class Report(_Found):
    """What `check` found; true where the command ends with 0.

    `text` is what the command prints; `document` is its report, as `opref help report-schema` describes it.
    """

    def __repr__(self) -> str:
        told = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items() if count)
        return f"<opref.Report: {told or 'no case'}>"

    @property
    def counts(self) -> Dict[str, int]:
        """How many cases have each verdict: pass, fail, error, unsupported, skip."""
        return dict(self.document["summary"])

    @property
    def failures(self) -> List[Dict[str, Any]]:
        """Of the document's cases those with the verdict fail or error."""
        return [case for case in self.document["cases"] if case["verdict"] in ("fail", "error")]


@dataclasses.dataclass(frozen=True, repr=False)
class Bisection(_Found):
    """What `bisect` found; true where every node and output is right.

    `text` is what the command prints; `document` holds everything, as `opref help json` describes it.
    """

    def __repr__(self) -> str:
        wrong = [f"{node['name']} ({node['op_type']})" for node in self.wrong]
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        return f"<opref.Bisection: {len(self.document['nodes'])} nodes, wrong: {', '.join(wrong[:3]) or 'none'}{more}>"

    @property
    def wrong(self) -> List[Dict[str, Any]]:
        """Of the document's nodes those that fail, the worst first."""
        return [node for node in self.document["nodes"] if node["verdict"] in ("fail", "error")]


@dataclasses.dataclass(frozen=True, repr=False)
class Golden(_Found):
    """What `golden` did; true where the command ends with 0.

    `text` is what the command prints. `document` is the manifest of the folder, as `opref help manifest-schema` describes it; with
    verify or list, the command's document, as `opref help json` does.
    """

    folder: Optional[str]

    def __repr__(self) -> str:
        return f"<opref.Golden: {first_line(self.text)}>"


class Case:
    """A case in a folder: a model, its inputs and its right outputs. A path of it, as os.fspath takes it.

    Attributes
    ----------
    id : str
        its name, as reports have it
    model : str
        the path of model.onnx, or of an OpenVINO layer.xml
    folder : str
        where it has this name
    """

    def __init__(self, id: str, model: str, inputs: str, outputs: str, folder: str):
        """`folder` is the one in which the case has this name."""
        self.id, self.model, self._inputs, self._outputs, self.folder = id, model, inputs, outputs, folder

    def __fspath__(self) -> str:
        return os.path.dirname(self.model)

    def __repr__(self) -> str:
        return f"<opref.Case {self.id}>"

    @functools.cached_property
    def inputs(self) -> Dict[str, Any]:
        """The inputs by their names: arrays, a sequence as a list, a map as a dict, an empty optional as None."""
        return HandedCase(self.model, self._inputs).inputs()

    @functools.cached_property
    def outputs(self) -> Dict[str, Any]:
        """The right outputs by their names."""
        return HandedCase(self.model, self._outputs).outputs(self._outputs)

    @functools.cached_property
    def attributes(self) -> Dict[str, Any]:
        """The node's attributes in force, with the schema's defaults; of a model with several nodes none."""
        nodes = json.loads(command(["infer", "--json", "--", os.fspath(self)])[0])["nodes"]
        return dict(nodes[0]["attributes"]) if len(nodes) == 1 else {}

    def judge(self, outputs: Any, **rule: Any) -> Report:
        """Judges the outputs of a backend: an array, a tuple or list in order, or a dict by names. `rule` is as of `check`.

        Raises
        ------
        Error
            where a rule is none
        """
        with tempfile.TemporaryDirectory(prefix="opref-") as folder:
            name, place = _parts(self.id)
            made = os.path.join(folder, name, *([f"test_data_set_{place}"] if place else []))
            os.makedirs(made)
            HandedCase(self.model, self._inputs).write(outputs, made)
            report = check(self, outputs=folder, **rule)
        return dataclasses.replace(report, text=re.sub(r"\n *repeat: .*", "", report.text))  # the folder is gone


@with_known_keywords
def check(cases: Union[Path, Case, Sequence[Union[Path, Case]]], /, backend: Optional[Backend] = None, *,
          outputs: Optional[Path] = None, exact: bool = False, strict_nan: bool = False, ulp: Optional[int] = None,
          rtol: Optional[float] = None, atol: Optional[float] = None, bound: Optional[Bound] = None, ignore_dtype: bool = False,
          strict: bool = False, exact_tier: bool = False, timeout: Optional[float] = None, jobs: Optional[int] = None,
          max_bytes: Optional[int] = None, filter: Optional[str] = None, nodes: Union[str, Sequence[str]] = (),
          shard: Optional[str] = None, report: Optional[Path] = None, resume: Optional[Path] = None,
          baseline: Optional[Path] = None, junit: Optional[Path] = None, html: Optional[Path] = None,
          markdown: Optional[Path] = None, fail_fast: bool = False, verbose: bool = False, require_all: bool = False,
          allow_empty: bool = False) -> Report:
    """Judges a backend on cases, as `opref check` does.

    Parameters
    ----------
    cases : path, Case, or a sequence of these
        a case, or a folder with cases at any depth
    backend : function or str, optional
        backend(model, inputs) takes the path of a model and a dict of its inputs by name. It returns the outputs: a dict by name, a
        tuple or list in the model's order, or one array. NotImplementedError says that it does not support the case; any other
        exception is the case's error. It is called in this thread, one case after the other. A str is a command, as --runner
        takes it. Without it, opref checks itself
    outputs : path, optional
        a folder of outputs that another program wrote
    jobs : int, optional
        -j: cases at a time. Of a function the default is 1: with more, a case also waits for others in its `timeout`
    bound : bool, str or dict, optional
        True, or of which kernel, as in bound={"accumulator": "float16"}
    exact, strict_nan, ulp, rtol, atol, ignore_dtype, strict, exact_tier, timeout, max_bytes, filter, nodes, shard, report, resume,
    baseline, junit, html, markdown, fail_fast, verbose, require_all, allow_empty
        the options of the command with these names; nodes is --node

    Returns
    -------
    Report
        as str, what the command prints

    Raises
    ------
    Error
        where there is nothing to check, or a file cannot be read or written

    Examples
    --------
    >>> import numpy
    >>> def softmax(model, inputs):
    ...     e = numpy.exp(inputs["input"])
    ...     return e / e.sum(-1, keepdims=True)
    >>> check(cases("Softmax", filter="_13_f32_r2_axis-m1$"), backend=softmax)
    <opref.Report: 1 pass>
    """
    if isinstance(cases, str) and not os.path.exists(cases) and versions(cases):
        raise Error(f"no such file or folder: {cases}", "system", f"opref.cases({cases!r}) makes cases of this operator")
    paths, filter = _chosen([cases] if isinstance(cases, (str, os.PathLike, Case)) else [*cases], filter)
    words = rule(exact, strict_nan, ulp, rtol, atol, bound, ignore_dtype)
    words += _words(strict=strict, exact_tier=exact_tier, fail_fast=fail_fast, verbose=verbose, require_all=require_all,
                    allow_empty=allow_empty)
    words += _words(timeout=_real("timeout", timeout), max_bytes=_whole("max_bytes", max_bytes), filter=filter, shard=shard,
                    resume=resume, baseline=baseline, junit=junit, html=html, markdown=markdown, outputs=outputs)
    words += [f"--node={name}" for name in ([nodes] if isinstance(nodes, str) else nodes)]
    jobs = 1 if jobs is None and callable(backend) else jobs
    words += [] if jobs is None else ["-j", str(whole("jobs", jobs))]
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        written = os.path.join(folder, "report.json") if report is None else os.fspath(report)
        code, text = _run(["check", *words, f"--report={written}"], ["--", *paths], backend, {written: "the report"})
        with open(written, encoding="utf-8") as file:
            return Report(code, text, json.load(file))


@with_known_keywords
def bisect(model: Node, inputs: Union[None, Mapping[str, Any], Sequence[ArrayLike]] = None, /,
           backend: Optional[Backend] = None, *, outputs: Union[None, Path, Mapping[str, ArrayLike]] = None, exact: bool = False,
           strict_nan: bool = False, ulp: Optional[int] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
           bound: Optional[Bound] = None, ignore_dtype: bool = False, strict: bool = False, extract: Optional[Path] = None,
           report: Optional[Path] = None, html: Optional[Path] = None, timeout: Optional[float] = None, opset: Optional[int] = None,
           readings: Optional[Mapping[str, str]] = None, max_bytes: Optional[int] = None, verbose: bool = False) -> Bisection:
    """Finds the nodes of a model that a backend computes wrongly, as `opref bisect` does.

    Parameters
    ----------
    model : str, os.PathLike, onnx.NodeProto or onnx.ModelProto
        as of `run`; a case has its inputs
    inputs : dict or sequence, optional
        the model's inputs by their names, or in their order
    backend : function or str, optional
        as of `check`. It gets a model whose outputs are the values between the nodes, too
    outputs : dict or path, optional
        instead of a backend, all values by their names, or a folder of NAME.npy
    exact, strict_nan, ulp, rtol, atol, bound, ignore_dtype, strict, extract, report, html, timeout, opset, readings, max_bytes,
    verbose
        the options of the command with these names; bound is as of `check`

    Returns
    -------
    Bisection
        as str, what the command prints

    Raises
    ------
    Error
        where the specification or opref refuses the model

    Examples
    --------
    >>> import numpy
    >>> def wrong(model, inputs):
    ...     h = numpy.exp(inputs["x"])
    ...     return {"h": h, "y": h / 2}
    >>> bisect("h = Exp (x)  y = Softmax (h)", {"x": numpy.float32([0, 1])}, backend=wrong)
    <opref.Bisection: 2 nodes, wrong: y (Softmax)>
    """
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        named = inputs if isinstance(inputs, Mapping) else {}
        placed = () if inputs is None or isinstance(inputs, Mapping) else tuple(inputs)
        call = Call(model, placed, named, folder, opset, readings)
        if isinstance(outputs, Mapping):
            outputs = _written(outputs, os.path.join(folder, "values"))
            call.renamed[outputs] = "outputs"
        words = rule(exact, strict_nan, ulp, rtol, atol, bound, ignore_dtype)
        words += _words(strict=strict, verbose=verbose, extract=extract, html=html, timeout=_real("timeout", timeout),
                        max_bytes=_whole("max_bytes", max_bytes), outputs=outputs)
        written = os.path.join(folder, "bisect.json") if report is None else os.fspath(report)

        def ask(options: Sequence[str], places: Sequence[str]) -> Tuple[int, str]:
            return _run(["bisect", *words, f"--report={written}", *options], places, backend, call.renamed)

        code, text = call.ask_by(ask)
        with open(written, encoding="utf-8") as file:
            return Bisection(code, text, json.load(file))


@with_known_keywords
def golden(*recipes: Union[Path, Mapping[str, Any]], output: Optional[Path] = None, layout: Optional[str] = None,
           negative: bool = False, seed: Optional[int] = None, filter: Optional[str] = None, shard: Optional[str] = None,
           merge: Sequence[Path] = (), list: bool = False, allow_empty: bool = False, replace: bool = False,
           jobs: Optional[int] = None, max_bytes: Optional[int] = None, verify: Optional[Path] = None,
           hash_only: bool = False) -> Golden:
    """Makes cases with correctly rounded outputs, or verifies them, as `opref golden` does.

    Parameters
    ----------
    *recipes : str, path or dict
        an operator, "all", a file of recipes, or a recipe as `opref help golden-files` describes it
    output : path
        the folder that the cases go into: the command's -o
    jobs : int, optional
        the command's -j
    layout, negative, seed, filter, shard, merge, list, allow_empty, replace, max_bytes, verify, hash_only
        the options of the command with these names

    Returns
    -------
    Golden
        as str, what the command prints

    Raises
    ------
    Error
        where a recipe is wrong, no case is left, or the folder cannot be written

    Examples
    --------
    >>> print(golden("Relu", filter="_14_f32_r1_[iu]", list=True))
    relu_14_f32_r1_uniform
    relu_14_f32_r1_integers
    """
    if output is None and not list and verify is None and (recipes or merge):
        raise TypeError("golden needs the folder that the cases go into: output=…")
    words = _words(layout=layout, negative=negative, seed=_whole("seed", seed), filter=filter, shard=shard, list=list,
                   allow_empty=allow_empty, replace=replace, max_bytes=_whole("max_bytes", max_bytes), verify=verify,
                   hash_only=hash_only)
    words += [] if output is None else ["-o", os.fspath(output)]
    words += [] if jobs is None else ["-j", str(whole("jobs", jobs))]
    words += [word for folder in merge for word in ("--merge", os.fspath(folder))]
    with tempfile.TemporaryDirectory(prefix="opref-") as folder:
        renamed: Dict[str, Optional[str]] = {}
        named = [_recipe(recipe, os.path.join(folder, f"recipe_{k}.json"), renamed) for k, recipe in enumerate(recipes)]
        places = ["--", *named] if named else []
        code, text = _run(["golden", *words], places, None, renamed)
        if list or verify is not None:
            document = json.loads(command(["golden", "--json", *words, *places], renamed)[0])
        else:
            assert output is not None
            with open(os.path.join(output, "manifest.json"), encoding="utf-8") as file:
                document = json.load(file)
    made = verify if output is None else output
    return Golden(code, text, document, None if made is None else os.fspath(made))


@with_known_keywords
def cases(what: Union[Path, Mapping[str, Any]], /, filter: Optional[str] = None, *, seed: Optional[int] = None,
          layout: Optional[str] = None) -> List[Case]:
    """Cases as objects, as for pytest.mark.parametrize("case", opref.cases("Softmax"), ids=lambda case: case.id).

    Parameters
    ----------
    what : path, str or dict
        a folder with cases at any depth; or what `golden` takes: an operator's name or a recipe, whose cases are made in a folder
        that is removed when Python ends
    filter : str, optional
        only cases whose name matches
    seed, layout
        as of `golden`

    Returns
    -------
    list of Case
        in the order of their names; each has id, model, inputs, attributes, outputs and judge(outputs)

    Raises
    ------
    Error
        where there is no case

    Examples
    --------
    >>> case = cases("Softmax", filter="_13_f32_2d$")[0]
    >>> case.id, list(case.inputs), case.outputs["output"].dtype
    ('softmax_13_f32_2d', ['input'], dtype('float32'))
    >>> case.judge(case.outputs)
    <opref.Report: 1 pass>
    """
    if isinstance(what, Mapping) or not os.path.isdir(what):
        key = json.dumps(what, sort_keys=True) if isinstance(what, Mapping) else os.fspath(what)
        return [*_made_cases(key, isinstance(what, Mapping), filter, seed, layout)]
    if seed is not None or layout is not None:
        raise TypeError("seed and layout are for cases that are made, but these are there already")
    return _cases_in(os.fspath(what), filter)


@functools.lru_cache(maxsize=None)
def _made_cases(recipe: str, is_text: bool, filter: Optional[str], seed: Optional[int], layout: Optional[str]) -> Tuple[Case, ...]:
    folder = tempfile.mkdtemp(prefix="opref-cases-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    golden(json.loads(recipe) if is_text else recipe, output=folder, filter=filter, seed=seed, layout=layout, replace=True)
    return tuple(_cases_in(folder, None))


def _cases_in(folder: str, filter: Optional[str]) -> List[Case]:
    names = json.loads(command(["check", "--list", "--json", *_words(filter=filter), "--", folder])[0])["names"]
    found = [case for case in (_case(folder, name) for name in names) if case is not None]
    if not found and names:
        raise Error(f"{folder} has no case with a model, only JSON cases", "usage", "opref.check judges them")
    return found


def _case(folder: str, name: str) -> Optional[Case]:
    """None of a JSON case, which has no model."""
    path, place = _parts(name)
    at = os.path.join(folder, path)
    if not os.path.isdir(at):  # the folder is the case
        at = folder
    model = os.path.join(at, "model.onnx")
    if os.path.exists(model):
        data = os.path.join(at, f"test_data_set_{place or 0}")
        return Case(name, model, data, data, folder)
    layer = os.path.join(at, "layer.xml")
    return Case(name, layer, at, at, folder) if os.path.exists(layer) else None


def _parts(name: str) -> Tuple[str, str]:
    """Of a case's name its folder, and the number of its test_data_set where there are several."""
    found = re.fullmatch(r"(.*)#(\d+)", name)
    return (found[1], found[2]) if found else (name, "")


def _chosen(cases: Sequence[Union[Path, Case]], filter: Optional[str]) -> Tuple[List[str], Optional[str]]:
    """The paths of cases, and the filter that leaves no others. Case objects of one folder are chosen by their names."""
    if not cases:
        raise Error("there are no cases", "usage")
    folders = {case.folder for case in cases if isinstance(case, Case)}
    if len(folders) != 1 or not all(isinstance(case, Case) for case in cases):
        return [*dict.fromkeys(os.fspath(case) for case in cases)], filter
    names = [case.id for case in cases if isinstance(case, Case) and re.search(filter or "", case.id)]
    if not names:
        raise Error(f"there is no case whose name matches {filter!r}", "usage")
    return [*folders], "^(" + "|".join(map(_escaped, dict.fromkeys(names))) + ")$"


def _escaped(name: str) -> str:
    return re.sub(r"([^\w/-])", r"\\\1", name, flags=re.ASCII)


def _written(values: Mapping[str, ArrayLike], folder: str) -> str:
    from opref import _tensors
    os.mkdir(folder)
    for name, value in values.items():
        _tensors.write(value, os.path.join(folder, _tensors.file_name(name)))
    return folder


def _recipe(recipe: Union[Path, Mapping[str, Any]], path: str, renamed: Dict[str, Optional[str]]) -> str:
    if not isinstance(recipe, Mapping):
        return os.fspath(recipe)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(recipe, file)
    renamed[path] = "the recipe"
    return path


def _run(words: List[str], places: Sequence[str], backend: Optional[Backend], renamed: Mapping[str, Optional[str]]) -> Tuple[int, str]:
    """The exit code, 0, 1 or where nothing could be judged 5, and what the command prints; raises Error for all others."""
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend={backend!r}: it must be a function of a model's path and a dict of inputs, or a command")
    if callable(backend):
        code, output, errors = _functions.run_with(backend, words, places)
        errors = re.sub(r";\s+a\s+command\s+without\s+{model}.*", "; timeout=… gives the function more time", errors, flags=re.DOTALL)
    else:
        runner = [] if backend is None else [f"--runner={backend}"]
        code, output, errors = _functions.run_alone([*words, *runner, *places])
    judged_nothing = code == 5 and not re.search("^error: ", errors, re.MULTILINE)
    if code in (0, 1) or judged_nothing:
        text = re.sub(r"^( *repeat: )(opref check .*)$", lambda line: line[1] + _as_call(line[2]), output, flags=re.MULTILINE)
        return code, in_python(text.rstrip("\n"), (), renamed)
    raise _refused(code, errors, words, renamed)


def _refused(code: int, errors: str, words: Sequence[str], renamed: Mapping[str, Optional[str]]) -> Error:
    """What the last error on standard error says, in one line but for its places."""
    told = re.split(r"^error: ", errors, flags=re.MULTILINE)[-1].rstrip("\n")
    lines = re.split(r"\n  (?=in )", in_python(told, words, renamed))
    message, *places = [" ".join(line.split()) for line in lines]
    message = message.replace("'opref help backends' says what it reads and writes", "or give a function (model, inputs)")
    return Error(message or f"opref {words[0]} ended with {code}", FAULTS.get(code, "internal"), "",
                 [place for place in places if place != "in the command line"])


_NUMBERS = ("ulp", "rtol", "atol", "timeout", "max_bytes")


def _as_call(line: str) -> str:
    """A command line that opref prints, as a call."""
    _, name, *words = shlex.split(line)
    given = []
    while words:
        word = words.pop(0)
        option, equals, value = word.partition("=")
        key = "nodes" if option == "--node" else option[2:].replace("-", "_")
        if not word.startswith("--"):
            given.append(repr(word))
        elif key == "runner":
            given.append("backend=" + _functions.function_named(value or words.pop(0)))
        elif equals or option == "--bound" or option[2:] in FLAGS:
            given.append(f"{key}={value!r}" if equals else f"{key}=True")
        else:
            value = words.pop(0)
            given.append(f"{key}={value if key in _NUMBERS else repr(value)}")
    return f"opref.{name}({', '.join(given)})"


def rule(exact: bool, strict_nan: bool, ulp: Optional[int], rtol: Optional[float], atol: Optional[float], bound: Optional[Bound],
         ignore_dtype: bool) -> List[str]:
    """The words of a rule of comparison."""
    if isinstance(bound, Mapping):
        bound = ",".join(f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in bound.items())
    return _words(exact=exact, strict_nan=strict_nan, ulp=_whole("ulp", ulp), rtol=_real("rtol", rtol), atol=_real("atol", atol),
                  bound=bound, ignore_dtype=ignore_dtype)


def _words(**options: Any) -> List[str]:
    """Options by their names in Python: a flag that is True, or a value; nothing of None and False."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words.append(f"{option}={os.fspath(value) if isinstance(value, (str, os.PathLike)) else repr(value)}")
    return words


def _whole(name: str, value: Optional[int]) -> Optional[int]:
    return None if value is None else whole(name, value)


def _real(name: str, value: Optional[float]) -> Optional[float]:
    return None if value is None else real(name, value)


def first_line(text: str) -> str:
    """For a short repr."""
    line, _, more = text.partition("\n")
    return line + (" …" if more else "")
