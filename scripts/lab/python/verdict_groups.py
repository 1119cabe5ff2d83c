# SPDX-License-Identifier: Apache-2.0
"""What the cases that a runtime does not pass have in common: groups of one operator, one kind and one reason.

testdata/peers/reasons.jsonl has what people found out about cases that nothing reproduces, a line of JSON for each:
{"backend", "operator": "ai.onnx.MaxPool", "name": regular expression of the case's name (may be absent), "shows": of the words
below (may be absent), "kind", "why", "shown": how it was found (may be absent), "instead_of": regular expression of what opref
finds (may be absent)}. The first line that fits a case is its reason, where opref itself has found none, or one that the line
replaces: something else that happens to have the same values.
"""
import collections
import functools
import json
import os
import re

import environment
import peers

REASONS = os.path.join(environment.ROOT, "testdata", "peers", "reasons.jsonl")
# The kinds of what does not pass, the gravest last. A case of one of UNEXPLAINED is not explained.
KINDS = {
    "reading": "another reading of the specification",
    "arithmetic": "other arithmetic, fewer digits",
    "weaker functions": "weaker functions (absolute, flush)",
    "mistake": "a known mistake",
    "another type": "an output of another type",
    "another shape": "another shape, not explained",
    "other values": "other values, not explained",
    "accepted": "accepted, though it must be refused",
    "refused": "an error for a valid case",
    "too slow": "no answer in time",
    "crash": "the runtime's process died",
}
UNEXPLAINED = ("another shape", "other values")
WRONG = ("reading", "mistake", "another type", *UNEXPLAINED)  # not in its last digits alone
SILENT = ("arithmetic", "weaker functions", *WRONG)


@functools.cache
def reasons():
    if not os.path.exists(REASONS):
        return {}
    found = collections.defaultdict(list)
    with open(REASONS, encoding="utf-8") as file:
        for line in filter(str.strip, file):
            reason = json.loads(line)
            assert reason["kind"] in KINDS, line
            found[reason["backend"], reason["operator"]].append((re.compile(reason.get("name", "")), reason))
    return found


def is_bit_equal(case):
    """Whether it has outputs, and all are equal to the bit."""
    return bool(case["outputs"]) and all(output["bit_equal"] == output["count"] for output in case["outputs"])


def is_untypical(case):
    """Whether it passes, but uses of its bound more than four times what usual kernels use."""
    typical = [output["typicality"] for output in case["outputs"] if "typicality" in output]
    return case["verdict"] == "pass" and any(float(one[key]) > 4 for one in typical for key in ("median", "greatest"))


def full_name(case):
    return f"{case['domain']}.{case['operator']}"


def without_numbers(text):
    text = re.sub(r"\(opset.*|with friendly_name.*|…", "", text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", text)
    text = re.sub(r"tensor\(\w+\)", "tensor(…)", text)
    return re.sub(r"0x[0-9a-f]+|(?<![A-Za-z\d])-?\d[\d.,e+-]*", "#", text)[:160]


def kind_of_cause(case):
    """The kind of the cause that opref found and the cause, or nothing."""
    if case.get("unexplained") or "explained_by" not in case:
        return None, ""
    cause = case["cause"]
    if "of absolute accuracy" in cause:
        return "weaker functions", cause
    if formula := re.fullmatch(r"mistake ([^,;]*, each step rounded)", cause):  # that of the page, or an equal one
        return "arithmetic", formula[1]
    cause = re.sub(r"(not written|results times|added to results)(: | |$).*", r"\1", re.sub(r"\S+ (added to results)", r"\1", cause))
    if cause.startswith("reading") or "mistake" in cause:  # the last digits do not make another group
        cause = re.sub(r"[;,] (float\d+|bfloat16|each step|inputs|results?|double rounding)\b.*", "", cause)
    kind = "reading" if cause.startswith("reading") else "mistake" if "mistake" in cause else "arithmetic"
    return kind, cause.removeprefix(f"{kind} ")


def own_kind(case):
    """What opref says."""
    reason = case.get("reason", "")
    if case["verdict"] == "error":
        if reason.startswith("the backend took more than"):
            return "too slow", reason
        died = re.fullmatch(r"(?:RuntimeError: )?(the (?:backend|compiler) ended (?:by|with) \w+).*", reason)
        return ("crash", died[1]) if died else ("refused", without_numbers(reason))
    if case.get("must_be_refused"):
        return "accepted", "accepted, though the specification forbids it"
    failing = [output for output in case["outputs"] if output["mismatches"] or output.get("reason")]
    kind, why = kind_of_cause(case)
    if failing and all(output.get("bound_class") in ("absolute", "flush") for output in failing):
        if any(output["bound_class"] == "flush" for output in failing):
            if kind != "arithmetic" or "flushed" in why:  # else normal numbers differ, too
                return "weaker functions", "subnormal numbers become 0"
        else:
            return "weaker functions", "functions of absolute accuracy"
    if kind:
        return kind, why
    if re.search(r"dtype \S+, but \S+ is expected", reason):
        return "another type", "an output of another type"
    if re.search(r"shape \S+, but \S+ is expected|length", reason):
        return "another shape", "another shape"
    return "other values", "other values" if failing else without_numbers(reason)


def reason_of(backend, case):
    """The line of reasons.jsonl that explains it, or nothing."""
    kind, why = own_kind(case)
    is_open = kind in (*UNEXPLAINED, "another type", "crash", "refused")
    for name, reason in reasons().get((backend, full_name(case)), []):
        is_fit = is_open and reason.get("shows", kind) == kind or "instead_of" in reason and re.search(reason["instead_of"], why)
        if is_fit and name.search(case["name"]):
            return reason
    return None


def kind_of(backend, case):
    """Of a case that does not pass its kind and the reason, in words."""
    reason = reason_of(backend, case)
    return (reason["kind"], reason["why"]) if reason else own_kind(case)


def has_weak_evidence(backend, case):
    """Whether it is opref's own cause that explains it, and other ones would fit as well: few elements differ, or by little."""
    return bool(case.get("doubt")) and own_kind(case) == kind_of_cause(case) and not reason_of(backend, case)


def is_counted(case):
    """Whether it has a verdict of the runtime: a bug in opref has none."""
    return not case.get("internal") and case["verdict"] != "skip"


def grouped(backend, cases):
    """By operator, kind and reason the cases that fail or are errors, the smallest case first; the largest groups first."""
    found = collections.defaultdict(list)
    for case in cases:
        if is_counted(case) and case["verdict"] in ("fail", "error"):
            found[full_name(case), *kind_of(backend, case)].append(case)
    for members in found.values():
        members.sort(key=lambda case: (len(case["name"]) > 74, case["size"], len(case["name"]), case["name"]))
    return sorted(found.items(), key=lambda group: (-len(group[1]), group[0]))


def numbers(values):
    return ", ".join(map(str, sorted(set(values))))


def command(backend, case):
    """Makes the case and judges the runtime by it."""
    name = re.sub(r"([.+])", r"\\\1", case["name"])
    return (f"opref golden {case['domain']}:{case['operator']} --negative --filter '^{name}$' -o CASE --replace && "
            f"opref check CASE --runner '{peers.runner(backend)}'")


def plural(number, word):
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def seen(case, with_share=False):
    """What differs first: the runtime's value and the expected one, or what it said."""
    for output in case["outputs"]:
        if "first" in output and output["mismatches"]:
            share = f" (share {float(output['first']['share']):.3g})" if with_share and "share" in output["first"] else ""
            return f"{output['first']['actual']}, expected {output['first']['expected']}{share}"
    return case.get("reason", "")


def seen_beside(case, why):
    """As `seen`, or nothing where the group's reason already says it."""
    text = seen(case)
    return "" if why[:25] in text[:45] else text  # "RuntimeError: the compiler ended by SIGSEGV"


CLASSES = ("accurate", "page", "absolute", "flush", "none")


def classes_of(cases):
    """Of outputs with a bound how many are of each class of kernels, the weakest "none"; and the largest share, the median of the
    shares of outputs that are not equal to the bit."""
    count, shares = collections.Counter(), []
    for case in cases:
        for output in case["outputs"]:
            if "bound_ratio" in output:
                count[output.get("bound_class", "none")] += 1
                shares.append(float(output["bound_ratio"]))
    shares = sorted(share for share in shares if share > 0)
    return [count[one] for one in CLASSES], shares[-1] if shares else 0, shares[len(shares) // 2] if shares else 0


class Totals:
    """How many cases with values there are, and of what verdict; of those that must be refused how many are."""
    HEADER = ["cases", "pass", "to the bit", "untypical", "fail", "error", "unsupported", "refused", "accepted", "not judged"]
    MEANING = ("pass … unsupported: of cases with values. To the bit, untypical: of those that pass. Refused, accepted: of cases that "
               "must be refused. Not judged: a bug in opref")

    def __init__(self, cases):
        self.internal = sum(not is_counted(case) for case in cases)
        counted = [case for case in cases if is_counted(case)]
        self.values = [case for case in counted if not case.get("must_be_refused")]
        bad = collections.Counter(case["verdict"] for case in counted if case.get("must_be_refused"))
        self.verdicts = collections.Counter(case["verdict"] for case in self.values)
        self.refused, self.accepted = bad["pass"], bad["fail"]
        passing = [case for case in self.values if case["verdict"] == "pass"]
        self.equal, self.untypical = sum(map(is_bit_equal, passing)), sum(map(is_untypical, passing))

    def row(self):
        count = self.verdicts
        return [len(self.values), count["pass"], self.equal, self.untypical, count["fail"], count["error"], count["unsupported"],
                self.refused, self.accepted, self.internal]
