// SPDX-License-Identifier: Apache-2.0
// A message of a file, read where its bytes lie.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/onnx/messages.h"
#include "system/file.h"

namespace opref::io {

/// The most bytes of strings and numbers that are made of a file: a string of no byte takes 32.
inline constexpr size_t kMostDecodedBytes = size_t{1} << 30;

/// A message whose fields are asked for by their names in onnx.proto; nothing is decoded before. What is read shares
/// the ownership of the file's bytes. protobuf's rules hold: of a field that is set more than once the last value
/// counts, and messages are merged; a field of a oneof unsets the others; unknown fields are passed over. Bytes that
/// are changed after `parse` are `malformed` where they are read.
class OnnxMessage {
 public:
  /// Checks that the file holds such a message, all messages inside it too; nothing if not. Faults: `unsupported` (more
  /// than 2 GiB, more messages than opref keeps in memory, strings and numbers that take more than `most_bytes` there;
  /// elements of tensors count where nothing else limits them, in attributes). `unknown` gets the first field that is
  /// passed over, "field 99 of NodeProto".
  static std::optional<OnnxMessage> parse(const MessageType& type, const FileBytes& file,
                                          size_t most_bytes = kMostDecodedBytes, std::string* unknown = nullptr);

  const std::shared_ptr<const std::byte>& owner() const { return owner_; }
  bool has_unknown_fields() const;

  /// Whether the field is set; of a repeated one, whether it has entries.
  bool is_set(std::string_view field) const;
  /// The value of a field that is not repeated; 0 or empty where it is not set.
  std::int64_t integral(std::string_view field) const;
  float real(std::string_view field) const;
  std::string_view text(std::string_view field) const;
  std::span<const std::byte> bytes(std::string_view field) const;
  OnnxMessage message(std::string_view field) const;

  /// How many entries a repeated field has.
  size_t count(std::string_view field) const;
  /// The entries of a repeated field.
  std::vector<std::string> texts(std::string_view field) const;
  std::vector<OnnxMessage> messages(std::string_view field) const;
  /// Number is the field's own: std::int32_t, std::int64_t, std::uint64_t, float or double.
  template <class Number>
  std::vector<Number> numbers(std::string_view field) const;
  /// Calls visit(bits) for each entry of a repeated field of numbers, as WireReader::bits.
  void each_number(std::string_view field, const std::function<void(std::uint64_t)>& visit) const;
  /// Entries of a repeated field in place of the elements of `to`, as many as there are of both.
  template <class Number>
  void copy_numbers(std::string_view field, std::span<Number> to) const;

 private:
  using Piece = std::span<const std::byte>;
  OnnxMessage(const MessageType& type, std::shared_ptr<const std::byte> owner, std::vector<Piece> pieces)
      : type_(&type), owner_(std::move(owner)), pieces_(std::move(pieces)) {}

  template <class Visit>
  void for_each_field(const Visit& visit) const;
  template <class Visit>
  void for_each_entry(std::string_view field, const Visit& visit) const;
  /// Of a field that is not repeated: its last value, of which one of the two is meant.
  struct Setting {
    bool is_set = false;
    std::uint64_t bits = 0;
    Piece bytes = {};
  };
  Setting last(std::string_view field) const;

  const MessageType* type_;
  std::shared_ptr<const std::byte> owner_;
  std::vector<Piece> pieces_;  ///< more than one where messages are merged
};

}  // namespace opref::io
