# SPDX-License-Identifier: Apache-2.0
"""What new-operator writes between an operator's head and its versions: the formula's place, output types and kernel."""
import type_sets

EVALUATORS = ("elementwise", "sum", "real", "move", "select")
NUMBER_TYPES = {"FLOAT": ("double", "number"), "INT": ("std::int64_t", "integer")}

KERNELS = {
    "sum": ("Σ of the terms of each element, in the specification's order",
            """  const Elements {x}(call.input("{x}"));
  return {{sum(outs[0], {x}.dtype(), [&](std::int64_t i, auto& sum) {{
    sum.add({x}[i]);  // the formula: sum.add of elements, products of two, runs of them
  }})}};"""),
    "real": ("the formula, of operands that each element chooses; rounded once",
             """  const Elements {x}(call.input("{x}"));
  return {{real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) -> R {{
    return x({x}, i);  // the formula
  }})}};"""),
    "move": ("where each element comes from; its bits",
             """  return {{move(outs[0], call.input("{x}"), [&](std::int64_t i) {{
    return Run{{i}};  // the formula: the place in {x}
  }})}};"""),
    "select": ("the greatest of the candidates of each element",
               """  const Tensor& {x} = call.input("{x}");
  const Selection chosen(outs[0], {x}, Zeros::ordered, Extreme::greatest, Tie::first, [&](std::int64_t i, Best& best) {{
    best.consider(i);  // the formula: each place in {x} that is a candidate
  }});
  return {{move(outs[0], {x}, [&](std::int64_t i) {{ return Run{{chosen(i)}}; }})}};"""),
}


def is_tensor(parameter, schema):
    types = schema["types"].get(parameter["type"], [parameter["type"]])
    return all(t.startswith("tensor(") for t in types)


def required_tensors(schema):
    return [p for p in schema["inputs"] if p.get("option") is None and is_tensor(p, schema)]


def has_further(schema):
    return len(schema["outputs"]) > 1


def axes(schema):
    return [a["name"] for a in schema["attributes"] if a["name"] == "axis" and a["type"] == "INT"]


def main_input(schema):
    """The input whose type and shape the output has until its own rules are written."""
    tensors = required_tensors(schema)
    same = [p for p in tensors if p["type"] == schema["outputs"][0]["type"]]
    return (same or tensors or [None])[0]


def checks(evaluator, schemas):
    """A rule for each further input, of the main one's shape or a list: to be made the specification's."""
    newest, main = schemas[-1], main_input(schemas[-1])
    if main is None or evaluator == "elementwise":
        return []
    lines = []
    for p in newest["inputs"]:
        name = p["name"]
        if p is main or not is_tensor(p, newest) or p.get("option") == "variadic":
            continue
        in_all = all(any(q["name"] == name for q in s["inputs"]) for s in schemas)
        if p.get("option") == "optional" or not in_all:
            lines.append(f'if (call.has("{name}"))')
        if p["type"] == main["type"]:
            found, wanted = f'call.type("{name}").shape', f'call.type("{main["name"]}").shape'
            lines.append(f'require({found} == {wanted}, "{name} has shape {{}}, but {main["name"]} {{}}", {found}, {wanted});')
        else:
            found = f'call.type("{name}").rank()'
            lines.append(f'require({found} == 1, "{name} has rank {{}}, but must have 1", {found});')
    return lines


def other_type(output, schema):
    forms = type_sets.by_form(schema["types"].get(output["type"], [output["type"]]))
    form, dtypes = next(iter(sorted(forms.items())))
    return form, "DType::" + ("float32" if "float32" in dtypes else min(dtypes))


def output_type(output, schema, shape):
    """That of an input of the same type variable; else one that it can have."""
    main = main_input(schema)
    for p in required_tensors(schema):
        if p["type"] == output["type"]:
            return f"TensorType{{call.type(\"{p['name']}\").dtype, {shape}}}" if shape else f"call.type(\"{p['name']}\")"
    form, dtype = other_type(output, schema)
    name = {"": "tensor", "seq": "sequence", "optional": "optional", "optional(seq": "optional_sequence"}[form]
    if form:
        return f"ValueType(Form::{name}, {dtype})"
    own = shape or (f'call.type("{main["name"]}").shape' if main else "Dims{}")
    return f"TensorType{{{dtype}, {own}}}"


def output_types(evaluator, schemas):
    schema = schemas[-1]
    names = [p["name"] for p in required_tensors(schema)]
    shape, lines = "", []
    if evaluator == "elementwise" and len(names) > 1:
        text = f'call.type("{names[0]}").shape'
        for name in names[1:]:
            text = f'broadcast({text}, call.type("{name}").shape)'
        lines.append(f"const Dims shape = {text};")
        shape = "shape"
    main = main_input(schema)
    if main and axes(schema):
        lines.append(f'axis_of(call, call.type("{main["name"]}").rank());')
    lines += checks(evaluator, schemas)
    result = ", ".join(output_type(o, schema, shape) for o in schema["outputs"])
    body = "".join(f"  {line}\n" for line in lines)
    return f"""std::vector<ValueType> output_types([[maybe_unused]] const Call& call) {{
  // Each rule of the specification on its own line: require(ok, "the rule with both values", …).
{body}  return {{{result}}};
}}

"""


def formula(schemas):
    """A formula of elements, with the attributes of numbers that all versions have."""
    newest = schemas[-1]
    operands = required_tensors(newest)
    inputs, names = len(operands), [chr(ord("x") + i) if len(operands) <= 3 else f"x{i}" for i in range(len(operands))]
    everywhere = [a for a in newest["attributes"] if a["type"] in NUMBER_TYPES and (a.get("required") or "default" in a)
                  and all(any(b["name"] == a["name"] for b in s["attributes"]) for s in schemas)]
    fields = "".join(f"  {NUMBER_TYPES[a['type']][0]} {a['name']};\n" for a in everywhere)
    made = ", ".join(f"{a['name']}(call.{NUMBER_TYPES[a['type']][1]}(\"{a['name']}\"))" for a in everywhere)
    constructor = f"  explicit Formula(const Call& call) : {made} {{}}\n" if everywhere else ""
    is_truth = newest["types"].get(newest["outputs"][0]["type"], [newest["outputs"][0]["type"]]) == ["tensor(bool)"]
    used = names[operands.index(main_input(newest))]
    parameters = ", ".join(f"const R& {name}" if name == used or is_truth else f"[[maybe_unused]] const R& {name}"
                           for name in names)
    body = " & ".join(f"({n} == {n})" for n in names) if is_truth else used
    exact = "  static constexpr bool one_operation = true, integers = true;\n" if is_truth else ""
    return f"""// the formula, in the specification's symbols
struct Formula : RealFormula<{inputs}> {{
{exact}{fields}{constructor}  template <class R>
  OPREF_INLINE {"Truth" if is_truth else "R"} operator()({parameters}) const {{
    return {body};  // the formula
  }}
}};

""", "call" if everywhere else ""


def kernel(evaluator, schemas):
    newest = schemas[-1]
    main = main_input(newest)
    if evaluator is None:
        return """std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  fail(Fault::unsupported, "{} has no kernel yet", call.title());
}

"""
    before, further = "", ""
    if evaluator == "elementwise":
        before, argument = formula(schemas)
        made = f"Formula({argument})" if argument else "Formula{}"
        operands = ", ".join(f"call.input(\"{p['name']}\")" for p in required_tensors(newest))
        body = f"  return {{elementwise(outs[0], std::array{{{operands}}}, {made})}};"
    else:
        comment, text = KERNELS[evaluator]
        before, body = f"// {newest['outputs'][0]['name']} = {comment}\n", text.format(x=main["name"])
    if has_further(newest):
        further = """  for (const Output& out : outs.subspan(1))
    if (out.wanted()) fail(Fault::unsupported, "{} computes its first output alone yet", call.title());
"""
    return f"{before}std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {{\n{further}{body}\n}}\n\n"


def fits(evaluator, schemas):
    """Why the evaluator is none for the operator; empty where it is."""
    newest = schemas[-1]
    if evaluator is None:
        return ""
    if any(p.get("option") == "variadic" for p in newest["inputs"]):
        return f"{newest['op_type']} takes any number of inputs, for which {evaluator} has no frame: leave --evaluator out"
    if not required_tensors(newest) or not is_tensor(newest["outputs"][0], newest):
        return f"{evaluator} makes a tensor of tensors, which {newest['op_type']} does not"
    main = main_input(newest)
    dtypes = type_sets.by_form(newest["types"].get(main["type"], [main["type"]]))[""]
    no_numbers = dtypes & {"string", "complex64", "complex128"}
    if evaluator != "move" and no_numbers:
        return f"{evaluator} computes numbers, but {main['name']} of {newest['op_type']} may be {min(no_numbers)}: try move"
    return ""
