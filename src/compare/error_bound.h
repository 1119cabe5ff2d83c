// SPDX-License-Identifier: Apache-2.0
// The rigorous error bound of a kernel that rounds to an accumulator type after every operation, in any order.
//
// For a sum of n products, with u the accumulator's unit roundoff, η its smallest subnormal number, δ the relative
// error of rounded inputs, s the exact sum and M = Σ|terms|:
//   γ = (n+1)u / (1-(n+1)u)
//   E = γ(1+δ)²M + (2δ+δ²)M + nη(1+γ)
// and, with u_T and η_T those of the output's type, a passes iff |a - s| <= E + u_T(|s| + E) + η_T.
// Of a 2-norm, with S = Σx² and E as above with M = S, a passes iff
//   √max(0, S-E)·(1-u)(1-u_T) - η_T <= a <= √(S+E)·(1+u)(1+u_T) + η_T.
// An infinity passes too where the value before its last rounding may reach the output type's overflow threshold.
// If subnormal numbers are flushed, η and η_T are the smallest normal numbers: operations and the last store may flush.
// Terms in whose accumulation the accumulator may overflow have no such bound: a passes iff it is the correctly rounded
// value, or an infinity of the sum's sign. If the sum is infinite and finite terms may overflow with the other sign,
// NaN passes too. Everything is decided on real numbers: nothing is rounded.
//
// Of other real formulas, exact/real/faithful.h says how far E a kernel may be from y: a passes iff
//   |a - y| <= E + u_T(|y| + E) + η_T, where the output's type is not the accumulator's, which has rounded already.
// and a lies in the range of the formula's results. An integer passes iff a number within E of y becomes it.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "compare/tolerance.h"
#include "exact/magnitude_sum.h"
#include "exact/real/faithful.h"
#include "exact/term_sink.h"

namespace opref::compare {

/// What the bound needs of a format.
struct FloatLimits {
  double unit_roundoff, smallest_subnormal, smallest_normal;
  double largest, half_place;  ///< largest + half_place is the overflow threshold
};
/// Whether limits_of knows it: float16, bfloat16, float32 and float64.
bool has_limits(DType dtype);
FloatLimits limits_of(DType dtype);

/// The arithmetic by which formulas say how far such a kernel may be.
KernelModel model_of(const BoundedKernel& kernel, DType output);

/// Judges elements, one after the other, from their terms; its sums are reused.
class ErrorBound {
 public:
  struct Judgement {
    bool passes;
    /// The error over its bound: at most 1 where it passes, else more; infinite where no number would do.
    double ratio;
    /// How far from the exact value it may be; NaN where that is no number.
    double allowed = std::numeric_limits<double>::quiet_NaN();
  };

  ErrorBound(const BoundedKernel& kernel, DType output);

  /// Why elements of such terms cannot be judged: too many of them, subnormal inputs are flushed; or "".
  std::string no_bound(const MagnitudeSum& terms) const;
  /// Whether the accumulator may overflow while it adds the finite ones of these terms, or of those that have this
  /// sign: there is no bound then.
  bool may_overflow(MagnitudeSum& terms, int sign = 0);
  /// Whether `a` can be the sum. The terms have a bound.
  Judgement judge_sum(MagnitudeSum& terms, double a);
  /// Whether `a` can be the sum divided by `count`, a whole number > 0, once or term by term: (n+1)u is (n+3)u then,
  /// and there is one more η. The terms have a bound.
  Judgement judge_mean(MagnitudeSum& terms, double count, double a);
  /// Whether `a` can be the square root of the sum. The terms are squares and have a bound.
  Judgement judge_root(MagnitudeSum& squares, double a);
  /// About E of so many terms of this magnitude, added up in double, whose sum is divided by `count`.
  double rough_error(double terms, double magnitude, double count) const;
  /// judge_mean of `terms` terms of this magnitude, added up in double, whose sum divided by `count` rounds to y;
  /// nothing where so little does not tell: near the limit, where the accumulator may overflow, or numbers are flushed
  /// or none.
  std::optional<Judgement> judge_roughly(double terms, double magnitude, double count, double y, double a) const;
  /// Whether `a` can be what a kernel gives whose accumulator may overflow; `rounded` is the correctly rounded value.
  static Judgement judge_overflow(MagnitudeSum& terms, double a, double rounded);
  /// Whether `a` can be what a kernel gives, as y says, whose results all lie in `range`. The error of y is finite.
  Judgement judge_formula(const Faithful& y, const ResultRange& range, double a) const;
  /// Likewise of an integer of a type with this least and greatest one, to which results are clamped.
  static Judgement judge_integer(const Faithful& y, std::pair<double, double> range, double a);
  /// Likewise of what kernels may give from `low` to `high`; the right one is `middle`.
  static Judgement judge_between(double low, double middle, double high, double a);

 private:
  /// What the terms say of a value that need not be computed.
  static Judgement judge_special(ExactSum& exact, double a);
  /// Adds factor·(1-k)E, where k = (n+1)u: (kM + (2δ+δ²)M + nη)·factor. The factor is a power of two, or -1.
  void add_error(MagnitudeSum& terms, double factor, ExactSum& to) const;
  double k(const MagnitudeSum& terms) const { return (terms.terms() + 1) * u_; }
  double error(MagnitudeSum& terms) const;
  bool within_sum(MagnitudeSum& terms, double a);
  bool above_least_root(MagnitudeSum& squares, double a);
  bool below_greatest_root(MagnitudeSum& squares, double a);
  bool may_round_to_infinity(MagnitudeSum& terms, bool negative);
  bool root_may_round_to_infinity(MagnitudeSum& squares);

  FloatLimits accumulator_, output_;
  BoundedKernel kernel_;
  DType dtype_;  ///< of the output
  double u_, eta_, eta_T_;
  double count_ = 1;                         ///< what sums are divided by; all is said of a·count
  double delta_square_, delta_square_rest_;  ///< δ², exactly
  ExactSum total_, other_, spare_;
};

}  // namespace opref::compare
