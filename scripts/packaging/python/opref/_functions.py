# SPDX-License-Identifier: Apache-2.0
"""A function of Python as the backend of a command: opref starts workers, which are relays to this process.

The function is called in the thread that called opref, one case after the other."""
from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from typing import Any, Callable, Dict, IO, Iterator, List, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import unquote

import numpy

from opref import _onnx_files, _tensors
from opref._program import command, program

Outputs = Union[Mapping[str, Any], Sequence[Any], numpy.ndarray]
Function = Callable[[str, Dict[str, Any]], Outputs]

_LONGEST_WHY = 2000
_SECONDS_TO_STOP = 10  # in which opref ends its workers and writes its reports


def run_with(function: Function, words: Sequence[str], places: Sequence[str]) -> Tuple[int, str, str]:
    """Runs a command of opref that judges the function; `places` end the command line. Returns its exit code, standard output and standard error. What ends the
    function but an Exception, as an interrupt, stops the command and goes on."""
    name = runner_name(function)
    with tempfile.TemporaryDirectory(prefix="opref-") as folder, _listener(folder) as (listener, address):
        relay = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_relay.py")
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec " + " ".join(map(shlex.quote, [sys.executable, "-I", "-S", relay, address])) + "\n")
        os.chmod(path, 0o700)
        environment = {**os.environ, "PATH": folder + os.pathsep + os.environ.get("PATH", os.defpath)}
        return _watched([*words, f"--runner={name}", *places], environment, _Server(function, listener))


def run_alone(words: Sequence[str]) -> Tuple[int, str, str]:
    """Runs a command of opref that takes long, in a process of its own. Returns as run_with."""
    return _watched(words, dict(os.environ), None)


def runner_name(function: Function) -> str:
    """What reports call the function."""
    name = getattr(function, "__name__", "") or type(function).__name__
    return "python:" + (re.sub(r"\W", "", name) or "function")


def function_named(runner: str) -> str:
    """The function that a report calls so, as code; of another runner its command."""
    kind, _, name = runner.partition(":")
    return repr(runner) if kind != "python" else "…" if name == "lambda" else name


@contextlib.contextmanager
def _listener(folder: str) -> Iterator[Tuple[socket.socket, str]]:
    """A socket with its path, which the system wants to be short."""
    with contextlib.ExitStack() as stack:
        longest = 100
        if len(folder) > longest - 10:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="opref-", dir="/tmp"))
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        address = os.path.join(folder, "socket")
        listener.bind(address)
        listener.listen(64)
        yield listener, address


def _watched(words: Sequence[str], environment: Mapping[str, str], server: Optional["_Server"]) -> Tuple[int, str, str]:
    with tempfile.TemporaryFile() as errors, selectors.DefaultSelector() as selector:
        # A session of its own: an interrupt of the terminal comes to Python alone, which stops it.
        process = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                   env=environment, start_new_session=True)
        try:
            assert process.stdout
            selector.register(process.stdout, selectors.EVENT_READ)
            if server is not None:
                server.register(selector)
            output = _read_to_end(process.stdout, selector, server)
            code = process.wait()
        except BaseException:
            _stop(process)
            raise
        finally:
            assert process.stdout
            process.stdout.close()
            if server is not None:
                server.close()
        errors.seek(0)
        return code, output.decode("utf-8", "replace"), errors.read().decode("utf-8", "replace")


def _read_to_end(stdout: IO[bytes], selector: selectors.BaseSelector, server: Optional["_Server"]) -> bytes:
    """What the command prints; the server answers meanwhile."""
    output = b""
    while True:
        for key, _ in selector.select():
            if key.fileobj is not stdout:
                assert server is not None
                server.serve(key.fileobj)
                continue
            part = os.read(stdout.fileno(), 1 << 16)
            if not part:
                return output
            output += part


def _stop(process: subprocess.Popen[bytes]) -> None:
    """As an interrupt does, which a process in the background may ignore: it ends its workers and removes its files."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()  # nothing where it has ended
        process.wait()


class _Server:
    """Answers the relays by the function."""

    def __init__(self, function: Function, listener: socket.socket):
        self._function, self._listener = function, listener
        self._pending: Dict[socket.socket, bytes] = {}  # of each relay what has come of its next request
        self._selector: Optional[selectors.BaseSelector] = None

    def register(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        selector.register(self._listener, selectors.EVENT_READ)

    def close(self) -> None:
        for connection in [*self._pending]:
            self._drop(connection)

    def serve(self, ready: Any) -> None:
        """A relay that comes, a part of a request, or the end of a relay, whose case took too long."""
        assert self._selector is not None
        if ready is self._listener:
            connection, _ = self._listener.accept()
            self._pending[connection] = b""
            self._selector.register(connection, selectors.EVENT_READ)
            return
        try:
            part = ready.recv(1 << 16)
            if not part:
                return self._drop(ready)
            *lines, self._pending[ready] = (self._pending[ready] + part).split(b"\n")
            for line in lines:
                ready.sendall(self._answer(json.loads(line)).encode() + b"\n")
        except OSError:
            self._drop(ready)

    def _drop(self, connection: socket.socket) -> None:
        assert self._selector is not None
        self._selector.unregister(connection)
        del self._pending[connection]
        connection.close()

    def _answer(self, request: Mapping[str, str]) -> str:
        answer = {"id": request["id"], "status": "ok", "why": ""}
        try:
            case = HandedCase(request["model"], request["inputs"])
            values = self._function(case.model, case.inputs())
            try:
                case.write(values, request["outputs"])
            except (TypeError, ValueError) as problem:
                answer.update(status="error", why=f"the function returned {_kind(values)}: {problem}")
        except (NotImplementedError, ImportError) as problem:
            answer.update(status="unsupported", why=_why(problem, request))
        except Exception as problem:  # whatever it is, it is the verdict on this case alone
            answer.update(status="error", why=_why(problem, request))
        return json.dumps(answer)


class HandedCase:
    """A model and a folder of its inputs, as opref hands them to a backend."""

    def __init__(self, model: str, folder: str):
        self.model, self._folder = model, folder
        self._is_onnx = not model.endswith(".xml")
        self._declared = _onnx_files.signature(model) if self._is_onnx else ([], [])

    def inputs(self) -> Dict[str, Any]:
        """By their names; an input without a value is left out."""
        if self._is_onnx:
            return self._read(self._folder, "input", self._declared[0])
        return {name: value for name, value in _read_layer(self._folder).items() if name not in self._layer_outputs}

    def outputs(self, folder: str) -> Dict[str, Any]:
        """The values of a folder of expected outputs."""
        if self._is_onnx:
            return self._read(folder, "output", self._declared[1])
        return {name: value for name, value in _read_layer(folder).items() if name in self._layer_outputs}

    @functools.cached_property
    def _layer_outputs(self) -> List[str]:
        """Of a case of OpenVINO that has all its files in one folder; what is handed to a backend has inputs alone."""
        if os.path.dirname(self.model) != self._folder:
            return []
        nodes = json.loads(command(["infer", "--json", "--", self._folder])[0])["nodes"]
        return [name for node in nodes for name in node["outputs"]]

    def write(self, values: Any, folder: str) -> None:
        """Writes what a backend returned: outputs by their names, those of a tuple or list in order, or the first."""
        if isinstance(values, Mapping):
            known = [declared.name for declared in self._declared[1]]
            if known and not any(name in known for name in values):  # further values, as bisect asks for, are of no harm
                raise ValueError(f"none of its names is that of an output, which {'is' if len(known) == 1 else 'are'} "
                                 f"{', '.join(map(repr, known))}")
            values = {name: value for name, value in values.items() if name in known or not self._is_onnx}
            named = {_tensors.file_name(str(name)): value for name, value in values.items()}
        else:
            if values is None:
                raise TypeError("it must return an array, a dict by names, or a tuple or list of outputs")
            several = values if isinstance(values, (tuple, list)) and not self._is_one_sequence(values) else (values,)
            if self._is_onnx and len(several) > len(self._declared[1]):
                raise ValueError(f"the model has {len(self._declared[1])}")
            named = {f"output_{k}": value for k, value in enumerate(several)}
        for name, value in named.items():
            if value is not None:
                _tensors.write(value, os.path.join(folder, name))

    def _is_one_sequence(self, values: Any) -> bool:
        """Whether a list is the only output, a sequence, itself, rather than a list of one output."""
        return (len(self._declared[1]) == 1 and self._declared[1][0].kind in (_onnx_files.SEQUENCE, _onnx_files.OPTIONAL)
                and isinstance(values, list) and not any(element is None or isinstance(element, list) for element in values))

    def _read(self, folder: str, stem: str, declared: List[_onnx_files.Declared]) -> Dict[str, Any]:
        paths = {value: os.path.join(folder, f"{stem}_{k}.pb") for k, value in enumerate(declared)}
        return {value.name: _onnx_files.read_value(path, value) for value, path in paths.items() if os.path.exists(path)}


def _read_layer(folder: str) -> Dict[str, Any]:
    """The files of a layer. Of the types that numpy lacks, bfloat16 is the one of two bytes; others stay bytes."""
    found = {unquote(file[:-4]): numpy.load(os.path.join(folder, file)) for file in sorted(os.listdir(folder)) if file.endswith(".npy")}
    for name, array in found.items():
        if array.dtype == "V2":
            import ml_dtypes
            found[name] = array.view(ml_dtypes.bfloat16)
    return found


def _kind(values: Any) -> str:
    if values is None or isinstance(values, Mapping):
        return "None" if values is None else "a dict"
    return f"{len(values)} values" if isinstance(values, (tuple, list)) else f"a {type(values).__name__}"


def _why(problem: BaseException, request: Mapping[str, str]) -> str:
    """The traceback's last line; paths that change from run to run are not told."""
    said = "".join(traceback.format_exception_only(type(problem), problem)).strip()
    for place in ("model", "inputs", "outputs"):
        said = said.replace(request[place], place)
    text = " ".join(said.split())
    return text if len(text) <= _LONGEST_WHY else text[:_LONGEST_WHY // 3] + " … " + text[-_LONGEST_WHY // 3:]
