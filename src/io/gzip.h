// SPDX-License-Identifier: Apache-2.0
// Texts that are part of the program, packed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/rooms.h"

namespace opref::io {

/// The content of a gzip file (RFC 1952), which has `size` bytes; a `malformed` error where it has not.
std::string unpacked_gzip(std::span<const std::uint8_t> packed, std::size_t size);

/// One of several texts that are packed one after the other.
struct PackedText {
  std::string_view name;
  std::size_t size;
};

/// Such texts, unpacked.
class UnpackedTexts {
 public:
  UnpackedTexts(std::span<const PackedText> texts, std::span<const std::uint8_t> packed);
  UnpackedTexts(const UnpackedTexts&) = delete;
  UnpackedTexts& operator=(const UnpackedTexts&) = delete;

  /// Each as File{name, text}, valid as long as this is.
  template <class File>
  std::vector<File> files() const {
    std::vector<File> files;
    std::size_t at = 0;
    for (const PackedText& text : texts_) {
      files.push_back({text.name, std::string_view(all_).substr(at, text.size)});
      at += text.size;
    }
    return files;
  }

 private:
  std::span<const PackedText> texts_;
  std::string all_;
};

}  // namespace opref::io
