# SPDX-License-Identifier: Apache-2.0
"""The table testdata/peers/ambiguities.jsonl: in the first line the versions and the date, then of each reading its cases, what each
runtime does in them (ambiguity_answers.answer), and the official cases that decide it."""
import json
import os
import subprocess
import time

import environment
import peers

PATH = os.path.join(environment.ROOT, "testdata", "peers", "ambiguities.jsonl")


class Table:
    def __init__(self, readings):
        self.head, self.rows = {"runtimes": {}}, {}
        if os.path.exists(PATH):
            with open(PATH, encoding="utf-8") as file:
                self.head, *rows = map(json.loads, file)
            self.rows = {row["reading"]: row for row in rows if row["reading"] in readings}
        for name in readings:
            self.rows.setdefault(name, {"reading": name, "cases": [], "answers": {}, "official": {}})

    def set_version(self, backend):
        self.head["runtimes"][backend] = peers.title(backend)

    def set_answers(self, name, cases, answers):
        row = self.rows[name]
        kept = row["answers"] if row["cases"] == cases else {}
        row["cases"], row["answers"] = cases, {**kept, **{backend: one for backend, one in answers.items() if one.strip("- ")}}

    def set_official(self, of_reading):
        """Of each reading and alternative the names of the cases that fail with it."""
        for name, row in self.rows.items():
            row["official"] = of_reading.get(name, {})

    def write(self, opref):
        self.head["opref"] = subprocess.run([opref, "--version"], capture_output=True, text=True, check=True).stdout.split()[3]
        self.head["date"] = time.strftime("%Y-%m-%d", time.gmtime())
        with open(PATH, "w", encoding="utf-8") as file:
            for line in [self.head, *(self.rows[name] for name in sorted(self.rows))]:
                print(json.dumps(line, separators=(",", ":")), file=file)
