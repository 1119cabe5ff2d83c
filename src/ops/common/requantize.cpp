// SPDX-License-Identifier: Apache-2.0
#include "ops/common/requantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/elements.h"
#include "exact/rounding.h"

namespace opref::ops {
namespace {

/// m·2^exponent with m odd; x > 0.
struct Odd {
  std::uint64_t m;
  int exponent;
};
Odd odd_part(double x) {
  int exponent = 0;
  const auto m = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = std::countr_zero(m);
  return {m >> zeros, exponent - 53 + zeros};
}

bool is_positive(double x) { return x > 0 && std::isfinite(x); }

}  // namespace

void require_scale_shapes(const Call& call, std::string_view scale, std::string_view zero_point,
                          std::optional<std::int64_t> channels) {
  const Dims &a = call.type(scale).shape, &b = call.type(zero_point).shape;
  const bool are_single = (a.empty() || a == Dims{1}) && (b.empty() || b == Dims{1});
  require(a == b, "{} has shape {}, but {} {}{}", scale, a, zero_point, b,
          are_single ? ": one number may be [] or [1], but both must be alike" : "");
  require(a.empty() || a == Dims{1} || (channels && a == Dims{*channels}), "{} has shape {}, but must be a scalar{}",
          scale, a, channels ? format(" or have {}", Dims{*channels}) : "");
}

void require_scales(const Call& call, std::string_view input) {
  const Tensor& scales = call.input(input);
  const evaluators::Elements values(scales);
  for (std::int64_t i = 0; i < scales.count(); ++i) {
    const double scale = values.number(i);
    require(is_positive(scale), "{}{} has {}, but must be finite and > 0", input,
            is_positive(scale) || scales.count() == 1 ? "" : format("{}", coordinates(i, scales.shape())), scale);
  }
}

float Rescale::in_float32() const { return static_cast<float>(a * b) / static_cast<float>(c); }

// The product of the quotient and c is exact, as a·b is.
bool Rescale::is_rounded_in_float32() const {
  return !is_positive(a) || !is_positive(b) || !is_positive(c) || widen(in_float32()) * c != a * b ||
         widen(static_cast<float>(a * b)) != a * b;
}

// n·p/q·2^e, p and q odd and without a common divisor, is an odd multiple of 1/2 iff n is one of q·2^(-e-1).
bool Rescale::may_tie(double most) const {
  if (!is_positive(a) || !is_positive(b) || !is_positive(c)) return true;
  const Odd product = odd_part(a * b), divisor = odd_part(c);
  const int e = product.exponent - divisor.exponent;
  const std::uint64_t q = divisor.m / std::gcd(product.m, divisor.m);
  return e < 0 && std::ldexp(nearly(q), -e - 1) <= most;
}

void require_float32_quotient(const Rescale& scale) {
  require(is_positive(scale.in_float32()), "x_scale·w_scale/y_scale is {} in float32", scale.in_float32());
}

double most_magnitude(const Call& call, std::string_view tensor, std::string_view zero_points) {
  const bool is_signed = info(call.type(tensor).dtype).kind == Kind::signed_integer;
  const std::int64_t least = is_signed ? -128 : 0, greatest = is_signed ? 127 : 255;
  if (!call.has_value(zero_points)) return 255;
  const Tensor& zeros = call.input(zero_points);
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < zeros.count(); ++i) {
    const std::int64_t zero = evaluators::Elements(zeros).integer(i);
    most = std::max({most, zero - least, greatest - zero});
  }
  return nearly(most);
}

double most_int32(const Call& call, std::string_view input) {
  if (!call.has(input)) return 0;
  if (!call.has_value(input)) return 0x1p31;
  std::int64_t most = 0;
  for (const std::int32_t x : call.input(input).values<std::int32_t>())
    most = std::max(most, std::abs(static_cast<std::int64_t>(x)));
  return nearly(most);
}

}  // namespace opref::ops
