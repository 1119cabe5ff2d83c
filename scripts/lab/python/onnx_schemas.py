# SPDX-License-Identifier: Apache-2.0
"""Prints every operator schema of the installed onnx package, or with the argument "contrib" those of com.microsoft in
the installed onnxruntime, one JSON object per line, sorted: what testdata/onnx-schemas.jsonl and contrib-schemas.jsonl
hold. Both packages tell the same of a schema, in part under other names."""
import json
import sys

import onnx.defs
from onnx.helper import get_attribute_value

CONTRIB = sys.argv[1:] == ["contrib"]


def parameter(formal, place, least):
    record = {"name": formal.name, "type": formal.typeStr if CONTRIB else formal.type_str}
    option = formal.option.name.lower()
    if option != "single":
        record["option"] = option
    if option == "variadic":
        record["min_arity"] = max(least - place, 0) if CONTRIB else formal.min_arity
        if not (formal.isHomogeneous if CONTRIB else formal.is_homogeneous):
            record["heterogeneous"] = True
    return record


def parameters(formals, least):
    return [parameter(formal, place, least) for place, formal in enumerate(formals)]


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, (int, float, str)) else [plain(item) for item in value]


def attribute(attr):
    record = {"name": attr.name, "type": attr.type.name}
    if attr.required:
        record["required"] = True
    default = onnx.AttributeProto.FromString(attr._default_value) if CONTRIB else attr.default_value
    if default.type != onnx.AttributeProto.UNDEFINED:
        record["default"] = plain(get_attribute_value(default))
    return record


def schema(s):
    record = {"domain": s.domain or "ai.onnx", "op_type": s.name, "since_version": s.since_version}
    if s.deprecated:
        record["deprecated"] = True
    record |= {
        "support_level": s.support_level.name,
        "inputs": parameters(s.inputs, s.min_input), "outputs": parameters(s.outputs, s.min_output),
        "attributes": [attribute(s.attributes[name]) for name in sorted(s.attributes)],
        "types": {c.type_param_str: sorted(c.allowed_type_strs) for c in s.type_constraints},
        "min_input": s.min_input, "max_input": s.max_input, "min_output": s.min_output, "max_output": s.max_output,
        "shape_inference": s.has_type_and_shape_inference_function,
    }
    return record if CONTRIB else record | {"function": s.has_function or s.has_context_dependent_function}


def schemas():
    if not CONTRIB:
        return onnx.defs.get_all_schemas_with_history()
    from onnxruntime.capi import onnxruntime_pybind11_state as runtime
    return [s for s in runtime.get_all_operator_schema() if s.domain == "com.microsoft"]


for record in sorted(map(schema, schemas()), key=lambda r: (r["domain"], r["op_type"], r["since_version"])):
    print(json.dumps(record, separators=(",", ":")))
