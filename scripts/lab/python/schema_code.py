# SPDX-License-Identifier: Apache-2.0
"""Versions of an operator as C++ functions, each a change to the version before."""
import re
import struct

import type_sets

INDENT = "  "


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def float_text(value):
    """The shortest digits that are the same float32."""
    bits = struct.pack("f", value)
    digits = next(d for d in (f"{value:.{n}g}" for n in range(1, 18)) if struct.pack("f", float(d)) == bits)
    return digits + ("F" if "e" in digits or "." in digits else ".0F")


def type_text(onnx_type):
    forms = type_sets.by_form([onnx_type]) if onnx_type.startswith("tensor(") else None
    if forms is None:
        return quoted(onnx_type)
    name = min(forms[""])
    return quoted("bool" if name == "boolean" else name)


def arity(parameter):
    option = parameter.get("option", "single")
    if option == "variadic" and parameter.get("heterogeneous"):
        option = "heterogeneous" if parameter["min_arity"] else "heterogeneous_or_none"
    return "Arity::" + option


def parameter_arguments(parameter):
    text = f"{quoted(parameter['name'])}, {type_text(parameter['type'])}"
    return text if arity(parameter) == "Arity::single" else f"{text}, {arity(parameter)}"


def attribute(a):
    name = quoted(a["name"])
    words = f", one_of({{{', '.join(map(quoted, a['values']))}}})" if a.get("values") else ""
    if a.get("required"):
        return f"required({a['type']}, {name}{words})"
    if "default" not in a:
        return f"optional({a['type']}, {name}{words})"
    value = a["default"]
    if a["type"] == "FLOAT":
        return f"with_default({name}, {float_text(value)})"
    if a["type"] == "STRING":
        return f"with_default({name}, {quoted(value)}{words})"
    if a["type"] == "INT":
        return f"with_default({name}, {value})"
    items = {"INTS": ("std::int64_t", str), "STRINGS": ("std::string", quoted), "FLOATS": ("float", float_text)}
    cpp, item = items[a["type"]]
    return f"with_default({name}, AttributeValue::of(std::vector<{cpp}>{{{', '.join(map(item, value))}}}))"


def chain(calls):
    """s.a(…).b(…)…, four in a statement."""
    return ["s" + "".join(calls[i:i + 4]) + ";" for i in range(0, len(calls), 4)]


def complete(schema):
    """The statements of a version that has none before it."""
    calls = [f".{kind}({parameter_arguments(p)})" for kind in ("input", "output") for p in schema[kind + "s"]]
    calls += [f".types({quoted(v)}, {type_sets.expression(type_sets.by_form(types))})"
              for v, types in schema["types"].items()]
    statements = chain(calls) + chain([f".attribute({attribute(a)})" for a in schema["attributes"]])
    return statements + ([] if schema["shape_inference"] else ["s.shape_inference(ShapeInference::none);"])


def type_changes(old, new):
    calls = []
    for variable, types in new["types"].items():
        now, before = type_sets.by_form(types), type_sets.by_form(old["types"].get(variable, []))
        if now == before:
            continue
        whole = f".types({quoted(variable)}, {type_sets.expression(now)})"
        added = f".add_types({quoted(variable)}, {type_sets.expression(type_sets.minus(now, before))})"
        is_more = before and not any(type_sets.minus(before, now).values())
        calls.append(min((added, whole), key=len) if is_more else whole)
    calls += [f".remove({quoted(v)})" for v in old["types"] if v not in new["types"]]
    return calls


def attribute_changes(old, new):
    """Calls and statements, and the attributes that are gone."""
    before = {a["name"]: a for a in old["attributes"]}
    names = {a["name"] for a in new["attributes"]}
    calls = [f".attribute({attribute(a)})" for a in new["attributes"] if a["name"] not in before]
    changed = [f"s.change({quoted(a['name'])}) = {attribute(a)};" for a in new["attributes"]
               if a["name"] in before and before[a["name"]] != a]
    return calls, changed, [name for name in before if name not in names]


class NotSimple(Exception):
    """There is no short list of changes."""


def parameter_changes(kind, old, new, gone):
    """Calls and statements from the list `old` to `new`; an input that was an attribute leaves `gone`."""
    calls, statements = [], []
    names = [p["name"] for p in new]
    kept = [p for p in old if p["name"] in names] if len(new) < len(old) else old
    calls += [f".remove({quoted(p['name'])})" for p in old if p not in kept]
    for before, now in zip(kept, new):
        if before["name"] != now["name"]:
            if now["name"] in [p["name"] for p in kept]:
                raise NotSimple
            calls.append(f".rename({quoted(before['name'])}, {quoted(now['name'])})")
        if before["type"] != now["type"]:
            statements.append(f"s.change_parameter({quoted(now['name'])}).type = {type_text(now['type'])};")
        if arity(before) != arity(now):
            statements.append(f"s.change_parameter({quoted(now['name'])}).arity = {arity(now)};")
    for added in new[len(kept):]:
        if kind == "input" and added["name"] in gone and added["type"] == "tensor(int64)":
            gone.remove(added["name"])
            extra = "" if arity(added) == "Arity::optional" else f", {arity(added)}"
            calls.append(f".becomes_input({quoted(added['name'])}{extra})")
        else:
            calls.append(f".{kind}({parameter_arguments(added)})")
    return calls, statements


def all_names(schema):
    return [p["name"] for key in ("inputs", "outputs", "attributes") for p in schema[key]] + list(schema["types"])


def is_ambiguous(old, new):
    """Whether a name that is to change would mean two things."""
    same = all(old[key] == new[key] for key in ("inputs", "outputs", "attributes"))
    return not same and any(len(set(all_names(s))) < len(all_names(s)) for s in (old, new))


def changes(old, new):
    """The statements from the version before."""
    calls, changed, gone = attribute_changes(old, new)
    statements = []
    try:
        if is_ambiguous(old, new):
            raise NotSimple
        for kind in ("input", "output"):
            more_calls, more = parameter_changes(kind, old[kind + "s"], new[kind + "s"], gone)
            calls, statements = more_calls + calls, statements + more
    except NotSimple:
        return ["s.anew();"] + complete(new)
    calls = [f".remove({quoted(name)})" for name in gone] + calls + type_changes(old, new)
    if old["shape_inference"] != new["shape_inference"]:
        value = "onnx" if new["shape_inference"] else "none"
        calls.append(f".shape_inference(ShapeInference::{value})")
    short = chain(calls) + statements + changed
    anew = ["s.anew();"] + complete(new)
    return short if len("".join(short)) <= len("".join(anew)) else anew


def versions(schemas):
    """[(since_version, statements)], ascending."""
    result = []
    for before, schema in zip([None] + schemas, schemas):
        statements = complete(schema) if before is None else changes(before, schema)
        if schema.get("deprecated"):
            statements.append("s.deprecate();")
        result.append((schema["since_version"], statements))
    return result


def as_change(statements):
    """What changes types alone, or nothing, as schema/op_schema.h names it; None where it is more, or more than two."""
    if not statements:
        return 'words("what the page says anew")'
    call = r"\.(add_types|types)\((\"\w+\"), (.*?)\)(?=\.(?:add_types|types)\(\"|$)"
    text = statements[0].removeprefix("s").removesuffix(";")
    if len(statements) != 1 or re.sub(call, "", text):
        return None
    variables = {}  # of each change
    for kind, variable, types in re.findall(call, text):
        variables.setdefault((kind, types), []).append(variable)
    if len(variables) > 2 or any(kind == "types" and len(names) > 1 for (kind, _), names in variables.items()):
        return None
    return ", ".join(f"{'adds' if kind == 'add_types' else 'allows'}"
                     f"({names[0] if len(names) == 1 else '{' + ', '.join(names) + '}'}, {types})"
                     for (kind, types), names in variables.items())


def has_function(statements, is_first):
    """Whether it does not fit beside its number: the formatter would indent it beyond reading."""
    if not is_first and as_change(statements) is not None:
        return False
    return len(statements) > 1 or len("".join(statements)) > 80 or "{" in "".join(statements)


def functions(all_versions):
    """The functions version_N."""
    return "".join(f"void version_{since}(OpSchema& s) {{\n" + "".join(INDENT + s + "\n" for s in statements) + "}\n\n"
                   for i, (since, statements) in enumerate(all_versions) if has_function(statements, i == 0))


def chained(all_versions):
    """The calls .version(…)."""
    def change(i, since, statements):
        if i > 0 and as_change(statements) is not None:
            return as_change(statements)
        return f"version_{since}" if has_function(statements, i == 0) else f"[](OpSchema& s) {{ {statements[0]} }}"
    return "".join(f"      .version({since}, {change(i, since, statements)})\n"
                   for i, (since, statements) in enumerate(all_versions))
