#include "ops/common/generators.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "core/error.h"
#include "exact/rounding.h"
#include "exact/uniform.h"
#include "ops/common/spatial.h"

namespace opref::ops {
namespace {

constexpr std::uint32_t kPlaneStream = 2;

int log2_of(std::int64_t n) { return 63 - std::countl_zero(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))); }

/// The least positive normal number, 2^exponent.
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
  const std::int64_t groups = call.has("group") ? call.integer("group") : 1;
  Product product{grouped ? w.shape[1] : w.shape[0] / groups, grouped ? size_t{1} : size_t{0}, 1};
  const Dims strides = per_axis(call, "strides", axes, 1);
  product.terms = std::max<std::int64_t>(product.channels, 1);
  for (size_t axis = 0; axis < axes; ++axis)
    product.terms *= (w.shape[w.rank() - axes + axis] + strides[axis] - 1) / strides[axis];
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

// --- Norms: |a t|^p + |b t|^p + … = |h t|^p, where h t needs one bit more than the type has

struct PowerTuple {
  std::array<std::uint64_t, 3> terms;
  size_t count;
  std::uint64_t root;
};

PowerTuple tuple_of(double p) {
  if (p == 1) return {{1, 2, 0}, 2, 3};
  if (p == 2) return {{3, 4, 0}, 2, 5};
  if (p == 3) return {{1, 6, 8}, 3, 9};
  fail(Fault::usage, "the generator 'ties' knows p-norms on midpoints for p = 1, 2 and 3 only, but p is {}", p);
}

// --- MaxUnpool

enum class Windows : std::uint8_t { apart, whole };

Tensor pooled_indices(const Call& call, std::string_view input, const Random& random, std::string_view generator,
                      Windows windows) {
  if (input != "I") fail(Fault::usage, "the generator '{}' has no values for {} of {}", generator, input, call.title());
  const TensorType& type = call.type(input);
  const Dims output = call.op().output_types(call).front().tensor.shape;
  const size_t axes = output.size() - 2;
  const Dims k = per_axis(call, "kernel_shape", axes, 1), s = per_axis(call, "strides", axes, 1);
  const Dims pads = explicit_pads(call, axes).begin;
  Dims first = Dims::filled(axes, 0) - pads, width = k;
  // Of each window a part that no other has: where it can, from the first element that is inside on.
  for (size_t axis = 0; axis < axes && windows == Windows::apart; ++axis) {
    width[axis] = std::min(k[axis], s[axis]);
    first[axis] += std::min(pads[axis], k[axis] - width[axis]);
  }
  return tensor_of_bits(type, [&](std::int64_t i) {
    const Dims at = coordinates(i, type.shape);
    std::optional<std::uint64_t> largest;
    std::int64_t found = 0;
    for (std::int64_t tap = 0, taps = element_count(width); tap < taps; ++tap) {
      Dims place = join(at.first(2), coordinates(tap, width));
      bool inside = true;
      for (size_t axis = 0; axis < axes; ++axis) {
        std::int64_t& o = place[axis + 2];
        o += at[axis + 2] * s[axis] + first[axis];
        inside &= o >= 0 && o < output[axis + 2];
      }
      if (!inside) continue;
      const std::int64_t flat = position(place, output);
      const auto words = random.draw(flat);
      const std::uint64_t number = std::uint64_t{words[0]} << 32 | words[1];
      if (!largest || number > *largest) largest = number, found = flat;
    }
    if (!largest)
      fail(Fault::usage, "the generator '{}' finds no place in the output {} for the window of element {}", generator,
           output, at);
    return static_cast<std::uint64_t>(found);
  });
}

}  // namespace

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

// Each whole window has each residue of its axes' coordinates, modulo the kernel, once: so every window of a plane has
// the same terms, wherever it lies.
Tensor norm_ties(const Call& call, std::string_view input, const Random& random) {
  const TensorType& type = call.type(input);
  const size_t axes = type.rank() - 2;
  const Dims k = per_axis(call, "kernel_shape", axes, 1), d = per_axis(call, "dilations", axes, 1);
  const double p = call.version() == 1 ? static_cast<double>(call.number("p")) : static_cast<double>(call.integer("p"));
  const PowerTuple tuple = tuple_of(p);
  if (element_count(k) < static_cast<std::int64_t>(tuple.count))
    fail(Fault::usage, "the generator 'ties' needs windows of {} elements for p = {}, but kernel_shape is {}",
         tuple.count, p, k);
  const std::uint64_t top = std::uint64_t{1} << precision_of(type.dtype);
  // h t has one bit too many, and every odd term fits.
  const std::uint64_t first = (top + tuple.root - 1) / tuple.root | 1;
  std::uint64_t last = (2 * top - 1) / tuple.root;
  for (size_t i = 0; i < tuple.count; ++i) {
    const std::uint64_t odd_part = tuple.terms[i] >> std::countr_zero(tuple.terms[i]);
    last = std::min(last, (top - 1) / odd_part);
  }
  const std::int64_t plane = element_count(type.shape.without_first(2));
  const int least = least_exponent(type.dtype);
  return tensor_of_bits(type, [&](std::int64_t i) -> std::uint64_t {
    const auto words = random.draw(i / plane, 0, kPlaneStream);
    const Dims at = coordinates(i % plane, type.shape.without_first(2));
    std::int64_t residue = 0;
    for (size_t axis = 0; axis < axes; ++axis) residue = residue * k[axis] + at[axis] / d[axis] % k[axis];
    const bool negative = random.below(2, i) != 0;
    const auto place = static_cast<size_t>(residue);
    if (place == tuple.count && words[3] % 2 == 0) return bits_of_number(type.dtype, negative, 1, least);
    if (place >= tuple.count) return 0;
    const std::uint64_t drawn = std::uint64_t{words[1]} << 32 | words[0];
    const std::uint64_t t = first + drawn % ((last - first) / 2 + 1) * 2;
    return bits_of_number(type.dtype, negative, t * tuple.terms[place], 0);
  });
}

Tensor max_pool_indices(const Call& call, std::string_view input, const Random& random) {
  return pooled_indices(call, input, random, "max_pool_indices", Windows::apart);
}

Tensor max_pool_duplicates(const Call& call, std::string_view input, const Random& random) {
  return pooled_indices(call, input, random, "max_pool_duplicates", Windows::whole);
}

}  // namespace opref::ops
