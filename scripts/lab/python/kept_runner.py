# SPDX-License-Identifier: Apache-2.0
"""A runner of `opref check` that keeps what another one answers, so that outputs are judged again without running the peer.
Usage: kept_runner.py FOLDER COMMAND...

FOLDER, which is of one version of a peer, gets a folder for each case, named by the SHA-256 of its model and inputs: the outputs,
and the answer. COMMAND is a worker; it is started when the first case is not there. A case in which it ended, or was ended for its
time, is an error from then on.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys


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
    return digest.hexdigest()


class Peer:
    """The other worker, once it is needed."""

    def __init__(self, command):
        self.command, self.process = command, None

    def answer(self, request):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            answer = json.loads(line)
            return {"status": answer["status"], "why": answer.get("why", "")}
        code, self.process = self.process.wait(), None
        return {"status": "error", "why": f"the backend ended by signal {-code}" if code < 0 else f"the backend ended with {code}"}


def kept_answer(folder, peer, request):
    kept = os.path.join(folder, key_of(request["model"], request["inputs"]))
    said = os.path.join(kept, "answer.json")
    if os.path.exists(said):
        for name in os.listdir(kept):
            if name != "answer.json":
                shutil.copy(os.path.join(kept, name), request["outputs"])
    else:
        if os.path.exists(kept):
            answer = {"status": "error", "why": "it was ended before it answered"}
        else:
            os.makedirs(kept)
            answer = peer.answer(request)
        for name in os.listdir(request["outputs"]):
            shutil.copy(os.path.join(request["outputs"], name), kept)
        with open(f"{said}.part", "w", encoding="utf-8") as file:
            json.dump(answer, file)
        os.rename(f"{said}.part", said)
    with open(said, encoding="utf-8") as file:
        return json.load(file)


def main():
    folder, *command = sys.argv[1:]
    peer = Peer(command)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **kept_answer(folder, peer, request)}), flush=True)


main()
