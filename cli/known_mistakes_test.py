# SPDX-License-Identifier: Apache-2.0
# Each known mistake is named where a backend made it. known_mistakes.json, which scripts/lab/mistake-cases writes, has
# a node for each, what it must give and what the mistake gives, neither by opref: the right output passes, the wrong
# one is explained by the mistake. Usage: known_mistakes_test.py OPREF
import json
import os
import subprocess
import sys
import tempfile

opref = os.path.abspath(sys.argv[1])
cases = json.load(open("cli/known_mistakes.json"))


def checked(folder, outputs):
    """What `check` says of all nodes whose expected outputs are these."""
    path = os.path.join(folder, outputs + ".json")
    nodes = [{**{k: c[k] for k in ("op_type", "opset", "attributes", "inputs")},
              **({"domain": c["domain"]} if "domain" in c else {}), "expect": c[outputs]} for c in cases]
    json.dump(nodes, open(path, "w"))
    done = subprocess.run([opref, "check", path, "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)["cases"]
    return sorted(found, key=lambda case: int(case["name"].split("#")[1]))


failures = []
with tempfile.TemporaryDirectory() as folder:
    for outputs in ("right", "wrong"):
        found = checked(folder, outputs)
        if len(found) != len(cases):
            failures.append(f"{len(cases)} cases, but {len(found)} were checked")
        for case, result in zip(cases, found):
            name = f"{case['op_type']}: {case['mistake']}"
            causes = [cause["name"] for cause in result.get("causes", [])]
            if outputs == "right" and (result["verdict"] != "pass" or causes):
                failures.append(f"{name}: the right output is not opref's: {result.get('reason')} {causes}")
            if outputs == "wrong" and "mistake " + case["mistake"] not in causes:
                failures.append(f"{name}: explained by {causes or 'nothing'}; {result.get('reason')}")

# Each mistake of each operator has a case.
known = {(case.get("domain", "ai.onnx"), case["op_type"], case["mistake"]) for case in cases}
listed = json.loads(subprocess.run([opref, "ops", "--json"], capture_output=True, text=True, check=True).stdout)
all_pairs = {(op["domain"], op["op_type"], mistake) for op in listed["operators"] for mistake in op["mistakes"]}
for domain, op_type, mistake in sorted(all_pairs - known):
    failures.append(f"{domain} {op_type}: {mistake}: it has no case in cli/known_mistakes.json")
if failures:
    sys.exit("\n".join(failures))
