// SPDX-License-Identifier: Apache-2.0
// Numbers from one type to another: conversions, scales and zero points, rounding back.
#pragma once

#include <optional>

#include "evaluators/elementwise.h"
#include "exact/convert.h"
#include "exact/real/held.h"
#include "exact/real/plain.h"
#include "schema/operator.h"
namespace opref::ops {
// Operators that take numbers from one type to another: the types that attributes name, and how a type takes what it
// cannot hold.

/// The element type whose number in ONNX the attribute is; another number is `invalid`.
DType named_type(const Call& call, std::string_view attribute);
/// The same; nothing where the attribute is 0, or the version has none of this name.
std::optional<DType> stated_type(const Call& call, std::string_view attribute);

/// saturate, round_mode, the readings of Cast that the operator has, and what the version says of infinities.
Conversion conversion_of(const Call& call);

/// Versions 19 to 28 of Cast and CastLike: attributes and types of T1 and T2.
Operator with_conversion_versions(Operator op);
/// Their readings, from the operator's first version on.
std::vector<Reading> conversion_readings(std::int64_t first);

// What QuantizeLinear and DequantizeLinear share: the scale and zero point of each element, by tensor, axis or block.

/// An input, a scale or zero point, where it lies for each element of x: one number, along the axis, or per block.
Operand per_element(const Call& call, std::string_view parameter);
/// The same; 0 where the zero point is left out.
Operand zero_points(const Call& call, std::string_view zero_point);
/// Shapes of scale and zero point against x, axis and block_size.
void check_quantization(const Call& call, std::string_view scale, std::string_view zero_point);
/// Where `axis` may be left out: without it scale and zero point are one number, and both have one shape always.
void require_scale_per_axis(const Call& call, std::string_view scale, std::string_view zero_point);
/// quantize.scale_of_one and quantize.rank_1.
std::vector<Reading> quantization_readings();
namespace onnx {
// QuantizeLinear and DequantizeLinear, whatever domain the version is of: types and kernels.
inline namespace file_quantize_linear {
std::vector<ValueType> quantize_linear_types(const Call& call);
std::vector<Value> quantize_linear_by(const Call& call, std::span<const Output> outs);
/// Whether the quotient is rounded at all; whether x may have NaN, and y no.
bool quantize_linear_divides(const Call& call);
bool quantize_linear_has_nan(const Call& call);
}  // namespace file_quantize_linear
inline namespace file_dequantize_linear {
std::vector<ValueType> dequantize_linear_types(const Call& call);
std::vector<Value> dequantize_linear_by(const Call& call, std::span<const Output> outs);
}  // namespace file_dequantize_linear
}  // namespace onnx

/// The number, but 0 instead of NaN.
template <class T>
OPREF_INLINE exact::Native<T> nan_as_zero(const exact::Native<T>& x) {
  return x.v == x.v ? x.v : T{0};
}
inline exact::Held nan_as_zero(const exact::Held& x) { return x; }
inline Faithful nan_as_zero(const Faithful& x) { return x; }

// What rounds to odd in doubles is exact in intervals.
inline Interval quotient_to_odd(const Interval& a, const Interval& b) { return a / b; }
inline Interval product_to_odd(const Interval& a, const Interval& b) { return a * b; }

/// x/scale rounded to `precision`, if there is one; tells `explain` both, the first by its name.
Interval named_quotient(const Named& named, std::string_view name, const Interval& x, const Interval& scale,
                        std::optional<DType> precision);
/// The integer nearest to a number of a floating type; tells `explain`.
Interval named_integer(const Named& named, const Interval& quotient);

// What operators share whose result is a sum of integers that is quantized again:
//   y = clamp(nearest(sum · x_scale·w_scale / y_scale) + y_zero_point)

/// "Each scale and zero-point pair must have same shape": a scalar, or one number per output channel, of which there
/// are `channels`; without these a scalar alone. [1] is a scalar too.
void require_scale_shapes(const Call& call, std::string_view scale, std::string_view zero_point,
                          std::optional<std::int64_t> channels = {});

/// Each element of a scale is finite and > 0.
void require_scales(const Call& call, std::string_view input);

/// a·b/c of three float32 scales. The product is exact. What is asked of scales that are not finite and > 0 is true.
struct Rescale {
  double a, b, c;
  /// fl(fl(a·b)/c)
  float in_float32() const;
  /// Whether that is another number.
  bool is_rounded_in_float32() const;
  /// Whether the product with a whole number of at most this magnitude can lie half-way between two whole numbers.
  bool may_tie(double most) const;
};

/// That it is a scale itself in float32, finite and > 0.
void require_float32_quotient(const Rescale& scale);

/// The greatest |q - zero_point| of a quantized tensor: by its type and its zero points, as far as they are known.
double most_magnitude(const Call& call, std::string_view tensor, std::string_view zero_points);
/// The greatest |element| of an int32 tensor: 0 where there is none, 2^31 where its elements are not known.
double most_int32(const Call& call, std::string_view input);
}  // namespace opref::ops
