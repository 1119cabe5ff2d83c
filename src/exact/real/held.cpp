// SPDX-License-Identifier: Apache-2.0
#include "exact/real/held.h"

#include <algorithm>
#include <cmath>

namespace opref::exact {
namespace {

constexpr int kBits = 24, kLowest = -149, kAbove = 128;  ///< of float32

/// The bits of the result's significand; 0 of integers and bool.
int result_bits() {
  switch (Held::result()) {
    case DType::float32:
      return kBits;
    case DType::float16:
      return 11;
    case DType::bfloat16:
      return 8;
    default:
      return 0;
  }
}
/// All its numbers are multiples of 2 to this, the least ones too.
int result_lowest() {
  return Held::result() == DType::float16 ? -24 : Held::result() == DType::bfloat16 ? -133 : kLowest;
}
Held with(Held::As as, Held y) {
  y.as = as;
  return y;
}
Held any_single(Held::As as) { return with(as, {kBits, kLowest, kAbove}); }
/// One operation of these, rounded to float32.
Held rounded(const Held& a, const Held& b) {
  if (!a.is_exact() || !b.is_exact()) return any_single(Held::As::wrong);
  const bool is_innocuous = result_bits() == kBits || std::max(a.bits, b.bits) <= result_bits();
  return any_single(is_innocuous ? Held::As::rounded_once : Held::As::nearest_single);
}

}  // namespace

thread_local DType Held::result_ = DType::float32;
thread_local bool Held::has_doubtful_condition_ = false;

Held::Held(double constant) : bits(0), lowest(0), above(0) {
  if (!std::isfinite(constant) || constant == 0) return;
  as = static_cast<double>(static_cast<float>(constant)) == constant ? As::exact : As::wrong;
  int exponent = 0;
  double rest = std::abs(std::frexp(constant, &exponent));
  for (; rest != 0; ++bits) rest = rest * 2 - std::floor(rest * 2);
  above = exponent, lowest = exponent - bits;
}

void Held::begin(DType result) { result_ = result, has_doubtful_condition_ = false; }
Held Held::any(DType operand) {
  const DTypeInfo& type = info(operand);
  if (operand == DType::float32) return {kBits, kLowest, kAbove};
  if (operand == DType::float16) return {11, -24, 16};
  if (operand == DType::bfloat16) return {8, -133, 128};
  return {type.bits, 0, type.bits};
}
bool Held::is_right(const Held& y) {
  const bool is_float = info(result_).kind == Kind::floating;
  return !has_doubtful_condition_ && (is_float || y.is_whole()) && (y.is_exact() || y.as == As::rounded_once);
}
Truth Held::condition(const Held& a, const Held& b) {
  has_doubtful_condition_ |= !a.is_exact() || !b.is_exact();
  return {false};
}

Held operator+(const Held& a, const Held& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const int lowest = std::min(a.lowest, b.lowest), above = std::max(a.above, b.above) + 1;
  Held y = rounded(a, b);
  if (a.is_exact() && b.is_exact() && above - lowest <= kBits) return {above - lowest, lowest, above};
  // A tie between two of the result's subnormals is one of float32, and may come of its rounding.
  if (lowest < result_lowest()) y.as = std::max(y.as, Held::As::nearest_single);
  if (y.as == Held::As::wrong || !a.is_whole() || !b.is_whole()) return y;
  y.lowest = lowest;
  // Whole numbers below 2^24 are exact, and beyond all integers of 16 bits saturate.
  return info(Held::result()).kind == Kind::floating ? y : with(Held::As::rounded_once, y);
}
Held operator*(const Held& a, const Held& b) {
  const Held y{a.bits + b.bits, a.lowest + b.lowest, a.above + b.above};
  if (!a.is_exact() || !b.is_exact() || y.bits > kBits || y.lowest < kLowest) return rounded(a, b);
  return with(y.above > kAbove ? Held::As::rounded_once : Held::As::exact,
              y);  // to infinity, as the result's type does
}
Held operator/(const Held& a, const Held& b) { return rounded(a, b); }
Held sqrt(const Held& a) { return rounded(a, a); }
Held join(const Held& a, const Held& b) {
  return with(std::max(a.as, b.as),
              {std::max(a.bits, b.bits), std::min(a.lowest, b.lowest), std::max(a.above, b.above)});
}
Held floor(const Held& a) {
  return with(a.is_exact() ? a.as : Held::As::wrong, {a.bits, std::max(a.lowest, 0), a.above + 1});
}
Held fmod(const Held& a, const Held& b) {  // which is a, or has no place below those of b, and is less than that
  const Held y = join(a, b);
  return y.is_exact() ? y : with(Held::As::wrong, y);
}
Held floor_mod(const Held& a, const Held& b) { return rounded(fmod(a, b), b); }
Held rounded_to(const Held& x, std::optional<DType> dtype) {
  if (!dtype || x.as == Held::As::wrong) return x;
  return any_single(dtype == DType::float32 ? Held::As::exact : Held::As::wrong);
}

}  // namespace opref::exact
