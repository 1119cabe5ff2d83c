# SPDX-License-Identifier: Apache-2.0
"""Writes the start of an operator: see scripts/new-operator."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import schema_code
import type_sets
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


def is_tensor(parameter, schema):
    types = schema["types"].get(parameter["type"], [parameter["type"]])
    return all(t.startswith("tensor(") for t in types)


def output_type(output, schema):
    """The type of an output until its rules are written: that of an input of the same type variable."""
    for p in schema["inputs"]:
        if p["type"] == output["type"] and p.get("option") is None and is_tensor(p, schema):
            return f"call.type(\"{p['name']}\")"
    forms = type_sets.by_form(schema["types"].get(output["type"], [output["type"]]))
    form, dtypes = next(iter(sorted(forms.items())))
    dtype = "DType::" + ("float32" if "float32" in dtypes else min(dtypes))
    name = {"": "tensor", "seq": "sequence", "optional": "optional", "optional(seq": "optional_sequence"}[form]
    return f"TensorType{{{dtype}, Dims{{}}}}" if form == "" else f"ValueType(Form::{name}, {dtype})"


def source(space, schemas, link, classes):
    newest = schemas[-1]
    op_type, domain = newest["op_type"], DOMAINS[space]
    versions = schema_code.versions(schemas)
    since = ", ".join(str(v) for v, _ in versions)
    outputs = ", ".join(output_type(o, newest) for o in newest["outputs"])
    return f"""// SPDX-License-Identifier: Apache-2.0
// {domain} {op_type}, version{"s" if len(versions) > 1 else ""} {since}
// {link}
#include "core/error.h"
#include "schema/operator.h"

namespace opref::ops::{space} {{
namespace {{

// The formula, in the specification's symbols.

std::vector<ValueType> output_types([[maybe_unused]] const Call& call) {{
  // Each rule of the specification on its own line: require(ok, "the rule with both values", …).
  return {{{outputs}}};
}}

std::vector<Value> kernel(const Call& call, std::span<const Output>) {{
  fail(Fault::unsupported, "{{}} has no kernel yet", call.title());
}}

{schema_code.functions(versions)}}}  // namespace

Operator {function_name(op_type)}() {{
  return Operator("{domain}", "{op_type}")
      .summary("what it does, in one line")
{classes}{schema_code.chained(versions)}      .output_types(output_types)
      .kernel(kernel);
}}

}}  // namespace opref::ops::{space}
"""


def required_inputs(schema):
    """A type, by name, for each input that cannot be omitted."""
    inputs = {}
    for p in schema["inputs"]:
        if p.get("option") != "optional" and is_tensor(p, schema):
            types = type_sets.by_form(schema["types"].get(p["type"], [p["type"]]))[""]
            inputs[p["name"]] = "float32" if "float32" in types else min(types).replace("boolean", "bool")
    return inputs


def example(domain, schema):
    inputs = {name: {"dtype": dtype, "data": [1, 2, 3]} for name, dtype in required_inputs(schema).items()}
    fields = {"op_type": schema["op_type"], "domain": domain, "opset": schema["since_version"], "attributes": {},
              "inputs": inputs, "expect": {schema["outputs"][0]["name"]: {"dtype": "float32", "data": [1, 2, 3]}},
              "source": "where the expected values come from: never opref itself"}
    lines = (f"    {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields.items())
    return "[\n  {\n" + ",\n".join(lines) + "\n  }\n]\n"


def recipe(domain, schemas):
    newest = schemas[-1]
    fields = {"source": "what these cases are for", "op_type": newest["op_type"]}
    if domain != "ai.onnx":
        fields["domain"] = domain
    fields["opset"] = "every"
    fields["inputs"] = {name: {"dtype": dtype, "shape": [2, 3, 4], "fill": "integers"}
                        for name, dtype in required_inputs(newest).items()}
    return "{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in fields.items()) + "\n}\n"


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


def main(space, op_type, since=None):
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
        classes = f'      .link("{link}")\n      .category("category …")\n'
    data = pathlib.Path(f"testdata/{domain}/{op_type}")
    made = [write(path, source(space, schemas, link, classes)),
            write(data / "cases.json", example(domain, schemas[-1])),
            write(data / "recipe.json", recipe(domain, schemas))]
    formatted(str(path))
    add_row(f"X({space}, {op_type}, {function_name(op_type)})")
    print(f"made {', '.join(made)}, added the row to {ROWS}\n"
          "next: write the formula and its rules, fill in the case and the recipe, then: scripts/build release && "
          f"build/release/opref check {data}")


main(*sys.argv[1:])
