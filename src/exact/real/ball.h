// SPDX-License-Identifier: Apache-2.0
// A real number between two MPFR numbers: the exact tier of real formulas. Its precision rises until the result is
// decided.
//
// Where both ends are alike the number is that dyadic one: every function of MPFR says whether it is exact. NaN and
// infinities flow through as points, by IEEE 754's rules, and so do signs of zeros. `Size` keeps algebraic numbers away
// from zero (Burnikel, Funke, Mehlhorn, Schirra, Schmitt, "A separation bound for real algebraic expressions", 2001,
// with powers of two apart as Pion and Yap have them), so that an algebraic zero, and an algebraic tie, is known as
// such in the end.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <limits>

#include "core/rooms.h"

namespace opref::exact {

/// A number E = 2^-p·U/L with algebraic integers U, L: log2 of bounds of all their conjugates, and of their field's
/// degree. Where E is not zero, |E| >= 2^-(p + (degree - 1)·u + l). The degree is infinite where E may be
/// transcendental, and u never negative, so that this has no zero_bits (infinite, or NaN where u is 0).
struct Size {
  double p = 0, u = 0, l = 0, degree = 1;
  double zero_bits() const { return p + (degree - 1) * u + l; }
  static Size transcendental() { return {0, 0, 0, std::numeric_limits<double>::infinity()}; }
};
Size sum_size(const Size& a, const Size& b);
Size product_size(const Size& a, const Size& b);
Size quotient_size(const Size& a, const Size& b);
Size root_size(const Size& a);

/// An interval of two numbers of `precision` bits, with the size of what it encloses. Operations round outward.
class Ball {
 public:
  /// Bits of the ends of what this thread's operations give.
  static inline thread_local mpfr_prec_t precision = 96;

  Ball(double exact);
  Ball(const Ball& other);
  Ball(Ball&& other) noexcept;
  Ball& operator=(Ball other) noexcept;
  ~Ball();

  mpfr_srcptr low() const { return low_; }
  mpfr_srcptr high() const { return high_; }
  const Size& size() const { return size_; }
  bool is_nan() const { return mpfr_nan_p(low_) != 0 || mpfr_nan_p(high_) != 0; }
  bool is_point() const { return mpfr_equal_p(low_, high_) != 0 || is_nan(); }
  /// Nothing is known, not even whether it is a number; whatever is made of it is unknown too.
  bool is_anything() const;
  /// Whether high - low < 2^-bits.
  bool narrower(double bits) const;

  friend Ball operator-(const Ball& a);
  friend Ball operator+(const Ball& a, const Ball& b);
  friend Ball operator-(const Ball& a, const Ball& b) { return a + -b; }
  friend Ball operator*(const Ball& a, const Ball& b);
  friend Ball operator/(const Ball& a, const Ball& b);

  // Functions: NaN outside their domains, by IEEE 754's rules at its ends.
  friend Ball sqrt(const Ball& a);
  friend Ball exp(const Ball& a);
  friend Ball expm1(const Ball& a);
  friend Ball log(const Ball& a);
  friend Ball log1p(const Ball& a);
  friend Ball sin(const Ball& a);
  friend Ball cos(const Ball& a);
  friend Ball tan(const Ball& a);
  friend Ball asin(const Ball& a);
  friend Ball acos(const Ball& a);
  friend Ball atan(const Ball& a);
  friend Ball sinh(const Ball& a);
  friend Ball cosh(const Ball& a);
  friend Ball tanh(const Ball& a);
  friend Ball asinh(const Ball& a);
  friend Ball acosh(const Ball& a);
  friend Ball atanh(const Ball& a);
  friend Ball erf(const Ball& a);
  friend Ball erfc(const Ball& a);
  friend Ball abs(const Ball& a);
  friend Ball square(const Ball& a) { return a * a; }
  /// NaN where one is; of two zeros +0 is the greater.
  friend Ball max(const Ball& a, const Ball& b);
  friend Ball min(const Ball& a, const Ball& b) { return -max(-a, -b); }
  friend Ball pi(const Ball&);
  enum class Truth : std::uint8_t { no, yes, unknown };
  /// NaN is less than nothing, and nothing than it.
  friend Truth operator<(const Ball& a, const Ball& b);
  /// The page's "f if condition else g": one is evaluated.
  template <class F, class G>
  friend Ball choose(Truth condition, const F& f, const G& g) {
    return condition == Truth::unknown ? anything() : condition == Truth::yes ? f() : g();
  }

 private:
  explicit Ball(const Size& size);
  void swap(Ball& other) noexcept;
  static Ball nan();
  static Ball anything();
  /// ±size with the sign of a·b; anything where that is not known.
  static Ball signed_like(const Ball& a, const Ball& b, double size);
  bool contains_zero() const { return mpfr_sgn(low_) <= 0 && mpfr_sgn(high_) >= 0; }
  bool is_zero_point() const { return mpfr_zero_p(low_) != 0 && mpfr_zero_p(high_) != 0; }
  bool is_infinity() const { return mpfr_inf_p(low_) != 0 && is_point(); }
  /// Of a number, also of one beyond MPFR's exponents: an end of 0 has its sign then, and else IEEE 754's.
  bool has_sign() const { return mpfr_signbit(low_) == mpfr_signbit(high_); }
  void become_point();
  template <class F>
  Ball& at_point(const F& f);
  template <class F>
  Ball& corners(const Ball& a, const Ball& b, const F& f);
  template <class F>
  static Ball rising(const Ball& a, const F& f, double least, double most, const Size& size = Size::transcendental());
  template <class F>
  static Ball turning(const Ball& a, const F& f);
  Ball& finish();

  mpfr_t low_, high_;
  Size size_;
};

/// Both ends of a function of points, for the price of one. f rounds its result and says in which direction.
template <class F>
Ball& Ball::at_point(const F& f) {
  const int inexact = f(low_, MPFR_RNDN);
  mpfr_set(high_, low_, MPFR_RNDN);
  if (inexact == 0) become_point();
  if (inexact > 0) mpfr_nextbelow(low_);  // also of what rounds to infinity or zero
  if (inexact < 0) mpfr_nextabove(high_);
  return *this;
}

/// The T nearest to the number in y, ties to even, where that is known; T is Half, BFloat16, float or double.
template <class T>
bool settle(const Ball& y, T& element);

}  // namespace opref::exact
