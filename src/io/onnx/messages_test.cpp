// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/messages.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace opref::io;

namespace {

std::string label_text(Label label) {
  switch (label) {
    case Label::optional:
      return "optional";
    case Label::one_of:
      return "one_of";
    case Label::repeated:
      return "repeated";
    default:
      return "packed";
  }
}

std::string type_text(const MessageField& field) {
  switch (field.type) {
    case FieldType::int32:
      return "int32";
    case FieldType::int64:
      return "int64";
    case FieldType::uint64:
      return "uint64";
    case FieldType::float32:
      return "float";
    case FieldType::float64:
      return "double";
    case FieldType::string:
      return "string";
    case FieldType::bytes:
      return "bytes";
    case FieldType::message:
      return std::string(field.message->name);
    default:
      break;
  }
  std::string values;
  for (const EnumValue& value : field.values)
    values += (values.empty() ? "" : ",") + std::string(value.name) + "=" + std::to_string(value.number);
  return values;
}

using Lines = std::map<std::string, std::set<std::string>>;  // by message

void add_lines(const MessageType& type, Lines& lines) {
  if (lines.contains(std::string(type.name))) return;
  std::set<std::string>& own = lines[std::string(type.name)];
  for (const MessageField& field : type.fields)
    own.insert(std::string(field.name) + " " + std::to_string(field.number) + " " + label_text(field.label) + " " +
               type_text(field));
  for (const MessageField& field : type.fields)
    if (field.type == FieldType::message) add_lines(*field.message, lines);
}

std::string camel_case(std::string_view name) {
  std::string json;
  for (size_t i = 0; i < name.size(); ++i) json += name[i] == '_' ? static_cast<char>(name[++i] - 'a' + 'A') : name[i];
  return json;
}

}  // namespace

// Witness: the descriptors of PyPI's onnx, which scripts/onnx-schemas --messages prints.
TEST_CASE("onnx messages: the table is that of the newest onnx.proto", "[onnx]") {
  Lines expected, table;
  std::ifstream file(OPREF_SOURCE_DIR "/testdata/onnx-messages.txt");
  REQUIRE(file.is_open());
  for (std::string message, field; file >> message >> std::ws && std::getline(file, field);)
    expected[message].insert(field);
  for (const MessageType* root : {&kModelProto, &kSequenceProto, &kOptionalProto}) add_lines(*root, table);
  CHECK(table == expected);
  CHECK(table.size() == 31);
}

TEST_CASE("onnx messages: each field is found by its number and its names", "[onnx]") {
  for (const MessageType* type : {&kModelProto, &kGraphProto, &kNodeProto, &kFunctionProto, &kTensorProto})
    for (const MessageField& field : type->fields) {
      INFO(field.name);
      CHECK(type->find(field.number) == &field);
      CHECK(type->find(field.name) == &field);
      CHECK(type->find(camel_case(field.name)) == &field);
      CHECK(&type->field(field.name) == &field);
    }
  for (const std::string_view name : {"", "optype", "opType_", "op_Type", "OpType", "op__type", "_opType"})
    CHECK(kNodeProto.find(name) == nullptr);
  CHECK(kNodeProto.find(std::uint32_t{11}) == nullptr);
}

// https://github.com/onnx/onnx/blob/v1.23.2/onnx/onnx.proto and onnx-data.proto
TEST_CASE("onnx messages: numbers that files have", "[onnx]") {
  CHECK(kExternal == 1);
  CHECK(kHoldsNothing == 0);
  CHECK(kHoldsTensor == 1);
  CHECK(kHoldsSequence == 3);
}
