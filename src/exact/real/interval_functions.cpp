// SPDX-License-Identifier: Apache-2.0
// Functions of intervals: rising ones at both ends, rounded outward; all others made of these, or bounded by their
// slope.
#include "core/infinity.h"
#include "exact/real/interval_ends.h"
#include "system/deadline.h"

namespace opref::exact {
namespace {

/// f(-x), which rises where f falls.
template <class F>
auto mirrored(const F& f) {
  return [f](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t direction) {
    mpfr_t minus_x;
    mpfr_init2(minus_x, mpfr_get_prec(x));
    mpfr_neg(minus_x, x, MPFR_RNDN);
    const int inexact = f(y, minus_x, direction);
    mpfr_clear(minus_x);
    return inexact;
  };
}

}  // namespace

/// least, most: the domain. What may lie outside it is anything, NaN among it.
template <class F>
Interval Interval::rising(const Interval& a, const F& f, double least, double most, const Size& size) {
  require_time();
  Interval y(size);
  if (a.is_point()) return y.at_point([&](mpfr_ptr r, mpfr_rnd_t d) { return f(r, a.low_, d); });
  if (a.is_zero()) return y.at_zero(f);
  if (a.is_anything()) return anything();
  if (mpfr_cmp_d(a.high_, least) < 0 || mpfr_cmp_d(a.low_, most) > 0) return nan();
  if (mpfr_cmp_d(a.low_, least) < 0 || mpfr_cmp_d(a.high_, most) > 0) return anything();
  y.low_open_ = f(y.low_, a.low_, MPFR_RNDD) != 0 || a.low_open_;
  y.high_open_ = f(y.high_, a.high_, MPFR_RNDU) != 0 || a.high_open_;
  const auto is_zero_at_zero = [](const MpfrRoom& of_y, const MpfrRoom& of_a) {
    return mpfr_zero_p(of_y) != 0 && mpfr_zero_p(of_a) != 0;
  };
  if (a.is_beyond() && (is_zero_at_zero(y.low_, a.low_) || is_zero_at_zero(y.high_, a.high_)))
    y.logs_ = {a.logs_.low - 1, a.logs_.high + 1};  // the slope there is about 1
  return y;
}

/// Of a function whose slope is between -1 and 1.
template <class F>
Interval Interval::turning(const Interval& a, const F& f) {
  require_time();
  Interval y(Size::transcendental());
  if (a.is_point()) return y.at_point([&](mpfr_ptr r, mpfr_rnd_t d) { return f(r, a.low_, d); });
  if (a.is_zero()) return y.at_zero(f);
  if (mpfr_number_p(a.low_) == 0 || mpfr_number_p(a.high_) == 0) return anything();
  mpfr_t width;
  mpfr_init2(width, 64);
  mpfr_sub(width, a.high_, a.low_, MPFR_RNDU);
  f(y.low_, a.low_, MPFR_RNDD);
  f(y.high_, a.low_, MPFR_RNDU);
  mpfr_sub(y.low_, y.low_, width, MPFR_RNDD);
  mpfr_add(y.high_, y.high_, width, MPFR_RNDU);
  mpfr_clear(width);
  return y;
}

Interval sqrt(const Interval& a) {
  Interval y = Interval::rising(a, mpfr_sqrt, 0, kInfinity, root_size(a.size_));
  if (a.is_beyond()) y.logs_ = {a.logs_.low / 2, a.logs_.high / 2};
  return y;
}
Interval exp(const Interval& a) {
  constexpr double kLog2OfE = 1.4426950408889634;
  Interval y = Interval::rising(a, mpfr_exp, -kInfinity, kInfinity);
  if (y.is_beyond())
    y.logs_ = outward(mpfr_get_d(a.low_, MPFR_RNDD) * kLog2OfE, mpfr_get_d(a.high_, MPFR_RNDU) * kLog2OfE);
  return y;
}
Interval expm1(const Interval& a) { return Interval::rising(a, mpfr_expm1, -kInfinity, kInfinity); }
Interval log(const Interval& a) { return Interval::rising(a, mpfr_log, 0, kInfinity); }
Interval log1p(const Interval& a) { return Interval::rising(a, mpfr_log1p, -1, kInfinity); }
Interval atan(const Interval& a) { return Interval::rising(a, mpfr_atan, -kInfinity, kInfinity); }
Interval asin(const Interval& a) { return Interval::rising(a, mpfr_asin, -1, 1); }
Interval acos(const Interval& a) { return Interval::rising(-a, mirrored(mpfr_acos), -1, 1); }
Interval sinh(const Interval& a) { return Interval::rising(a, mpfr_sinh, -kInfinity, kInfinity); }
Interval cosh(const Interval& a) { return Interval::rising(abs(a), mpfr_cosh, -kInfinity, kInfinity); }
Interval tanh(const Interval& a) { return Interval::rising(a, mpfr_tanh, -kInfinity, kInfinity); }
Interval asinh(const Interval& a) { return Interval::rising(a, mpfr_asinh, -kInfinity, kInfinity); }
Interval acosh(const Interval& a) { return Interval::rising(a, mpfr_acosh, 1, kInfinity); }
Interval atanh(const Interval& a) { return Interval::rising(a, mpfr_atanh, -1, 1); }
Interval erf(const Interval& a) { return Interval::rising(a, mpfr_erf, -kInfinity, kInfinity); }
Interval erfc(const Interval& a) { return Interval::rising(-a, mirrored(mpfr_erfc), -kInfinity, kInfinity); }
Interval sin(const Interval& a) { return Interval::turning(a, mpfr_sin); }
Interval cos(const Interval& a) { return Interval::turning(a, mpfr_cos); }
/// An interval shorter than 1 has at most one pole, across which tan falls.
Interval tan(const Interval& a) {
  if (!a.is_point() && !a.narrower(0)) return Interval::anything();
  Interval y = Interval::rising(a, mpfr_tan, -kInfinity, kInfinity);
  return y.is_nan() || mpfr_lessequal_p(y.low_, y.high_) != 0 ? y : Interval::anything();
}
/// Corners hold where a is above 0: at a = 1 and at b = 0 it turns, but between rising and falling.
Interval pow(const Interval& a, const Interval& b) {
  Interval y(Size::transcendental());
  if (a.is_point() && b.is_point())
    y.at_point([&](mpfr_ptr r, mpfr_rnd_t d) { return mpfr_pow(r, a.low_, b.low_, d); });
  else if (a.is_anything() || b.is_anything() || a.is_nan() || b.is_nan() || mpfr_sgn(a.low_) <= 0)
    return Interval::anything();
  else
    y.corners(a, b, EndOperation{1, 0, mpfr_pow});
  if (y.is_beyond()) y.logs_ = exp(b * log(abs(a))).logs();
  return y;
}
Interval pi(const Interval&) {
  Interval y(Size::transcendental());
  mpfr_const_pi(y.low_, MPFR_RNDD);
  mpfr_const_pi(y.high_, MPFR_RNDU);
  y.low_open_ = y.high_open_ = true;
  return y;
}

Interval abs(const Interval& a) {
  if (a.is_anything() || a.is_nan()) return a;
  if (a.has_sign()) return mpfr_signbit(a.low_) != 0 ? -a : a;
  Interval y(a.size_);
  mpfr_set_zero(y.low_, 1);
  const int longer = mpfr_cmpabs(a.low_, a.high_);
  mpfr_abs(y.high_, longer > 0 ? a.low_ : a.high_, MPFR_RNDU);
  y.high_open_ = longer == 0 ? a.low_open_ && a.high_open_ : longer > 0 ? a.low_open_ : a.high_open_;
  return y;
}

Interval max(const Interval& a, const Interval& b) {
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  if (a.is_anything() || b.is_anything()) return Interval::anything();
  if ((b < a) == Interval::Truth::yes) return a;
  if ((a < b) == Interval::Truth::yes) return b;
  if (a.is_point() && b.is_point()) return mpfr_signbit(a.low_) != 0 ? b : a;  // equal; +0 of two zeros
  Interval y(either_size(a.size_, b.size_));
  mpfr_max(y.low_, a.low_, b.low_, MPFR_RNDD);
  mpfr_max(y.high_, a.high_, b.high_, MPFR_RNDU);
  const auto is_end = [](const MpfrRoom& end, const MpfrRoom& own) { return mpfr_equal_p(end, own) != 0; };
  y.low_open_ = (is_end(y.low_, a.low_) && a.low_open_) || (is_end(y.low_, b.low_) && b.low_open_);
  y.high_open_ = (!is_end(y.high_, a.high_) || a.high_open_) && (!is_end(y.high_, b.high_) || b.high_open_);
  return y;
}

Interval::Truth operator<(const Interval& a, const Interval& b) {
  if (a.is_nan() || b.is_nan()) return Interval::Truth::no;
  if (a.is_anything() || b.is_anything()) return Interval::Truth::unknown;
  if (mpfr_less_p(a.high_, b.low_) != 0) return Interval::Truth::yes;
  if ((a.high_open_ || b.low_open_) && mpfr_equal_p(a.high_, b.low_) != 0) return Interval::Truth::yes;
  return mpfr_greaterequal_p(a.low_, b.high_) != 0 ? Interval::Truth::no : Interval::Truth::unknown;
}

}  // namespace opref::exact
