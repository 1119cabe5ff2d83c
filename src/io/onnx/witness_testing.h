// SPDX-License-Identifier: Apache-2.0
// Messages as libprotobuf reads them, beside opref's.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <bit>
#include <string>
#include <vector>

#include "io/onnx/message.h"

namespace opref::io {

using google::protobuf::FieldDescriptor;

/// The path of the first field that has another value than libprotobuf read: "graph.node[3].name"; "" if all are alike.
std::string difference(const OnnxMessage& message, const google::protobuf::Message& expected);

inline std::string bits_of(float value) { return std::to_string(std::bit_cast<std::uint32_t>(value)); }
inline std::string bits_of(double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); }

/// Whether libprotobuf passed over a field, here or below, that opref's newer table has.
inline bool has_newer_field(const MessageType& type, const google::protobuf::Message& message) {
  const auto& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (type.find(static_cast<std::uint32_t>(unknown.field(i).number())) != nullptr) return true;
  std::vector<const FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  for (const FieldDescriptor* field : set) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const MessageType& below = *type.field(field->name()).message;
    if (!field->is_repeated() && has_newer_field(below, reflection.GetMessage(message, field))) return true;
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i)
      if (has_newer_field(below, reflection.GetRepeatedMessage(message, field, i))) return true;
  }
  return false;
}

/// All that can be compared as text: numbers (by their bits), strings.
inline std::string entry_text(const google::protobuf::Message& message, const FieldDescriptor& field, int entry) {
  const auto& reflection = *message.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(repeated ? reflection.GetRepeatedInt32(message, &field, entry)
                                     : reflection.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(repeated ? reflection.GetRepeatedInt64(message, &field, entry)
                                     : reflection.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(reflection.GetRepeatedUInt64(message, &field, entry));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return bits_of(repeated ? reflection.GetRepeatedFloat(message, &field, entry)
                              : reflection.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return bits_of(reflection.GetRepeatedDouble(message, &field, entry));
    case FieldDescriptor::CPPTYPE_ENUM:
      return std::to_string(reflection.GetEnumValue(message, &field));
    default:
      return repeated ? reflection.GetRepeatedString(message, &field, entry) : reflection.GetString(message, &field);
  }
}

template <class Number>
std::vector<std::string> texts_of(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (const Number number : numbers) {
    if constexpr (std::is_integral_v<Number>)
      texts.push_back(std::to_string(number));
    else
      texts.push_back(bits_of(number));
  }
  return texts;
}

/// The same of opref's message.
inline std::vector<std::string> entry_texts(const OnnxMessage& message, const FieldDescriptor& field) {
  const std::string& name = field.name();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_ENUM:
      if (!repeated) return {std::to_string(message.integral(name))};
      return field.cpp_type() == FieldDescriptor::CPPTYPE_INT32 ? texts_of(message.numbers<std::int32_t>(name))
                                                                : texts_of(message.numbers<std::int64_t>(name));
    case FieldDescriptor::CPPTYPE_UINT64:
      return texts_of(message.numbers<std::uint64_t>(name));
    case FieldDescriptor::CPPTYPE_FLOAT:
      if (!repeated) return {bits_of(message.real(name))};
      return texts_of(message.numbers<float>(name));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return texts_of(message.numbers<double>(name));
    default:
      if (!repeated) return {std::string(message.text(name))};
      return message.texts(name);
  }
}

/// The messages of a field, one or many.
inline std::string difference_below(const OnnxMessage& message, const google::protobuf::Message& expected,
                                    const FieldDescriptor& field) {
  const auto& reflection = *expected.GetReflection();
  if (!field.is_repeated())
    return message.is_set(field.name())
               ? difference(message.message(field.name()), reflection.GetMessage(expected, &field))
               : "";
  int entry = 0;
  for (const OnnxMessage& held : message.messages(field.name())) {
    const std::string place = difference(held, reflection.GetRepeatedMessage(expected, &field, entry++));
    if (!place.empty()) return std::to_string(entry - 1) + "." + place;
  }
  return "";
}

inline std::string difference(const OnnxMessage& message, const google::protobuf::Message& expected) {
  const auto& reflection = *expected.GetReflection();
  // libprotobuf's table is an older one, in which newer fields are not known.
  if (message.has_unknown_fields() && reflection.GetUnknownFields(expected).empty()) return "unknown fields";
  for (int i = 0; i < expected.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *expected.GetDescriptor()->field(i);
    const int entries = field.is_repeated() ? reflection.FieldSize(expected, &field) : 1;
    const bool is_set = field.is_repeated() ? entries > 0 : reflection.HasField(expected, &field);
    if (message.is_set(field.name()) != is_set) return field.name();
    if (field.is_repeated() && message.count(field.name()) != static_cast<size_t>(entries)) return field.name();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const std::string place = difference_below(message, expected, field);
      if (!place.empty()) return field.name() + "." + place;
      continue;
    }
    std::vector<std::string> texts;
    for (int entry = 0; entry < entries; ++entry) texts.push_back(entry_text(expected, field, entry));
    if (entry_texts(message, field) != texts) return field.name();
  }
  return "";
}

/// Sets every field, repeated ones three times, down to `levels` messages below; no two values are the same.
inline void fill(google::protobuf::Message& message, int levels, int& next);

/// Of a field that is not repeated its value, else one more entry.
inline void fill_entry(google::protobuf::Message& message, const FieldDescriptor& field, int levels, int& next) {
  const auto& reflection = *message.GetReflection();
  const bool repeated = field.is_repeated();
  const int value = ++next % 2 == 0 ? next : -next;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return repeated ? reflection.AddInt32(&message, &field, value) : reflection.SetInt32(&message, &field, value);
    case FieldDescriptor::CPPTYPE_INT64:
      return repeated ? reflection.AddInt64(&message, &field, value * (1ll << 40))
                      : reflection.SetInt64(&message, &field, value * (1ll << 40));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.AddUInt64(&message, &field, UINT64_MAX - static_cast<std::uint64_t>(next));
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const float third = static_cast<float>(value) / 3;
      return repeated ? reflection.AddFloat(&message, &field, third) : reflection.SetFloat(&message, &field, third);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.AddDouble(&message, &field, value / 3.0);
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&message, &field, next % 2);
    case FieldDescriptor::CPPTYPE_STRING: {
      const bool is_text = field.type() == FieldDescriptor::TYPE_STRING;  // else no UTF-8
      const std::string text = std::to_string(next) + (is_text ? "\xc3\xbf" : "\xff");
      return repeated ? reflection.AddString(&message, &field, text) : reflection.SetString(&message, &field, text);
    }
    default:
      fill(repeated ? *reflection.AddMessage(&message, &field) : *reflection.MutableMessage(&message, &field),
           levels - 1, next);
  }
}

inline void fill(google::protobuf::Message& message, int levels, int& next) {
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && levels == 0) continue;
    // Of a oneof now and then a later field takes the place of the first.
    const auto* oneof = field.containing_oneof();
    if (oneof != nullptr && reflection.HasOneof(message, oneof) && next % 7 != 0) continue;
    for (int entry = 0; entry < (field.is_repeated() ? 3 : 1); ++entry) fill_entry(message, field, levels, next);
  }
}

}  // namespace opref::io
