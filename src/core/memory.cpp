// SPDX-License-Identifier: Apache-2.0
#include "core/memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace opref::core {
namespace {

std::atomic<Allocator> allocator = fresh_memory;

/// No more is asked for: beyond what there is, AddressSanitizer ends the program instead of refusing.
constexpr std::size_t kLargest = std::size_t{1} << 39;

Memory allocated(std::size_t bytes, Zeros zeros) {
  return bytes > kLargest ? Memory{} : allocator.load()(bytes, zeros);
}

}  // namespace

void allocate_by(Allocator chosen) { allocator = chosen; }

Memory fresh_memory(std::size_t bytes, Zeros /*zeros*/) {
  return {{static_cast<std::byte*>(std::calloc(bytes + 1, 1)), [](std::byte* data) { std::free(data); }}, true};
}

Memory any_memory(std::size_t bytes) { return allocated(bytes, Zeros::not_needed); }

std::shared_ptr<std::byte> zeroed_memory(std::size_t bytes) {
  Memory memory = allocated(bytes, Zeros::wanted);
  if (memory.data != nullptr && !memory.is_zero) std::memset(memory.data.get(), 0, bytes);
  return std::move(memory.data);
}

}  // namespace opref::core
