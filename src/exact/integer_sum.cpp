// SPDX-License-Identifier: Apache-2.0
#include "exact/integer_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/error.h"

namespace opref::exact {
namespace {

using Wide = IntegerSum::Wide;
using Bits = IntegerSum::Bits;
using Rounding = Integers::Rounding;

/// Adds n·unit·factor, in parts that a double holds; unit is a power of two.
void add_product(ExactSum& sum, Wide n, double unit, double factor) {
  if (n < 0) unit = -unit;
  for (Bits rest = n < 0 ? -static_cast<Bits>(n) : static_cast<Bits>(n); rest != 0; rest >>= 32, unit *= 0x1p32)
    sum.add(static_cast<double>(static_cast<std::uint32_t>(rest)) * unit, factor);
}

int bit_width(Bits x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high)) : static_cast<int>(std::bit_width(low));
}

/// significand·2^exponent, the significand being odd.
struct Odd {
  Bits significand;
  int exponent;
};
Odd odd(double positive) {
  const Scaled x = scaled(positive);
  const int zeros = std::countr_zero(x.significand);
  return {x.significand >> zeros, x.exponent + zeros};
}

/// Whether ties go to q.
bool takes_ties(Wide q, const Integers& how) {
  return (q + (how.rounding == Rounding::nearest_with_zero_point ? how.zero_point : 0)) % 2 == 0;
}

/// sum·a/b rounded, where numerator and denominator are integers of 128 bits.
std::optional<Wide> by_division(Wide sum, const Ratio& ratio, const Integers& how) {
  if (ratio.b_rest != 0) return std::nullopt;
  const Odd a = odd(ratio.a), b = odd(ratio.b);
  const int up = std::max(0, a.exponent - b.exponent), down = std::max(0, b.exponent - a.exponent);
  const Bits magnitude = sum < 0 ? -static_cast<Bits>(sum) : static_cast<Bits>(sum);
  constexpr int kMostBits = 126;
  if (bit_width(magnitude) + bit_width(a.significand) + up > kMostBits || bit_width(b.significand) + down > kMostBits)
    return std::nullopt;
  const Bits n = (magnitude * a.significand) << up, d = b.significand << down, q = n / d, twice_rest = 2 * (n - q * d);
  const bool is_tie = twice_rest == d && !takes_ties(static_cast<Wide>(q), how);
  const bool rounds_up = how.rounding != Rounding::truncate && (twice_rest > d || is_tie);
  const auto rounded = static_cast<Wide>(q + (rounds_up ? 1 : 0));
  return sum < 0 ? -rounded : rounded;
}

}  // namespace

Wide IntegerSum::clamped(Wide least, Wide most) const {
  if (!fits()) return high_ < 0 ? least : most;
  return std::clamp(wide(), least, most);
}

void IntegerSum::add_to(ExactSum& sum, double factor) const {
  add_product(sum, static_cast<Wide>(high_), 0x1p128, factor);
  add_product(sum, static_cast<Wide>(low_ >> 64), 0x1p64, factor);
  add_product(sum, static_cast<Wide>(low_ & ~std::uint64_t{0}), 1, factor);
}

Wide IntegerSum::quotient(const Ratio& ratio, const Integers& how, Wide least, Wide most) const {
  if (fits())
    if (const auto q = by_division(wide(), ratio, how)) return std::clamp(*q, least, most);
  // The least q to which the quotient rounds, or which is above it: the sign of 2·sum·a - bound·(b + b_rest) says so.
  const bool negative = high_ < 0, truncates = how.rounding == Rounding::truncate;
  const auto reaches = [&](Wide q) {
    const Wide bound = truncates ? (negative ? 2 * q : 2 * q + 2) : 2 * q + 1;
    ExactSum difference;
    for (int k = 0; k < 2; ++k) add_to(difference, ratio.a);
    for (const double part : {ratio.b, ratio.b_rest}) add_product(difference, -bound, 1, part);
    const int sign = difference.sign();
    const bool takes_bound = truncates ? negative : takes_ties(q, how);
    return sign < 0 || (sign == 0 && takes_bound);
  };
  while (least < most) {
    const Wide middle = least + (most - least) / 2;
    if (reaches(middle))
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

std::uint64_t IntegerSum::round(DType dtype, const Integers& how, const Ratio& ratio) const {
  const DTypeInfo& type = info(dtype);
  const auto is_factor = [](double x) { return std::isfinite(x) && x > 0; };
  if (!is_factor(ratio.a) || !is_factor(ratio.b))
    fail(Fault::internal, "an integer sum times {}/{}: both must be finite and > 0", ratio.a, ratio.b);
  const bool rounds = how.rounding != Rounding::wrap && how.rounding != Rounding::saturate;
  if (!rounds && !ratio.is_one()) fail(Fault::internal, "an integer sum times {}/{} is not rounded", ratio.a, ratio.b);
  if (how.rounding == Rounding::wrap)
    return static_cast<std::uint64_t>(low_) + static_cast<std::uint64_t>(how.zero_point);
  const bool is_signed = type.kind == Kind::signed_integer;
  const Wide top = (Wide{1} << (type.bits - (is_signed ? 1 : 0))) - 1, bottom = is_signed ? -top - 1 : 0;
  const Wide least = bottom - how.zero_point, most = top - how.zero_point;
  const Wide q = rounds ? quotient(ratio, how, least, most) : clamped(least, most);
  return static_cast<std::uint64_t>(q + how.zero_point);
}

}  // namespace opref::exact
