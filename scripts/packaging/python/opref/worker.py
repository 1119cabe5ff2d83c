# SPDX-License-Identifier: Apache-2.0
"""One `opref worker`, which evaluates models for as long as Python runs."""
from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import threading
from typing import Any, Dict, Optional, Sequence

from opref._errors import Error, FAULTS


def _program() -> str:
    from opref._program import program  # which has a worker itself
    return program()


def _folder() -> Optional[str]:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was removed
        return None


class Worker:
    """A program that reads a case or a command a line and answers each with a line; it starts with the first, and anew where it ended."""

    def __init__(self) -> None:
        self._process: Optional[subprocess.Popen[str]] = None
        self._started_in: Optional[str] = None
        self._lock = threading.Lock()
        self._asked = 0
        atexit.register(self.close)
        os.register_at_fork(after_in_child=self._forget)

    def evaluate(self, model: str, inputs: str, outputs: str, timeout: Optional[float] = None) -> None:
        """Evaluates the file `model` on the files in the folder `inputs`, into the empty folder `outputs`. Raises opref.Error, also
        where that takes longer than `timeout` seconds."""
        limit = {} if timeout is None else {"timeout": timeout}
        answer = self._request(model=model, inputs=inputs, outputs=outputs, **limit)
        if answer["status"] != "ok":
            raise Error(answer["why"], answer.get("fault", answer["status"]))

    def command(self, arguments: Sequence[str]) -> Dict[str, Any]:
        """Runs a command of opref. Returns the worker's answer: exit_code, output, errors. Raises opref.Error where the worker
        cannot run it."""
        answer = self._request(arguments=arguments)
        if answer["status"] != "ok":
            raise Error(answer["why"], answer.get("fault", answer["status"]))
        return answer

    def close(self) -> None:
        """Ends the program; the next evaluation starts another one."""
        with self._lock:
            self._end()

    def _request(self, **members: Any) -> Dict[str, Any]:
        with self._lock:
            self._asked += 1
            return self._ask(json.dumps({"id": str(self._asked), **members}))

    def _ask(self, line: str) -> Dict[str, Any]:
        process = self._started()
        assert process.stdin and process.stdout
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        except BaseException:  # an interrupt: the answer to come would be taken for the next one's
            process.kill()
            raise
        if not answer:
            code = process.wait()
            raise Error(f"opref worker ended with {code}", FAULTS.get(code, "internal"))
        return dict(json.loads(answer))

    def _started(self) -> subprocess.Popen[str]:
        """The program at work in this process's folder, from which relative paths are read."""
        folder = _folder()
        if self._process is None or self._process.poll() is not None or self._started_in != folder:
            self._end()
            self._started_in = folder
            self._process = subprocess.Popen([_program(), "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             encoding="utf-8")
        return self._process

    def _end(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        assert process.stdin and process.stdout
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
        process.stdout.close()

    def _forget(self) -> None:
        self._process = None  # which is the parent's
        self._lock = threading.Lock()
