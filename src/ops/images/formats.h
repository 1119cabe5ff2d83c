// SPDX-License-Identifier: Apache-2.0
// A reader for each format, and what they share. Only for this folder. All that is wrong with a file is a `malformed`
// error, which `decode` makes a fault.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/error.h"
#include "core/tensor.h"

namespace opref::ops::images {

using Byte = std::uint8_t;

/// Bytes that a deflated one stands for: a bit pair gives at most 258 bytes.
inline constexpr std::uint64_t kMostDeflated = 1032;

Tensor read_bmp(std::span<const Byte> file);
Tensor read_png(std::span<const Byte> file);
Tensor read_pnm(std::span<const Byte> file);
Tensor read_tiff(std::span<const Byte> file);

template <class... A>
[[noreturn]] void damaged(std::string_view pattern, const A&... arguments) {
  fail(Fault::malformed, pattern, arguments...);
}

/// Of a file: bytes that end early are `malformed`.
class Bytes {
 public:
  enum class Order : std::uint8_t { little, big };
  Bytes(std::span<const Byte> all, Order order) : all_(all), order_(order) {}

  std::size_t size() const { return all_.size(); }
  /// `count` bytes at a place, neither of which need be possible.
  std::span<const Byte> at(std::uint64_t place, std::uint64_t count) const;
  std::uint64_t number(std::uint64_t place, std::size_t bytes) const;
  std::uint64_t u16(std::uint64_t place) const { return number(place, 2); }
  std::uint64_t u32(std::uint64_t place) const { return number(place, 4); }

 private:
  std::span<const Byte> all_;
  Order order_;
};

/// The sample at place i of a row whose samples have 1, 2, 4, 8 or 16 bits: the first in the highest bits; of 16 bits
/// the high byte.
inline unsigned sample(std::span<const Byte> row, std::size_t i, unsigned bits,
                       Bytes::Order order = Bytes::Order::big) {
  if (bits == 8) return row[i];
  if (bits == 16) return row[2 * i + (order == Bytes::Order::big ? 0 : 1)];
  const std::size_t bit = i * bits;
  return static_cast<unsigned>(row[bit / 8] >> (8 - bits - bit % 8)) & ((1U << bits) - 1);
}
/// Of gray of so many bits, as one of 8.
inline Byte gray_of(unsigned value, unsigned bits) {
  return static_cast<Byte>(bits >= 8 ? value : value * 255 / ((1U << bits) - 1));
}

/// Pixels that are written row by row.
class Pixels {
 public:
  /// `stated`: bytes that the file holds for them, each of which stands for at most `most` bytes of `bits_per_pixel`.
  Pixels(std::uint64_t height, std::uint64_t width, std::size_t channels, std::uint64_t bits_per_pixel,
         std::uint64_t stated, std::uint64_t most = 1);

  std::size_t height() const { return height_; }
  std::size_t width() const { return width_; }
  std::size_t channels() const { return channels_; }
  std::span<Byte> row(std::size_t y);
  std::span<Byte> pixel(std::size_t y, std::size_t x) { return row(y).subspan(x * channels_, channels_); }
  Tensor finish() && { return std::move(builder_).finish(); }

 private:
  std::size_t height_, width_, channels_;
  TensorBuilder builder_;
  std::span<Byte> all_;  ///< its elements
};

}  // namespace opref::ops::images
