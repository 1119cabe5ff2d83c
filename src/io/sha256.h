// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), in hexadecimal.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace opref::io {

/// Of bytes that come a piece at a time.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::span<const std::byte> bytes);
/// Of the elements (C order, little endian, no header). Of strings: each followed by a zero byte.
std::string sha256(const Tensor& tensor);
/// Of the MapProto without a name, or the SequenceProto of these, keys in order.
std::string sha256_of_maps(const Value& maps);

}  // namespace opref::io
