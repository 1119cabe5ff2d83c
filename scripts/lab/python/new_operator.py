# SPDX-License-Identifier: Apache-2.0
"""Writes the start of an operator: see scripts/new-operator."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

import operator_data
import operator_frame
import schema_code
from operator_names import file_name, function_name

ROWS = pathlib.Path("src/ops/operators.def")
DOMAINS = {"onnx": "ai.onnx", "openvino": "openvino"}


def fail(message, code=1):
    print(f"new-operator: {message}", file=sys.stderr)
    sys.exit(code)


def facts(op_type):
    lines = pathlib.Path("testdata/onnx-schemas.jsonl").read_text().splitlines()
    found = [s for s in map(json.loads, lines) if (s["domain"], s["op_type"]) == ("ai.onnx", op_type)]
    return found or fail(f"testdata/onnx-schemas.jsonl has no operator '{op_type}' of ai.onnx")


def made_up(op_type, since):
    """For OpenVINO there are no facts: one input, one output, to be replaced."""
    return [{"op_type": op_type, "since_version": since, "support_level": "…", "attributes": [],
             "inputs": [{"name": "data", "type": "T"}], "outputs": [{"name": "output", "type": "T"}],
             "types": {"T": ["tensor(float16)", "tensor(float)", "tensor(double)"]}, "shape_inference": True}]


def source(space, schemas, link, classes, evaluator):
    op_type, domain = schemas[-1]["op_type"], DOMAINS[space]
    versions = schema_code.versions(schemas)
    since = ", ".join(str(v) for v, _ in versions)
    return f"""// SPDX-License-Identifier: Apache-2.0
// {domain} {op_type}, version{"s" if len(versions) > 1 else ""} {since}
// {link}
#include "ops/operator_file.h"
namespace opref::ops::{space} {{
namespace {{
{operator_frame.output_types(evaluator, schemas)}{operator_frame.kernel(evaluator, schemas)}{schema_code.functions(versions).rstrip()}
}}  // namespace
Operator {function_name(op_type)}() {{
  return Operator("{domain}", "{op_type}")
      .summary("what it does, in one line")
{classes}{schema_code.chained(versions)}      .output_types(output_types)
      .kernel(kernel);
}}
}}  // namespace opref::ops::{space}
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def add_row(row):
    lines = ROWS.read_text().splitlines()
    rows = sorted([line for line in lines if line.startswith("X(")] + [row])
    ROWS.write_text("\n".join([line for line in lines if not line.startswith("X(")] + rows) + "\n")


def formatted(path):
    """As the project's formatter writes it, where there is one."""
    for formatter in ("clang-format-15", "clang-format"):
        if shutil.which(formatter):
            subprocess.run([formatter, "-i", path], check=True)
            return


def main(space, op_type, since, evaluator):
    if not re.fullmatch("[A-Z][A-Za-z0-9]*", op_type):
        fail(f"'{op_type}' is not the name of an operator", 2)
    if since is not None and not re.fullmatch("[1-9][0-9]*", since):
        fail(f"'{since}' is not a version", 2)
    domain, name = DOMAINS[space], file_name(op_type)
    path = pathlib.Path(f"src/ops/{space}/{name}.cpp")
    if path.exists():
        fail(f"{path} exists")
    if space == "onnx":
        schemas, classes = facts(op_type), ""
        link = f"https://onnx.ai/onnx/operators/onnx__{op_type}.html"
        if schemas[-1]["support_level"] != "COMMON":
            classes = f"      .category(\"support level {schemas[-1]['support_level']}\")\n"
    else:
        schemas, link = made_up(op_type, int(since)), f"https://docs.openvino.ai/ (the page of {op_type}-{since})"
        classes = '      .page("CATEGORY/PAGE")\n'
    if operator_frame.fits(evaluator, schemas):
        fail(operator_frame.fits(evaluator, schemas), 2)
    data = pathlib.Path(f"testdata/{domain}/{op_type}")
    made = [write(path, source(space, schemas, link, classes, evaluator)),
            write(data / "cases.json", operator_data.example(domain, schemas[-1])),
            write(data / "recipe.json", operator_data.recipes(domain, schemas, evaluator))]
    formatted(str(path))
    add_row(f"X({space}, {op_type}, {function_name(op_type)})")
    print(f"made {', '.join(made)}, added the row to {ROWS}\n"
          "next: write the formula and its rules, fill in the case and the recipe, then: scripts/build release && "
          f"scripts/check-operator {op_type}")


def arguments(words):
    parser = argparse.ArgumentParser(prog="scripts/new-operator")
    parser.add_argument("--evaluator", choices=operator_frame.EVALUATORS)
    parser.add_argument("space", choices=DOMAINS)
    parser.add_argument("op_type")
    parser.add_argument("since", nargs="?")
    given = parser.parse_args(words)
    if (given.space == "openvino") != (given.since is not None):
        parser.error("a version is for openvino, whose facts are not here")
    return given.space, given.op_type, given.since, given.evaluator


main(*arguments(sys.argv[1:]))
