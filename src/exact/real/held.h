// SPDX-License-Identifier: Apache-2.0
// What float32 holds of a number that a formula makes: evaluated through the same formula, Held says whether
// Native<float> is right for operands and a result of these types, whatever their values are.
//
// It is right where all that the formula makes is held exactly but for its last number, and that is rounded once, or
// twice without harm: to float32 and then to a type of p bits, of operands of p bits, 24 >= 2p + 2 (Figueroa 1995).
// `rounded_to` float32 makes a number of its own of what float32 has rounded once. Infinities, NaN and signs of zeros
// are float32's as they are those of wider types.
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "exact/real/plain.h"

namespace opref::exact {

struct Held {
  /// How it comes to be in float32. Each includes those before it.
  enum class As : std::uint8_t {
    exact,
    rounded_once,    ///< to the result's type, as far as that can be told
    nearest_single,  ///< to float32
    wrong
  };
  As as = As::exact;
  int bits;           ///< of its significand, at most
  int lowest, above;  ///< a multiple of 2^lowest and less than 2^above in size, where it is finite

  Held(double constant);
  Held(int significand, int lowest_place, int beyond) : bits(significand), lowest(lowest_place), above(beyond) {}
  bool is_exact() const { return as == As::exact; }
  bool is_whole() const { return lowest >= 0; }
  /// The constant 0.
  bool is_zero() const { return is_exact() && bits == 0; }

  /// A result of this type is asked for; integers saturate. For the operations of this thread.
  static void begin(DType result);
  /// Any number of a type that is in float32: float32, float16, bfloat16, integers of 8 or 16 bits, bool.
  static Held any(DType operand);
  /// Whether y is the result, rounded once; of conditions, whether all were of exact numbers.
  static bool is_right(const Held& y);
  static bool is_right(const Truth&) { return !has_doubtful_condition_; }

  /// What is told of conditions is remembered: a Truth has no room for it.
  static Truth condition(const Held& a, const Held& b);
  static DType result() { return result_; }

 private:
  static thread_local DType result_;
  static thread_local bool has_doubtful_condition_;
};

Held operator+(const Held& a, const Held& b);
Held operator*(const Held& a, const Held& b);
Held operator/(const Held& a, const Held& b);
Held sqrt(const Held& a);
/// One or the other.
Held join(const Held& a, const Held& b);
Held floor(const Held& a);
Held fmod(const Held& a, const Held& b);
Held floor_mod(const Held& a, const Held& b);
Held rounded_to(const Held& x, std::optional<DType> dtype);

inline Held operator-(const Held& a) { return a; }
inline Held operator-(const Held& a, const Held& b) { return a + -b; }
inline Held abs(const Held& a) { return a; }
inline Held ceil(const Held& a) { return floor(a); }
inline Held round(const Held& a) { return floor(a); }
inline Held max(const Held& a, const Held& b) { return join(a, b); }
inline Held min(const Held& a, const Held& b) { return join(a, b); }
inline Held select(bool, const Held& a, const Held& b) { return join(a, b); }
inline Held quotient_to_odd(const Held& a, const Held& b) { return a / b; }
inline Held product_to_odd(const Held& a, const Held& b) { return a * b; }
inline Held sum_to_odd(const Held& a, const Held& b) { return a + b; }
inline Truth operator<(const Held& a, const Held& b) { return Held::condition(a, b); }
inline Truth operator==(const Held& a, const Held& b) { return Held::condition(a, b); }
inline Truth operator<=(const Held& a, const Held& b) { return Held::condition(a, b); }
inline Truth is_nan(const Held& a) { return Held::condition(a, a); }

}  // namespace opref::exact
