// SPDX-License-Identifier: Apache-2.0
#include "compare/element_rule.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/infinity.h"
#include "exact/rounding.h"

namespace opref::compare {
namespace {

using Int128 = __int128;
using Distance = std::optional<std::uint64_t>;

template <class Integer>
ExactValue integer_number(Integer value) {
  const auto high = static_cast<double>(value);
  return {high, static_cast<double>(Int128{value} - static_cast<Int128>(high))};
}

/// last - first, where that may need 64 bits.
std::uint64_t steps(std::int64_t first, std::int64_t last) {
  return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
}

/// The last position in [first, last] that `holds`, which is true at `first` and, once false, stays so.
template <class Condition>
std::int64_t last_where(std::int64_t first, std::int64_t last, const Condition& holds) {
  while (first < last) {
    const std::int64_t middle = last - static_cast<std::int64_t>(steps(first, last) / 2);
    if (holds(middle))
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/// Of two different finite elements of one type.
Distance same_type_distance(const PartType& type, std::uint64_t actual, std::uint64_t expected) {
  if (type.kind() == Kind::boolean) return std::nullopt;
  if (type.kind() == Kind::unsigned_integer) return actual < expected ? expected - actual : actual - expected;
  const bool floating = type.kind() == Kind::floating;
  const std::int64_t a = floating ? type.position(actual) : type.signed_value(actual);
  const std::int64_t e = floating ? type.position(expected) : type.signed_value(expected);
  return steps(std::min(a, e), std::max(a, e));
}

/// From the finite element `expected` of a floating type to a real number.
Distance floating_distance(const PartType& type, const ExactValue& actual, std::uint64_t expected) {
  const auto least = static_cast<std::int64_t>(type.least()), most = static_cast<std::int64_t>(type.most());
  const auto value = [&type](std::int64_t position) { return ExactValue{type.value_at(position), 0}; };
  if (actual < value(least) || value(most) < actual) return std::nullopt;
  const std::int64_t from = type.position(expected);
  const std::int64_t below =
      last_where(least, most, [&](std::int64_t position) { return !(actual < value(position)); });
  if (below < from) return steps(below, from);
  return steps(from, below) + (value(below) == actual ? 0 : 1);
}

/// From the element `expected` of an integer type or bool to a real number.
Distance integer_distance(const PartType& type, const ExactValue& actual, std::uint64_t expected) {
  if (std::abs(actual.high) > 0x1p64) return std::nullopt;
  const Int128 below = static_cast<Int128>(std::floor(actual.high)) + static_cast<Int128>(actual.low);
  const Int128 above = static_cast<Int128>(std::ceil(actual.high)) + static_cast<Int128>(actual.low);
  if (below < type.least() || above > type.most()) return std::nullopt;
  const Int128 from = type.kind() == Kind::signed_integer ? Int128{type.signed_value(expected)} : Int128{expected};
  const auto distance = static_cast<std::uint64_t>(std::max(above - from, from - below));
  if (type.kind() == Kind::boolean && distance != 0) return std::nullopt;
  return distance;
}

Int128 integer(const ExactValue& number) { return static_cast<Int128>(number.high) + static_cast<Int128>(number.low); }

/// Off by at most three roundings: low parts matter only beside high parts above 2^53, and what they could cancel
/// subtracts exactly.
double rough_error(const ExactValue& a, const ExactValue& e) { return std::abs((a.high - e.high) + (a.low - e.low)); }

}  // namespace

PartType::PartType(DType dtype) : dtype_(dtype), kind_(info(dtype).kind), bits_(info(dtype).bits) {
  if (kind_ == Kind::floating) {
    const auto top = static_cast<std::int64_t>(has_sign() ? sign() - 1 : sign() * 2 - 1);
    most_ = last_where(0, top, [this](std::int64_t position) { return std::isfinite(value_at(position)); });
    least_ = has_sign() ? -most_ : 0;
  } else if (kind_ == Kind::signed_integer) {
    least_ = -(Int128{1} << (bits_ - 1));
    most_ = -least_ - 1;
  } else {
    most_ = kind_ == Kind::boolean ? 1 : (Int128{1} << bits_) - 1;
  }
}

bool PartType::has_two_zeros() const { return kind_ == Kind::floating && floating_value(dtype_, sign()) == 0; }

ExactValue PartType::number(std::uint64_t bits) const {
  if (kind_ == Kind::floating) return {floating_value(dtype_, bits), 0};
  return kind_ == Kind::signed_integer ? integer_number(signed_value(bits)) : integer_number(bits);
}

std::int64_t PartType::signed_value(std::uint64_t bits) const {
  return static_cast<std::int64_t>(bits << (64 - bits_)) >> (64 - bits_);
}

std::int64_t PartType::position(std::uint64_t bits) const {
  if (!has_sign()) return static_cast<std::int64_t>(bits);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign() - 1));
  return (bits & sign()) != 0 ? -magnitude : magnitude;
}

double PartType::value_at(std::int64_t position) const {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(position));
  return floating_value(dtype_, position < 0 ? sign() | magnitude : magnitude);
}

Passing Passing::failure(const Badness& badness) {
  return {.passes = false,
          .identical = false,
          .ulp = std::nullopt,
          .absolute = kInfinity,
          .relative = kInfinity,
          .badness = badness};
}

Passing Passing::both(const Passing& a, const Passing& b) {
  return {.passes = a.passes && b.passes,
          .identical = a.identical && b.identical,
          .ulp = a.ulp && b.ulp ? std::max(a.ulp, b.ulp) : std::nullopt,
          .absolute = std::max(a.absolute, b.absolute),
          .relative = std::max(a.relative, b.relative),
          .badness = std::max(a.badness, b.badness)};
}

ElementRule::ElementRule(DType actual, DType expected, const Tolerance& tolerance)
    : actual_type_(actual),
      expected_type_(expected),
      same_type_(actual == expected),
      signed_zeros_(actual_type_.has_two_zeros() && expected_type_.has_two_zeros()),
      tolerance_(tolerance) {}

Passing ElementRule::judge(std::uint64_t actual, std::uint64_t expected) {
  if (same_type_ && actual == expected) return {};
  const ExactValue a = actual_type_.number(actual), e = expected_type_.number(expected);
  if (!std::isfinite(a.high) || !std::isfinite(e.high)) return judge_special(a.high, e.high);
  Passing verdict;
  if (same_type_) {
    verdict.ulp = same_type_distance(expected_type_, actual, expected);
  } else {
    verdict.ulp = expected_type_.kind() == Kind::floating ? floating_distance(expected_type_, a, expected)
                                                          : integer_distance(expected_type_, a, expected);
  }
  const bool other_zero = signed_zeros_ && std::signbit(a.high) != std::signbit(e.high);
  verdict.identical = verdict.ulp == 0 && !other_zero;
  switch (tolerance_.rule) {
    case Tolerance::Rule::exact:
      verdict.passes = verdict.identical;
      break;
    case Tolerance::Rule::ulp:
      verdict.passes = verdict.ulp && *verdict.ulp <= static_cast<std::uint64_t>(tolerance_.ulp);
      break;
    case Tolerance::Rule::relative:
      verdict.passes = close(a, e);
      break;
    case Tolerance::Rule::bound:
      fail(Fault::internal, "two elements alone have no error bound");
  }
  verdict.absolute = absolute_error(a, e);
  verdict.relative = verdict.absolute == 0 ? 0 : verdict.absolute / std::abs(e.high);
  if (verdict.passes) return verdict;
  verdict.badness = tolerance_.rule == Tolerance::Rule::relative
                        ? RoughDecision(tolerance_, rough_error(a, e), e.high).badness()
                        : badness_of(verdict.ulp);
  return verdict;
}

/// At least one is NaN or infinite, and they are not the same bits of the same type.
Passing ElementRule::judge_special(double a, double e) const {
  if (a == e) return {};
  Passing verdict = Passing::failure({kInfinity, ~std::uint64_t{0}});
  if (std::isnan(a) && std::isnan(e) && !tolerance_.strict_nan) {
    verdict.passes = true;
    verdict.ulp = 0;
    verdict.absolute = verdict.relative = 0;
  }
  return verdict;
}

/// |a - e| <= atol + rtol·|e|, on real numbers.
bool ElementRule::close(const ExactValue& a, const ExactValue& e) {
  const RoughDecision rough(tolerance_, rough_error(a, e), e.high);
  if (rough.passes || rough.fails) return rough.passes;
  const double rtol = e.high < 0 ? -tolerance_.rtol : tolerance_.rtol;
  sum_.clear();
  sum_.add(tolerance_.atol);
  sum_.add(rtol, e.high);
  sum_.add(rtol, e.low);
  add_difference(a, e, a < e ? 1 : -1);
  return sum_.sign() >= 0;
}

/// sign·(a - e)
void ElementRule::add_difference(const ExactValue& a, const ExactValue& e, double sign) {
  sum_.add(sign, a.high);
  sum_.add(sign, a.low);
  sum_.add(-sign, e.high);
  sum_.add(-sign, e.low);
}

/// Rounded once.
double ElementRule::absolute_error(const ExactValue& a, const ExactValue& e) {
  if (a.low == 0 && e.low == 0) return std::abs(a.high - e.high);
  if (actual_type_.kind() != Kind::floating && expected_type_.kind() != Kind::floating) {
    const Int128 difference = integer(a) - integer(e);
    return static_cast<double>(difference < 0 ? -difference : difference);
  }
  sum_.clear();
  add_difference(a, e, 1);
  return std::abs(sum_.round<double>());
}

}  // namespace opref::compare
