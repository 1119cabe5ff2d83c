// SPDX-License-Identifier: Apache-2.0
#include "exact/element_text.h"

#include <cmath>

#include "core/error.h"
#include "exact/decimal.h"
#include "exact/rounding.h"

namespace opref::exact {
namespace {

/// A NaN that "NaN" would not read back.
bool is_other_nan(DType dtype, std::uint64_t bits) {
  return std::isnan(floating_value(dtype, bits)) && bits != nan_of(dtype);
}

std::string floating_text(DType dtype, std::uint64_t bits) {
  if (is_other_nan(dtype, bits)) return bits_text(bits, info(dtype).bits);
  const double value = floating_value(dtype, bits);
  if (std::isnan(value)) return "NaN";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "Inf";
  const Decimal decimal = shortest_decimal(dtype, bits);
  // Python's rule for the form; where zeros would only fill up an integer, its true digits cost no more.
  if (value != 0 && (decimal.exponent < -4 || decimal.exponent >= 16)) return sign + decimal.scientific();
  return sign + (decimal.fixed_fraction() == 0 ? fixed_text(std::abs(value), 0) : decimal.fixed());
}

std::string complex_text(const Tensor& tensor, std::int64_t index) {
  const int width = info(tensor.dtype()).bits / 2;
  const DType part = width == 32 ? DType::float32 : DType::float64;
  const std::uint64_t real = bits_at(tensor.bytes(), width, 2 * index);
  const std::uint64_t imaginary = bits_at(tensor.bytes(), width, 2 * index + 1);
  if (is_other_nan(part, real) || is_other_nan(part, imaginary))
    return bits_text(imaginary, width) + bits_text(real, width).substr(2);
  const std::string second = floating_text(part, imaginary);
  return floating_text(part, real) + (second.starts_with('-') ? "" : "+") + second + "j";
}

std::string integer_text(const Tensor& tensor, std::int64_t index) {
  const std::uint64_t bits = element_bits(tensor, index);
  if (info(tensor.dtype()).kind == Kind::unsigned_integer) return std::to_string(bits);
  const int unused = 64 - info(tensor.dtype()).bits;
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace

std::string bits_text(std::uint64_t bits, int width) {
  std::string text = "0x";
  for (int shift = (width + 3) / 4 * 4 - 4; shift >= 0; shift -= 4) text += "0123456789abcdef"[bits >> shift & 0xf];
  return text;
}

std::string element_text(const Tensor& tensor, std::int64_t index) {
  switch (info(tensor.dtype()).kind) {
    case Kind::floating:
      return floating_text(tensor.dtype(), element_bits(tensor, index));
    case Kind::complex:
      return complex_text(tensor, index);
    case Kind::boolean:
      return element_bits(tensor, index) != 0 ? "true" : "false";
    case Kind::string:
      return tensor.strings()[static_cast<size_t>(index)];
    default:
      return integer_text(tensor, index);
  }
}

}  // namespace opref::exact
