# SPDX-License-Identifier: Apache-2.0
# Each reading of the operators' sources is in `ops --json`, with all its alternatives. Usage: readings_test.py OPREF
import json
import pathlib
import re
import subprocess
import sys

opref = sys.argv[1]


failures, listed = [], {}
done = subprocess.run([opref, "ops", "--json"], capture_output=True, text=True, check=True)
for op in json.loads(done.stdout)["operators"]:
    for version in op["versions"]:
        listed.update({reading["name"]: reading["alternatives"] for reading in version["readings"]})

# A reading's name as it stands in the source, and what its list of alternatives begins with, where that follows it.
LITERAL = r'"((?:[^"\\]|\\.)*)"'
NAME = re.compile(r'"([a-z][a-z_0-9]*\.[a-z][a-z_0-9]*)"')
LIST = re.compile(r"\s*,\s*(?:\.alternatives\s*=\s*)?(\{\s*" + LITERAL + r"(?:\s*,?\s*" + LITERAL + r")*\s*\})")
DOMAINS = re.findall(r'^X\(\w+, "([^"]+)"', pathlib.Path("src/schema/domains.def").read_text(), re.M)
found, lists = set(), 0
for path in sorted([*pathlib.Path("src/ops").rglob("*.*"), pathlib.Path("src/schema/double_attributes.h")]):
    if path.suffix not in (".cpp", ".h") or "_test" in path.stem or "_testing" in path.stem:
        continue
    source = path.read_text()
    for name in NAME.finditer(source):
        if name[1] in DOMAINS:
            continue
        found.add(name[1])
        stated = LIST.match(source, name.end())
        if not stated:
            continue
        lists += 1
        whole = re.sub(r'"\s*\n\s*"', "", stated[1])  # a literal on several lines
        for alternative in re.findall(LITERAL, whole):
            if alternative.partition(":")[0] not in listed.get(name[1], []):
                failures.append(f"{path}: {name[1]} = {alternative}: it is not in `opref ops --json`")
for name in sorted(found ^ listed.keys()):
    failures.append(f"{name}: it is in the sources or in `opref ops --json`, but not in both")
if lists < 100:
    failures.append(f"only {lists} lists of alternatives were found in the sources")

if failures:
    sys.exit("\n".join(failures))
