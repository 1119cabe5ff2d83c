// SPDX-License-Identifier: Apache-2.0
#include "ops/common/generators.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "exact/rounding.h"
#include "exact/uniform.h"
#include "ops/common/spatial.h"

namespace opref::ops {
namespace {

int log2_of(std::int64_t n) { return 63 - std::countl_zero(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))); }

enum class Parity : std::uint8_t { any, odd };

/// A positive or negative whole number of at most 2^bits, each equally likely.
std::uint64_t signed_bits(const Random& random, DType dtype, std::int64_t index, int bits, Parity parity) {
  const auto most = std::int64_t{1} << bits;
  const std::int64_t value = parity == Parity::odd
                                 ? 2 * std::int64_t{random.below(static_cast<std::uint32_t>(most), index)} - most + 1
                                 : random.below(static_cast<std::uint32_t>(2 * most + 1), index) - most;
  return bits_of_number(dtype, value < 0, static_cast<std::uint64_t>(value < 0 ? -value : value), 0);
}

// --- Transposed convolutions: sums of products over input channels and taps

enum class Role : std::uint8_t { data, kernel, bias };

/// What the input is to the product; a `usage` error where its type is not rounded.
Role role_of(const Call& call, std::string_view input, std::string_view generator) {
  const DType dtype = call.type(input).dtype;
  if (info(dtype).kind != Kind::floating)
    fail(Fault::usage, "the generator '{}' has no values of type {}", generator, dtype);
  const auto& formal = call.schema().inputs();
  return input == formal[0].name ? Role::data : input == formal[1].name ? Role::kernel : Role::bias;
}

/// Where the input channels are.
struct Product {
  std::int64_t channels;  ///< of each group
  size_t w_axis;          ///< theirs; X has them at 1
  std::int64_t terms;     ///< of an output element, at most
};

Product product_of(const Call& call) {
  const TensorType &x = call.inputs()[0].type.tensor, &w = call.inputs()[1].type.tensor;
  const size_t axes = x.rank() - 2;
  const bool grouped = w.rank() > x.rank();  // [GROUPS, C_IN, …]
  const std::int64_t groups = call.has_here("group") ? call.integer("group") : 1;
  Product product{grouped ? w.shape[1] : w.shape[0] / groups, grouped ? size_t{1} : size_t{0}, 1};
  const Dims strides = per_axis(call, "strides", axes, 1);
  product.terms = std::max<std::int64_t>(product.channels, 1);
  for (size_t axis = 0; axis < axes; ++axis)
    product.terms = checked_multiply(product.terms, ceil_divide(w.shape[w.rank() - axes + axis], strides[axis]));
  return product;
}

/// Whole numbers whose products' sums have about p+1 bits: an odd one between 2^p and 2^(p+1) is a midpoint. With odd
/// numbers on one side half of the sums are odd.
Tensor tie_factors(const Random& random, const TensorType& type, Role role, const Product& product) {
  const int total = precision_of(type.dtype) + 2 - log2_of(product.terms) / 2;
  const int bits = std::clamp(role == Role::data ? total / 2 : total - total / 2, 1, 30);
  const Parity parity = role == Role::data ? Parity::odd : Parity::any;
  return tensor_of_bits(type, [&](std::int64_t i) { return signed_bits(random, type.dtype, i, bits, parity); });
}

/// Nothing, or a little more or less.
Tensor tie_addends(const Random& random, const TensorType& type) {
  const int least = least_exponent(type.dtype);
  return tensor_of_bits(type, [&](std::int64_t i) {
    const std::uint32_t choice = random.below(3, i);
    return bits_of_number(type.dtype, choice == 1, choice == 0 ? 0 : 1, least);
  });
}

/// The first and last channels are alike, in W but for the sign; between them all is small.
Tensor cancelling_factors(const Random& random, const TensorType& type, Role role, const Product& product) {
  if (product.channels < 2)
    fail(Fault::usage, "the generator 'cancel' needs 2 input channels in each group, but there is {}",
         product.channels);
  const size_t axis = role == Role::data ? 1 : product.w_axis;
  const std::int64_t inner = element_count(type.shape.without_first(axis + 1)), last = product.channels - 1;
  const int spread = precision_of(type.dtype) + 5 + log2_of(product.terms), up = spread / 2;
  return tensor_of_bits(type, [&](std::int64_t i) {
    const std::int64_t channel = i / inner % product.channels;
    const bool is_last = channel == last, large = channel == 0 || is_last;
    const std::int64_t source = is_last ? i - last * inner : i;
    const int scale = role == Role::data ? 0 : large ? up : up - spread;
    const std::uint64_t bits = uniform_bits(random, type.dtype, source, scale);
    const std::uint64_t sign = std::uint64_t{1} << (info(type.dtype).bits - 1);
    return role == Role::kernel && is_last ? bits ^ sign : bits;
  });
}

}  // namespace

int least_exponent(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return Format<Half>::min_exponent;
    case DType::bfloat16:
      return Format<BFloat16>::min_exponent;
    case DType::float32:
      return Format<float>::min_exponent;
    default:
      return Format<double>::min_exponent;
  }
}

Tensor product_ties(const Call& call, std::string_view input, const Random& random) {
  const Role role = role_of(call, input, "ties");
  const TensorType& type = call.type(input);
  return role == Role::bias ? tie_addends(random, type) : tie_factors(random, type, role, product_of(call));
}

Tensor product_cancel(const Call& call, std::string_view input, const Random& random) {
  const Role role = role_of(call, input, "cancel");
  const TensorType& type = call.type(input);
  if (role != Role::bias) return cancelling_factors(random, type, role, product_of(call));
  const int small = -(precision_of(type.dtype) + 5);
  return tensor_of_bits(type, [&](std::int64_t i) { return uniform_bits(random, type.dtype, i, small / 2); });
}

}  // namespace opref::ops
