// SPDX-License-Identifier: Apache-2.0
// A real number between two MPFR numbers: the exact tier of real formulas. Its precision rises until the result is
// decided.
//
// Where both ends are alike the number is that dyadic one: every function of MPFR says whether it is exact. NaN and
// infinities flow through as points, by IEEE 754's rules, and so do signs of zeros. [-0, +0] is an exact zero of which
// the sign is not known, as that of zero times an interval around zero. `Size` keeps algebraic numbers away
// from zero (Burnikel, Funke, Mehlhorn, Schirra, Schmitt, "A separation bound for real algebraic expressions", 2001,
// with powers of two apart as Pion and Yap have them), so that an algebraic zero, and an algebraic tie, is known as
// such in the end.
//
// An end is open where the number cannot be it: 1 - e^-10^300 is below 1, however many bits there are, and its product
// with a tie is on one side of the tie. Rounding opens an end that it moves; an operation opens one that is made of an
// open one, unless it is that whatever the operand is, as 0 is that times 0. An end that is called closed may be open.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include "exact/mpfr_room.h"

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

/// Between which numbers log2 of a magnitude is: of a number beyond MPFR's exponents all that is known. By default
/// nothing is.
struct Logs {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// What logarithms became by an operation on doubles of each, rounded outward.
Logs outward(double low, double high);

/// An interval of two numbers of `precision` bits, with the size of what it encloses. Operations round outward.
class Interval {
 public:
  /// Bits of the ends of what this thread's operations give.
  static inline thread_local MpfrPrecision precision = 96;

  Interval(double exact);
  /// ±magnitude, exactly.
  static Interval of_integer(bool negative, std::uint64_t magnitude);
  template <std::integral N>
  static Interval whole(N n) {
    const auto bits = static_cast<std::uint64_t>(n);
    return of_integer(n < N{0}, n < N{0} ? 0 - bits : bits);
  }
  Interval(const Interval& other);
  Interval(Interval&& other) noexcept;
  Interval& operator=(Interval other) noexcept;
  ~Interval();

  const MpfrNumber* low() const { return low_; }
  const MpfrNumber* high() const { return high_; }
  bool is_low_open() const { return low_open_; }
  bool is_high_open() const { return high_open_; }
  const Size& size() const { return size_; }
  bool is_nan() const;
  bool is_point() const;
  bool is_zero() const;
  /// Whether both ends are numbers.
  bool is_finite() const;
  friend bool is_finite(const Interval& a) { return a.is_finite(); }
  /// -1, 0 or 1, where it is known.
  std::optional<int> sign() const;
  /// Nothing is known, not even whether it is a number; whatever is made of it is unknown too.
  bool is_anything() const;
  /// Whether high - low < 2^-bits.
  bool narrower(double bits) const;

  friend Interval operator-(const Interval& a);
  friend Interval operator+(const Interval& a, const Interval& b);
  friend Interval operator-(const Interval& a, const Interval& b) { return a + -b; }
  friend Interval operator*(const Interval& a, const Interval& b);
  friend Interval operator/(const Interval& a, const Interval& b);

  // Functions: NaN outside their domains, by IEEE 754's rules at its ends.
  friend Interval sqrt(const Interval& a);
  friend Interval exp(const Interval& a);
  friend Interval expm1(const Interval& a);
  friend Interval log(const Interval& a);
  friend Interval log1p(const Interval& a);
  friend Interval sin(const Interval& a);
  friend Interval cos(const Interval& a);
  friend Interval tan(const Interval& a);
  friend Interval asin(const Interval& a);
  friend Interval acos(const Interval& a);
  friend Interval atan(const Interval& a);
  friend Interval sinh(const Interval& a);
  friend Interval cosh(const Interval& a);
  friend Interval tanh(const Interval& a);
  friend Interval asinh(const Interval& a);
  friend Interval acosh(const Interval& a);
  friend Interval atanh(const Interval& a);
  friend Interval erf(const Interval& a);
  friend Interval erfc(const Interval& a);
  /// IEEE 754's pow: NaN for a < 0 and b no whole number, 1 for b = 0.
  friend Interval pow(const Interval& a, const Interval& b);
  friend Interval abs(const Interval& a);
  friend Interval square(const Interval& a) { return a * a; }
  /// NaN where one is; of two zeros +0 is the greater.
  friend Interval max(const Interval& a, const Interval& b);
  friend Interval min(const Interval& a, const Interval& b) { return -max(-a, -b); }
  friend Interval pi(const Interval&);
  enum class Truth : std::uint8_t { no, yes, unknown };
  /// NaN is less than nothing, and nothing than it.
  friend Truth operator<(const Interval& a, const Interval& b);
  /// The page's "f if condition else g": one is evaluated where it is known which.
  template <class F, class G>
  friend Interval choose(Truth condition, const F& f, const G& g) {
    return condition == Truth::unknown ? either(f(), g()) : condition == Truth::yes ? f() : g();
  }

 private:
  explicit Interval(const Size& size);
  void swap(Interval& other) noexcept;
  static Interval nan();
  static Interval anything();
  static Interval zero_of_either_sign();
  /// One of them.
  static Interval either(const Interval& a, const Interval& b);
  /// ±size with the sign of a·b, where that is known; size is 0 or infinite.
  static Interval signed_like(const Interval& a, const Interval& b, double size);
  bool contains_zero() const;
  bool is_infinity() const;
  /// An open end of 0 has the number's sign, and else IEEE 754's.
  bool has_sign() const;
  /// Of a number that is not 0, whose end that is 0 or infinite is beyond MPFR's exponents.
  bool is_beyond() const;
  /// Of a number that is not 0, and infinite at no point.
  Logs logs() const;
  static Interval of_logs(bool negative, const Logs& logs);
  /// A product or quotient of which a factor is beyond MPFR's exponents; nothing where none is.
  static std::optional<Interval> by_logs(const Interval& a, const Interval& b, const Logs& logs);
  void become_point();
  /// Both ends of a function of points, for the price of one. f rounds its result and says in which direction.
  template <class F>
  Interval& at_point(const F& f);
  /// A function of zero_of_either_sign, which gives the same of both but for the sign of a zero.
  template <class F>
  Interval& at_zero(const F& f);
  /// Of an operation that rises or falls with each operand, all over both.
  template <class Operation>
  Interval& between(const Interval& a, bool rises_with_a, const Interval& b, bool rises_with_b, const Operation& f);
  /// Of one that has its least and its greatest number at pairs of ends.
  template <class Operation>
  Interval& corners(const Interval& a, const Interval& b, const Operation& f);
  /// 1 of an interval without a negative number, else -1 without a positive one, else 0.
  int side() const;
  template <class F>
  static Interval rising(const Interval& a, const F& f, double least, double most,
                         const Size& size = Size::transcendental());
  template <class F>
  static Interval turning(const Interval& a, const F& f);
  Interval& finish();

  MpfrRoom low_, high_;
  bool low_open_ = false, high_open_ = false;
  Size size_;
  Logs logs_;  ///< of a number that is_beyond
};

/// The T nearest to the number in y, ties to even, where that is known; T is Half, BFloat16, float or double.
template <class T>
bool settle(const Interval& y, T& element);
/// The low 64 bits of the number truncated toward zero, where that is known; of NaN and infinities 0.
template <>
bool settle(const Interval& y, std::uint64_t& bits);

}  // namespace opref::exact
