// SPDX-License-Identifier: Apache-2.0
// Numbers of 2, 4 or 8 bits that lie in bytes, and the numbers for which they stand: weights of few bits, in blocks
// that share a scale and a zero point.
#pragma once

#include <bit>
#include <optional>

#include "core/error.h"
#include "evaluators/programs.h"
#include "schema/operator.h"
namespace opref::ops {
/// That the attribute is 2, 4 or 8: so many bits fill bytes.
inline void require_bits(const Call& call, std::string_view attribute) {
  const std::int64_t bits = call.integer(attribute);
  require(bits == 2 || bits == 4 || bits == 8, "attribute '{}' is {}, but must be 2, 4 or 8", attribute, bits);
}
/// That it is a "power of two >= 16".
inline void require_block_size(const Call& call, std::string_view attribute) {
  const std::int64_t size = call.integer(attribute);
  require(size >= 16 && std::has_single_bit(static_cast<std::uint64_t>(size)),
          "attribute '{}' is {}, but must be a power of two of at least 16", attribute, size);
}

/// How many bytes so many numbers of these bits take.
inline std::int64_t packed_bytes(std::int64_t numbers, std::int64_t bits) { return ceil_divide(numbers, 8 / bits); }

/// Lines of numbers, each of which begins a byte and has its lowest bits first. A tensor of another type has its
/// elements as they are: `bits` is 0.
class PackedNumbers {
 public:
  PackedNumbers(const Tensor& tensor, std::int64_t bits, std::int64_t elements_per_line)
      : elements_(tensor), bits_(bits), step_(elements_per_line) {}

  /// Number k of a line; `explain` hears of the byte.
  template <class R>
  R operator()(const Reader<R>& x, std::int64_t line, std::int64_t k) const {
    if (bits_ == 0) return x(elements_, line * step_ + k);
    const std::int64_t per_byte = 8 / bits_, at = line * step_ + k / per_byte;
    if constexpr (std::is_same_v<R, Interval>) x(elements_, at);
    const std::int64_t number = elements_.integer(at) >> (k % per_byte * bits_);
    return R::whole(number & ((std::int64_t{1} << bits_) - 1));
  }

 private:
  Elements elements_;
  std::int64_t bits_, step_;
};

/// The zero points: those of an input, or one number for all.
struct ZeroPoints {
  std::optional<PackedNumbers> numbers;
  double otherwise;

  template <class R>
  R operator()(const Reader<R>& x, std::int64_t line, std::int64_t k) const {
    return numbers ? (*numbers)(x, line, k) : R(otherwise);
  }
};
}  // namespace opref::ops
