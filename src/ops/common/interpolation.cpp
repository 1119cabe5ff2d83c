// SPDX-License-Identifier: Apache-2.0
#include "ops/common/interpolation.h"

#include <cmath>
#include <limits>

#include "core/error.h"

namespace opref::ops {

void require_mode(const Call& call) {
  const DType dtype = call.type("X").dtype;
  require(call.string("mode") == "nearest" || (dtype != DType::string && dtype != DType::boolean),
          "X has type {}, but mode {} needs numbers", dtype, call.string("mode"));
}

WholeNumber::WholeNumber(const Rational& whole) : exact_(whole), near_(whole.nearby()) {
  const bool is_finite = std::isfinite(near_);
  const bool is_exact = is_finite && Rational::of(near_) == whole;
  error_ = is_exact ? 0 : is_finite ? std::abs(near_) * 0x1p-52 : std::numeric_limits<double>::infinity();
  if (!is_finite) near_ = 0;
}

namespace {

Rational common_denominator(const std::vector<WeightedPixel>& pixels) {
  Rational common(1);
  for (const WeightedPixel& pixel : pixels) common = common_multiple(common, pixel.weight.denominator());
  return common;
}

}  // namespace

AxisPoint::AxisPoint(const Rational& place, const std::vector<WeightedPixel>& pixels)
    : place_(place), denominator_(common_denominator(pixels)) {
  for (const auto& [pixel, weight] : pixels)
    if (weight != Rational(0)) pixels_.push_back({pixel, WholeNumber(weight * denominator_.as<Rational>())});
}

Rational triangle(const Rational& d) {
  const Rational distance = d < Rational(0) ? Rational(0) - d : d;
  return distance < Rational(1) ? Rational(1) - distance : Rational(0);
}

Rational keys(const Rational& d, const Rational& a) {
  const Rational x = d < Rational(0) ? Rational(0) - d : d;
  if (x <= Rational(1)) return ((a + Rational(2)) * x - (a + Rational(3))) * x * x + Rational(1);
  return x < Rational(2) ? a * (((x - Rational(5)) * x + Rational(8)) * x - Rational(4)) : Rational(0);
}

std::uint64_t integer_of(const Rational& number, DType dtype, Fraction fraction, Beyond beyond) {
  Rational whole = fraction == Fraction::truncate ? number.truncated() : number.rounded_even();
  if (beyond == Beyond::wrap) return whole.low_bits();
  const bool is_signed = info(dtype).kind == Kind::signed_integer;
  const int bits = info(dtype).bits - (is_signed ? 1 : 0);
  const Rational beyond_most = Rational::of(std::ldexp(1, bits)),
                 least = is_signed ? Rational(0) - beyond_most : Rational(0);
  if (whole < least) whole = least;
  if (whole >= beyond_most) whole = beyond_most - Rational(1);
  return whole.low_bits();
}

TensorType parts_type(const TensorType& type) {
  return {type.dtype == DType::complex64 ? DType::float32 : DType::float64, join(type.shape, Dims{2})};
}
Tensor parts_of(const Tensor& x) { return Tensor::copy_of(parts_type(x.type()), x.bytes()); }

}  // namespace opref::ops
