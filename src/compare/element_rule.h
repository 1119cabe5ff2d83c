// SPDX-License-Identifier: Apache-2.0
// The rules of comparison for one pair of elements (see compare.h), and distances between representable values.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "compare/tolerance.h"
#include "core/dtype.h"
#include "core/infinity.h"
#include "exact/exact_sum.h"
#include "exact/rounding.h"

namespace opref::compare {

/// The real number high + low, where high is the double nearest to it; or NaN or an infinity in `high`.
struct ExactValue {
  double high = 0, low = 0;

  friend bool operator==(const ExactValue&, const ExactValue&) = default;
  friend bool operator<(const ExactValue& a, const ExactValue& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};

/// What the bits of an element mean; not for complex and string.
class PartType {
 public:
  explicit PartType(DType dtype);

  DType dtype() const { return dtype_; }
  Kind kind() const { return kind_; }
  /// float8_e8m0fnu has no sign.
  bool has_sign() const { return dtype_ != DType::float8_e8m0fnu; }
  bool has_two_zeros() const;
  ExactValue number(std::uint64_t bits) const;
  std::int64_t signed_value(std::uint64_t bits) const;
  /// A finite floating value's place in the ordered list of all. 0 is zero, or the smallest value of float8_e8m0fnu.
  std::int64_t position(std::uint64_t bits) const;
  double value_at(std::int64_t position) const;
  /// The least and the greatest finite value: a floating type's positions, else the numbers.
  __int128 least() const { return least_; }
  __int128 most() const { return most_; }

 private:
  std::uint64_t sign() const { return std::uint64_t{1} << (bits_ - 1); }

  DType dtype_;
  Kind kind_;
  int bits_;
  __int128 least_ = 0, most_ = 0;
};

/// How bad a mismatch is: by the ratio, then by the tie-breaker.
struct Badness {
  double ratio = 0;
  std::uint64_t tie = 0;

  friend bool operator<(const Badness& a, const Badness& b) {
    return a.ratio < b.ratio || (a.ratio == b.ratio && a.tie < b.tie);
  }
};

/// By default that of two elements with the same bits.
struct Passing {
  bool passes = true;
  bool identical = true;                 ///< the same bits; of different types: the same value
  std::optional<std::uint64_t> ulp = 0;  ///< see Comparison
  /// |actual - expected|, rounded once, and that over |expected|; infinite where one of the two is NaN or infinite and
  /// they are not equal. Of a complex number the greater one of its parts'.
  double absolute = 0, relative = 0;
  Badness badness;  ///< only where it does not pass

  /// On elements that have no distance.
  static Passing failure(const Badness& badness = {});
  /// On a complex number, from those on its parts.
  static Passing both(const Passing& a, const Passing& b);
};

/// By the rules exact and ulp: without a distance worst.
inline Badness badness_of(const std::optional<std::uint64_t>& ulp) {
  return ulp ? Badness{0, *ulp} : Badness{std::numeric_limits<double>::infinity(), 0};
}

/// The rule `relative` in double arithmetic.
struct RoughDecision {
  double error, allowed;  ///< |actual - expected| and atol + rtol·|expected|, each off by at most three roundings
  bool passes, fails;     ///< for certain; where neither is, exact arithmetic decides

  RoughDecision(const Tolerance& tolerance, double rough_error, double expected)
      : error(rough_error), allowed(tolerance.atol + tolerance.rtol * std::abs(expected)) {
    // Together they are off by less than 2^-51 of their sum, and 2^-1073 where the product underflows. What overflows
    // makes the margin infinite, and both comparisons are false.
    const double margin = (error + allowed) * 0x1p-50 + 0x1p-1070;
    passes = error + margin < allowed;
    fails = error - margin > allowed;
  }

  Badness badness() const {
    // Where a mismatch's allowance overflows, so does its error, and the true ratio is between 1 and 2.
    const double ratio = allowed == kInfinity ? 1 : allowed > 0 ? error / allowed : kInfinity;
    return {ratio, std::bit_cast<std::uint64_t>(error)};  // doubles that are not negative are ordered as their bits
  }
};

/// The rules for two elements of one floating type F (Half, BFloat16, float, double) with different bits, fast.
/// False: ElementRule decides (an infinity, a NaN, an error too close to what is allowed).
template <class F>
bool judge_fast(const Tolerance& tolerance, BitsOf<F> actual, BitsOf<F> expected, Passing& verdict) {
  constexpr BitsOf<F> kMagnitude = static_cast<BitsOf<F>>(sign_bit<F> - 1);
  const auto magnitude_a = static_cast<BitsOf<F>>(actual & kMagnitude);
  const auto magnitude_e = static_cast<BitsOf<F>>(expected & kMagnitude);
  if (magnitude_a >= infinity_bits<F> || magnitude_e >= infinity_bits<F>) return false;
  const double a = widen(from_bits<F>(actual)), e = widen(from_bits<F>(expected));
  std::uint64_t ulp = magnitude_a < magnitude_e ? magnitude_e - magnitude_a : magnitude_a - magnitude_e;
  if (((actual ^ expected) & sign_bit<F>) != 0) ulp = std::uint64_t{magnitude_a} + magnitude_e;
  verdict.identical = false;
  verdict.ulp = ulp;
  verdict.absolute = std::abs(a - e);
  verdict.relative = ulp == 0 ? 0 : verdict.absolute / std::abs(e);
  if (tolerance.rule == Tolerance::Rule::relative) {
    const RoughDecision rough(tolerance, verdict.absolute, e);
    verdict.passes = rough.passes;
    if (rough.fails)
      verdict.badness = rough.badness();
    else if (!rough.passes)
      return false;
  } else {
    verdict.passes = tolerance.rule == Tolerance::Rule::ulp && ulp <= static_cast<std::uint64_t>(tolerance.ulp);
    if (!verdict.passes) verdict.badness = badness_of(ulp);
  }
  return true;
}

/// The rules, for elements of two types or, of complex numbers, their parts.
class ElementRule {
 public:
  ElementRule(DType actual, DType expected, const Tolerance& tolerance);

  Passing judge(std::uint64_t actual, std::uint64_t expected);

 private:
  Passing judge_special(double a, double e) const;
  bool close(const ExactValue& a, const ExactValue& e);
  double absolute_error(const ExactValue& a, const ExactValue& e);
  void add_difference(const ExactValue& a, const ExactValue& e, double sign);

  PartType actual_type_, expected_type_;
  bool same_type_, signed_zeros_;
  Tolerance tolerance_;
  ExactSum sum_;
};

}  // namespace opref::compare
