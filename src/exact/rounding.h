// SPDX-License-Identifier: Apache-2.0
// Float formats, exact widening, and the one correct rounding: to nearest, ties to even.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "core/tensor.h"

namespace opref::exact {

/// IEEE 754 binary16, by its bits. Arithmetic on it is that of its value as a float, which is exact.
struct Half {
  std::uint16_t bits;
  operator float() const;
};
/// The upper half of a binary32, by its bits; likewise.
struct BFloat16 {
  std::uint16_t bits;
  operator float() const;
};

/// precision counts the implicit bit; exponents are those of the leading bit of normal numbers.
template <class T>
struct Format;
template <>
struct Format<Half> {
  using Bits = std::uint16_t;
  static constexpr int precision = 11, min_exponent = -14, max_exponent = 15;
};
template <>
struct Format<BFloat16> {
  using Bits = std::uint16_t;
  static constexpr int precision = 8, min_exponent = -126, max_exponent = 127;
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int precision = 24, min_exponent = -126, max_exponent = 127;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int precision = 53, min_exponent = -1022, max_exponent = 1023;
};

template <class T>
using BitsOf = typename Format<T>::Bits;
template <class T>
T from_bits(BitsOf<T> bits) {
  return std::bit_cast<T>(bits);
}
template <class T>
BitsOf<T> to_bits(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}
template <class T>
constexpr BitsOf<T> sign_bit = static_cast<BitsOf<T>>(BitsOf<T>{1} << (8 * sizeof(T) - 1));
template <class T>
constexpr BitsOf<T> infinity_bits =
    static_cast<BitsOf<T>>(BitsOf<T>{2 * Format<T>::max_exponent + 1} << (Format<T>::precision - 1));

/// The one NaN that opref computes: positive, quiet, no payload.
template <class T>
T quiet_nan() {
  return from_bits<T>(static_cast<BitsOf<T>>(infinity_bits<T> | BitsOf<T>{1} << (Format<T>::precision - 2)));
}
template <class T>
T infinity(bool negative) {
  return from_bits<T>(static_cast<BitsOf<T>>(infinity_bits<T> | (negative ? sign_bit<T> : 0)));
}

/// The one scalar rounding routine: ±significand·2^exponent, significand > 0, to the nearest number of `precision`
/// bits, ties to even, as the bits of an IEEE layout without its sign. The implicit bit carries into the exponent
/// field, and so does rounding up; results above `max_exponent` give the field after its own.
inline std::uint64_t round_magnitude(std::uint64_t significand, int exponent, int precision, int min_exponent,
                                     int max_exponent) {
  const int top = 63 - std::countl_zero(significand) + exponent;
  if (top > max_exponent) return static_cast<std::uint64_t>(max_exponent - min_exponent + 2) << (precision - 1);
  const int last_place = std::max(top, min_exponent) - (precision - 1);
  const int drop = last_place - exponent;
  std::uint64_t kept = 0;
  if (drop <= 0) {
    kept = significand << -drop;
  } else if (drop <= 64) {
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    const std::uint64_t rest = significand & (half | (half - 1));
    kept = drop == 64 ? 0 : significand >> drop;
    kept += rest > half || (rest == half && (kept & 1) != 0);
  }
  const auto field = static_cast<std::uint64_t>(last_place + precision - 1 - min_exponent);
  return (field << (precision - 1)) + kept;
}

/// The T nearest to ±significand·2^exponent, ties to even; subnormals included, overflow gives infinity, zero keeps the
/// sign. A truncated significand keeps a sticky bit in its lowest place and at least precision+2 bits above it.
template <class T>
T encode(bool negative, std::uint64_t significand, int exponent) {
  using F = Format<T>;
  const std::uint64_t magnitude =
      significand == 0 ? 0 : round_magnitude(significand, exponent, F::precision, F::min_exponent, F::max_exponent);
  return from_bits<T>(
      static_cast<BitsOf<T>>(std::min<std::uint64_t>(infinity_bits<T>, magnitude) | (negative ? sign_bit<T> : 0)));
}

/// The value as a double, exactly.
inline double widen(float value) { return static_cast<double>(value); }
inline double widen(double value) { return value; }
inline double widen(BFloat16 value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16); }
inline double widen(Half value) {
  const std::uint64_t field = value.bits >> 10 & 0x1f;
  const std::uint64_t fraction = value.bits & 0x3ff;
  const std::uint64_t wide_field = field == 0x1f ? 0x7ff : field + (1023 - 15);
  const double magnitude =
      field == 0 ? static_cast<double>(fraction) * 0x1p-24 : std::bit_cast<double>(wide_field << 52 | fraction << 42);
  return value.bits >> 15 != 0 ? -magnitude : magnitude;
}

inline Half::operator float() const { return static_cast<float>(widen(*this)); }
inline BFloat16::operator float() const { return static_cast<float>(widen(*this)); }

/// A finite double as ±significand·2^exponent.
struct Scaled {
  bool negative;
  std::uint64_t significand;
  int exponent;
};
inline Scaled scaled(double finite) {
  const auto bits = std::bit_cast<std::uint64_t>(finite);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  if (field == 0) return {bits >> 63 != 0, fraction, -1074};
  return {bits >> 63 != 0, fraction | std::uint64_t{1} << 52, field - 1075};
}

/// The T nearest to a double, ties to even; any NaN gives quiet_nan.
template <class T>
T nearest(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if ((bits >> 52 & 0x7ff) == 0x7ff)
    return (bits & 0xfffffffffffff) != 0 ? quiet_nan<T>() : infinity<T>(bits >> 63 != 0);
  const Scaled parts = scaled(value);
  return encode<T>(parts.negative, parts.significand, parts.exponent);
}

// By dtype instead of C++ type: all formats, those of 8 and 4 bits too. `dtype` must be a floating type.

/// Element `index` of a tensor of any floating type (4-bit and 8-bit formats included) as a double, exactly.
double floating_element(const Tensor& tensor, std::int64_t index);
/// The bits of element `index` of an array of elements of `width` bits, at most 64, right-aligned; narrower ones than 8
/// bits are packed, the first in the lowest bits. For loops: a tensor's `bytes()` has its price.
std::uint64_t bits_at(std::span<const std::byte> bytes, int width, std::int64_t index);
/// Writes them: the others, and what else is in a byte that packed ones share, stay.
void set_bits(std::span<std::byte> bytes, int width, std::int64_t index, std::uint64_t element);
/// The bits of element `index` of a tensor of any type of at most 64 bits, right-aligned; packed types unpacked.
std::uint64_t element_bits(const Tensor& tensor, std::int64_t index);
/// The bits of the element of floating type `dtype` as a double, exactly (NaN without its payload).
double floating_value(DType dtype, std::uint64_t bits);
/// Bits of the `dtype` element nearest to ±significand·2^exponent (as encode; also for the 8-bit and 4-bit formats,
/// where a format without infinity saturates to its largest finite value). Formats without -0 give 0; float8_e8m0fnu,
/// which has neither zero nor sign, gives NaN for zero and negative numbers.
std::uint64_t encode_bits(DType dtype, bool negative, std::uint64_t significand, int exponent);
/// As encode_bits, but nothing where the exact value cannot be rounded to a finite element: overflow, and for
/// float8_e8m0fnu zero and negative numbers.
std::optional<std::uint64_t> encode_finite(DType dtype, bool negative, std::uint64_t significand, int exponent);
/// Bits of ±infinity, or nothing where the format has none.
std::optional<std::uint64_t> infinity_of(DType dtype, bool negative);
/// Bits of the NaN that opref computes (positive, quiet, where there is a choice), or nothing where the format has
/// none.
std::optional<std::uint64_t> nan_of(DType dtype);

/// The significant bits of a floating type, the implicit one included: 24 of float32.
int precision_of(DType dtype);
/// ±magnitude·2^exponent as the bits of an element of any type: rounded once; of integers and bool the low bits.
std::uint64_t bits_of_number(DType dtype, bool negative, std::uint64_t magnitude, int exponent);

/// The tensor whose element i has the bits `bits(i)`, right-aligned, of a type of at most 64 bits.
template <class Bits>
Tensor tensor_of_bits(const TensorType& type, const Bits& bits) {
  TensorBuilder tensor(type);
  const std::span<std::byte> bytes = tensor.bytes();
  const int width = info(type.dtype).bits;
  const std::int64_t count = element_count(type.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t element = bits(i);
    if (width < 8) {
      const std::int64_t first = i * width;
      bytes[static_cast<size_t>(first / 8)] |= static_cast<std::byte>(element << (first % 8));
      if (first % 8 + width > 8)
        bytes[static_cast<size_t>(first / 8 + 1)] |= static_cast<std::byte>(element >> (8 - first % 8));
      continue;
    }
    for (int byte = 0; byte < width / 8; ++byte)
      bytes[static_cast<size_t>(i * (width / 8) + byte)] = static_cast<std::byte>(element >> (8 * byte));
  }
  return std::move(tensor).finish();
}

/// The double nearest to a + b, except that an inexact result is moved to the neighbour with an odd significand (which
/// brackets the exact sum too): rounded to a format of at most 51 bits it gives what the exact sum gives.
inline double add_to_odd(double a, double b) {
  const double sum = a + b, part = sum - a;
  const double lost = (a - (sum - part)) + (b - part);  // exact (Knuth's TwoSum)
  if (!std::isfinite(sum) || lost == 0 || (std::bit_cast<std::uint64_t>(sum) & 1) != 0) return sum;
  return std::nextafter(sum, lost > 0 ? HUGE_VAL : -HUGE_VAL);
}

}  // namespace opref::exact
