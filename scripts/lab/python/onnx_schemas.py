# SPDX-License-Identifier: Apache-2.0
"""Prints every operator schema of the installed onnx package, one JSON object per line, sorted: what testdata/onnx-schemas.jsonl holds."""
import json

import onnx.defs
from onnx.helper import get_attribute_value

Option = onnx.defs.OpSchema.FormalParameterOption


def parameter(formal):
    record = {"name": formal.name, "type": formal.type_str}
    if formal.option == Option.Optional:
        record["option"] = "optional"
    if formal.option == Option.Variadic:
        record |= {"option": "variadic", "min_arity": formal.min_arity}
        if not formal.is_homogeneous:
            record["heterogeneous"] = True
    return record


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, (int, float, str)) else [plain(item) for item in value]


def attribute(attr):
    record = {"name": attr.name, "type": attr.type.name}
    if attr.required:
        record["required"] = True
    if attr.default_value.type != onnx.AttributeProto.UNDEFINED:
        record["default"] = plain(get_attribute_value(attr.default_value))
    return record


def schema(s):
    record = {"domain": s.domain or "ai.onnx", "op_type": s.name, "since_version": s.since_version}
    if s.deprecated:
        record["deprecated"] = True
    return record | {
        "support_level": s.support_level.name,
        "inputs": [parameter(p) for p in s.inputs], "outputs": [parameter(p) for p in s.outputs],
        "attributes": [attribute(s.attributes[name]) for name in sorted(s.attributes)],
        "types": {c.type_param_str: sorted(c.allowed_type_strs) for c in s.type_constraints},
        "min_input": s.min_input, "max_input": s.max_input, "min_output": s.min_output, "max_output": s.max_output,
        "shape_inference": s.has_type_and_shape_inference_function,
        "function": s.has_function or s.has_context_dependent_function,
    }


records = [schema(s) for s in onnx.defs.get_all_schemas_with_history()]
for record in sorted(records, key=lambda r: (r["domain"], r["op_type"], r["since_version"])):
    print(json.dumps(record, separators=(",", ":")))
