// SPDX-License-Identifier: Apache-2.0
// Floating elements to and from decimal digits, rounded once in both directions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/dtype.h"

namespace opref::exact {

/// d.ddd… · 10^exponent; no trailing zeros, zero is "0".
struct Decimal {
  std::string digits;
  int exponent;

  /// How many digits stand after the point in 123.45 and in 1.2345e+02.
  int fixed_fraction() const { return std::max(0, static_cast<int>(digits.size()) - 1 - exponent); }
  int scientific_fraction() const { return static_cast<int>(digits.size()) - 1; }
  /// "123.45", "0.001", "1200"
  std::string fixed() const;
  /// "1.2345e+02", "1e-05"
  std::string scientific() const;
};

/// The fewest digits that read back as the finite element of floating type `dtype` with these bits; of those the
/// nearest to it, of two equally near ones that with the even last digit. The sign is left out.
Decimal shortest_decimal(DType dtype, std::uint64_t bits);

/// A finite `magnitude` >= 0 correctly rounded to `fraction` digits after the point: "123.4500", "1.2345e+02".
std::string fixed_text(double magnitude, int fraction);
std::string scientific_text(double magnitude, int fraction);

/// The bits of the element of floating type `dtype` nearest to ±magnitude, a decimal number such as "12", "1.5" or
/// "3e-7", ties to even. Infinity where it overflows; nothing where the format has no infinity (float8_e8m0fnu: or no
/// such number).
std::optional<std::uint64_t> decimal_bits(DType dtype, bool negative, const std::string& magnitude);

}  // namespace opref::exact
