// SPDX-License-Identifier: Apache-2.0
#include "exact/ratio.h"

#include <algorithm>

namespace opref::exact {
namespace {

constexpr int kMostExponent = Format<double>::max_exponent + 1;
constexpr int kLeastExponent = Format<double>::min_exponent - Format<double>::precision;  // of half the least double

/// ±significand·2^exponent with a significand that is an integer of 53 bits.
struct Integral {
  double significand;
  int exponent;
};
Integral integral(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);
  return {std::ldexp(fraction, Format<double>::precision), exponent - Format<double>::precision};
}

/// Compares |sum|·a/b with numbers that are not far from it, on a grid on which no product loses a bit.
class Comparison {
 public:
  Comparison(ExactSum& sum, const Ratio& ratio)
      : a_(integral(ratio.a)), b_(integral(ratio.b)), b_rest_(std::signbit(ratio.b) ? -ratio.b_rest : ratio.b_rest) {
    constexpr int kNearLowest = -1900, kUp = 300;  // the grid of ExactSum ends at 2^-2176
    exponent_ = sum.exponent() < kNearLowest ? kUp : 0;
    for (int k = 0; k < 2; ++k) twice_.add_multiple(sum, sum.sign() * a_.significand, exponent_);
  }

  /// The sign of 2·|sum|·a/b - (m + n), where infinity stands for the number after the largest.
  int with(double m, double n) const {
    ExactSum difference = twice_;
    for (const double x : {m, n}) {
      const int times = std::isinf(x) ? 2 : 1;
      const double finite = std::isinf(x) ? std::ldexp(1.0, Format<double>::max_exponent) : x;
      for (int k = 0; k < times; ++k) {
        difference.add_scaled(-finite, b_.significand, exponent_ + b_.exponent - a_.exponent);
        if (b_rest_ != 0) difference.add_scaled(-finite, b_rest_, exponent_ - a_.exponent);
      }
    }
    return difference.sign();
  }

 private:
  Integral a_, b_;
  double b_rest_;
  int exponent_;
  ExactSum twice_;  ///< 2·|sum|·a's significand·2^exponent_
};

double power_or_end(int exponent) {
  if (exponent >= kMostExponent) return HUGE_VAL;
  return std::ldexp(1.0, exponent);  // 0 below the least double
}

}  // namespace

RoundedReal scaled(ExactSum& sum, const Ratio& ratio) {
  const auto is_regular = [](double x) { return std::isfinite(x) && x != 0; };
  if (!sum.is_finite() || !is_regular(ratio.a) || !is_regular(ratio.b)) {
    const double stands_for = sum.is_finite() ? sum.sign() : sum.round<double>();
    return {stands_for * ratio.a / ratio.b + 0.0};
  }
  const int sign = std::signbit(ratio.a) == std::signbit(ratio.b) ? sum.sign() : -sum.sign();
  if (sign == 0) return {};
  // The magnitude is above 2^(exponent - 1) and below 2^(exponent + 2). So it is where b is above the integer that it
  // stands for: that lacks less than 2^-53 of b, and a, of 53 bits, more than that of a power of two.
  const int exponent = sum.exponent() + std::ilogb(ratio.a) - std::ilogb(ratio.b);
  if (exponent - 1 >= kMostExponent) return {sign * HUGE_VAL};
  if (exponent + 2 < kLeastExponent) return {std::copysign(0.0, sign), sign};
  const Comparison magnitude(sum, ratio);
  // The least double whose midpoint to the next one is not below the magnitude, ties to even.
  std::uint64_t low = to_bits(power_or_end(exponent - 1)), high = to_bits(power_or_end(exponent + 2));
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const int side = magnitude.with(from_bits<double>(middle), from_bits<double>(middle + 1));
    if (side > 0 || (side == 0 && (middle & 1) != 0))
      low = middle + 1;
    else
      high = middle;
  }
  const double y = from_bits<double>(low);
  return {sign * y, std::isinf(y) ? 0 : sign * magnitude.with(y, y)};
}

}  // namespace opref::exact
