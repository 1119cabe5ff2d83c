# SPDX-License-Identifier: Apache-2.0
"""Writes the start of an operator: see scripts/new-operator."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

import domains
import operator_data
import operator_frame
import schema_code
from operator_names import file_name, function_name

ROWS = pathlib.Path("src/ops/operators.def")
# What OpenVINO's pages call so.
WORDS = {"floating": ["bfloat16", "double", "float", "float16"],
         "integer": ["int16", "int32", "int64", "int8", "uint16", "uint32", "uint64", "uint8"]}
WORDS["numeric"] = WORDS["floating"] + WORDS["integer"]
WORDS["any"] = WORDS["numeric"] + ["bool", "string"]
# The folders of its pages, where they are not the category's first word.
FOLDERS = {"category data movement": "movement", "category object detection": "detection", "category image processing": "image",
           "category sorting and maximization": "sort", "category signal processing": "signals",
           "category shape manipulation": "shape"}


def fail(message, code=1):
    print(f"new-operator: {message}", file=sys.stderr)
    sys.exit(code)


def completed(schema):
    """What a page leaves open, as somebody would say it who did not look: types as the first that is stated."""
    types = {v: sorted(t for word in words for t in ([f"tensor({w})" for w in WORDS[word]] if word in WORDS else [word]))
             for v, words in schema["types"].items()}
    ports = schema["inputs"] + schema["outputs"]
    common = next((p["type"] for p in ports if "type" in p), "T")
    for p in ports:
        p.setdefault("type", common)
        if not p["type"].startswith("tensor("):
            types.setdefault(p["type"], sorted(f"tensor({w})" for w in WORDS["any"]))
    return {"shape_inference": True} | schema | {"types": types}


def facts(domain, op_type):
    lines = [line for path in sorted(pathlib.Path("testdata").glob("*-schemas.jsonl")) for line in path.read_text().splitlines()]
    found = [completed(s) for s in map(json.loads, lines) if (s["domain"], s["op_type"]) == (domain.name, op_type)]
    maps = {t for s in found for types in s["types"].values() for t in types if "map(" in t}
    if maps:
        fail(f"{op_type} takes {min(maps)}, and a schema of opref can say no map")
    return found or fail(f"testdata/*-schemas.jsonl have no operator '{op_type}' of {domain.name}: state a version, "
                         "and fill in what that is")


def made_up(op_type, since):
    """Where there are no facts: one input, one output, to be replaced."""
    return [{"op_type": op_type, "since_version": since, "attributes": [],
             "inputs": [{"name": "data", "type": "T"}], "outputs": [{"name": "output", "type": "T"}],
             "types": {"T": ["tensor(float16)", "tensor(float)", "tensor(double)"]}, "shape_inference": True}]


def page_of(domain, schema):
    return domain.page.replace("{}", stated_page(schema) if domain.space == "openvino" else schema["op_type"])


def stated_page(schema):
    """OpenVINO's, a guess: "pooling/avg-pool-14"."""
    category = schema.get("category", "category …")
    name = file_name(schema.get("page", schema["op_type"])).replace("_", "-")
    return f"{FOLDERS.get(category, category.split()[1])}/{name}"


def classes_of(domain, schema):
    """What the domain does not say of all its operators."""
    level = schema.get("support_level", "COMMON")
    calls = [("page", stated_page(schema))] if domain.space == "openvino" else []
    calls += [("category", schema["category"])] if schema.get("category") in FOLDERS else []
    calls += [] if level == "COMMON" else [("category", f"support level {level}")]
    return "".join(f'      .{call}("{text}")\n' for call, text in calls)


def source(domain, schemas, evaluator):
    op_type = schemas[-1]["op_type"]
    versions = schema_code.versions(schemas)
    since = ", ".join(str(v) for v, _ in versions)
    return f"""// SPDX-License-Identifier: Apache-2.0
// {domain.name} {op_type}, version{"s" if len(versions) > 1 else ""} {since}
// {page_of(domain, schemas[-1])}
#include "ops/operator_file.h"
namespace opref::ops::{domain.space}::file_{function_name(op_type)} {{
namespace {{
{operator_frame.output_types(evaluator, schemas)}{operator_frame.kernel(evaluator, schemas)}{schema_code.functions(versions).rstrip()}
}}  // namespace
Operator {function_name(op_type)}() {{
  return Operator("{domain.name}", "{op_type}")
      .summary("what it does, in one line")
{classes_of(domain, schemas[-1])}{schema_code.chained(versions)}      .output_types(output_types)
      .kernel(kernel);
}}
}}  // namespace opref::ops::{domain.space}::file_{function_name(op_type)}
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def place(row):
    space, op_type, _ = row.removeprefix("X(").split(", ")
    return domains.find(space).name, op_type


def add_row(row):
    lines = ROWS.read_text().splitlines()
    rows = sorted([line for line in lines if line.startswith("X(")] + [row], key=place)
    ROWS.write_text("\n".join([line for line in lines if not line.startswith("X(")] + rows) + "\n")


def formatted(path):
    """As the project's formatter writes it, where there is one."""
    for formatter in ("clang-format-15", "clang-format"):
        if shutil.which(formatter):
            subprocess.run([formatter, "-i", path], check=True)
            return


def main(domain, op_type, since, evaluator):
    if not re.fullmatch("[A-Z][A-Za-z0-9]*", op_type):
        fail(f"'{op_type}' is not the name of an operator", 2)
    if since is not None and not re.fullmatch("[1-9][0-9]*", since):
        fail(f"'{since}' is not a version", 2)
    path = pathlib.Path(f"src/ops/{domain.space}/{file_name(op_type)}.cpp")
    if path.exists():
        fail(f"{path} exists")
    schemas = made_up(op_type, int(since)) if since else facts(domain, op_type)
    if operator_frame.fits(evaluator, schemas):
        fail(operator_frame.fits(evaluator, schemas), 2)
    data = pathlib.Path(f"testdata/{domain.name}/{op_type}")
    made = [write(path, source(domain, schemas, evaluator)),
            write(data / "cases.json", operator_data.example(domain.name, schemas[-1], operator_data.expected(schemas[-1]))),
            write(data / "bad.json", operator_data.example(domain.name, schemas[-1], operator_data.REFUSED)),
            write(data / "recipe.json", operator_data.recipes(domain.name, schemas, evaluator))]
    formatted(str(path))
    add_row(f"X({domain.space}, {op_type}, {function_name(op_type)})")
    print(f"made {', '.join(made)}, added the row to {ROWS}\n"
          "next: write the formula and its rules, fill in the cases and the recipe, then: scripts/build release && "
          f"scripts/check-operator {op_type} --domain {domain.name}")
    if domain.space == "openvino":
        print("look up: the address of its page, which is a guess, and each type, which the page states in words")


def arguments(words):
    parser = argparse.ArgumentParser(prog="scripts/new-operator")
    parser.add_argument("--evaluator", choices=operator_frame.EVALUATORS)
    parser.add_argument("domain", help=", ".join(domain.name for domain in domains.DOMAINS))
    parser.add_argument("op_type")
    parser.add_argument("since", nargs="?", help="of an operator that testdata/*-schemas.jsonl do not have")
    given = parser.parse_args(words)
    domain = domains.find(given.domain)
    if domain is None:
        parser.error(f"'{given.domain}' is no domain: {', '.join(domain.name for domain in domains.DOMAINS)}")
    return domain, given.op_type, given.since, given.evaluator


main(*arguments(sys.argv[1:]))
