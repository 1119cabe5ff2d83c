# SPDX-License-Identifier: Apache-2.0
"""The readings of opref, and for each a few of testdata's cases whose results differ between its choices."""
import itertools
import json
import os
import subprocess

import environment

MOST = 5  # cases of a reading
USUAL_OPSET = 21  # runtimes have all operators up to it
COMMON_TYPES = ("float32", "int64", "int32", "bool", "string")
REFUSED = 4  # opref's exit code where the specification does not allow a node


class Reading:
    """`operators`: of each, "ai.onnx.LpPool", the versions that have the reading; `of_operator`: its alternatives there, which may be some
    of all `alternatives`; `defaults`: what opref takes in some version."""

    def __init__(self, name, reason):
        self.name, self.reason, self.alternatives, self.meanings = name, reason, [], {}
        self.operators, self.of_operator, self.defaults = {}, {}, []

    def add(self, operator, version, listed):
        self.operators.setdefault(operator, []).append(version)
        self.of_operator[operator] = listed["alternatives"]
        for alternative, meaning in zip(listed["alternatives"], listed["meanings"]):
            if alternative not in self.meanings:
                self.alternatives.append(alternative)
                self.meanings[alternative] = meaning
        if listed["default"] not in self.defaults:
            self.defaults.append(listed["default"])

    @property
    def domain(self):
        return next(iter(self.operators)).rpartition(".")[0]


def readings(opref):
    """By name, as `opref ops --json` lists them."""
    found = {}
    for operator in json.loads(subprocess.run([opref, "ops", "--json"], capture_output=True, text=True, check=True).stdout)["operators"]:
        for version in operator["versions"]:
            for listed in version["readings"]:
                reading = found.setdefault(listed["name"], Reading(listed["name"], listed["reason"]))
                reading.add(f"{operator['domain']}.{operator['op_type']}", version["since_version"], listed)
    return found


class Case:
    """A case of testdata without its reading: `place` is "testdata/ai.onnx/LpPool/readings.json#1 18", with the opset; where axes were
    added, "… 18 4-D"."""

    def __init__(self, place, document, reading, folder):
        self.place, self.document, self.reading = place, document, reading
        self.folder = os.path.join(folder, "".join(c if c.isalnum() else "_" for c in f"{reading.name} {place}"))
        self.file = os.path.join(self.folder, "case.json")
        self.results = {}  # of each alternative what `run` prints as a document, or None where it refuses the node
        self.rule = []  # how outputs are judged: as a backend's, or to the bit

    @property
    def operator(self):
        return f"{self.document.get('domain', 'ai.onnx')}.{self.document['op_type']}"

    def write(self):
        os.makedirs(self.folder, exist_ok=True)
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump(self.document, file)

    def run(self, opref, alternative, *more):
        return subprocess.run([opref, "run", self.file, "--reading", f"{self.reading.name}={alternative}", "--json", "--threads", "1", *more],
                              capture_output=True, text=True)

    def evaluate(self, opref):
        """With each alternative; returns whether opref takes the case."""
        self.write()
        for alternative in self.reading.of_operator[self.operator]:
            outputs = self.outputs(alternative)
            os.makedirs(outputs, exist_ok=True)
            done = self.run(opref, alternative, "-o", f"{outputs}/", "--force")
            if done.returncode not in (0, REFUSED):
                return False
            self.results[alternative] = json.loads(done.stdout) if done.returncode == 0 else None
        return True

    def outputs(self, alternative):
        """The folder with what opref gives."""
        return os.path.join(self.folder, alternative)

    def names(self):
        return next(list(result["outputs"]) for result in self.results.values() if result)

    def judged(self, opref, alternative, files, more=()):
        """Whether the outputs in `files`, by name, pass as this alternative's."""
        words = [word for name, file in files.items() for word in ("--judge", f"{name}={file}")]
        return self.run(opref, alternative, *self.rule, *more, *words).returncode == 0

    def told_apart(self, opref):
        """The pairs of alternatives whose results a judge tells apart; to the bit, where a bound tells none apart, and integers."""
        kinds = {output.get("dtype", "") for result in self.results.values() if result for output in result["outputs"].values()}
        self.rule = [] if any("float" in kind for kind in kinds) else ["--exact"]
        pairs = self.pairs(opref)
        if not pairs and not self.rule:
            self.rule = ["--exact"]
            pairs = self.pairs(opref)
        return pairs

    def pairs(self, opref):
        pairs = set()
        for one, other in itertools.combinations(self.results, 2):
            of_one, of_other = self.results[one], self.results[other]
            if (of_one is None) != (of_other is None):
                pairs.add((one, other))
            elif of_one and digests(of_one) != digests(of_other):
                files = files_in(self.outputs(other), self.names())
                if files is None or not self.judged(opref, one, files):
                    pairs.add((one, other))
        return pairs


def digests(result):
    return json.dumps(result["outputs"])


def files_in(folder, names):
    """Of each output its file, or None if one is not there."""
    found = {}
    for name in names:
        paths = [path for end in (".npy", ".npz", ".json", ".pb", "") if os.path.exists(path := os.path.join(folder, name + end))]
        if not paths:
            return None
        found[name] = paths[0]
    return found


def usual(opsets):
    """The newest one that all runtimes have, else the oldest."""
    return max((opset for opset in opsets if opset <= USUAL_OPSET), default=min(opsets))


def opsets_of(document, versions):
    """One that the case states, and a version with the reading that more runtimes have, if there is one."""
    stated = document.get("opset", max(versions))
    stated = usual(stated if isinstance(stated, list) else [stated])
    older = usual(versions)
    return [stated] if stated <= USUAL_OPSET or older >= stated else [stated, older]


def candidates(reading, folder):
    """The cases of testdata that choose this reading, and no other one."""
    for operator in reading.operators:
        where = os.path.join("testdata", operator.rpartition(".")[0], operator.rpartition(".")[2])
        for name in sorted(os.listdir(os.path.join(environment.ROOT, where))):
            if not name.endswith(".json"):
                continue
            with open(os.path.join(environment.ROOT, where, name), encoding="utf-8") as file:
                listed = json.load(file)
            for number, document in enumerate(listed if isinstance(listed, list) else [], 1):
                if list(document.get("readings", {})) != [reading.name]:
                    continue
                bare = without_expectation(document)
                for opset in opsets_of(document, reading.operators[operator]):
                    made = {**bare, "opset": opset}
                    yield Case(f"{where}/{name}#{number} {opset}", made, reading, folder)
                    if is_line(made):
                        yield Case(f"{where}/{name}#{number} {opset} 4-D", widened(made), reading, folder)


def without_expectation(document):
    """With the outputs that it expects, but not their values, and without its reading."""
    bare = {key: value for key, value in document.items() if key not in ("readings", "expect", "expect_error", "source", "tolerance")}
    if "expect" in document and "outputs" not in document:
        bare["outputs"] = [name for name, value in document["expect"].items() for _ in (value if isinstance(value, list) else [value])]
    if document["op_type"] in ("GRU", "LSTM", "RNN") and document.get("domain", "ai.onnx") == "ai.onnx":
        hidden = len(document["inputs"]["R"]["data"][0][0])  # optional, but runtimes ask for it
        bare["attributes"] = {"hidden_size": hidden, **document.get("attributes", {})}
    return bare


def is_line(document):
    """Whether it resizes a tensor of one axis, which some runtimes do not take."""
    x = document["inputs"].get("X", {})
    return document["op_type"] == "Resize" and "axes" not in document.get("attributes", {}) and bool(x.get("data")) and \
        not isinstance(x["data"][0], list)


def widened(document):
    """With three axes of size 1 before its own."""
    before = {"scales": [1, 1, 1], "sizes": [1, 1, 1]}
    inputs = {}
    for name, value in document["inputs"].items():
        data = value["data"]
        if name == "X":
            data = [[[data]]]
        elif name == "roi" and data:
            data = [0, 0, 0, data[0], 1, 1, 1, data[1]]
        elif name in before and data:
            data = before[name] + data
        inputs[name] = {**value, "data": data}
    return {**document, "inputs": inputs}


def oddity(case):
    """Small for cases that many runtimes can take."""
    types = [value.get("dtype") for value in case.document["inputs"].values() if isinstance(value, dict)]
    rare = sum(dtype not in COMMON_TYPES for dtype in types)
    is_foreign = case.operator.rpartition(".")[0] != case.reading.domain
    return is_foreign, max(0, case.document["opset"] - USUAL_OPSET), rare, is_line(case.document), len(json.dumps(case.document))


def known(opref, reading, places, folder):
    """The cases of an earlier run, each "testdata/ai.onnx/LpPool/readings.json#1 18"; none if one is not as it was."""
    found = []
    for place in places:
        file, _, number = place.split()[0].partition("#")
        path = os.path.join(environment.ROOT, file)
        listed = json.load(open(path, encoding="utf-8")) if os.path.exists(path) else []
        document = listed[int(number) - 1] if int(number) <= len(listed) else {}
        if list(document.get("readings", {})) != [reading.name]:
            return []
        made = {**without_expectation(document), "opset": int(place.split()[1])}
        case = Case(place, widened(made) if place.endswith(" 4-D") else made, reading, folder)
        if not case.evaluate(opref) or not case.told_apart(opref):
            return []
        found.append(case)
    return found


def kind(case):
    """What else may decide what a runtime does: the version, the attributes that are there and the types."""
    types = [value.get("dtype") for value in case.document["inputs"].values() if isinstance(value, dict)]
    attributes = case.document.get("attributes", {})
    return case.operator, case.document["opset"], is_line(case.document), frozenset(attributes), attributes.get("to"), *types[:1]


def chosen(opref, reading, folder):
    """Cases that together tell all alternatives apart, as far as there are such; and more of other kinds, the plainest ones first."""
    pairs = {case: case.told_apart(opref) for case in candidates(reading, folder) if case.evaluate(opref)}
    taken = sorted((case for case in pairs if pairs[case]), key=oddity)
    picked, known, kinds = [], set(), set()
    while len(picked) < MOST and (best := max(taken, key=lambda case: len(pairs[case] - known), default=None)) and pairs[best] - known:
        picked.append(best)
        known |= pairs[best]
        kinds.add(kind(best))
    for case in taken:
        if len(picked) < MOST and kind(case) not in kinds:
            picked.append(case)
            kinds.add(kind(case))
    return picked
