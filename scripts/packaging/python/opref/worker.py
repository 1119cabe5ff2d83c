# SPDX-License-Identifier: Apache-2.0
"""One `opref worker`, which evaluates models for as long as Python runs."""
from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import threading

from opref._errors import Error, FAULTS


def _program():
    from opref._program import program  # which has a worker itself
    return program()


class Worker:
    """A program that reads a case or a command a line and answers each with a line; it starts with the first, and anew where it ended."""

    def __init__(self):
        self._process = None
        self._lock = threading.Lock()
        self._asked = 0
        atexit.register(self.close)
        os.register_at_fork(after_in_child=self._forget)

    def evaluate(self, model, inputs, outputs):
        """Evaluates the file `model` on the files in the folder `inputs`, into the empty folder `outputs`. Raises opref.Error."""
        answer = self._request(model=model, inputs=inputs, outputs=outputs)
        if answer["status"] != "ok":
            raise Error(answer["why"], answer.get("fault", answer["status"]))

    def command(self, arguments):
        """Runs a command of opref. Returns the worker's answer: exit_code, output, errors. Raises opref.Error where the worker
        cannot run it."""
        answer = self._request(arguments=arguments)
        if answer["status"] != "ok":
            raise Error(answer["why"], answer.get("fault", answer["status"]))
        return answer

    def close(self):
        """Ends the program; the next evaluation starts another one."""
        with self._lock:
            self._end()

    def _request(self, **members):
        with self._lock:
            self._asked += 1
            return self._ask(json.dumps({"id": str(self._asked), **members}))

    def _ask(self, line):
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = subprocess.Popen([_program(), "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             encoding="utf-8")
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        except BaseException:  # an interrupt: the answer to come would be taken for the next one's
            self._process.kill()
            raise
        if not answer:
            code = self._process.wait()
            raise Error(f"opref worker ended with {code}", FAULTS.get(code, "internal"))
        return json.loads(answer)

    def _end(self):
        if self._process is None:
            return
        process, self._process = self._process, None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
        process.stdout.close()

    def _forget(self):
        self._process = None  # which is the parent's
        self._lock = threading.Lock()
