// SPDX-License-Identifier: Apache-2.0
// Values made from a seed, on integers alone: the same on every machine, each element by itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace opref::io {

/// How a tensor of a stated type gets its values.
struct Fill {
  std::string generator;  ///< one of `generator_names`, or one that the operator which takes the tensor has
  std::uint64_t seed = 1;
};

/// Those that any input can have:
///   uniform   multiples of 2^-p in [-1, 1), p the precision; integers: every value of the type
///   normal    variance 1: the sum of 12 uniforms, rounded once
///   integers  -8 … 8, unsigned 0 … 16, as far as the type goes; bool: both
///   quantized integers of 2 to 16 bits: normal, 3 on the greatest one m, held to -m … m; unsigned: around the middle
///   iota      0, 1, 2, …: rounded; integers wrap
///   special   normal (integers: uniform), one of 16 being NaN, ±Inf, ±0, ± the least and the largest finite number
///   bits      of any type, every pattern of an element's bits with the same probability; string: short words
std::vector<std::string_view> generator_names();
/// Whether it is one of them: it looks at no node.
bool is_generator(std::string_view name);
/// The `usage` error for what is none of `known`; it offers the nearest.
[[noreturn]] void unknown_generator(std::string_view name, const std::vector<std::string_view>& known);
/// A `usage` error where one of `generator_names` has no values of the type. Operators look after their own.
void require_generates(std::string_view generator, DType dtype);
/// Lines for `opref help generators`.
std::string_view generators_text();

/// The stream of an input: its key is the first 64 bits of the SHA-256 of "SEED NAME".
Random stream_of(std::uint64_t seed, std::string_view input);

/// The seed of a case of a recipe: the first 32 bits of the SHA-256 of "SEED CASE".
std::uint64_t case_seed(std::uint64_t seed, std::string_view case_name);

/// The values of input `name` by one of `generator_names`. Faults: `usage` as unknown_generator and require_generates.
Tensor generate(const Fill& fill, std::string_view name, const TensorType& type);

}  // namespace opref::io
