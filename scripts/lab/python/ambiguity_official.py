# SPDX-License-Identifier: Apache-2.0
"""Which official cases of ONNX decide a reading: opref passes them with its choice, and the rule of the cases fails what another
alternative gives."""
import json
import os
import subprocess

import environment

FOLDERS = [os.path.join(environment.ROOT, "..", "shared", "onnx-backend-tests"), "/usr/share/libonnx-testdata/data"]


def deciding(opref):
    """Of each reading and alternative the names of the cases that fail with it. Where check says that an alternative gives another
    result, or may do so, the case is run with it, and compared with what it expects."""
    folders = [os.path.normpath(folder) for folder in FOLDERS if os.path.isdir(folder)]
    done = subprocess.run([opref, "check", *folders, "--json", "-j", "1"], capture_output=True, text=True)
    found = {}
    for case in json.loads(done.stdout)["cases"]:
        if case["verdict"] != "pass":
            continue
        for reading in case.get("readings", []):
            for other in [*reading.get("others", []), *reading.get("possible", [])]:
                if fails(opref, case["path"], reading["name"], other):
                    found.setdefault(reading["name"], {}).setdefault(other, set()).add(os.path.basename(case["path"]))
    return {name: {other: sorted(cases) for other, cases in of.items()} for name, of in found.items()}


def fails(opref, path, name, alternative):
    done = subprocess.run([opref, "run", path, "--reading", f"{name}={alternative}", "--expect-case"], capture_output=True, text=True)
    return done.returncode != 0
