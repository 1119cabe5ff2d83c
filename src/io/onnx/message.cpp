// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/message.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "io/onnx/wire.h"

namespace opref::io {
namespace {

/// What is made of a message takes hundreds of bytes, but the message may take two.
constexpr size_t kMostMessages = size_t{1} << 19;
/// What is made of a file: counted before anything is.
struct Decoded {
  size_t messages = 0;
  size_t bytes = 0;          ///< of strings and numbers, but for elements of tensors that are read when they are needed
  std::string unknown = {};  ///< the first field that the table does not have: "field 99 of NodeProto"
};

size_t decoded_size(const MessageField& field) {
  switch (wire_type(field.type)) {
    case WireType::bytes:
      return sizeof(std::string);
    case WireType::fixed32:
      return sizeof(float);
    default:
      return sizeof(std::int64_t);
  }
}

/// Whether the field has elements of a tensor, which has a limit of its own unless it is in an attribute.
bool is_limited(const MessageType& type, const MessageField& field, bool in_attribute) {
  return &type == &kTensorProto && !in_attribute && field.name != "dims";
}

/// Fails where the bytes are no message of this type; counts what is decoded.
void check(const MessageType& type, std::span<const std::byte> bytes, int levels, bool in_attribute, Decoded& decoded) {
  if (levels < 0) fail(Fault::malformed, "messages are nested more than {} deep", kDeepestMessage);
  if (++decoded.messages > kMostMessages)
    fail(Fault::unsupported, "the file has more than {} messages, the most that opref reads", kMostMessages);
  in_attribute |= &type == &kAttributeProto;
  for (WireReader reader(bytes, levels); reader.next();) {
    const MessageField* field = field_at(type, reader);
    if (field == nullptr) {
      if (decoded.unknown.empty()) decoded.unknown = format("field {} of {}", reader.number(), type.name);
      continue;
    }
    if (field->type == FieldType::message) {
      check(*field->message, reader.bytes(), levels - 1, in_attribute, decoded);
      continue;
    }
    size_t count = 1;
    if (is_run(*field, reader)) {
      count = 0;
      for_each_number(*field, reader, [&](std::uint64_t) { ++count; });
    }
    if (field->is_repeated() && !is_limited(type, *field, in_attribute)) decoded.bytes += count * decoded_size(*field);
  }
}

bool are_exclusive(const MessageField& a, const MessageField& b) {
  return a.label == Label::one_of && b.label == Label::one_of && a.number != b.number;
}

template <class Number>
Number number_of(std::uint64_t bits) {
  if constexpr (std::is_same_v<Number, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<Number, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<Number>(bits);
}

std::string_view characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::optional<OnnxMessage> OnnxMessage::parse(const MessageType& type, const FileBytes& file, size_t most_bytes,
                                              std::string* unknown) {
  if (file.bytes.size() > kMostMessageBytes)
    fail(Fault::unsupported, "the file has {} bytes, but protobuf reads at most {}", file.bytes.size(),
         kMostMessageBytes);
  try {
    Decoded decoded;
    check(type, file.bytes, kDeepestMessage, false, decoded);
    if (decoded.bytes > most_bytes)
      fail(most_bytes < kMostDecodedBytes ? Fault::system : Fault::unsupported,
           most_bytes < kMostDecodedBytes ? kMoreMemory : kNoRemedy,
           "the strings and numbers of the file take {} bytes in memory, but opref reads at most {}", decoded.bytes,
           most_bytes);
    if (unknown != nullptr) *unknown = decoded.unknown;
  } catch (const Error& error) {
    if (error.fault() != Fault::malformed) throw;
    return std::nullopt;
  }
  return OnnxMessage(type, file.owner, {file.bytes});
}

/// Calls visit(field, reader) for every known field, in the file's order.
template <class Visit>
void OnnxMessage::for_each_field(const Visit& visit) const {
  for (const Piece piece : pieces_)
    for (WireReader reader(piece); reader.next();)
      if (const MessageField* field = field_at(*type_, reader)) visit(*field, reader);
}

/// Calls visit(reader) where the field is set.
template <class Visit>
void OnnxMessage::for_each_entry(std::string_view field, const Visit& visit) const {
  const MessageField& wanted = type_->field(field);
  for_each_field([&](const MessageField& at, const WireReader& reader) {
    if (&at == &wanted) visit(reader);
  });
}

OnnxMessage::Setting OnnxMessage::last(std::string_view field) const {
  const MessageField& wanted = type_->field(field);
  Setting setting;
  for_each_field([&](const MessageField& at, const WireReader& reader) {
    if (&at == &wanted) setting = {true, reader.bits(), reader.bytes()};
    if (are_exclusive(at, wanted)) setting = {};
  });
  return setting;
}

bool OnnxMessage::has_unknown_fields() const {
  for (const Piece piece : pieces_)
    for (WireReader reader(piece); reader.next();)
      if (field_at(*type_, reader) == nullptr) return true;
  return false;
}

bool OnnxMessage::is_set(std::string_view field) const {
  return type_->field(field).is_repeated() ? count(field) > 0 : last(field).is_set;
}

std::int64_t OnnxMessage::integral(std::string_view field) const {
  const std::uint64_t bits = last(field).bits;
  const bool is_long = type_->field(field).type == FieldType::int64;
  return is_long ? number_of<std::int64_t>(bits) : number_of<std::int32_t>(bits);
}

float OnnxMessage::real(std::string_view field) const { return number_of<float>(last(field).bits); }

std::span<const std::byte> OnnxMessage::bytes(std::string_view field) const { return last(field).bytes; }

std::string_view OnnxMessage::text(std::string_view field) const { return characters(bytes(field)); }

OnnxMessage OnnxMessage::message(std::string_view field) const {
  const MessageField& wanted = type_->field(field);
  std::vector<Piece> pieces;
  for_each_field([&](const MessageField& at, const WireReader& reader) {
    if (&at == &wanted && !reader.bytes().empty()) pieces.push_back(reader.bytes());
    if (are_exclusive(at, wanted)) pieces.clear();
  });
  return {*wanted.message, owner_, std::move(pieces)};
}

size_t OnnxMessage::count(std::string_view field) const {
  const MessageField& wanted = type_->field(field);
  size_t entries = 0;
  for_each_entry(field, [&](const WireReader& reader) {
    if (is_run(wanted, reader))
      for_each_number(wanted, reader, [&](std::uint64_t) { ++entries; });
    else
      ++entries;
  });
  return entries;
}

std::vector<std::string> OnnxMessage::texts(std::string_view field) const {
  std::vector<std::string> values;
  values.reserve(count(field));
  for_each_entry(field, [&](const WireReader& reader) { values.emplace_back(characters(reader.bytes())); });
  return values;
}

std::vector<OnnxMessage> OnnxMessage::messages(std::string_view field) const {
  std::vector<OnnxMessage> values;
  values.reserve(count(field));
  const MessageType& type = *type_->field(field).message;
  for_each_entry(field,
                 [&](const WireReader& reader) { values.push_back(OnnxMessage(type, owner_, {reader.bytes()})); });
  return values;
}

void OnnxMessage::each_number(std::string_view field, const std::function<void(std::uint64_t)>& visit) const {
  const MessageField& wanted = type_->field(field);
  for_each_entry(field, [&](const WireReader& reader) { for_each_number(wanted, reader, visit); });
}

template <class Number>
void OnnxMessage::copy_numbers(std::string_view field, std::span<Number> to) const {
  const MessageField& wanted = type_->field(field);
  size_t copied = 0;
  for_each_entry(field, [&](const WireReader& reader) {
    for_each_number(wanted, reader, [&](std::uint64_t bits) {
      if (copied < to.size()) to[copied++] = number_of<Number>(bits);
    });
  });
}

template <class Number>
std::vector<Number> OnnxMessage::numbers(std::string_view field) const {
  std::vector<Number> values(count(field));
  copy_numbers(field, std::span(values));
  return values;
}

template void OnnxMessage::copy_numbers(std::string_view, std::span<std::int32_t>) const;
template void OnnxMessage::copy_numbers(std::string_view, std::span<std::int64_t>) const;
template void OnnxMessage::copy_numbers(std::string_view, std::span<std::uint64_t>) const;
template void OnnxMessage::copy_numbers(std::string_view, std::span<float>) const;
template void OnnxMessage::copy_numbers(std::string_view, std::span<double>) const;
template std::vector<std::int32_t> OnnxMessage::numbers(std::string_view) const;
template std::vector<std::int64_t> OnnxMessage::numbers(std::string_view) const;
template std::vector<std::uint64_t> OnnxMessage::numbers(std::string_view) const;
template std::vector<float> OnnxMessage::numbers(std::string_view) const;
template std::vector<double> OnnxMessage::numbers(std::string_view) const;

}  // namespace opref::io
