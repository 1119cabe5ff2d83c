# SPDX-License-Identifier: Apache-2.0
# Each known mistake is named where a backend made it. A row of testdata/DOMAIN/OPERATOR/mistakes.json is a node, what it
# must give, and what a backend with the mistake gives, neither by opref: the right output passes, the wrong one is
# explained by the mistake. A row with "ulp" is compared by that rule. Usage: known_mistakes_test.py OPREF
import glob
import json
import os
import subprocess
import sys
import tempfile

opref = os.path.abspath(sys.argv[1])
NODE = {"opset", "attributes", "inputs"}
cases, failures = [], []  # a case: domain, op_type and its row
for path in sorted(glob.glob("testdata/*/*/mistakes.json")):
    for row in json.load(open(path)):
        if set(row) - {"ulp"} != NODE | {"mistake", "right", "wrong", "source"} or not row["source"]:
            failures.append(f"{path}: {row.get('mistake')}: it has {', '.join(row)}")
        elif row["right"] == row["wrong"]:
            failures.append(f"{path}: {row['mistake']}: right and wrong are the same")
        else:
            cases.append((*path.split(os.sep)[1:3], row))


def checked(folder, outputs, of_rule, rule):
    """What `check` says of nodes whose expected outputs are these."""
    path = os.path.join(folder, outputs + ".json")
    json.dump([{"domain": domain, "op_type": op_type, **{k: row[k] for k in NODE}, "expect": row[outputs]}
               for domain, op_type, row in of_rule], open(path, "w"))
    done = subprocess.run([opref, "check", path, "--json", *rule], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)["cases"]
    return sorted(found, key=lambda case: int(case["name"].split("#")[1]))


with tempfile.TemporaryDirectory() as folder:
    rules = sorted({row.get("ulp") for _, _, row in cases}, key=str)
    for outputs, ulp in [(outputs, ulp) for outputs in ("right", "wrong") for ulp in rules]:
        of_rule = [case for case in cases if case[2].get("ulp") == ulp]
        found = checked(folder, outputs, of_rule, [] if ulp is None else ["--ulp", str(ulp)])
        if len(found) != len(of_rule):
            failures.append(f"{len(of_rule)} cases, but {len(found)} were checked")
        for (domain, op_type, row), result in zip(of_rule, found):
            name = f"{domain} {op_type}: {row['mistake']}"
            causes = [cause["name"] for cause in result.get("causes", [])]
            if outputs == "right" and (result["verdict"] != "pass" or causes):
                failures.append(f"{name}: the right output is not opref's: {result.get('reason')} {causes}")
            if outputs == "wrong" and "mistake " + row["mistake"] not in causes:
                failures.append(f"{name}: explained by {causes or 'nothing'}; {result.get('reason')}")

# Each mistake of each operator has a case; one of OpenVINO's operations that it shares with an operator of another
# domain, or with another operation of its category, has it there.
listed = json.loads(subprocess.run([opref, "ops", "--json"], capture_output=True, text=True, check=True).stdout)
category = {(op["domain"], op["op_type"]): op["category"] for op in listed["operators"]}
elsewhere = {row["mistake"] for domain, _, row in cases if domain != "openvino"}
in_category = {(category[domain, op_type], row["mistake"]) for domain, op_type, row in cases if domain == "openvino"}
known = {(domain, op_type, row["mistake"]) for domain, op_type, row in cases}
all_pairs = {(op["domain"], op["op_type"], mistake) for op in listed["operators"] for mistake in op["mistakes"]}
for domain, op_type, mistake in sorted(all_pairs - known):
    if domain == "openvino" and (mistake in elsewhere or (category[domain, op_type], mistake) in in_category):
        continue
    failures.append(f"testdata/{domain}/{op_type}/mistakes.json has no case of the mistake: {mistake}")
if failures:
    sys.exit("\n".join(failures))
