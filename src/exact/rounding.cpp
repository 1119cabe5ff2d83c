// SPDX-License-Identifier: Apache-2.0
#include "exact/rounding.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"

namespace opref::exact {
namespace {

/// What a format does with the patterns that are numbers elsewhere.
enum class Special {
  ieee,               ///< the largest exponent field: infinities and NaNs
  finite,             ///< "fn" with a NaN: only S.1…1.1…1
  negative_zero_nan,  ///< "fnuz": only 1.0…0.0…0, so there is no -0
  exponent_only,      ///< no sign, no fraction, no zero; all ones is NaN
  none,               ///< every pattern is a number
};

struct FloatFormat {
  DType dtype;
  int exponent_bits;
  int fraction_bits;
  int bias;
  Special special;

  int precision() const { return fraction_bits + 1; }
  int min_exponent() const { return special == Special::exponent_only ? -bias : 1 - bias; }
  std::uint64_t magnitude_mask() const { return (std::uint64_t{1} << (exponent_bits + fraction_bits)) - 1; }
  std::uint64_t sign() const { return special == Special::exponent_only ? 0 : magnitude_mask() + 1; }
  std::uint64_t field_mask() const { return (std::uint64_t{1} << exponent_bits) - 1; }
  /// Bits of the largest finite number.
  std::uint64_t largest() const {
    switch (special) {
      case Special::ieee:
        return (field_mask() << fraction_bits) - 1;
      case Special::finite:
      case Special::exponent_only:
        return magnitude_mask() - 1;
      case Special::negative_zero_nan:
      case Special::none:
        break;
    }
    return magnitude_mask();
  }
  int max_exponent() const { return static_cast<int>(largest() >> fraction_bits) - bias; }
};

// Sources: IEEE 754-2019; OCP 8-bit floating point (e4m3fn, e5m2), OCP microscaling formats 1.0 (e2m1, e2m3, e3m2,
// e8m0); https://arxiv.org/abs/2206.02915 (fnuz); https://onnx.ai/onnx/technical/float8.html
constexpr FloatFormat kFormats[] = {
    {DType::float16, 5, 10, 15, Special::ieee},
    {DType::bfloat16, 8, 7, 127, Special::ieee},
    {DType::float32, 8, 23, 127, Special::ieee},
    {DType::float64, 11, 52, 1023, Special::ieee},
    {DType::float8_e4m3fn, 4, 3, 7, Special::finite},
    {DType::float8_e4m3fnuz, 4, 3, 8, Special::negative_zero_nan},
    {DType::float8_e5m2, 5, 2, 15, Special::ieee},
    {DType::float8_e5m2fnuz, 5, 2, 16, Special::negative_zero_nan},
    {DType::float8_e8m0fnu, 8, 0, 127, Special::exponent_only},
    {DType::float4_e2m1fn, 2, 1, 1, Special::none},
    {DType::float6_e2m3fn, 2, 3, 1, Special::none},
    {DType::float6_e3m2fn, 3, 2, 3, Special::none},
};

const FloatFormat& format_of(DType dtype) {
  for (const FloatFormat& format : kFormats)
    if (format.dtype == dtype) return format;
  fail(Fault::internal, "{} is not a floating type", dtype);
}

bool is_nan(const FloatFormat& format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & format.magnitude_mask();
  switch (format.special) {
    case Special::ieee:
      return magnitude > format.field_mask() << format.fraction_bits;
    case Special::finite:
    case Special::exponent_only:
      return magnitude == format.magnitude_mask();
    case Special::negative_zero_nan:
      return bits == format.sign();
    case Special::none:
      break;
  }
  return false;
}

bool is_infinity(const FloatFormat& format, std::uint64_t bits) {
  return format.special == Special::ieee && (bits & format.magnitude_mask()) == format.field_mask()
                                                                                    << format.fraction_bits;
}

double generic_value(const FloatFormat& format, std::uint64_t bits) {
  if (is_nan(format, bits)) return std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t magnitude = bits & format.magnitude_mask();
  const auto field = static_cast<int>(magnitude >> format.fraction_bits);
  std::uint64_t significand = magnitude & ((std::uint64_t{1} << format.fraction_bits) - 1);
  if (field != 0 || format.special == Special::exponent_only) significand |= std::uint64_t{1} << format.fraction_bits;
  const int exponent = std::max(field - format.bias, format.min_exponent()) - format.fraction_bits;
  const double value = is_infinity(format, bits) ? std::numeric_limits<double>::infinity()
                                                 : std::ldexp(static_cast<double>(significand), exponent);
  return (bits & format.sign()) != 0 ? -value : value;
}

}  // namespace

std::optional<std::uint64_t> encode_finite(DType dtype, bool negative, std::uint64_t significand, int exponent) {
  const FloatFormat& format = format_of(dtype);
  const bool exponent_only = format.special == Special::exponent_only;
  if (exponent_only && (negative || significand == 0)) return std::nullopt;
  std::uint64_t magnitude = 0;
  if (significand != 0)
    magnitude =
        round_magnitude(significand, exponent, format.precision(), format.min_exponent(), format.max_exponent());
  // Without a zero the smallest number has the bits that zero has elsewhere, and it is the nearest to all below it.
  if (exponent_only) magnitude = std::max<std::uint64_t>(magnitude, 1) - 1;
  if (magnitude > format.largest()) return std::nullopt;
  if (magnitude == 0 && format.special == Special::negative_zero_nan) return 0;
  return magnitude | (negative ? format.sign() : 0);
}

std::uint64_t encode_bits(DType dtype, bool negative, std::uint64_t significand, int exponent) {
  if (const auto bits = encode_finite(dtype, negative, significand, exponent)) return *bits;
  if (const auto bits = infinity_of(dtype, negative)) return *bits;
  const FloatFormat& format = format_of(dtype);
  if (format.special == Special::exponent_only && (negative || significand == 0)) return *nan_of(dtype);
  return format.largest() | (negative ? format.sign() : 0);
}

std::optional<std::uint64_t> infinity_of(DType dtype, bool negative) {
  const FloatFormat& format = format_of(dtype);
  if (format.special != Special::ieee) return std::nullopt;
  return format.field_mask() << format.fraction_bits | (negative ? format.sign() : 0);
}

std::optional<std::uint64_t> nan_of(DType dtype) {
  const FloatFormat& format = format_of(dtype);
  switch (format.special) {
    case Special::ieee:
      return format.field_mask() << format.fraction_bits | std::uint64_t{1} << (format.fraction_bits - 1);
    case Special::finite:
    case Special::exponent_only:
      return format.magnitude_mask();
    case Special::negative_zero_nan:
      return format.sign();
    case Special::none:
      break;
  }
  return std::nullopt;
}

double floating_value(DType dtype, std::uint64_t bits) {
  switch (dtype) {
    case DType::float64:
      return std::bit_cast<double>(bits);
    case DType::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case DType::float16:
      return widen(Half{static_cast<std::uint16_t>(bits)});
    case DType::bfloat16:
      return widen(BFloat16{static_cast<std::uint16_t>(bits)});
    default:
      return generic_value(format_of(dtype), bits);
  }
}

std::uint64_t bits_at(std::span<const std::byte> bytes, int width, std::int64_t index) {
  if (width < 8) {
    const std::int64_t first = index * width;
    const auto byte = static_cast<size_t>(first / 8);
    const int shift = static_cast<int>(first % 8);
    auto pair = std::to_integer<std::uint64_t>(bytes[byte]);
    if (shift + width > 8) pair |= std::to_integer<std::uint64_t>(bytes[byte + 1]) << 8;
    return pair >> shift & ((1U << width) - 1);
  }
  const auto size = static_cast<size_t>(width) / 8;
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + static_cast<size_t>(index) * size, size);
  return bits;
}

void set_bits(std::span<std::byte> bytes, int width, std::int64_t index, std::uint64_t element) {
  if (width >= 8) {
    const auto size = static_cast<size_t>(width) / 8;
    std::memcpy(bytes.data() + static_cast<size_t>(index) * size, &element, size);
    return;
  }
  const auto first = static_cast<size_t>(index * width / 8);
  const int shift = static_cast<int>(index * width % 8);
  const auto put = [&](size_t at, std::uint64_t mask, std::uint64_t value) {
    if (mask != 0) bytes[at] = (bytes[at] & ~static_cast<std::byte>(mask)) | static_cast<std::byte>(value);
  };
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << shift, value = element << shift;
  put(first, mask & 0xff, value & 0xff);
  put(first + 1, mask >> 8, value >> 8);
}

std::uint64_t element_bits(const Tensor& tensor, std::int64_t index) {
  const int width = info(tensor.dtype()).bits;
  if (width > 64) fail(Fault::internal, "an element of {} has more than 64 bits", tensor.dtype());
  return bits_at(tensor.bytes(), width, index);
}

double floating_element(const Tensor& tensor, std::int64_t index) {
  return floating_value(tensor.dtype(), element_bits(tensor, index));
}

int precision_of(DType dtype) {
  // 1 + 2^(1-p) is the number after 1.
  const std::uint64_t one = encode_bits(dtype, false, 1, 0);
  const Scaled next = scaled(floating_value(dtype, one + 1) - 1);
  return 1 - (next.exponent + 63 - std::countl_zero(next.significand));
}

std::uint64_t bits_of_number(DType dtype, bool negative, std::uint64_t magnitude, int exponent) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::floating) return encode_bits(dtype, negative && magnitude != 0, magnitude, exponent);
  const std::uint64_t value = exponent > 0 ? magnitude << exponent : magnitude >> -exponent;
  return (negative ? 0 - value : value) & (~std::uint64_t{0} >> (64 - type.bits));
}

}  // namespace opref::exact
