# SPDX-License-Identifier: Apache-2.0
"""Sets of element types as C++: by the names of src/schema/types.h where that is shorter."""
import itertools
import re

DTYPES = {  # ONNX's name in tensor(…): the enumerator of DType
    "float": "float32", "double": "float64", "bool": "boolean", "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz", "float8e5m2": "float8_e5m2", "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu", "float4e2m1": "float4_e2m1fn", "float6e2m3": "float6_e2m3fn",
    "float6e3m2": "float6_e3m2fn",
}
FORMS = {"": "", "seq": "sequences", "optional": "optional_tensors", "optional(seq": "optional_sequences"}


def named_sets():
    sets = {"floats": {"float16", "float32", "float64"}, "signed_wide": {"int32", "int64"},
            "unsigned_wide": {"uint32", "uint64"}, "narrow": {"int8", "int16", "uint8", "uint16"},
            "complexes": {"complex64", "complex128"}, "int4s": {"int4", "uint4"}, "int2s": {"int2", "uint2"},
            "float6s": {"float6_e2m3fn", "float6_e3m2fn"},
            "float8": {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"}}
    sets["wide"] = sets["signed_wide"] | sets["unsigned_wide"]
    sets["integers"] = sets["wide"] | sets["narrow"]
    sets["numbers"] = sets["integers"] | sets["floats"]
    sets["basic"] = sets["numbers"] | sets["complexes"] | {"boolean", "string"}
    before = sets["basic"]
    for revision, added in ((4, {"bfloat16"}), (9, sets["float8"]), (10, sets["int4s"]), (11, {"float4_e2m1fn"}),
                            (12, {"float8_e8m0fnu"}), (13, sets["int2s"]), (14, sets["float6s"])):
        before = sets[f"ir{revision}"] = before | added
    return sets


NAMED = named_sets()


def dtype(onnx_type):
    return DTYPES.get(onnx_type, onnx_type)


def by_form(onnx_types):
    """{"": {"float32", …}, "seq": …} of "tensor(float)", "seq(tensor(float))", …"""
    forms = {}
    for text in onnx_types:
        form, element = re.fullmatch(r"(.*?)\(?tensor\((\w+)\)\)*", text).groups()
        forms.setdefault(form, set()).add(dtype(element))
    return forms


def listed(dtypes):
    return ", ".join("DType::" + d for d in sorted(dtypes))


def unions(dtypes):
    """Each text "types::a | types::b | …" that is `dtypes`."""
    inside = [name for name, members in NAMED.items() if members <= dtypes]
    for count in range(3):
        for names in itertools.combinations(inside, count):
            rest = dtypes - set().union(*(NAMED[name] for name in names))
            if len(rest) > 1 or not names:
                rest_text = ["Types{" + listed(rest) + "}"] if rest else []
            else:
                rest_text = ["DType::" + d for d in rest]
            yield " | ".join(["types::" + name for name in names] + rest_text)


def differences(dtypes):
    for name, members in NAMED.items():
        less = members - dtypes
        if dtypes < members and len(less) <= 3:
            yield f"types::{name} - " + ("DType::" + min(less) if len(less) == 1 else "Types{" + listed(less) + "}")


def of_tensors(dtypes):
    if len(dtypes) == 1:
        return "DType::" + min(dtypes)
    return min(itertools.chain(unions(dtypes), differences(dtypes)), key=len)


def expression(forms):
    """A set by form as one C++ expression of type Types."""
    forms = {form: dtypes for form, dtypes in forms.items() if dtypes}
    both = forms.get("optional(seq", set())
    parts = []
    if "" in forms:
        parts.append(of_tensors(forms[""]))
    if "seq" in forms:
        parts.append(f"sequences({of_tensors(forms['seq'])})")
    if both and both <= forms.get("optional", set()):
        parts.append(f"optionals({of_tensors(both)})")
        rest = forms["optional"] - both
        if rest:
            parts.append(f"optional_tensors({of_tensors(rest)})")
    else:
        if "optional" in forms:
            parts.append(f"optional_tensors({of_tensors(forms['optional'])})")
        if both:
            parts.append(f"Types({of_tensors(both)}).as(Form::optional_sequence)")
    if len(parts) > 1 and parts[0].startswith("DType::"):
        parts[0] = f"Types{{{parts[0]}}}"
    text = " | ".join(parts)
    is_list = text.startswith("Types{") and text.endswith("}") and "|" not in text
    return text.removeprefix("Types") if is_list else text


def minus(forms, others):
    return {form: dtypes - others.get(form, set()) for form, dtypes in forms.items()}
