// SPDX-License-Identifier: Apache-2.0
#include "core/memory_limit.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/error.h"

namespace opref::core {
namespace {

/// What a thread has counted for its limit, but not told: telling takes longer than to allocate.
struct Counted {
  MemoryLimit* limit;
  std::int64_t bytes;
};
constinit thread_local Counted here{};
constexpr std::int64_t kMostUntold = std::int64_t{1} << 16;

/// Returns the limit that was there.
MemoryLimit* work_under(MemoryLimit* limit) {
  if (here.limit != nullptr) here.limit->add_given_back(here.bytes);
  here.bytes = 0;
  return std::exchange(here.limit, limit);
}

}  // namespace

MemoryLimit::MemoryLimit(std::int64_t bytes, std::int64_t beside)
    : most_(bytes > INT64_MAX - beside ? INT64_MAX : bytes + beside), beside_(beside) {
  if (most_ == INT64_MAX) return;
  around_ = work_under(this);
  if (around_ == nullptr) return;
  const std::int64_t left = around_->most_ - std::min(around_->most_, around_->taken_.load());
  if (left >= most_) return;
  most_ = left;
  beside_ = std::min(left, around_->beside_);
}

MemoryLimit::~MemoryLimit() {
  if (here.limit != this) return;
  work_under(around_);
  here.bytes = taken_;
}

MemoryLimit* MemoryLimit::current() { return here.limit; }

void MemoryLimit::add(std::int64_t bytes, std::int64_t last) {
  if ((taken_ += bytes) <= most_) return;
  taken_ -= last;
  fail(Fault::system, kMoreMemory, "its results and scratch memory take more than the {} that the limit leaves",
       counted(most_ - beside_, "byte"));
}

UnderLimit::UnderLimit(MemoryLimit* limit) : before_(work_under(limit)) {}
UnderLimit::~UnderLimit() { work_under(before_); }

void count_taken(std::int64_t bytes) {
  if (here.limit == nullptr) return;
  here.bytes += bytes;
  if (here.bytes > kMostUntold) here.limit->add(std::exchange(here.bytes, 0), bytes);
}

void count_given_back(std::int64_t bytes) noexcept {
  if (here.limit == nullptr) return;
  here.bytes -= bytes;
  if (here.bytes < -kMostUntold) here.limit->add_given_back(std::exchange(here.bytes, 0));
}

namespace {

/// What `allocate` gives for so many bytes, counted as the system counts it.
template <class Allocate>
void* counted_memory(std::size_t bytes, const Allocate& allocate) {
  if (here.limit == nullptr) {
    void* const memory = allocate();
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  const auto asked = static_cast<std::int64_t>(std::min<std::size_t>(bytes, INT64_MAX / 2));
  count_taken(asked);
  void* const memory = allocate();
  if (memory == nullptr) {
    count_given_back(asked);
    throw std::bad_alloc();
  }
  here.bytes += static_cast<std::int64_t>(malloc_usable_size(memory)) - asked;
  return memory;
}

void free_counted(void* memory) noexcept {
  if (here.limit != nullptr) count_given_back(static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace
}  // namespace opref::core

// The forms that libstdc++ and libc++ do not make of these, and those that a sanitizer has of its own: what one form
// gives, `delete` takes back.
void* operator new(std::size_t bytes) {
  return opref::core::counted_memory(bytes, [&] { return std::malloc(std::max<std::size_t>(bytes, 1)); });
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return opref::core::counted_memory(bytes, [&] { return std::aligned_alloc(unit, (bytes / unit + 1) * unit); });
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::exception&) {
    return nullptr;
  }
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes, alignment);
  } catch (const std::exception&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { opref::core::free_counted(memory); }
void operator delete(void* memory, std::size_t) noexcept { opref::core::free_counted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { opref::core::free_counted(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { opref::core::free_counted(memory); }
