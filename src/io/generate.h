// Values made from a seed, on integers alone: the same on every machine, each element by itself.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/tensor.h"

namespace opref {

enum class Generator : std::uint8_t {
  uniform,   ///< multiples of 2^-p in [-1, 1), p the precision; integers: every value of the type
  normal,    ///< variance 1: the sum of 12 uniforms, rounded once
  integers,  ///< -8 … 8, unsigned 0 … 16, as far as the type goes; bool: both
  iota,      ///< 0, 1, 2, …: rounded; integers wrap
  special,  ///< normal (integers: uniform), one of 16 being NaN, ±Inf, ±0, ± the least and the largest finite number
  // These look at the node that takes the tensor, see run/generate_for_node.h.
  ties,                 ///< sums that fall on a midpoint between two numbers of the output's type
  cancel,               ///< terms that cancel to less than 2^-p of the largest
  max_pool_indices,     ///< of MaxUnpool, as of a real pooling whose windows do not overlap: no index twice
  max_pool_duplicates,  ///< the same of whole windows: where these overlap, an index can come twice
};

/// How a tensor of a stated type gets its values.
struct Fill {
  Generator generator;
  std::uint64_t seed = 1;
};

std::string_view name(Generator generator);
/// By name, else a `usage` error that offers the nearest.
Generator parse_generator(std::string_view name);
bool looks_at_node(Generator generator);
/// A `usage` error where the generator has no values of the type.
void require_generates(Generator generator, DType dtype);
/// Lines for `opref help generators`.
std::string_view generators_text();

/// Philox4x32-10 (Salmon et al., SC 2011). The key is the first 64 bits of the SHA-256 of "SEED NAME", NAME being the
/// input's; the counter holds the element's index in its low 64 bits, then the number of the draw.
class Random {
 public:
  Random(std::uint64_t seed, std::string_view input);
  /// 128 random bits of the element; other draws and streams are independent of each other.
  std::array<std::uint32_t, 4> draw(std::int64_t index, std::uint32_t number = 0, std::uint32_t stream = 0) const;
  /// A whole number from 0 to `count` - 1; count < 2^32.
  std::uint32_t below(std::uint32_t count, std::int64_t index, std::uint32_t stream = 0) const;

 private:
  std::array<std::uint32_t, 2> key_;
};

/// The ten rounds themselves.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// The seed of a case of a recipe: the first 32 bits of the SHA-256 of "SEED CASE".
std::uint64_t case_seed(std::uint64_t seed, std::string_view case_name);

/// The significant bits of a floating type, the implicit one included: 24 of float32.
int precision_of(DType dtype);

/// ±magnitude·2^exponent, rounded once, as the bits of an element; of integer types and bool the low bits.
std::uint64_t bits_of_number(DType dtype, bool negative, std::uint64_t magnitude, int exponent);

/// The tensor whose element i has the bits `bits(i)`.
template <class Bits>
Tensor tensor_of_bits(const TensorType& type, const Bits& bits);

/// The bits of one element of a uniform tensor.
std::uint64_t uniform_bits(const Random& random, DType dtype, std::int64_t index, int scale = 0);

/// The values of input `name` by a generator that does not look at the node. Fault: `usage` as require_generates.
Tensor generate(const Fill& fill, std::string_view name, const TensorType& type);

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

}  // namespace opref
