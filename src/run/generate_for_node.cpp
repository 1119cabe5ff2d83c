#include "run/generate_for_node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "core/error.h"
#include "exact/rounding.h"
#include "spec/operator.h"

namespace opref {
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

/// Per spatial axis, of any operator with such attributes.
Dims per_axis(const Call& call, std::string_view attribute, size_t axes, std::int64_t absent) {
  const bool known = call.schema().find_attribute(attribute) != nullptr && call.has(attribute);
  return known ? Dims(call.integers(attribute)) : Dims::filled(axes, absent);
}

// --- Transposed convolutions: sums of products over input channels and taps

/// Where the input channels are.
struct Product {
  std::int64_t channels;  ///< of each group
  size_t x_axis = 1, w_axis;
  std::int64_t terms;  ///< of an output element, at most
};

Product product_of(const Call& call) {
  const bool onnx = call.op().op_type() == "ConvTranspose";
  const bool grouped = call.op().op_type() == "GroupConvolutionBackpropData";
  const Dims& w = call.inputs()[1].type.tensor.shape;
  const size_t axes = call.inputs()[0].type.tensor.rank() - 2;
  const std::int64_t groups = onnx ? call.integer("group") : grouped ? w[0] : 1;
  Product product{grouped ? w[1] : w[0] / groups, 1, grouped ? size_t{1} : size_t{0}, 1};
  const Dims strides = per_axis(call, "strides", axes, 1);
  product.terms = std::max<std::int64_t>(product.channels, 1);
  for (size_t axis = 0; axis < axes; ++axis)
    product.terms *= (w[w.size() - axes + axis] + strides[axis] - 1) / strides[axis];
  return product;
}

/// Whole numbers whose products' sums have about p+1 bits: an odd one between 2^p and 2^(p+1) is a midpoint. With odd
/// numbers on one side half of the sums are odd.
Tensor tie_factors(const Random& random, const TensorType& type, size_t input, const Product& product) {
  const int total = precision_of(type.dtype) + 2 - log2_of(product.terms) / 2;
  const int bits = std::clamp(input == 0 ? total / 2 : total - total / 2, 1, 30);
  const Parity parity = input == 0 ? Parity::odd : Parity::any;
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
Tensor cancelling_factors(const Random& random, const TensorType& type, size_t input, const Product& product) {
  if (product.channels < 2)
    fail(Fault::usage, "the generator 'cancel' needs 2 input channels in each group, but there is {}",
         product.channels);
  const size_t axis = input == 0 ? product.x_axis : product.w_axis;
  const std::int64_t inner = element_count(type.shape.without_first(axis + 1)), last = product.channels - 1;
  const int spread = precision_of(type.dtype) + 5 + log2_of(product.terms), up = spread / 2;
  return tensor_of_bits(type, [&](std::int64_t i) {
    const std::int64_t channel = i / inner % product.channels;
    const bool is_last = channel == last, large = channel == 0 || is_last;
    const std::int64_t source = is_last ? i - last * inner : i;
    const std::uint64_t bits = uniform_bits(random, type.dtype, source, input == 0 ? 0 : large ? up : up - spread);
    const std::uint64_t sign = std::uint64_t{1} << (info(type.dtype).bits - 1);
    return input == 1 && is_last ? bits ^ sign : bits;
  });
}

Tensor for_product(const Fill& fill, const Random& random, const Call& call, size_t input) {
  const TensorType& type = call.inputs()[input].type.tensor;
  const Product product = product_of(call);
  if (input < 2)
    return fill.generator == Generator::ties ? tie_factors(random, type, input, product)
                                             : cancelling_factors(random, type, input, product);
  if (fill.generator == Generator::ties) return tie_addends(random, type);
  const int small = -(precision_of(type.dtype) + 5);
  return tensor_of_bits(type, [&](std::int64_t i) { return uniform_bits(random, type.dtype, i, small / 2); });
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

/// Each whole window has each residue of its axes' coordinates, modulo the kernel, once: so every window of a plane has
/// the same terms, wherever it lies.
Tensor norm_ties(const Random& random, const Call& call) {
  const TensorType& type = call.inputs()[0].type.tensor;
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

// --- MaxUnpool

/// The position of the largest of random numbers in each pooling window over the output.
Tensor pooled_indices(const Fill& fill, const Random& random, const Call& call, size_t input) {
  const TensorType& type = call.inputs()[input].type.tensor;
  const Dims output = call.op().output_types(call).front().tensor.shape;
  const size_t axes = output.size() - 2;
  const Dims k = per_axis(call, "kernel_shape", axes, 1), s = per_axis(call, "strides", axes, 1);
  const Dims pads = per_axis(call, "pads", 2 * axes, 0);
  Dims first = Dims::filled(axes, 0) - pads.first(axes), width = k;
  // Of each window a part that no other has: where it can, from the first element that is inside on.
  for (size_t axis = 0; axis < axes && fill.generator == Generator::max_pool_indices; ++axis) {
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
      fail(Fault::usage, "the generator '{}' finds no place in the output {} for the window of element {}",
           name(fill.generator), output, at);
    return static_cast<std::uint64_t>(found);
  });
}

bool is_index(Generator generator) {
  return generator == Generator::max_pool_indices || generator == Generator::max_pool_duplicates;
}

}  // namespace

Tensor generate_for_node(const Fill& fill, const Call& call, size_t input) {
  const Input& taken = call.inputs()[input];
  require_generates(fill.generator, taken.type.dtype());
  const std::vector<ValueType> types = call.op().output_types(call);  // the operator's own rules first
  const Random random(fill.seed, taken.name);
  const std::string_view op = call.op().op_type();
  if (op == "MaxUnpool" && is_index(fill.generator) && input == 1) return pooled_indices(fill, random, call, input);
  if (op == "LpPool" && fill.generator == Generator::ties) return norm_ties(random, call);
  const bool multiplies =
      op == "ConvTranspose" || op == "ConvolutionBackpropData" || op == "GroupConvolutionBackpropData";
  if (multiplies && !is_index(fill.generator) && taken.type.dtype() == types.front().dtype())
    return for_product(fill, random, call, input);
  const std::string_view formal = OpSchema::formal(call.schema().inputs(), input).name;
  fail(Fault::usage, "the generator '{}' has no values for {} of {}", name(fill.generator), formal, call.title());
}

}  // namespace opref
