// SPDX-License-Identifier: Apache-2.0
#include "exact/decimal.h"

#include <array>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "exact/rounding.h"

namespace opref::exact {
namespace {

/// "1.25e-07" taken apart.
Decimal parsed_scientific(std::string_view text) {
  const size_t e = text.find('e');
  Decimal result{std::string(text.substr(0, 1)), 0};
  if (e > 2) result.digits += text.substr(2, e - 2);
  while (result.digits.size() > 1 && result.digits.back() == '0') result.digits.pop_back();
  const size_t start = e + 1 + (text[e + 1] == '+');
  std::from_chars(text.data() + start, text.data() + text.size(), result.exponent);
  return result;
}

template <class... A>
std::string chars(A... arguments) {
  std::array<char, 1500> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), arguments...).ptr;
  return {buffer.data(), end};
}

/// The next decimal of as many digits, away from zero.
Decimal next_decimal(Decimal decimal, size_t length) {
  decimal.digits.resize(length, '0');
  size_t i = length;
  while (i > 0 && decimal.digits[i - 1] == '9') --i;
  if (i == 0) return {"1", decimal.exponent + 1};
  ++decimal.digits[i - 1];
  decimal.digits.resize(i);
  return decimal;
}

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

double read(const std::string& magnitude, int mode) {
  const RoundingMode rounding(mode);
  return std::strtod(magnitude.c_str(), nullptr);
}

/// The decimal truncated to a double, whose last bit is set if anything was cut off: rounding that to a format of at
/// most 51 bits gives what rounding the decimal gives. strtod rounds correctly in every rounding mode (glibc,
/// since 2.17).
double round_to_odd(const std::string& magnitude) {
  const double below = read(magnitude, FE_DOWNWARD);
  const double above = read(magnitude, FE_UPWARD);
  return below == above ? below : from_bits<double>(to_bits(below) | 1);
}

}  // namespace

std::string Decimal::fixed() const {
  const int length = static_cast<int>(digits.size());
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-1 - exponent), '0') + digits;
  const auto units = static_cast<size_t>(exponent) + 1;
  if (length <= exponent + 1) return digits + std::string(units - digits.size(), '0');
  return digits.substr(0, units) + "." + digits.substr(units);
}

std::string Decimal::scientific() const {
  std::string text = digits.substr(0, 1);
  if (digits.size() > 1) text += "." + digits.substr(1);
  const std::string power = std::to_string(std::abs(exponent));
  return text + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
}

std::string fixed_text(double magnitude, int fraction) { return chars(magnitude, std::chars_format::fixed, fraction); }

std::string scientific_text(double magnitude, int fraction) {
  return chars(magnitude, std::chars_format::scientific, fraction);
}

Decimal shortest_decimal(DType dtype, std::uint64_t bits) {
  const double magnitude = std::abs(floating_value(dtype, bits));
  if (dtype == DType::float64) return parsed_scientific(chars(magnitude, std::chars_format::scientific));
  if (dtype == DType::float32)
    return parsed_scientific(chars(static_cast<float>(magnitude), std::chars_format::scientific));
  const bool negative = std::signbit(floating_value(dtype, bits));
  const auto reads_back = [&](const Decimal& decimal) {
    return decimal_bits(dtype, negative, decimal.scientific()) == bits;
  };
  for (int fraction = 0;; ++fraction) {
    Decimal nearest = parsed_scientific(scientific_text(magnitude, fraction));
    if (reads_back(nearest)) return nearest;
    // A power of two lies nearer to the number below it than to the one above: above there may be room.
    Decimal next = next_decimal(nearest, static_cast<size_t>(fraction) + 1);
    if (reads_back(next)) return next;
  }
}

std::optional<std::uint64_t> decimal_bits(DType dtype, bool negative, const std::string& magnitude) {
  if (dtype == DType::float64) {
    const double value = read(magnitude, FE_TONEAREST);
    return to_bits(negative ? -value : value);
  }
  if (dtype == DType::float32) {
    const RoundingMode rounding(FE_TONEAREST);
    const float value = std::strtof(magnitude.c_str(), nullptr);
    return to_bits(negative ? -value : value);
  }
  const Scaled parts = scaled(round_to_odd(magnitude));
  if (const auto bits = encode_finite(dtype, negative, parts.significand, parts.exponent)) return bits;
  return infinity_of(dtype, negative);
}

}  // namespace opref::exact
