// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/messages.h"

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <set>

using namespace opref::io;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace {

FieldType expected_type(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_INT32:
      return FieldType::int32;
    case FieldDescriptor::TYPE_INT64:
      return FieldType::int64;
    case FieldDescriptor::TYPE_UINT64:
      return FieldType::uint64;
    case FieldDescriptor::TYPE_FLOAT:
      return FieldType::float32;
    case FieldDescriptor::TYPE_DOUBLE:
      return FieldType::float64;
    case FieldDescriptor::TYPE_STRING:
      return FieldType::string;
    case FieldDescriptor::TYPE_BYTES:
      return FieldType::bytes;
    case FieldDescriptor::TYPE_ENUM:
      return FieldType::enumeration;
    default:
      REQUIRE(field.type() == FieldDescriptor::TYPE_MESSAGE);
      return FieldType::message;
  }
}

Label expected_label(const FieldDescriptor& field) {
  REQUIRE_FALSE(field.is_required());
  if (field.containing_oneof() != nullptr) return Label::one_of;
  if (field.is_packed()) return Label::packed;
  return field.is_repeated() ? Label::repeated : Label::optional;
}

void check_values(const MessageField& field, const google::protobuf::EnumDescriptor& expected) {
  REQUIRE(static_cast<int>(field.values.size()) == expected.value_count());
  for (const EnumValue& value : field.values) {
    INFO(value.name);
    const auto* named = expected.FindValueByName(std::string(value.name));
    REQUIRE(named != nullptr);
    CHECK(value.number == named->number());
  }
}

void check_type(const MessageType& type, const Descriptor& expected, std::set<const MessageType*>& checked) {
  if (!checked.insert(&type).second) return;
  INFO(type.name);
  CHECK("onnx." + std::string(type.name) == expected.full_name());
  CHECK(expected.real_oneof_decl_count() <= 1);  // Label::one_of names none
  REQUIRE(static_cast<int>(type.fields.size()) == expected.field_count());
  for (const MessageField& field : type.fields) {
    INFO(field.name);
    const FieldDescriptor* named = expected.FindFieldByName(std::string(field.name));
    REQUIRE(named != nullptr);
    CHECK(static_cast<int>(field.number) == named->number());
    CHECK(field.type == expected_type(*named));
    CHECK(field.label == expected_label(*named));
    CHECK(type.find(field.number) == &field);
    CHECK(type.find(named->name()) == &field);
    CHECK(type.find(named->json_name()) == &field);
    CHECK(&type.field(named->name()) == &field);
    if (field.type == FieldType::enumeration) check_values(field, *named->enum_type());
    if (field.type == FieldType::message) check_type(*field.message, *named->message_type(), checked);
  }
}

}  // namespace

// Witness: the descriptors of libonnx 1.12.
TEST_CASE("onnx messages: the table is onnx.proto's", "[onnx]") {
  std::set<const MessageType*> checked;
  check_type(kModelProto, *onnx::ModelProto::descriptor(), checked);
  check_type(kSequenceProto, *onnx::SequenceProto::descriptor(), checked);
  check_type(kOptionalProto, *onnx::OptionalProto::descriptor(), checked);
  CHECK(checked.size() == 25);
  CHECK(kExternal == onnx::TensorProto::EXTERNAL);
  CHECK(kHoldsNothing == onnx::SequenceProto::UNDEFINED);
  CHECK(kHoldsTensor == onnx::OptionalProto::TENSOR);
  CHECK(kHoldsSequence == onnx::OptionalProto::SEQUENCE);
}

TEST_CASE("onnx messages: names that no field has", "[onnx]") {
  for (const std::string_view name : {"", "optype", "opType_", "op_Type", "OpType", "op__type", "_opType"})
    CHECK(kNodeProto.find(name) == nullptr);
  CHECK(kNodeProto.find(std::uint32_t{8}) == nullptr);
}
