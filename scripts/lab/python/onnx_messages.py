# SPDX-License-Identifier: Apache-2.0
"""Prints every field of the installed onnx package's messages, a line each: what testdata/onnx-messages.txt holds."""
from google.protobuf.descriptor import FieldDescriptor
from onnx import onnx_data_pb2, onnx_ml_pb2

TYPES = {number: name[5:].lower() for name, number in vars(FieldDescriptor).items() if name.startswith("TYPE_")}
ROOTS = (onnx_ml_pb2.ModelProto, onnx_data_pb2.SequenceProto, onnx_data_pb2.OptionalProto)


def label(field):
    if field.containing_oneof and not field.containing_oneof.name.startswith("_"):
        return "one_of"
    if field.has_options and field.GetOptions().packed:
        return "packed"
    return "repeated" if field.is_repeated else "optional"


def value_type(field):
    if field.message_type:
        return field.message_type.full_name.removeprefix("onnx.")
    if field.enum_type:
        return ",".join(f"{value.name}={value.number}" for value in field.enum_type.values)
    return TYPES[field.type]


def show(message, seen):
    if message.full_name in seen:
        return
    seen.add(message.full_name)
    for field in message.fields:
        print(message.full_name.removeprefix("onnx."), field.name, field.number, label(field), value_type(field))
    for field in message.fields:
        if field.message_type:
            show(field.message_type, seen)


shown = set()
for root in ROOTS:
    show(root.DESCRIPTOR, shown)
