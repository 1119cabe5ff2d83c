# SPDX-License-Identifier: Apache-2.0
"""Runs everything that is of one operator and says what is missing: see scripts/check-operator."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OFFICIAL = [pathlib.Path("/usr/share/libonnx-testdata/data"),
            pathlib.Path(os.environ.get("OPREF_ONNX_CASES", "../shared/onnx-backend-tests"))]
FAMILIES_OF_WITNESS = ("elementwise", "movement", "windows", "reduce_linear")


class Checks:
    def __init__(self, build):
        self.build, self.failures, self.missing = build, 0, []

    def run(self, title, *command):
        """One line where it succeeds, all that it says where it does not."""
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        said = (done.stdout + done.stderr).strip()
        print(f"{title}: {said.splitlines()[-1] if said else 'right'}" if done.returncode == 0 else
              f"{title}: FAILED, exit code {done.returncode}\n{said}", flush=True)
        self.failures += done.returncode != 0

    def opref(self, title, *arguments):
        self.run(title, self.build / "opref", *arguments)

    def misses(self, what):
        self.missing.append(what)


def described(build, op_type, domain):
    listed = subprocess.run([build / "opref", "ops", op_type, "--json"], capture_output=True, text=True, check=False)
    found = json.loads(listed.stdout)["operators"] if listed.returncode == 0 else []
    found = [o for o in found if o["op_type"] == op_type and domain in (None, o["domain"])]
    if len(found) != 1:
        sys.exit(listed.stderr.strip() or f"'{op_type}' is of {len(found)} domains: say which by --domain")
    return found[0]


def stated_cases(folder):
    """What the folder's lists of cases say, without recipes."""
    cases = []
    for path in sorted(folder.glob("*.json")):
        if path.name != "recipe.json":
            content = json.loads(path.read_text())
            cases += content if isinstance(content, list) else [content]
    return [case for case in cases if "op_type" in case]


def find_gaps(checks, operator, folder):
    cases = stated_cases(folder)
    sinces = [v["since_version"] for v in operator["versions"]]
    good = [c for c in cases if "expect_error" not in c]
    opsets = {o for c in good for o in (c["opset"] if isinstance(c.get("opset"), list) else [c.get("opset", sinces[-1])])}
    tested = {max((s for s in sinces if s <= opset), default=None) for opset in opsets}
    for version in operator["versions"]:
        if version["since_version"] not in tested and not version["deprecated"]:
            checks.misses(f"a case of version {version['since_version']} in {folder}")
    if len(good) == len(cases):
        checks.misses(f"a case that must be refused, in {folder}/bad.json")
    known = json.loads(pathlib.Path("cli/known_mistakes.json").read_text())
    with_case = {k["mistake"] for k in known if k["op_type"] == operator["op_type"]}
    for mistake in operator["mistakes"]:
        if mistake not in with_case:
            checks.misses(f"a case of the mistake '{mistake}' in cli/known_mistakes.json")
    chosen = {(name, to) for case in cases for name, to in case.get("readings", {}).items()}
    readings = {r["name"]: r for v in operator["versions"] for r in v["readings"]}
    for name, reading in readings.items():
        defaults = {r["default"] for v in operator["versions"] for r in v["readings"] if r["name"] == name}
        for alternative in reading["alternatives"]:
            if alternative not in defaults and (name, alternative) not in chosen:
                checks.misses(f"a case of the reading {name}={alternative} in {folder}")
    if operator["link"] == "" or operator["summary"] == "what it does, in one line":
        checks.misses("a summary")


def run_tests(checks, op_type):
    tests = checks.build / "opref_test"
    if not tests.exists():
        return checks.misses(f"{tests}, which is not built: its tests did not run")
    listed = subprocess.run([tests, "--list-test-names-only", f"[{op_type}]"], capture_output=True, text=True, check=False)
    if listed.stdout.strip():
        checks.run(f"tests [{op_type}]", tests, f"[{op_type}]~[.]")
    return None


def official_folders(op_type):
    """Of each collection, the cases whose model has a node of the operator, but for those that are known to fail."""
    name = op_type.encode()
    field = b"\x22" + bytes([len(name)]) + name  # NodeProto.op_type
    known = set(re.search('known="([^"]*)"', pathlib.Path("cli/official_cases_test.sh").read_text())[1].split())
    for root in OFFICIAL:
        yield root, [model.parent for model in root.glob("*/*/model.onnx") if field in model.read_bytes()
                     and f"{model.parent.parent.name}/{model.parent.name}" not in known]


def run_official(checks, op_type):
    """Two collections name cases alike, so each is a check of its own."""
    found = 0
    for root, folders in official_folders(op_type):
        if folders:
            checks.opref(f"official, {root}", "check", *folders)
            found += len(folders)
    if not found:
        checks.misses("an official case")


def run_golden(checks, operator):
    if operator["versions"][-1]["deprecated"] and len(operator["versions"]) == 1:
        return
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "golden"
        checks.opref("golden", "golden", operator["op_type"], "--negative", "-o", made)
        if made.exists():
            checks.opref("golden, judged", "check", "--exact", "--require-all", made)
            checks.opref("golden, computed again", "golden", "--verify", made)


def run_witness(checks, op_type, witness, seeds):
    """A family that does not know the operator is none of its."""
    found = 0
    for seed in range(1, seeds + 1):
        for family in FAMILIES_OF_WITNESS:
            with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
                made = pathlib.Path(folder) / "cases"
                command = [witness, family, "-o", made, "--seed", str(seed), "--count", "4", "--ops", f"^{op_type}$"]
                subprocess.run(command, capture_output=True, check=False)
                if made.exists() and any(made.rglob("model.onnx")):
                    checks.opref(f"witness {family}, seed {seed}", "check", "--exact", made)
                    found += 1
    if not found:
        checks.misses("cases of the witness")


def main():
    parser = argparse.ArgumentParser(prog="scripts/check-operator")
    parser.add_argument("op_type")
    parser.add_argument("--domain", help="where two have an operator of this name")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"), help="build/release")
    parser.add_argument("--witness", help="PROGRAM FAMILY -o FOLDER --seed S --count N --ops REGEX writes cases")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    checks = Checks(given.build.resolve())
    operator = described(checks.build, given.op_type, given.domain)
    folder = pathlib.Path("testdata") / operator["domain"] / operator["op_type"]
    run_tests(checks, given.op_type)
    checks.opref("cases", "check", "--require-all", folder)
    if operator["domain"].startswith("ai.onnx"):
        run_official(checks, given.op_type)
    run_golden(checks, operator)
    if given.witness:
        run_witness(checks, given.op_type, given.witness, given.seeds)
    find_gaps(checks, operator, folder)
    for what in checks.missing:
        print(f"missing: {what}")
    sys.exit(1 if checks.failures else 0)


main()
