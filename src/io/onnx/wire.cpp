// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/wire.h"

#include <algorithm>
#include <bit>
#include <protozero/buffer_string.hpp>
#include <protozero/iterators.hpp>
#include <protozero/varint.hpp>

#include "core/error.h"

namespace opref::io {
namespace {

[[noreturn]] void no_message() { fail(Fault::malformed, "the bytes are no protobuf"); }

/// Tags and lengths take at most five bytes: no file needs more.
constexpr std::ptrdiff_t kLongestShort = 5;

void add_tag(std::string& bytes, const MessageField& field, WireType type) {
  protozero::add_varint_to_buffer(&bytes, std::uint64_t{field.number} << 3 | static_cast<std::uint64_t>(type));
}

}  // namespace

WireType wire_type(FieldType type) {
  switch (type) {
    case FieldType::int32:
    case FieldType::int64:
    case FieldType::uint64:
    case FieldType::enumeration:
      return WireType::varint;
    case FieldType::float32:
      return WireType::fixed32;
    case FieldType::float64:
      return WireType::fixed64;
    case FieldType::string:
    case FieldType::bytes:
    case FieldType::message:
      break;
  }
  return WireType::bytes;
}

bool WireReader::next() {
  if (at_end()) return false;
  start_ = at_;
  const auto tag = static_cast<std::uint32_t>(short_varint());
  number_ = tag >> 3;
  type_ = static_cast<WireType>(tag & 7);
  if (number_ == 0) no_message();
  if (type_ == WireType::bytes)
    bytes_ = take(short_varint());
  else if (type_ == WireType::group)
    skip_group();
  else
    bits_ = next_bits(type_);
  return true;
}

std::uint64_t WireReader::next_bits(WireType type) {
  switch (type) {
    case WireType::varint:
      return varint();
    case WireType::fixed32:
      return fixed(sizeof(std::uint32_t));
    case WireType::fixed64:
      return fixed(sizeof(std::uint64_t));
    default:
      no_message();
  }
}

std::uint64_t WireReader::varint() {
  try {
    return protozero::decode_varint(&at_, end_);
  } catch (const protozero::exception&) {
    no_message();
  }
}

std::uint64_t WireReader::short_varint() {
  const char* const start = at_;
  const std::uint64_t value = varint();
  if (at_ - start > kLongestShort) no_message();
  return value;
}

std::uint64_t WireReader::fixed(size_t size) {
  const char* const value = at_;
  take(size);
  if (size == sizeof(std::uint32_t)) return *protozero::const_fixed_iterator<std::uint32_t>(value);
  return *protozero::const_fixed_iterator<std::uint64_t>(value);
}

std::span<const std::byte> WireReader::take(std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(end_ - at_)) no_message();
  const char* const start = at_;
  at_ += size;
  return std::as_bytes(std::span(start, at_));
}

void WireReader::skip_group() {
  const char* const group = start_;
  const std::uint32_t number = number_;
  if (--levels_ < 0) no_message();
  while (true) {
    const char* const start = at_;
    const auto tag = static_cast<std::uint32_t>(short_varint());
    if (static_cast<WireType>(tag & 7) == WireType::end_of_group) {
      if (tag >> 3 != number) no_message();
      break;
    }
    at_ = start;
    next();
  }
  ++levels_;
  start_ = group;
  number_ = number;
  type_ = WireType::group;
}

const MessageField* field_at(const MessageType& type, const WireReader& reader) {
  const MessageField* field = type.find(reader.number());
  if (field == nullptr || is_run(*field, reader)) return field;
  if (reader.type() != wire_type(field->type)) return nullptr;
  const auto number = static_cast<std::int32_t>(reader.bits());
  const bool has_value = field->type != FieldType::enumeration ||
                         std::ranges::find(field->values, number, &EnumValue::number) != field->values.end();
  return has_value ? field : nullptr;
}

bool is_run(const MessageField& field, const WireReader& reader) {
  return field.is_repeated() && field.is_number() && reader.type() == WireType::bytes;
}

std::string head_of(const MessageField& field, size_t length) {
  std::string head;
  add_tag(head, field, WireType::bytes);
  protozero::add_varint_to_buffer(&head, length);
  return head;
}

void WireWriter::add(std::string_view field, float value) {
  add_bits(field_of(field, FieldType::float32), std::bit_cast<std::uint32_t>(value));
}

void WireWriter::add(std::string_view field, double value) {
  add_bits(field_of(field, FieldType::float64), std::bit_cast<std::uint64_t>(value));
}

void WireWriter::add(std::string_view field, std::string_view value) {
  const MessageField& found = type_->field(field);
  add_bytes(found.type == FieldType::bytes ? found : field_of(field, FieldType::string), value);
}

void WireWriter::add(std::string_view field, std::span<const std::byte> value) {
  add_bytes(field_of(field, FieldType::bytes), {reinterpret_cast<const char*>(value.data()), value.size()});
}

void WireWriter::add(std::string_view field, const WireWriter& message) {
  const MessageField& found = field_of(field, FieldType::message);
  if (found.message != message.type_)
    fail(Fault::internal, "the field '{}' of {} is no {}", field, type_->name, message.type_->name);
  add_length(found, message.size_);
  for (const Elements& elements : message.elements_)
    elements_.push_back({bytes_.size() + elements.place, elements.tensor});
  bytes_ += message.bytes_;
  size_ += message.size_;
}

void WireWriter::add(std::string_view field, const Tensor& elements) {
  constexpr size_t kCopied = 4096;  // fewer bytes cost less copied than written on their own
  if (elements.bytes().size() < kCopied) return add(field, elements.bytes());
  add_length(field_of(field, FieldType::bytes), elements.bytes().size());
  elements_.push_back({bytes_.size(), elements});
  size_ += elements.bytes().size();
}

template <class Visit>
void WireWriter::each_part(const Visit& visit) const {
  const std::span<const std::byte> all = std::as_bytes(std::span(bytes_));
  size_t done = 0;
  for (const auto& [place, tensor] : elements_) {
    visit(all.subspan(done, place - done));
    visit(tensor.bytes());
    done = place;
  }
  visit(all.subspan(done));
}

std::string WireWriter::bytes() const {
  std::string bytes;
  bytes.reserve(size_);
  each_part(
      [&](std::span<const std::byte> part) { bytes.append(reinterpret_cast<const char*>(part.data()), part.size()); });
  return bytes;
}

void WireWriter::write(FileWriter& file) const {
  each_part([&](std::span<const std::byte> part) { file.write(part); });
}

void WireWriter::add(const MessageField& field, std::int64_t value) {
  if (wire_type(field.type) != WireType::varint)
    fail(Fault::internal, "the field '{}' of {} is no integer", field.name, type_->name);
  add_bits(field, static_cast<std::uint64_t>(value));
}

void WireWriter::add_bits(const MessageField& field, std::uint64_t bits) {
  const WireType type = wire_type(field.type);
  const size_t before = bytes_.size();
  add_tag(bytes_, field, type);
  if (type == WireType::varint) {
    protozero::add_varint_to_buffer(&bytes_, bits);
  } else {
    const int size = type == WireType::fixed32 ? 4 : 8;
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(bits >> (8 * i));
  }
  size_ += bytes_.size() - before;
}

void WireWriter::add_bytes(const MessageField& field, std::string_view bytes) {
  add_length(field, bytes.size());
  bytes_ += bytes;
  size_ += bytes.size();
}

void WireWriter::add_length(const MessageField& field, size_t length) {
  const std::string head = head_of(field, length);
  bytes_ += head;
  size_ += head.size();
}

const MessageField& WireWriter::field_of(std::string_view name, FieldType type) const {
  const MessageField& field = type_->field(name);
  if (field.type != type) fail(Fault::internal, "the field '{}' of {} has another type", name, type_->name);
  return field;
}

}  // namespace opref::io
