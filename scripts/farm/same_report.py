# SPDX-License-Identifier: Apache-2.0
"""Whether two reports of `opref check` differ only in times.

Usage: same_report.py A.json B.json
"""
import json
import sys

TIMES = ("seconds", "started")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(member) for key, member in value.items() if key not in TIMES}
    return [without_times(element) for element in value] if isinstance(value, list) else value


def differences(a, b, place=""):
    """Where they differ, one line each."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from differences(a.get(key), b.get(key), f"{place}/{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (left, right) in enumerate(zip(a, b)):
            yield from differences(left, right, f"{place}/{i}")
    elif a != b:
        yield f"{place}: {str(a)[:200]} and {str(b)[:200]}"


reports = []
for path in sys.argv[1:3]:
    with open(path, encoding="utf-8") as file:
        reports.append(without_times(json.load(file)))
lines = list(differences(*reports))
for line in lines[:10]:
    print(line, file=sys.stderr)
if lines:
    sys.exit(f"{len(lines)} differences")
print(f"the same report but for times: {len(reports[0]['cases'])} cases")
