# SPDX-License-Identifier: Apache-2.0
"""`shard_reports.py NUMBER SHARDS FOLDER`: FOLDER/shard-I.json, the reports of a run of so many cases. The records are
those that check wrote of two real cases, one in ten of them the failing one, with other names and times."""
import hashlib
import json
import os
import random
import sys

from environment import ROOT

NUMBER, SHARDS, FOLDER = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
OPERATORS = [f"Operator{i}" for i in range(150)]
CAUSES = [f"reading operator.number_{i}=other" for i in range(40)]


def templates():
    """A record that passes and one that fails, as JSON with places for what changes."""
    with open(os.path.join(ROOT, "testdata/check-report-1.json"), encoding="utf-8") as file:
        run = json.load(file)
    failing = next(record for record in run["cases"] if record["verdict"] == "fail")
    passing = {**failing, "verdict": "pass", "outputs": [{k: v for k, v in output.items() if k not in ("description", "errors")}
                                                        for output in failing["outputs"]]}
    for key in ("reason", "explained_by", "causes", "unexplained", "stderr_tail", "cause"):
        passing.pop(key, None)
    for output in passing["outputs"]:
        for key in ("first", "worst", "worst_mismatches", "where"):
            output["comparison"].pop(key, None)
    return run, passing, failing


def main():
    run, passing, failing = templates()
    source = random.Random(1)
    names = hashlib.sha256()
    counts = [{"pass": 0, "fail": 0, "error": 0, "unsupported": 0, "skip": 0} for _ in range(SHARDS)]
    bodies = [open(os.path.join(FOLDER, f"body-{i}"), "w", encoding="utf-8") for i in range(SHARDS)]
    for i in range(NUMBER):
        name = f"suite_{i // 1000:05d}/operator_{i:08d}_float32_some-attribute={i % 7}"
        names.update(name.encode() + b"\0")
        fails = source.random() < 0.1
        record = dict(failing if fails else passing)
        record.update(name=name, path=f"cases/{name}.json", operator=OPERATORS[i * len(OPERATORS) // NUMBER],
                      seconds=source.random(), files=hashlib.sha256(name.encode()).hexdigest())
        if fails:
            record.update(causes=[{"name": cause, "meaning": "what it means, in one line"}
                                  for cause in source.sample(CAUSES, 2)], within="rtol 0.001, atol 1e-07")
        shard = source.randrange(SHARDS)
        counts[shard]["fail" if fails else "pass"] += 1
        record = {"name": record.pop("name"), **record}
        bodies[shard].write((",\n" if bodies[shard].tell() else "") + json.dumps(record))
    for shard, body in enumerate(bodies):
        body.close()
        head = {"report_format": run["report_format"], "summary": counts[shard], "opref": run["opref"], "shard": shard + 1,
                "shards": SHARDS, "all_count": NUMBER, "all_sha256": names.hexdigest(), "complete": True}
        with open(os.path.join(FOLDER, f"shard-{shard + 1}.json"), "w", encoding="utf-8") as report:
            report.write(json.dumps(head)[:-1] + ', "cases": [\n')
            with open(body.name, encoding="utf-8") as text:
                for line in text:
                    report.write(line)
            report.write("\n]}\n")
        os.remove(body.name)


main()
