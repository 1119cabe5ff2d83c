# SPDX-License-Identifier: Apache-2.0
"""The data that new-operator starts an operator with: a case to fill in, and recipes of every version and type."""
import json

import type_sets
from operator_frame import is_tensor, main_input

ATTRIBUTES = {"INT": 1, "FLOAT": 1.0, "STRING": "…", "INTS": [1], "FLOATS": [1.0], "STRINGS": ["…"]}
SHAPE = [2, 3]


def dtypes(parameter, schema):
    return {t.replace("boolean", "bool")
            for t in type_sets.by_form(schema["types"].get(parameter["type"], [parameter["type"]]))[""]}


def first_dtype(parameter, schema):
    types = dtypes(parameter, schema)
    return next((t for t in ("float32", "int64") if t in types), min(types))


def required_attributes(schema):
    return {a["name"]: a["values"][0] if a.get("values") else ATTRIBUTES[a["type"]] for a in schema["attributes"]
            if a.get("required") and a["type"] in ATTRIBUTES}


def is_list_of_integers(parameter, schema):
    """As axes are, whose values the rules ask for."""
    main = main_input(schema)
    return main is not None and parameter["type"] != main["type"] and is_integer(dtypes(parameter, schema))


def expected(schema):
    return {"expect": {schema["outputs"][0]["name"]: {"dtype": "float32", "data": [0, 0, 0, 0]}},
            "source": "where the expected values come from: never opref itself"}


REFUSED = {"expect_error": {"fault": "invalid", "message": "the rule with both values"},
           "source": "the page: the words that say the rule"}


def example(domain, schema, end):
    """One case: what it gives, or the error, is yet to be worked out."""
    inputs = {p["name"]: {"dtype": first_dtype(p, schema), "data": [0] if is_list_of_integers(p, schema) else [1, 2, 3]}
              for p in schema["inputs"] if p.get("option") != "optional" and is_tensor(p, schema)}
    fields = {"op_type": schema["op_type"], "domain": domain, "opset": schema["since_version"],
              "attributes": required_attributes(schema), "inputs": inputs, **end}
    lines = (f"    {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields.items())
    return "[\n  {\n" + ",\n".join(lines) + "\n  }\n]\n"


def is_integer(types):
    return all("int" in t for t in types)


def value(parameter, schema, typed, is_list):
    """A tensor; of a type variable that an input before has, its type goes without saying."""
    types = dtypes(parameter, schema)
    tensor = {} if parameter["type"] in typed else {"dtype": "every" if len(types) > 1 else min(types)}
    typed.add(parameter["type"])
    if is_list and is_integer(types):
        return tensor | {"data": [0, 1]}
    if is_list and all("float" in t for t in types):  # sizes or scales perhaps, whose values the rules ask for
        return tensor | {"data": [1, 1]}
    return tensor | {"shape": [2] if is_list else SHAPE, "fill": "bits"}


def with_one_dtype(tensor, parameter, schema):
    """Lists cannot say "every", which with each other input's types would be too many cases besides."""
    return tensor | {"dtype": first_dtype(parameter, schema)} if tensor.get("dtype") == "every" else tensor


def inputs_of(schema, evaluator):
    """As the rules want them that the file starts with."""
    inputs, typed, main = {}, set(), main_input(schema)
    attributes = {a["name"] for a in schema["attributes"]}
    for p in schema["inputs"]:
        if not is_tensor(p, schema) or p["name"] in attributes:
            continue
        is_list = evaluator != "elementwise" and main is not None and p["type"] != main["type"]
        tensor = value(p, schema, typed, is_list)
        if p.get("option") == "optional":
            inputs[p["name"]] = {"each": [None, with_one_dtype(tensor, p, schema)]}
        elif p.get("option") == "variadic":
            own = {"dtype": first_dtype(p, schema)} if p.get("heterogeneous") else {}
            inputs[p["name"]] = [tensor, {k: v for k, v in tensor.items() if k != "dtype"} | own]
        else:
            inputs[p["name"]] = tensor
    return inputs


def recipes(domain, schemas, evaluator):
    """One for all versions whose nodes look alike."""
    alike = []
    for schema in schemas:
        if schema.get("deprecated"):
            continue
        looks = {"inputs": inputs_of(schema, evaluator), "attributes": required_attributes(schema)}
        if alike and alike[-1][1] == looks:
            alike[-1][0].append(schema["since_version"])
        else:
            alike.append(([schema["since_version"]], looks))
    made = []
    for since, looks in alike:
        fields = {"source": "every version and type", "op_type": schemas[-1]["op_type"]}
        if domain != "ai.onnx":
            fields["domain"] = domain
        fields["opset"] = "every" if len(alike) == 1 else since[0] if len(since) == 1 else {"each": since}
        if looks["attributes"]:
            fields["attributes"] = looks["attributes"]
        fields["inputs"] = looks["inputs"]
        made.append("  {\n" + ",\n".join(f"    {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}"
                                        for k, v in fields.items()) + "\n  }")
    return "[\n" + ",\n".join(made) + "\n]\n"
