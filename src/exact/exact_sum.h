// SPDX-License-Identifier: Apache-2.0
// An exact accumulator of doubles and of products of two doubles.
#pragma once

#include <array>
#include <cstdint>

#include "core/rooms.h"

namespace opref::exact {

/// A sum that never rounds: a fixed-point number that holds every product of two finite doubles and 2^63 of them.
/// NaN and infinities are remembered beside it: any NaN term (0·Inf too), or infinities of both signs, make the sum
/// NaN; else one infinite term makes it infinite.
class ExactSum {
 public:
  void add(double x) { add(x, 1.0); }
  /// The exact product. Terms wait in a queue, so that fetching them overlaps.
  void add(double a, double b) {
    waiting_[queued_++] = {a, b};
    if (queued_ == kQueue) flush();
  }
  /// Adds factor·2^exponent·terms, of which infinite ones do not count. The product is below 2^2200. Exact but for bits
  /// below 2^-2176: their loss is an error below 2^-2173.
  void add_multiple(ExactSum& terms, double factor, int exponent = 0);
  /// Adds a·b·2^exponent, which is below 2^2200 and a multiple of 2^-2176. Both are finite.
  void add_scaled(double a, double b, int exponent);
  /// -1, 0 or +1; 0 also where the sum is NaN. More terms may follow.
  int sign();
  /// Whether it is neither NaN nor infinite.
  bool is_finite();
  /// Of a finite sum that is not zero: its magnitude is at least 2^exponent() and less than twice that.
  int exponent();
  /// The sum, rounded once: an exact zero is +0, a non-zero sum that rounds to zero keeps its sign, NaN is quiet_nan.
  /// T is Half, BFloat16, float or double. More terms may follow.
  template <class T>
  T round();
  void clear();

 private:
  static constexpr int kQueue = 64;
  static constexpr int kLowest =
      -2176;                           ///< the lowest digit's weight is 2^kLowest; a multiple of 32, at most 2·(-1074)
  static constexpr int kDigits = 140;  ///< 2176 + 2048 bits of one product, 64 for many terms, and room to carry

  struct Term {
    double a, b;
  };
  /// ±significand·2^exponent with 64 significant bits, the lowest of them sticky.
  struct Leading {
    bool negative;
    std::uint64_t significand;
    int exponent;
  };

  bool finite() const { return !nan_ && !plus_infinity_ && !minus_infinity_; }
  void flush();
  void accumulate(const Term& term);
  inline void add_digits(unsigned __int128 magnitude, bool negative, int position);
  void add_special(double product);
  void propagate();
  void negate();
  int sign_of_digits() const;
  Leading leading();

  /// Signed digits of weight 2^(32·i); those outside [first_, last_] are zero.
  std::array<std::int64_t, kDigits> digits_{};
  int first_ = kDigits, last_ = -1;
  int pending_ = 0;  ///< terms since the last propagate
  bool nan_ = false, plus_infinity_ = false, minus_infinity_ = false;
  int queued_ = 0;
  std::array<Term, kQueue> waiting_;
};

}  // namespace opref::exact
