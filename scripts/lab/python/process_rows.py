# SPDX-License-Identifier: Apache-2.0
"""Rows of whole processes: one case, `opref check` over many, and memory."""
import json
import os
import re
import shutil
import subprocess
import sys
from statistics import median

import numpy

import environment
import works
from line import Line, line, require_threads
from measure import Failed, finish, interleaved, peak_memory, pinned

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = ("convtranspose", "lppool", "maxunpool")
ONNXRUNTIME = ["onnxruntime", "onnxruntime/1"]  # its default, a pool of threads per session; and without a pool
MIB = 2.0**20


def whole_process(settings, title, ours, theirs, must, aim):
    times = interleaved({"opref": lambda: finish(ours, 1)[2], "peer": lambda: finish([sys.executable, *theirs], 1)[2]},
                        settings.runs, settings.cap)
    return [line(title, "1", times, "opref", "peer", "onnxruntime", must, aim)]


def official_case(settings):
    cases = environment.official_cases()
    if cases is None:
        raise Failed("no official cases here")
    case = os.path.join(cases, "node", "test_convtranspose_pads")
    output = os.path.join(settings.folder, "case.npy")
    return whole_process(settings, "whole process, official case convtranspose_pads, of a Python script",
                         [settings.opref.path, "run", case, "-o", output],
                         [os.path.join(HERE, "process_case.py"), case, output], 1 / 30, 1 / 60)


def start(settings):
    """Instructions of one small node, as callgrind counts them: the same on every machine, however busy it is."""
    if shutil.which("valgrind") is None:
        raise Failed("no valgrind here: scripts/install check")
    limit = 900_000
    ran = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", settings.opref.path, "run",
                          "LayerNormalization", "X=[[1,2,3]]:float32", "Scale=[1,1,1]:float32"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    count = int(re.search(r"Collected : (\d+)", ran.stderr).group(1))
    return [Line("instructions of opref run LayerNormalization on three elements", "1", count / 1e6, limit / 1e6, "limit",
                 count / limit, 1, unit="M")]


def npy_to_npy(settings):
    folder = works.CONV.write(os.path.join(settings.folder, "process"))
    title = f"whole process, .npy to .npy, of a Python script, {works.CONV.title}"
    return whole_process(settings, title, settings.opref.command(folder, 1),
                         [os.path.join(HERE, "process_npy.py"), folder], 1 / 3, 1 / 6)


def check_against_loops(settings, title, cases, paths, backends, threads, must=None, aim=None):
    """opref check over `paths` against a warm process per backend that loops over the same `cases`."""
    list_file = os.path.join(settings.folder, "cases")
    with open(list_file, "w", encoding="utf-8") as file:
        file.write("\n".join(cases))
    loops, verdicts = {}, {}

    def ask(backend):
        print("run", file=loops[backend].stdin, flush=True)
        answer = loops[backend].stdout.readline()
        if not answer:
            raise Failed(f"the loop with {backend} ended")
        answer = json.loads(answer)
        verdicts[backend] = f"{backend} {answer['verdicts'].get('pass', 0)} of {len(cases)} pass"
        return answer["seconds"]

    def ours():
        output, _, seconds = finish([settings.opref.path, "check", *paths], threads, codes=(0, 1, 5))
        verdicts["opref"] = f"opref {output.strip().splitlines()[-1]}"
        return seconds

    try:
        for backend in backends:
            loops[backend] = subprocess.Popen(
                pinned(threads, [sys.executable, os.path.join(HERE, "check_loop.py"), backend, list_file]),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            loops[backend].stdout.readline()
        sources = {"opref": ours, **{backend: lambda backend=backend: ask(backend) for backend in backends}}
        times = interleaved(sources, settings.runs, settings.cap)
    finally:
        for loop in loops.values():
            loop.communicate()
    lines = [line(title, str(threads), times, "opref", backend, backend,
                  *((must, aim) if backend.startswith("onnxruntime") else ())) for backend in backends]
    lines[0].note = "; ".join(verdicts[name] for name in sources)
    return lines


def case_folders(root):
    return sorted(folder for folder, _, files in os.walk(root)
                  if "model.onnx" in files and os.path.isdir(os.path.join(folder, "test_data_set_0")))


def check_seeds(settings, threads):
    cases = [case for case in case_folders(environment.official_cases() or "")
             if any(seed in os.path.basename(case).lower() for seed in SEEDS)]
    if not cases:
        raise Failed("no official cases here")
    title = f"check, the seeds' {len(cases)} official cases, of a loop in one warm process"
    return check_against_loops(settings, title, cases, cases,
                               [*ONNXRUNTIME, "onnx_reference", "openvino"], threads, aim=1 / 10)


def check_folder(settings, folder, threads):
    cases = case_folders(folder) if folder else []
    if not cases:
        raise Failed("no official cases here")
    return check_against_loops(settings, f"check, all {len(cases)} official cases, of a loop in one warm process",
                               cases, [folder], ONNXRUNTIME, threads, must=0.4)


def memory(settings, work, threads):
    """Peak resident memory less the tensors: the program itself is in it."""
    require_threads(settings, threads)
    folder = work.write(os.path.join(settings.folder, "memory"))
    command = settings.opref.command(folder, threads)
    peak = peak_memory(command, threads)
    tensors = sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder) if file.endswith(".npy"))
    beyond = max(0, peak - tensors) / MIB
    return [Line(f"memory beyond the tensors, {work.title}", str(threads), beyond, 32 * threads, "limit",
                 beyond / (32 * threads), 1, unit="MiB", note=f"the tensors have {tensors / MIB:.0f} MiB")]


def memory_of_diff(settings):
    """The same of `diff` on two files of 1 GiB."""
    if not settings.opref.has_command("diff"):
        raise Failed("this opref has no diff")
    files = [os.path.join(settings.folder, name) for name in ("a.npy", "b.npy")]
    for file in files:
        numpy.save(file, works.GIB.arrays()["X"])
    tensors = sum(map(os.path.getsize, files))
    beyond = max(0, peak_memory([settings.opref.path, "diff", *files], 1) - tensors) / MIB
    return [Line("memory beyond the tensors, diff of two files of 1 GiB", "1", beyond, 32, "limit", beyond / 32, 1, unit="MiB")]


def golden(settings, threads):
    """opref golden over all shipped recipes; 50 cases per second and core are the least."""
    must, aim = 50, 200
    folder, seconds, cases = os.path.join(settings.folder, f"golden-{threads}"), [], 0
    for run in range(settings.runs):
        output, _, taken = finish([settings.opref.path, "golden", "all", "-o", f"{folder}-{run}", "-j", str(threads), "--json"],
                                  threads)
        cases = json.loads(output)["cases"]
        seconds.append(taken)
        shutil.rmtree(f"{folder}-{run}")
        if sum(seconds) > settings.cap:
            break
    each = threads * median(seconds) / cases
    return [Line(f"golden cases of the shipped recipes ({cases}): core time of one, over that of {must} a second", str(threads),
                 1e3 * each, 1e3 / must, f"1/{must} s", each * must, 1, must / aim)]


def golden_folder(settings):
    """The shipped recipes' cases, made once, and how many they are."""
    folder = os.path.join(settings.folder, "golden")
    output, _, _ = finish([settings.opref.path, "golden", "all", "-o", folder, "--json"], os.cpu_count())
    return folder, json.loads(output)["cases"]


def two_workers(settings, command):
    """The time that two workers take, of one's; both on processors of their own."""
    folder, cases = golden_folder(settings)
    made = os.path.join(settings.folder, "made")

    def seconds(workers):
        shutil.rmtree(made, ignore_errors=True)
        arguments = ["check", folder] if command == "check" else ["golden", "all", "-o", made]
        return finish([settings.opref.path, *arguments, "-j", str(workers)], workers)[2]

    times = interleaved({"two": lambda: seconds(2), "one": lambda: seconds(1)}, settings.runs, settings.cap)
    return [line(f"{command} of {cases} golden cases, of one worker", "2", times, "two", "one", "1 worker", 1 / 1.8, 1 / 1.9)]


def check_rate(settings):
    """Of a golden case, which is of the size of the official ones; 5,000 per second and core are the aim."""
    folder, cases = golden_folder(settings)
    seconds = [finish([settings.opref.path, "check", folder, "-j", "1"], 1)[2] for _ in range(settings.runs)]
    each = median(seconds) / cases
    return [Line(f"check of {cases} golden cases: core time of one, over that of 5,000 a second", "1", 1e3 * each, 0.2, "1/5000 s",
                 each * 5000, 1)]


def memory_of_check(settings):
    """What 10^5 cases take beyond 10^4, with a report; a name and a path of each are kept."""
    folder, cases = golden_folder(settings)
    many = os.path.join(settings.folder, "many")
    sizes = {}
    for target in (10_000, 100_000):
        os.makedirs(many, exist_ok=True)
        for copy in range(len(os.listdir(many)), max(1, round(target / cases))):
            subprocess.run(["cp", "-al", folder, os.path.join(many, str(copy))], check=True)
        judged = cases * len(os.listdir(many))
        sizes[judged] = peak_memory([settings.opref.path, "check", many, "--report", os.path.join(settings.folder, "r.json"),
                                     "--junit", os.path.join(settings.folder, "r.xml")], os.cpu_count())
    (few, less), (more, most) = sizes.items()
    grown = (most - less) / MIB
    return [Line(f"memory of check: {more} cases beyond {few}, with reports", str(os.cpu_count()), grown, 32, "limit", grown / 32, 1,
                 unit="MiB", note=f"{most / MIB:.0f} MiB and {less / MIB:.0f} MiB")]
