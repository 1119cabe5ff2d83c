# SPDX-License-Identifier: Apache-2.0
"""A runner of `opref check` that keeps what another one answers, so that outputs are judged again without running the peer.
Usage: kept_runner.py FILE SECONDS COMMAND...

FILE, which is of one version of a peer, is a database of sqlite3: of each case, named by the SHA-256 of its model and inputs, the
answer and the output files. COMMAND is a worker; it is started when the first case is not there, and again after a case in which it
ended, or took more than SECONDS of a processor, or did nothing for SECONDS: such a case is an error from then on. On a busy machine
the clock says little. A case that nothing answered because the run was interrupted is asked again, and once more a case in which another
program killed COMMAND, as the system does where memory is short.
"""
import hashlib
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import time
import zlib


def key_of(model, inputs):
    """What the peer reads: the model with the files of its own name, and the inputs, beside which may lie expected outputs."""
    stem = os.path.splitext(os.path.basename(model))[0]
    folder = os.path.dirname(model)
    read = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if os.path.splitext(name)[0] == stem]
    read += [os.path.join(inputs, name) for name in sorted(os.listdir(inputs)) if not name.startswith("output_")]
    digest = hashlib.sha256()
    for path in filter(os.path.isfile, read):
        with open(path, "rb") as file:
            digest.update(f"{os.path.basename(path)} {os.path.getsize(path)}\n".encode())
            digest.update(file.read())
    return digest.digest()


WAIT = 60  # seconds for another process that writes
KILLED = [f"the backend ended by {name}" for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")]


class Answers:
    """What was answered, in the file."""

    def __init__(self, path):
        self.base = sqlite3.connect(path, timeout=WAIT)
        self.write_ahead()
        self.base.execute("PRAGMA synchronous = NORMAL")
        with self.base:
            self.base.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID")
            self.base.execute("CREATE TABLE IF NOT EXISTS outputs (key BLOB, name TEXT, data BLOB)")
            self.base.execute("CREATE INDEX IF NOT EXISTS of_key ON outputs (key)")

    def write_ahead(self):
        """Readers and a writer at a time. Where another process asks for that just now, sqlite does not wait."""
        end = time.monotonic() + WAIT
        while True:
            try:
                self.base.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def find(self, key, folder):
        """The answer, with its outputs in `folder`; or nothing."""
        row = self.base.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        for name, data in self.base.execute("SELECT name, data FROM outputs WHERE key = ?", (key,)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(zlib.decompress(data))
        return json.loads(row[0])

    def keep(self, key, answer, folder):
        with self.base:
            if self.base.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, json.dumps(answer))).rowcount == 0:
                return
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), "rb") as file:
                    self.base.execute("INSERT INTO outputs VALUES (?, ?, ?)", (key, name, zlib.compress(file.read(), 1)))


class Peer:
    """The other worker, once it is needed."""

    def __init__(self, command, seconds):
        self.command, self.seconds, self.process = command, seconds, None

    def answer(self, request):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0)
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline() if self.waits() else None
        except BrokenPipeError:
            line = ""
        if line:
            answer = json.loads(line)
            return {"status": answer["status"], "why": answer.get("why", "")}
        if line is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        code, self.process = self.process.wait(), None
        if line is None:
            return {"status": "error", "why": f"the backend took more than {self.seconds} s"}
        ended = f"by {signal.Signals(-code).name}" if code < 0 else f"with {code}"
        return {"status": "error", "why": f"the backend ended {ended}"}

    def waits(self):
        """Whether it answers in time."""
        tick, idle = max(self.seconds / 20, 0.05), 0
        begun, is_busy = work_of(self.process.pid)
        before = begun
        while not select.select([self.process.stdout], [], [], tick)[0]:
            used, is_busy = work_of(self.process.pid)
            idle = 0 if is_busy or used != before else idle + tick
            before = used
            if used - begun >= self.seconds or idle >= self.seconds:
                return False
        return True


def work_of(group):
    """The seconds of a processor that a group of processes has used, and whether one of them wants more, or waits for a disk."""
    ticks, is_busy = 0, False
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) == group:
            ticks += sum(map(int, fields[11:15]))
            is_busy = is_busy or fields[0] in "RD"
    return ticks / os.sysconf("SC_CLK_TCK"), is_busy


def kept_answer(answers, peer, request):
    key = key_of(request["model"], request["inputs"])
    answer = answers.find(key, request["outputs"])
    if answer is None:
        answer = peer.answer(request)
        if answer["why"] in KILLED:
            answer = peer.answer(request)
        answers.keep(key, answer, request["outputs"])
    return answer


def main():
    file, seconds, *command = sys.argv[1:]
    answers, peer = Answers(file), Peer(command, int(seconds))
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **kept_answer(answers, peer, request)}), flush=True)


main()
