// SPDX-License-Identifier: Apache-2.0
// A real number in far more digits than any type has, to be shown: sums and products of doubles are exact.
#pragma once

#include <string>

#include "core/dtype.h"
#include "exact/mpfr_room.h"

namespace opref::exact {

class RealNumber {
 public:
  /// Bits of the significand: all that a sum of products of doubles can have, and those of 2^63 of them.
  static constexpr MpfrPrecision kPrecision = 4352;

  RealNumber(double value = 0);
  explicit RealNumber(const MpfrNumber* value);
  RealNumber(const RealNumber& other);
  RealNumber& operator=(const RealNumber& other);
  ~RealNumber();

  RealNumber& operator+=(const RealNumber& other);
  friend RealNumber operator+(RealNumber a, const RealNumber& b) { return a += b; }
  friend RealNumber operator-(const RealNumber& a, const RealNumber& b);
  friend RealNumber operator*(const RealNumber& a, const RealNumber& b);
  friend RealNumber operator/(const RealNumber& a, const RealNumber& b);
  friend RealNumber power(const RealNumber& a, const RealNumber& b);
  /// The p-th root of a >= 0, which for whole p is exact where it can be; p > 0.
  friend RealNumber root(const RealNumber& a, double p);
  friend RealNumber magnitude(const RealNumber& a);

  bool is_finite() const;
  bool is_nan() const;
  /// -1, 0 or 1; 0 of NaN.
  int sign() const;
  double nearest_double() const;

 private:
  MpfrRoom value_;
  friend std::string to_text(const RealNumber& number, int digits);
  friend std::string hex_text(const RealNumber& number);
};

/// "0.1", "-1.2345e-40", "inf": so many significant digits, fewer where they say all; cut, not rounded, and followed by
/// "…" where they do not.
std::string to_text(const RealNumber& number, int digits = 30);

/// "0x1.8p-3": all of it.
std::string hex_text(const RealNumber& number);

}  // namespace opref::exact
