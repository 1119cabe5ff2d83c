// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/packed.h"
#include <bit>

#include "core/error.h"
namespace opref::ops {
void require_bits(const Call& call, std::string_view attribute) {
  const std::int64_t bits = call.integer(attribute);
  require(bits == 2 || bits == 4 || bits == 8, "attribute '{}' is {}, but must be 2, 4 or 8", attribute, bits);
}
void require_block_size(const Call& call, std::string_view attribute) {
  const std::int64_t size = call.integer(attribute);
  require(size >= 16 && std::has_single_bit(static_cast<std::uint64_t>(size)),
          "attribute '{}' is {}, but must be a power of two of at least 16", attribute, size);
}
}  // namespace opref::ops
