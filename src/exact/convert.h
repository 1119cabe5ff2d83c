// SPDX-License-Identifier: Apache-2.0
// From an element of any type to one of any other: the number or text that it is, and the rule by which the other type
// takes it. All pairs are one table of rules (convert.cpp), which have names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace opref::exact {

class Interval;

/// What an element is: ±significand·2^exponent, the last place of the significand sticky; or no number.
struct Number {
  enum class Form : std::uint8_t { finite, infinite, nan };
  Form form = Form::finite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;

  static Number of(double x);
  static Number of_integer(bool negative, std::uint64_t magnitude) { return {Form::finite, negative, magnitude, 0}; }
  /// `[+-]?(digits[.digits?] | .digits)([eE][+-]?digits)?`, or INF, +INF, -INF, NaN in any case; else `invalid`.
  static Number of_text(const std::string& text);
};

/// How a type takes what it cannot hold.
struct Conversion {
  bool saturates = true;                 ///< float8, float8_e8m0fnu: beyond the range the greatest number
  bool infinity_is_nan_without = false;  ///< float8 types without infinity: it is NaN, also where they saturate
  enum class Power : std::uint8_t { up, down, nearest } power = Power::up;  ///< float8_e8m0fnu
  /// float8_e8m0fnu of numbers below 0
  enum class Negative : std::uint8_t { nan, reject, magnitude } negative = Negative::nan;
  /// Integers beyond the range, NaN and infinities; `minimum` is what x86 gives.
  enum class Beyond : std::uint8_t { low_bits, saturate, reject, minimum } beyond = Beyond::low_bits;
  enum class Fraction : std::uint8_t { truncate, nearest, reject } fraction = Fraction::truncate;  ///< of integers
  bool nan_is_least = false;  ///< integers that saturate: NaN is the least one, not 0
  /// NaN in types without it, of 4 and 6 bits
  enum class SmallNan : std::uint8_t { minus_zero, zero, largest } small_nan = SmallNan::minus_zero;
  /// Texts of floats: shortest digits without an exponent, Python's repr, %.8g, %f
  enum class Digits : std::uint8_t { plain, repr, eight, six_decimals } digits = Digits::plain;
  bool truth_is_word = false;  ///< texts of bool: "True" and "False", not "1" and "0"
};

/// The name of the rule, for `explain`: "truncated, low bits".
std::string conversion_rule(DType from, DType to, const Conversion& how = {});
/// The bits of the element of numeric type or bool.
std::uint64_t converted(const Number& x, DType to, const Conversion& how);
/// The same of a decimal as a text has it: of integers all its digits count.
std::uint64_t converted(const std::string& text, DType to, const Conversion& how);
/// The integer that a real number becomes, where it is known which.
std::optional<std::uint64_t> converted(const Interval& x, DType to, const Conversion& how);
/// The number that an element of numeric type or bool is.
Number number_of(DType dtype, std::uint64_t bits);
/// The element of numeric type or bool as a text.
std::string converted_to_text(DType dtype, std::uint64_t bits, const Conversion& how);

}  // namespace opref::exact
