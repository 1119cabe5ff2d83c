// SPDX-License-Identifier: Apache-2.0
// From an element of any type to one of any other: the number or text that it is, and the rule by which the other type
// takes it. All pairs are one table of rules (convert.cpp), which have names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace opref::exact {

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
  enum class Power : std::uint8_t { up, down, nearest } power = Power::up;            ///< float8_e8m0fnu
  enum class Beyond : std::uint8_t { low_bits, saturate } beyond = Beyond::low_bits;  ///< of integers
};

/// The name of the rule, for `explain`: "truncated, low bits".
std::string_view conversion_rule(DType from, DType to);
/// The bits of the element of numeric type or bool.
std::uint64_t converted(const Number& x, DType to, const Conversion& how);
/// Y[i] = X[i] as an element of `to`, of any types but complex ones.
Tensor convert(const Tensor& x, DType to, const Conversion& how);

}  // namespace opref::exact
