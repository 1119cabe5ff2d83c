// SPDX-License-Identifier: Apache-2.0
// The memory of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/rooms.h"

namespace opref::core {

struct Memory {
  std::shared_ptr<std::byte> data;
  bool is_zero = false;
};

/// To be written before it is read, unless it happens to be zero; null if the machine does not give as much. Aligned
/// for any type, and at least one byte.
Memory any_memory(std::size_t bytes);
/// Likewise, always zeros; what is fresh takes no memory before it is written.
std::shared_ptr<std::byte> zeroed_memory(std::size_t bytes);

/// Whether memory shall be zero.
enum class Zeros : std::uint8_t { wanted, not_needed };
/// Who gives memory; what is not zero, but wanted so, is cleared. Before somebody says so, fresh_memory.
using Allocator = Memory (*)(std::size_t bytes, Zeros zeros);
void allocate_by(Allocator allocator);
/// Always zeros.
Memory fresh_memory(std::size_t bytes, Zeros zeros = Zeros::wanted);

}  // namespace opref::core
