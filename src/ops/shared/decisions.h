// SPDX-License-Identifier: Apache-2.0
// Decisions on real numbers: estimates make nearly all of them, intervals of rising precision the others.
#pragma once

#include <optional>
#include <string>

#include "core/error.h"
#include "evaluators/programs.h"
#include "exact/real/with_precision.h"
namespace opref::ops {
/// Whether a < b, where it is known; R is Bounded, Interval or Faithful.
template <class R>
std::optional<bool> is_less(const R& a, const R& b) {
  if constexpr (std::is_same_v<R, exact::Bounded>) {
    const exact::BoundedLess less = a < b;
    return less.blur == 0 ? std::optional(less.holds) : std::nullopt;
  } else {
    if (const auto less = a < b; less != R::Truth::unknown) return less == R::Truth::yes;
    if constexpr (std::is_same_v<R, exact::Faithful>) {
      return std::nullopt;
    } else {
      const std::optional<int> sign = (b - a).sign();  // which knows an algebraic zero
      return sign ? std::optional(*sign > 0) : std::nullopt;
    }
  }
}
template <class R>
std::optional<bool> is_positive(const R& x) {
  return is_less(R(0.0), x);
}
/// -1, 0 or 1, where it is known.
template <class R>
std::optional<int> sign_of(const R& x) {
  const std::optional<bool> above = is_positive(x), below = is_positive(-x);
  if (!above || !below) return std::nullopt;
  return int{*above} - int{*below};
}

/// Whether a·e^p < b·e^q. Of algebraic numbers it is always told: where p and q differ, the two are never equal but 0.
template <class R>
std::optional<bool> is_less_by_powers(const R& a, const R& p, const R& b, const R& q) {
  const R d = p - q;
  return sign_of(d) == 0 ? is_less(a, b) : is_less(a * exp(d), b);
}

/// What known(x) says, x a Reader<R>: nothing where numbers R do not tell it. What no precision tells, as whether two
/// transcendental numbers are equal, is `unsupported`: of_what() names it. Quotients, roots and what is rational are
/// always told. The precision of this thread's intervals stays as it is.
template <class Known, class Name>
auto decide(const Known& known, const Name& of_what) {
  const exact::WithPrecision as_before(exact::Interval::precision);
  auto told = known(Reader<exact::Bounded>());
  if (told || in_some_precision([&] { return (told = known(Reader<exact::Interval>())).has_value(); })) return *told;
  fail(Fault::unsupported, "{} cannot be told with {} bits", of_what(), kLastPrecision);
}
}  // namespace opref::ops
