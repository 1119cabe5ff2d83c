// SPDX-License-Identifier: Apache-2.0
// Exact quotients of whole numbers, ascending numbers, and complex numbers as their two parts.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

#include "core/rooms.h"
#include "core/tensor.h"
#include "evaluators/elements.h"
#include "exact/real/interval.h"
#include "schema/types.h"
namespace opref::ops {
// Exact quotients of whole numbers, for coordinates that decide which elements are read: their floor, their order.

/// Small ones are two 64-bit integers; gmp has the others.
class Rational {
 public:
  __extension__ using Wide = __int128;

  Rational(std::int64_t whole = 0) : n_(whole) {
    if (whole == INT64_MIN) *this = of_wide(whole);
  }
  static Rational whole(std::int64_t n) { return n; }
  static Rational of_wide(Wide whole);
  /// The number that the finite double is.
  static Rational of(double number);
  /// What float32 arithmetic gave: beyond its range its greatest number, of NaN 0.
  static Rational of_float32(float number);
  Rational(const Rational& other) : n_(other.n_), d_(other.d_) {
    if (other.is_large()) copy_large(other);
  }
  Rational& operator=(const Rational& other) {
    if (this == &other) return *this;
    if (is_large() || other.is_large()) copy_large(other);
    n_ = other.n_, d_ = other.d_;
    return *this;
  }
  ~Rational() = default;

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a) { return Rational() - a; }
  friend Rational operator*(const Rational& a, const Rational& b);
  /// b is not zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
  friend bool operator==(const Rational& a, const Rational& b) { return (a <=> b) == 0; }

  Rational floor() const;
  Rational ceil() const { return Rational() - (Rational() - *this).floor(); }
  /// To the nearest whole number, halves away from zero.
  Rational rounded_away() const;
  /// To the nearest whole number, halves to the even one.
  Rational rounded_even() const;
  Rational truncated() const { return *this < Rational(0) ? ceil() : floor(); }
  bool is_whole() const;
  Rational denominator() const;
  /// Of whole numbers: the least common multiple; the low 64 bits.
  friend Rational common_multiple(const Rational& a, const Rational& b);
  std::uint64_t low_bits() const;
  /// The number, or one next to it, toward zero.
  double nearby() const;
  exact::Interval interval() const;
  /// "7/3"
  friend std::string to_text(const Rational& number);
  /// The floor, within [least, most].
  std::int64_t clamped(std::int64_t least, std::int64_t most) const;

 private:
  /// Of gmp.
  struct Large;
  struct Free {
    void operator()(Large* large) const;
  };
  using LargeOne = std::unique_ptr<Large, Free>;

  static Rational of_small(std::int64_t n, std::int64_t d) {
    Rational small(n);
    small.d_ = d;
    return small;
  }
  /// n/d, d > 0.
  static Rational quotient(Wide n, Wide d);
  static Rational of_large(LargeOne large);
  template <class Operation>
  static Rational by_gmp(const Rational& a, const Rational& b, const Operation& operation);
  bool is_large() const { return large_ != nullptr; }
  void copy_large(const Rational& other);

  std::int64_t n_, d_ = 1;  ///< n_/d_, d_ > 0, without a common factor, neither -2^63; unless it is large
  LargeOne large_;
};

/// tell(name, number): what `explain` is told of a coordinate: the fraction, and what float32 arithmetic makes of it
/// where that is another number.
template <class Tell>
void tell_coordinate(const std::string& name, const Rational& exact, const Rational& in_float32, const Tell& tell) {
  constexpr std::size_t kMost = 45;  // characters that find room in a line
  const std::string fraction = to_text(exact);
  tell(fraction.size() > kMost ? name : name + ", " + fraction, exact.interval());
  if (exact != in_float32) tell(name + ", in float32", in_float32.interval());
}

// Complex numbers as what they lie in memory: a real and an imaginary part each.

inline bool is_complex(DType dtype) { return types::complexes.contains(dtype); }

/// A complex tensor as its parts, of a floating type, along an axis after the others; another one as it is.
Tensor parts_of(const Tensor& x);
TensorType parts_type(const TensorType& type);

// Ascending numbers: arithmetic progressions and sorted lists.

/// How many of start, start + delta, start + 2·delta, … come before the limit, by the exact quotient: the least n >= 0
/// with start + n·delta at or beyond limit. All are finite, delta is not 0; 2^53 and more are `invalid`.
std::int64_t progression_length(double start, double limit, double delta);
/// The same of integers.
Elements::Wide progression_length(Elements::Wide start, Elements::Wide limit, Elements::Wide delta);
/// How many of the n elements of `list` from `first` on are less than x[i], or, if equal ones count, not greater; they
/// ascend. Numbers are compared exactly, whatever their types. What NaN gives is open.
std::int64_t count_before(const Elements& list, std::int64_t first, std::int64_t n, const Elements& x, std::int64_t i,
                          bool counts_equal);
}  // namespace opref::ops
