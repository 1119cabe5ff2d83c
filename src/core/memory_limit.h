// SPDX-License-Identifier: Apache-2.0
// How much memory work may take: for tensors, strings, and whatever vectors and maps it works in.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/rooms.h"

namespace opref::core {

/// While it stands, its thread and those that work for it may take so many bytes beyond what they give back; what would
/// be more is a `system` error. Counted are operator new, which memory_limit.cpp replaces, and the memory of tensors. A
/// limit within another one keeps to what that one leaves, and what it does not give back counts there afterwards.
class MemoryLimit {
 public:
  /// INT64_MAX: none. `beside`: what may be taken beyond them, which the error does not count.
  explicit MemoryLimit(std::int64_t bytes, std::int64_t beside = 0);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  /// Of this thread; null where there is none.
  static MemoryLimit* current();

  /// Of threads, together: beyond the limit an error, after which `last` of the bytes do not count.
  void add(std::int64_t bytes, std::int64_t last);
  void add_given_back(std::int64_t bytes) noexcept { taken_ += bytes; }

 private:
  std::int64_t most_, beside_;
  MemoryLimit* around_ = nullptr;
  std::atomic<std::int64_t> taken_ = 0;
};

/// This thread works for one that has this limit, which may be null.
class UnderLimit {
 public:
  explicit UnderLimit(MemoryLimit* limit);
  ~UnderLimit();
  UnderLimit(const UnderLimit&) = delete;
  UnderLimit& operator=(const UnderLimit&) = delete;

 private:
  MemoryLimit* before_;
};

/// Of memory that operator new does not give. Said before it is taken: a `system` error where it would be too much.
void count_taken(std::int64_t bytes);
void count_given_back(std::int64_t bytes) noexcept;

}  // namespace opref::core
