# SPDX-License-Identifier: Apache-2.0
"""The page cli/help/ambiguities.md, of the table, of what the readings say of themselves, and of testdata/peers/ambiguity-sentences.jsonl,
where people wrote which sentence leaves each reading open, and what it leaves open."""
import itertools
import json
import os
import re
import sys
import textwrap

import onnx

import environment
import peers
from ambiguity_answers import OTHER, REFUSED, SLOW, UNSUPPORTED
from peer_pages import item, plain
from table import table as markdown_table
from table import wrapped

PAGE = os.path.join(environment.ROOT, "cli", "help", "ambiguities.md")
SENTENCES = os.path.join(environment.ROOT, "testdata", "peers", "ambiguity-sentences.jsonl")
RECENT = 13  # the opset from which on a version counts as one of today's models
SHOWN = 3  # names of official cases
# What networks for pictures, text and sound consist of.
COMMON = set("""Add ArgMax ArgMin Attention AveragePool BatchNormalization Cast Clip Concat Conv ConvTranspose CumSum DequantizeLinear Div
Dropout DynamicQuantizeLinear Einsum Equal Erf Flatten GRU Gather Gelu Gemm Greater GridSample HardSwish LSTM Less LogSoftmax Loop
LpNormalization MaxPool Mod Mul NonMaxSuppression NonZero OneHot PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN
Range ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum Resize RoiAlign ScatterElements ScatterND Slice Softmax Split Sqrt Squeeze
Sub TopK Trilu Unsqueeze""".split())

SECTIONS = [
    ("Silent differences in common operators", "Runtimes return different values, and no error, in operators and versions that today's "
     "models have."),
    ("Silent differences elsewhere", "Runtimes return different values in operators that are rare, or in old versions."),
    ("One value, or an error", "Runtimes that answer return the same values, but other ones refuse these nodes, or opref's own choice is "
     "another one."),
    ("No difference seen", "Runtimes that answer return the same values, which are opref's choice; or none of them takes the cases."),
    ("com.microsoft and OpenVINO", "These readings are of other specifications: the pages of onnxruntime's contributed operators, and of "
     "OpenVINO's operations. They are listed for completeness."),
]


def sentences():
    """By the reading's name."""
    with open(SENTENCES, encoding="utf-8") as file:
        return {one["reading"]: one for one in map(json.loads, file)}


def check_sentences(of_reading):
    """Each must stand in the texts of the schema, but for white space."""
    wrong = [f"{one['operator']}-{one['version']} does not say: {one['sentence']}" for one in of_reading.values()
             if not any(" ".join(one["sentence"].split()) in " ".join(text.split()) for text in texts(one))]
    if wrong:
        sys.exit("\n".join(wrong))


def texts(sentence):
    domain, _, op_type = sentence["operator"].rpartition(".")
    schema = onnx.defs.get_schema(op_type, sentence["version"], "" if domain == "ai.onnx" else domain)
    if schema.since_version != sentence["version"]:
        sys.exit(f"{sentence['operator']} has no version {sentence['version']}")
    yield schema.doc
    for part in [*schema.attributes.values(), *schema.inputs, *schema.outputs]:
        yield part.description


class Entry:
    def __init__(self, reading, row, sentence):
        self.reading, self.row, self.sentence = reading, row, sentence
        self.answers = {backend: text.split() for backend, text in row["answers"].items() if text.replace(UNSUPPORTED, "").strip()}

    @property
    def default(self):
        """The numbers of what opref takes by default, in some version."""
        return {str(self.reading.alternatives.index(one)) for one in self.reading.defaults if one}

    def valued(self):
        """Of each runtime that returns values its answers."""
        found = {backend: [one for one in answers if one not in (UNSUPPORTED, REFUSED)] for backend, answers in self.answers.items()}
        return {backend: answers for backend, answers in found.items() if answers}

    def conflicts(self):
        """The pairs of runtimes that return values in one case which no alternative has in common; and whether both are alternatives'."""
        found = {}
        for one, other in itertools.combinations(self.answers, 2):
            for theirs, others in zip(self.answers[one], self.answers[other]):
                if not {theirs, others} & {UNSUPPORTED, REFUSED} and not set(theirs) & set(others):
                    found[one, other] = found.get((one, other), False) or OTHER not in (theirs, others)
        return found

    def is_split(self):
        return bool(self.conflicts())

    def gravity(self):
        """Pairs of runtimes that follow different alternatives count twice."""
        return sum(2 if is_of_alternatives else 1 for is_of_alternatives in self.conflicts().values())

    def differ(self):
        """The runtimes that return, in some case, what is not opref's default."""
        return [backend for backend, answers in self.valued().items() if any(not set(one) & self.default for one in answers)]

    def refuse(self):
        return [backend for backend, answers in self.answers.items() if REFUSED in answers]

    def is_common(self):
        """Of an everyday operator, in a version that opset 13 or a later one has."""
        for operator, versions in self.reading.operators.items():
            domain, _, op_type = operator.rpartition(".")
            if domain == "ai.onnx" and op_type in COMMON and max(versions) >= since_version_at(op_type, RECENT):
                return True
        return False

    def section(self):
        if not self.reading.domain.startswith("ai.onnx"):
            return 4
        if self.is_split():
            return 0 if self.is_common() else 1
        return 2 if self.differ() or self.refuse() and self.valued() else 3

    def order(self):
        return self.section(), not self.is_common(), bool(self.row["official"]), -self.gravity(), -len(self.differ()), self.reading.name


def since_version_at(op_type, opset):
    """That which is in force, or of a younger operator its first one."""
    try:
        return onnx.defs.get_schema(op_type, opset, "").since_version
    except onnx.defs.SchemaError:
        return opset


def means(entry, answers):
    """What a runtime does in all its cases, in words."""
    values = [set(one) for one in answers if one not in (UNSUPPORTED, REFUSED, OTHER)]
    common = set.intersection(*values) if values else set()
    kinds = sorted(common or {min(one, key=lambda one: (one not in entry.default, one)) for one in values})
    text = " or ".join(entry.reading.alternatives[int(one)] for one in kinds)
    if len(kinds) > 1:
        text += " (no case tells which)" if common else ", by the case"
    if OTHER in answers:
        count = answers.count(OTHER)
        text += (", " if text else "") + ("another value" if not text else f"another value in {count} of {len(answers)} cases")
    if REFUSED in answers and text:
        text += f", an error in {answers.count(REFUSED)} of {len(answers)} cases"
    return text or ("an error" if REFUSED in answers else "")


def lines_of_answers(entry):
    found = {}
    for backend, answers in entry.answers.items():
        found.setdefault(means(entry, answers), []).append(peers.name(backend))
    return [item(f"{', '.join(names)}: {what}") for what, names in sorted(found.items(), key=lambda one: (one[0] == "an error", -len(one[1])))
            if what]


def official_line(entry):
    if not entry.row["official"]:
        return ""
    parts = []
    for other, cases in entry.row["official"].items():
        shown = ", ".join(f"`{case}`" for case in cases[:SHOWN])
        parts.append(f"{other} fails {len(cases)} ({shown}{', …' if len(cases) > SHOWN else ''})")
    return wrapped(f"Official data: {'; '.join(parts)}.") + "\n"


def quoted(text):
    return "```text\n" + "\n".join(textwrap.wrap(" ".join(text.split()), 78, break_long_words=False, break_on_hyphens=False)) + "\n```\n"


def versions_of(reading):
    """"LpPool 1, 2, 11"; of many operators the first three."""
    listed = [f"{operator.rpartition('.')[2]} {', '.join(map(str, versions))}" for operator, versions in reading.operators.items()]
    return "; ".join(listed[:3]) + (f"; and {len(listed) - 3} more" if len(listed) > 3 else "")


def marks(entry, alternative):
    return " (opref's default)" if entry.reading.defaults == [alternative] else " (opref's default in some versions)" \
        if alternative in entry.reading.defaults else ""


def section_text(entry):
    parts = [f"### {entry.reading.name}\n"]
    if entry.sentence:
        where = entry.sentence["operator"].removeprefix("ai.onnx.") if entry.sentence["operator"].count(".") == 2 else entry.sentence["operator"]
        parts.append(wrapped(f"{where}-{entry.sentence['version']} says:") + "\n")
        parts.append(quoted(entry.sentence["sentence"]))
        parts.append(wrapped(plain_sentence(entry.sentence["open"])) + "\n")
    parts.append("\n".join(item(plain(f"{one}{marks(entry, one)}: {entry.reading.meanings[one]}")) for one in entry.reading.alternatives) + "\n")
    parts.append(wrapped(f"Why: {plain(entry.reading.reason)}. Versions: {versions_of(entry.reading)}.") + "\n")
    answers = lines_of_answers(entry)
    parts.append("\n".join(answers) + "\n" if answers else "No runtime was seen to answer.\n")
    if entry.row["cases"]:
        place, opset, *wide = entry.row["cases"][0].split()
        count = len(entry.row["cases"])
        parts.append(wrapped(f"Seen in {count} case{'s' if count > 1 else ''}; the first: `{place}`, opset {opset}"
                             f"{', with three axes of size 1 before its own' if wide else ''}.") + "\n")
    if official := official_line(entry):
        parts.append(official)
    return "\n".join(parts)


def plain_sentence(text):
    """With no mark that means something in Markdown."""
    return re.sub(r"[`<>|]", "", text).replace("*", "\\*")


def head(entries, table):
    onnx_ones = [entry for entry in entries if entry.reading.domain.startswith("ai.onnx")]
    rows = [["readings", len(entries), len(onnx_ones)]]
    rows.append(["decided by official cases", *(sum(bool(entry.row["official"]) for entry in of) for of in (entries, onnx_ones))])
    rows.append(["runtimes return different values", *(sum(entry.is_split() for entry in of) for of in (entries, onnx_ones))])
    rows.append(["… and no official case decides",
                 *(sum(entry.is_split() and not entry.row["official"] for entry in of) for of in (entries, onnx_ones))])
    rows.append(["some runtime differs from opref", *(sum(bool(entry.differ()) for entry in of) for of in (entries, onnx_ones))])
    rows.append(["no runtime answers", *(sum(not entry.valued() for entry in of) for of in (entries, onnx_ones))])
    runtimes = ", ".join(table.head["runtimes"].values())
    slow = [backend for backend in SLOW if backend in table.head["runtimes"]]
    of_slow = max((len(entry.answers.get(backend, [])) for entry in entries for backend in slow), default=0)
    fewer = f" ({', '.join(map(peers.name, slow))}: {'one' if of_slow == 1 else f'up to {of_slow}'})" if slow else ""
    paragraphs = [
        "Where ONNX's specification is ambiguous, opref has a *reading*: a choice with a name, which you can change (`opref help readings`). "
        "This page has all of them, for those who mend the specification: the sentence that leaves a choice open, the choices, what runtimes "
        "do, and which of ONNX's official cases decide.",
        f"opref {table.head['opref']} asked {runtimes}; {table.head['date']}. Each was given up to 5 small cases of testdata whose results "
        f"differ between the choices{fewer}, with the inputs as inputs of the graph, and if it refused that, "
        "as constants. An output counts as a choice's if it is within the error bound of a right kernel with that choice, if need be beside "
        "another choice of another reading; integers, and "
        "results that differ in their last digits or in the sign of a zero alone, must be equal to the bit. *Another value* is none of "
        "the choices. *An error* may have other reasons than the choice. A runtime that is not named has no such operator, type or version. "
        "Each answer is what the program returned, not what its documentation says. *Why* is opref's reason, which may rest on other cases.",
        "Official data are ONNX's backend tests, the last ones that were published as files, and those of ONNX 1.12: *fails* means that opref "
        "with that choice does not give the expected output, within the tolerance of these tests.",
    ]
    return "# Ambiguities: where ONNX's specification leaves a choice\n\n" + "\n\n".join(map(wrapped, paragraphs)) + "\n\n" + \
        markdown_table(["", "all", "of ONNX"], rows, True) + "\n\n" + \
        wrapped("`scripts/lab/ambiguities` makes this page. To see a reading in a case:") + "\n\n" + \
        "```sh\nopref run testdata/ai.onnx/LpPool/readings.json#8 \\\n    --reading lp_pool.partial_window=norm\n```\n"


def write(readings, table):
    of_reading = sentences()
    check_sentences(of_reading)
    missing = [name for name, reading in readings.items() if reading.domain.startswith("ai.onnx") and name not in of_reading]
    if missing:
        sys.exit(f"ambiguity-sentences.jsonl has no sentence of {', '.join(missing)}")
    entries = sorted((Entry(readings[name], table.rows[name], of_reading.get(name)) for name in readings), key=Entry.order)
    text = head(entries, table)
    for number, (title, about) in enumerate(SECTIONS):
        ours = [entry for entry in entries if entry.section() == number]
        text += f"\n## {title}\n\n" + wrapped(f"{len(ours)} readings. {about}") + "\n\n" + "\n".join(map(section_text, ours))
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
