# SPDX-License-Identifier: Apache-2.0
# Each reading has an entry in `opref help ambiguities`, with its choices and defaults, and each entry is a reading; the table has the cases
# that it names, and of ONNX's readings there is a sentence. Usage: ambiguities_test.py OPREF
import json
import pathlib
import re
import subprocess
import sys

opref = sys.argv[1]
peers = pathlib.Path("testdata/peers")
failures, readings, domains = [], {}, {}
for op in json.loads(subprocess.run([opref, "ops", "--json"], capture_output=True, text=True, check=True).stdout)["operators"]:
    for version in op["versions"]:
        for reading in version["readings"]:
            stated = readings.setdefault(reading["name"], {"alternatives": set(), "defaults": set(), "reason": reading["reason"]})
            stated["alternatives"].update(reading["alternatives"])
            stated["defaults"].add(reading["default"])
            domains.setdefault(reading["name"], op["domain"])


def both(names, others, where):
    for name in sorted(set(names) ^ set(others)):
        failures.append(f"{name}: it is {'no reading, but ' if name in names else 'a reading, but not '}in {where}")


def words(text):
    return " ".join(re.sub(r"[`*<>|\\]", "", text.replace("^", " to the ")).split())


page = subprocess.run([opref, "help", "ambiguities"], capture_output=True, text=True, check=True).stdout
entries = {part.partition("\n")[0]: part.partition("\n## ")[0] for part in page.split("\n### ")[1:]}
table = [json.loads(line) for line in (peers / "ambiguities.jsonl").read_text().splitlines()][1:]
sentences = {one["reading"]: one for one in map(json.loads, (peers / "ambiguity-sentences.jsonl").read_text().splitlines())}
both(entries, readings, "opref help ambiguities")
both([row["reading"] for row in table], readings, "testdata/peers/ambiguities.jsonl")
both(sentences, [name for name, domain in domains.items() if domain.startswith("ai.onnx")], "testdata/peers/ambiguity-sentences.jsonl")
if len(page.split("\n### ")) - 1 != len(entries):
    failures.append("a reading has two entries")

for name in entries.keys() & readings.keys():
    entry, stated = entries[name], readings[name]
    shown = dict(re.findall(r"^- ([^\s:]+)( \(opref's default(?: in\s+some versions)?\))?:", entry, re.M))
    for alternative in sorted(stated["alternatives"]):
        if alternative not in shown:
            failures.append(f"{name}: its entry has no choice {alternative}")
        elif (alternative in stated["defaults"]) != bool(shown[alternative]):
            failures.append(f"{name}: {alternative} is a default of opref or of the entry, but not of both")
    if words(stated["reason"]) not in words(entry):
        failures.append(f"{name}: its entry does not say: {stated['reason']}")
    if name in sentences and words(sentences[name]["sentence"]) not in words(entry):
        failures.append(f"{name}: its entry does not quote: {sentences[name]['sentence']}")

for row in table:
    for case in row["cases"]:
        file, number = case.split()[0].split("#")
        listed = json.loads(pathlib.Path(file).read_text())
        if int(number) > len(listed) or row["reading"] not in listed[int(number) - 1].get("readings", {}):
            failures.append(f"{case}: it does not choose {row['reading']}: run scripts/lab/ambiguities --again")
    for backend, answers in row["answers"].items():
        if len(answers.split()) > len(row["cases"]):
            failures.append(f"{row['reading']}: {backend} has more answers than there are cases")

if failures:
    sys.exit("\n".join(failures))
