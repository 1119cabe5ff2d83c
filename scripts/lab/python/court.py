# SPDX-License-Identifier: Apache-2.0
"""Judges runtimes on the golden cases, operator by operator, and keeps what opref says of each case.

In build/court: NAME-VERSION.sqlite has a runtime's answers (kept_runner), judged/NAME-VERSION/DOMAIN.OPERATOR.json.gz what opref
says of them, with opref's commit.
"""
import gzip
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import environment
import peers

FOLDER = os.path.join(environment.ROOT, "build", "court")
BATCH = 12  # operators that one start of a worker judges
# What a page needs of a case, of an output's comparison, and of an element.
CASE = ("name", "verdict", "reason", "domain", "operator", "since_version", "dtype", "explained_by", "within", "doubt", "unexplained",
        "cause", "internal", "attributes")
COMPARISON = ("reason", "count", "mismatches", "bit_equal", "max_ulp", "bound_class", "bound_ratio", "accurate_ratio", "typicality",
              "without_bound")
ELEMENT = ("index", "actual", "expected", "share")


class Opref:
    def __init__(self, path):
        self.path = path
        words = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.split()
        if words[:1] != ["opref"]:
            sys.exit(f"{path} is no opref")
        self.version, self.commit = words[1], words[3]

    def operators(self):
        """[domain, operator] of all, the largest domains last."""
        listed = json.loads(subprocess.run([self.path, "ops", "--json"], capture_output=True, text=True, check=True).stdout)
        return [[one["domain"], one["op_type"]] for one in listed["operators"]]

    def golden(self, domain, operator, folder):
        """Makes the operator's cases; returns of each its name, its since_version and whether it must be refused."""
        done = subprocess.run([self.path, "golden", f"{domain}:{operator}", "--negative", "-o", folder], capture_output=True, text=True)
        if done.returncode in (4, 5):  # nothing is valid, nothing is shipped
            return []
        if done.returncode:
            sys.exit(f"opref golden {domain}:{operator} ended with {done.returncode}: {done.stderr.strip()}")
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            return [(case["name"], case["node"].get("since_version", 0), "expect_error" in case) for case in json.load(file)["cases"]]

    def check(self, folders, runner, seconds, jobs):
        command = [self.path, "check", *folders, "--runner", runner, "--json", "--timeout", str(seconds), "-j", str(jobs)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 6:  # the machine has no time, disk or process left
            return None
        if done.returncode not in (0, 1, 5, 70):  # 70: a bug in opref, which its record tells
            sys.exit(f"opref check ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)["cases"]


def sample(cases, share):
    """Of each version every `share`-th case, at least one: always the same ones, whatever cases there are beside them."""
    chosen, of_version = set(), {}
    for name, version, _ in cases:
        of_version.setdefault(version, []).append(name)
    for names in of_version.values():
        names.sort(key=lambda name: hashlib.sha256(name.encode()).digest())
        chosen.update(names[:math.ceil(len(names) / share)])
    return chosen


def pick(record, keys):
    return {key: record[key] for key in keys if key in record}


def size_of(case):
    """Elements of all inputs."""
    shapes = [re.findall(r"\d+", shape) for _, kind in case.get("inputs", []) for shape in re.findall(r"\[([^\]]*)\]", kind)]
    return sum(math.prod(map(int, shape)) for shape in shapes)


def shortened(case, is_bad):
    short = {**pick(case, CASE), "size": size_of(case), **({"must_be_refused": True} if is_bad else {})}
    if "reason" in short:
        short["reason"] = short["reason"][:400]
    if case["verdict"] == "pass":
        short.pop("attributes", None)
    short["outputs"] = []
    for output in case.get("outputs", []):
        comparison = output["comparison"]
        short["outputs"].append({**pick(comparison, COMPARISON), **pick(output, ("name", "type", "rule"))})
        if "first" in comparison:
            short["outputs"][-1]["first"] = pick(comparison["first"], ELEMENT)
    return short


def judged_path(backend, domain, operator):
    return os.path.join(FOLDER, "judged", peers.file_name(backend) if backend else "none", f"{domain}.{operator}.json.gz")


def judgement(backend, domain, operator):
    """What is kept, or nothing."""
    if backend and domain not in peers.PEERS[backend].domains:
        backend = None
    path = judged_path(backend, domain, operator)
    if not os.path.exists(path):
        return None
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def keep(backend, domain, operator, document):
    path = judged_path(backend, domain, operator)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = f"{path}.{os.getpid()}"  # two runs may judge the same operator
    with gzip.open(part, "wt", encoding="utf-8", compresslevel=6) as file:
        json.dump(document, file, separators=(",", ":"))
    os.rename(part, path)


def is_enough(kept, opref, share):
    """Whether it is by this opref and of at least this share."""
    return kept is not None and kept["commit"] == opref.commit and kept["share"] <= share


def judge(opref, backends, chosen, share, seconds, jobs):
    """Judges what is not kept, a few operators at a time, of each version one case in `share`."""
    batch = {}
    for number, (domain, operator) in enumerate(chosen, 1):
        known = distinct(backend if domain in peers.PEERS[backend].domains else None for backend in backends)
        if wanted := [backend for backend in known if not is_enough(judgement(backend, domain, operator), opref, share if backend else 1)]:
            batch[domain, operator] = wanted
        if len(batch) == BATCH or batch and number == len(chosen):
            print(f"{number} of {len(chosen)}, {', '.join(map('.'.join, batch))}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(prefix="opref-court-") as folder:
                judge_batch(opref, batch, share, folder, seconds, jobs)
            batch = {}


def distinct(items):
    """In their order."""
    return list(dict.fromkeys(items))


def judge_batch(opref, batch, share, folder, seconds, jobs):
    """`batch`: of each operator its backends; None is one that has no such domain: all its cases are kept."""
    paths = {operator: os.path.join(folder, ".".join(operator)) for operator in batch}
    cases = {operator: opref.golden(*operator, path) for operator, path in paths.items()}
    for operator, path in paths.items():
        remove_others(path, sample(cases[operator], share))
    for backend in distinct(backend for wanted in batch.values() for backend in wanted):
        ours = [operator for operator, wanted in batch.items() if backend in wanted]
        begun = time.monotonic()
        if backend is None:
            judged = {operator: [lacking(*operator, *case) for case in cases[operator]] for operator in ours}
        else:
            judged = judged_by(opref, backend, {operator: paths[operator] for operator in ours if cases[operator]}, cases, seconds, jobs)
        for operator in ours if judged is not None else []:
            keep(backend, *operator, {"opref": opref.version, "commit": opref.commit, "share": share if backend else 1,
                                      "all": len(cases[operator]), "date": time.strftime("%Y-%m-%d", time.gmtime()), "cases": judged.get(operator, [])})
        count = "not judged, the machine is too busy or full" if judged is None else f"{sum(map(len, judged.values()))} cases"
        print(f"  {peers.title(backend) if backend else 'no such domain'}: {count}, {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)


def remove_others(folder, taken):
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name not in taken and os.path.isdir(os.path.join(folder, name)):
            shutil.rmtree(os.path.join(folder, name))


def judged_by(opref, backend, paths, cases, seconds, jobs):
    """Of each operator the records of the cases in its folder."""
    if not paths:
        return {}
    os.makedirs(FOLDER, exist_ok=True)
    runner = peers.keeping_runner(backend, os.path.join(FOLDER, f"{peers.file_name(backend)}.sqlite"), seconds)
    checked = opref.check(list(paths.values()), runner, 30 * seconds, jobs)  # the runner knows whose time it is
    if checked is None:
        return None
    operators = {path: operator for operator, path in paths.items()}
    bad = {(operator, name) for operator in paths for name, _, is_bad in cases[operator] if is_bad}
    judged = {operator: [] for operator in paths}
    for case in checked:
        folder, case["name"] = os.path.split(case["path"])
        operator = operators[folder]
        judged[operator].append(shortened(case, (operator, case["name"]) in bad))
    return judged


def lacking(domain, operator, name, version, is_bad):
    """The record of a case of a domain that a backend does not have."""
    return {"name": name, "verdict": "unsupported", "reason": "no such domain", "domain": domain, "operator": operator,
            "since_version": version, "size": 0, "outputs": [], **({"must_be_refused": True} if is_bad else {})}


class Judged:
    """What is kept of a backend for these operators. Of a domain that it does not have cases count by the share of the others."""

    def __init__(self, backend, chosen):
        self.cases, self.commits, self.dates, self.missing, self.all = [], set(), set(), 0, 0
        domains = peers.PEERS[backend].domains
        kept = {(domain, operator): judgement(backend, domain, operator) for domain, operator in chosen}
        shares = [one["share"] for (domain, _), one in kept.items() if one and domain in domains]
        for (domain, _), one in kept.items():
            if one is None:
                self.missing += 1
                continue
            cases = one["cases"]
            if domain not in domains:
                taken = sample([(case["name"], case["since_version"], False) for case in cases], max(shares)) if shares else ()
                cases = [case for case in cases if case["name"] in taken]
            self.cases += cases
            self.all += one["all"]
            self.commits.add(one["commit"])
            self.dates.add(one["date"])
        if not shares:
            self.cases = []
