// SPDX-License-Identifier: Apache-2.0
// How protobuf encodes messages in bytes. https://protobuf.dev/programming-guides/encoding
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "io/onnx/messages.h"
#include "schema/node.h"
#include "system/file.h"

namespace opref::io {

/// More than protobuf writes or reads in one file.
inline constexpr size_t kMostMessageBytes = INT32_MAX;
/// Deeper messages are malformed. A subgraph lies three messages below the graph around it; more than kDeepestGraph is
/// read so that an error can say what is wrong.
inline constexpr int kDeepestMessage = 4 * 3 * kDeepestGraph;

/// The form of a value in bytes, as a field's tag says it; the numbers are protobuf's.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, group = 3, end_of_group = 4, fixed32 = 5 };

/// The form in which one value of a type stands.
WireType wire_type(FieldType type);

/// Reads the fields of one message from left to right. Bytes that are no message are `malformed`.
class WireReader {
 public:
  /// The message may hold messages and groups down to `levels` below it.
  explicit WireReader(std::span<const std::byte> bytes, int levels = kDeepestMessage)
      : at_(reinterpret_cast<const char*>(bytes.data())), end_(at_ + bytes.size()), levels_(levels) {}

  bool at_end() const { return at_ == end_; }
  /// Goes to the next field; false at the end. A group, which ONNX has none of, is one field without a value.
  bool next();
  std::uint32_t number() const { return number_; }
  WireType type() const { return type_; }
  /// Of a number: its bits, from the lowest one.
  std::uint64_t bits() const { return bits_; }
  /// Of a value of WireType::bytes.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// The whole field as it stands: its tag, a length where it has one, and its value.
  std::span<const std::byte> field() const { return std::as_bytes(std::span(start_, at_)); }

  /// The next number of a run, in which numbers stand without tags.
  std::uint64_t next_bits(WireType type);

 private:
  std::uint64_t varint();
  std::uint64_t short_varint();
  std::uint64_t fixed(size_t size);
  std::span<const std::byte> take(std::uint64_t size);
  void skip_group();

  const char* at_;
  const char* end_;
  const char* start_ = at_;  ///< of the field
  int levels_;
  std::uint32_t number_ = 0;
  WireType type_ = WireType::varint;
  std::uint64_t bits_ = 0;
  std::span<const std::byte> bytes_ = {};
};

/// Which field of `type` the reader is at; null where the message has none of this number, form and, of an enumeration,
/// value.
const MessageField* field_at(const MessageType& type, const WireReader& reader);

/// Whether the reader is at a run of numbers: the packed form of a repeated field.
bool is_run(const MessageField& field, const WireReader& reader);

/// Calls `take` with the bits of each number that the reader is at: one, or those of a run.
template <class Take>
void for_each_number(const MessageField& field, const WireReader& reader, const Take& take) {
  if (!is_run(field, reader)) return take(reader.bits());
  for (WireReader run(reader.bytes()); !run.at_end();) take(run.next_bits(wire_type(field.type)));
}

/// The tag and the length that stand before a value of WireType::bytes.
std::string head_of(const MessageField& field, size_t length);

/// Appends the fields of one message, in the order of the calls; protobuf's own is that of their numbers. A value that
/// is not of the field's type is an `internal` error. Tensors are not copied: they stand beside the other bytes.
class WireWriter {
 public:
  explicit WireWriter(const MessageType& type) : type_(&type) {}

  void add(std::string_view field, std::int64_t value) { add(type_->field(field), value); }
  void add(std::string_view field, float value);
  void add(std::string_view field, double value);
  void add(std::string_view field, std::string_view value);
  void add(std::string_view field, std::span<const std::byte> value);
  void add(std::string_view field, const WireWriter& message);
  /// The tensor's elements as bytes.
  void add(std::string_view field, const Tensor& elements);

  /// Of the message.
  size_t size() const { return size_; }
  std::string bytes() const;
  void write(FileWriter& file) const;

  void add_bits(const MessageField& field, std::uint64_t bits);
  void add_bytes(const MessageField& field, std::string_view bytes);

 private:
  void add(const MessageField& field, std::int64_t value);
  const MessageField& field_of(std::string_view name, FieldType type) const;
  void add_length(const MessageField& field, size_t length);
  /// Calls visit(bytes) for the parts of the message, from left to right.
  template <class Visit>
  void each_part(const Visit& visit) const;

  /// Elements that stand where so many of `bytes_` are before them.
  struct Elements {
    size_t place;
    Tensor tensor;
  };

  const MessageType* type_;
  std::string bytes_;  ///< without elements
  std::vector<Elements> elements_;
  size_t size_ = 0;
};

}  // namespace opref::io
