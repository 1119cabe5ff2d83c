# SPDX-License-Identifier: Apache-2.0
"""Timed processes: opref, and the peers that stay warm; pinned to the first cores, in turn, so that drift meets all alike."""
import os
import re
import statistics
import subprocess
import sys
import time


PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer.py")
DEBIAN_PYTHON = "/usr/bin/python3"
CORES = os.sched_getaffinity(0)


class Failed(Exception):
    """What was to be timed did not run; the text says what it printed last."""


def pinned(cores, command):
    """The command on the first so many of the cores that this process may use."""
    return ["taskset", "-c", ",".join(map(str, sorted(CORES)[:cores])), *map(str, command)]


def finish(command, cores, codes=(0,)):
    """Runs it to its end. Returns its standard output and error, its seconds, and the most memory it used, in bytes."""
    start = time.perf_counter()
    process = subprocess.Popen(pinned(cores, command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    with process.stdout, process.stderr:
        output, errors = process.communicate()
    seconds = time.perf_counter() - start
    if process.returncode not in codes:
        raise Failed(f"{os.path.basename(str(command[0]))} {command[1]}: {(errors or output).strip().splitlines()[-1:]}")
    return output, errors, seconds


def peak_memory(command, cores):
    """The most memory a command had resident, in bytes. A process counts as its own what it was before exec, so the command is
    started by a small one; less than that one's 10 MiB cannot be seen."""
    start = "import os, sys; _, status, usage = os.wait4(os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)\n"
    start += "print(usage.ru_maxrss)\nsys.exit(os.waitstatus_to_exitcode(status))"
    output, _, _ = finish([DEBIAN_PYTHON, "-I", "-S", "-c", start, *pinned(cores, command)], cores)
    return int(output.splitlines()[-1]) * 1024


class Opref:
    """The program; what it can do is read from its help."""

    def __init__(self, path):
        self.path = path
        self.version = " ".join(finish([path, "--version"], 1)[0].split()[:4])
        self.run_help = finish([path, "run", "--help"], 1)[0]

    def has_threads(self):
        return "--threads" in self.run_help

    def has_command(self, name):
        return f"\n  {name} " in finish([self.path, "--help"], 1)[0]

    def command(self, folder, threads, output="Y.npy"):
        """`run` of the work in a folder, from .npy to .npy."""
        tensors = [f"{file[:-4]}={os.path.join(folder, file)}" for file in sorted(os.listdir(folder))
                   if file.endswith(".npy") and file[0].isupper() and file != "Y.npy"]
        options = ["--threads", str(threads)] if self.has_threads() else []
        return [self.path, "run", os.path.join(folder, "model.onnx"), *tensors, "-o", f"Y={os.path.join(folder, output)}", *options]

    def tiers(self, folder):
        """What --stats says of one evaluation."""
        errors = finish([*self.command(folder, 1), "--stats"], 1)[1]
        return next((text.strip() for text in errors.splitlines() if " element" in text), "").rsplit(", ", 1)[0]

    def compute(self, folder, threads, repeats=0):
        """Seconds of the nodes' evaluations alone, as --stats says: of the first in the process, and the median of `repeats` more
        (0 of none)."""
        errors = finish([*self.command(folder, threads), "--stats", "--repeat", str(repeats + 1)], threads)[1]
        times = re.findall(r": .*?, ([\d.e+-]+) ms(?:, repeated ([\d.e+-]+) ms)?$", errors, re.MULTILINE)
        if not times or any((repeated == "") != (repeats == 0) for _, repeated in times):
            raise Failed(f"run --stats printed other times than expected: {errors.strip()}")
        return tuple(sum(float(time or 0) for time in column) / 1e3 for column in zip(*times))


class Evaluations:
    """Opref's evaluations of the work in a folder, warm as a peer's are: of a process's evaluations all but the first count."""

    def __init__(self, opref, folder, threads):
        self.opref, self.folder, self.threads = opref, folder, threads
        self.firsts = []
        self.repeats = repeats(opref.compute(folder, threads)[0])

    def seconds(self):
        first, repeated = self.opref.compute(self.folder, self.threads, self.repeats)
        self.firsts.append(first)
        return repeated


def repeats(seconds):
    """So many evaluations are measured at a time, one after the other, after one that is not."""
    return max(3, min(11, int(0.15 / max(seconds, 1e-5)) | 1))  # an odd number


class Peer:
    """A warm process of peer.py. May raise Failed where the backend cannot do the work."""

    def __init__(self, backend, folder, threads):
        python = DEBIAN_PYTHON if backend == "torch" else sys.executable
        self.backend = backend
        self.process = subprocess.Popen(pinned(threads, [python, PEER, backend, folder, threads]), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.answer()
        self.repeats = 3

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            errors = self.process.communicate()[1].strip().splitlines()
            raise Failed(f"{self.backend}: {errors[-1] if errors else 'ended'}")
        return line

    def ask(self, request):
        print(request, file=self.process.stdin, flush=True)
        return float(self.answer())

    def save(self):
        """Seconds of the first evaluation, which also writes peer.npy."""
        seconds = self.ask("save")
        self.repeats = repeats(seconds)
        return seconds

    def seconds(self):
        return self.ask(self.repeats)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def interleaved(sources, runs, cap):
    """Calls each of the named functions in turn, `runs` times after one unrecorded round, or until `cap` seconds are over (but
    three times at least). Returns per name the list of what they returned."""
    start = time.perf_counter()
    results = {name: [] for name in sources}
    for k in range(-1, runs):
        if k >= 3 and time.perf_counter() - start > cap:
            break
        for name, function in sources.items():
            value = function()
            if k >= 0:
                results[name].append(value)
    return results


def ratio(ours, theirs):
    """The median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(ours, theirs))


def torch_version():
    """Debian's torch, or None."""
    done = subprocess.run([DEBIAN_PYTHON, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None
