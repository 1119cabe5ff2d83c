// SPDX-License-Identifier: Apache-2.0
#include "core/memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/memory_limit.h"

namespace opref::core {
namespace {

std::atomic<Allocator> allocator = fresh_memory;

/// No more is asked for: beyond what there is, AddressSanitizer ends the program instead of refusing.
constexpr std::size_t kLargest = std::size_t{1} << 39;

Memory allocated(std::size_t bytes, Zeros zeros) {
  if (bytes > kLargest) return {};
  if (MemoryLimit::current() == nullptr) return allocator.load()(bytes, zeros);
  const auto counted = static_cast<std::int64_t>(bytes);
  count_taken(counted);
  Memory memory = allocator.load()(bytes, zeros);
  std::byte* const data = memory.data.get();
  if (data == nullptr)
    count_given_back(counted);
  else
    memory.data = {data, [counted, held = std::move(memory.data)](std::byte*) { count_given_back(counted); }};
  return memory;
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
