// SPDX-License-Identifier: Apache-2.0
#include "exact/uniform.h"

#include "exact/rounding.h"

namespace opref::exact {

std::uint64_t uniform_bits(const Random& random, DType dtype, std::int64_t index, int scale) {
  const std::uint64_t word = word64(random.draw(index), 0);
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::boolean) return word >> 63;
  if (type.kind != Kind::floating) return word & (~std::uint64_t{0} >> (64 - type.bits));
  const int p = precision_of(dtype);
  const std::uint64_t drawn = word >> (63 - p), half = std::uint64_t{1} << p;
  const bool negative = drawn < half;
  return bits_of_number(dtype, negative, negative ? half - drawn : drawn - half, scale - p);
}

}  // namespace opref::exact
