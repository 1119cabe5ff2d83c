// SPDX-License-Identifier: Apache-2.0
// The table of ONNX's messages: what onnx.proto and onnx-data.proto of ONNX 1.23 declare. Whoever reads protobuf or
// protobuf-JSON, or writes protobuf, goes by it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/rooms.h"

namespace opref::io {

enum class FieldType : std::uint8_t { int32, int64, uint64, float32, float64, string, bytes, enumeration, message };

/// How often a field is set. Of the fields of a message that are `one_of` at most one is. Entries of a `packed` field
/// are written as one run of numbers; repeated numbers are read in either form.
enum class Label : std::uint8_t { optional, one_of, repeated, packed };

/// A value of an enumeration. A number that the enumeration does not have counts as an unknown field.
struct EnumValue {
  std::string_view name;
  std::int32_t number;
};

struct MessageType;

struct MessageField {
  std::string_view name;  ///< as in onnx.proto: "op_type"
  std::uint32_t number;
  FieldType type;
  Label label;
  const MessageType* message = nullptr;    ///< of a field of type message
  std::span<const EnumValue> values = {};  ///< of a field of type enumeration

  constexpr MessageField(std::string_view name_, std::uint32_t number_, FieldType type_, Label label_ = Label::optional)
      : name(name_), number(number_), type(type_), label(label_) {}
  constexpr MessageField(std::string_view name_, std::uint32_t number_, const MessageType& message_,
                         Label label_ = Label::optional)
      : name(name_), number(number_), type(FieldType::message), label(label_), message(&message_) {}
  constexpr MessageField(std::string_view name_, std::uint32_t number_, std::span<const EnumValue> values_)
      : name(name_), number(number_), type(FieldType::enumeration), label(Label::optional), values(values_) {}

  bool is_repeated() const { return label == Label::repeated || label == Label::packed; }
  bool is_number() const { return type != FieldType::string && type != FieldType::bytes && type != FieldType::message; }
};

struct MessageType {
  std::string_view name;  ///< as in onnx.proto: "NodeProto"
  std::span<const MessageField> fields;

  /// The field of this number, or null.
  const MessageField* find(std::uint32_t number) const;
  /// The field of this name, as in onnx.proto or in camelCase as protobuf-JSON has it ("opType"), or null.
  const MessageField* find(std::string_view name) const;
  /// The field of this name, as in onnx.proto. An `internal` error where there is none.
  const MessageField& field(std::string_view name) const;
};

/// TensorProto.DataLocation.EXTERNAL.
inline constexpr std::int64_t kExternal = 1;
/// elem_type of a SequenceProto or OptionalProto: UNDEFINED, TENSOR, SEQUENCE, MAP.
inline constexpr std::int64_t kHoldsNothing = 0, kHoldsTensor = 1, kHoldsSequence = 3, kHoldsMap = 4;

extern const MessageType kModelProto, kGraphProto, kNodeProto, kAttributeProto, kFunctionProto, kTrainingInfoProto,
    kTensorProto, kSegment, kSparseTensorProto, kTensorAnnotation, kSequenceProto, kMapProto, kOptionalProto,
    kValueInfoProto, kTypeProto, kTensorType, kSequenceType, kMapType, kOptionalType, kSparseTensorType, kOpaqueType,
    kTensorShapeProto, kDimension, kOperatorSetIdProto, kStringStringEntryProto, kIntIntListEntryProto,
    kNodeDeviceConfigurationProto, kShardingSpecProto, kShardedDimProto, kSimpleShardedDimProto,
    kDeviceConfigurationProto;

}  // namespace opref::io
