// SPDX-License-Identifier: Apache-2.0
// Exact sums of integers and of products of two of them.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "exact/ratio.h"

namespace opref::exact {

/// What becomes of an integer sum, times a ratio, that is no number of its type. Overflow wraps only where nothing is
/// rounded.
struct Integers {
  enum class Rounding : std::uint8_t {
    wrap,                     ///< modulo 2^bits; the ratio is 1
    saturate,                 ///< the nearest number of the type; the ratio is 1
    truncate,                 ///< rounded toward zero, then saturated
    nearest,                  ///< to the nearest integer, ties to even, then saturated
    nearest_with_zero_point,  ///< likewise, the zero point being added before: ties go to an even result
  } rounding = Rounding::wrap;
  std::int64_t zero_point = 0;  ///< added after rounding, before a result saturates; of at most 32 bits
};

/// A sum of fewer than 2^63 terms, modulo nothing.
class IntegerSum {
 public:
  __extension__ using Wide = __int128;
  __extension__ using Bits = unsigned __int128;

  void add(Wide x) {
    const auto bits = static_cast<Bits>(x);
    low_ += bits;
    high_ += (x < 0 ? -1 : 0) + (low_ < bits ? 1 : 0);
  }
  void add(std::int64_t a, std::int64_t b) { add(Wide{a} * b); }
  void add(std::uint64_t a, std::uint64_t b) {
    const Bits product = Bits{a} * b;
    low_ += product;
    high_ += low_ < product ? 1 : 0;
  }
  /// The sum times the ratio as an element of an integer type, right-aligned bits of which the low ones count. a and b
  /// are finite and > 0 (`internal`).
  std::uint64_t round(DType dtype, const Integers& how, const Ratio& ratio = {}) const;

 private:
  bool fits() const { return high_ == (low_ >> 127 == 0 ? 0 : -1); }
  Wide wide() const { return static_cast<Wide>(low_); }  ///< the sum, if it fits
  Wide clamped(Wide least, Wide most) const;
  Wide quotient(const Ratio& ratio, const Integers& how, Wide least, Wide most) const;
  void add_to(ExactSum& sum, double factor) const;

  Bits low_ = 0;
  std::int64_t high_ = 0;  ///< the sum is high·2^128 + low
};

}  // namespace opref::exact
