// SPDX-License-Identifier: Apache-2.0
// What threads work with, apart from what other threads work with.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "core/rooms.h"

namespace opref::fast {

/// Bytes that processors move between cores together: a cache line, and the one beside it. Where two threads write to
/// the same ones they wait for each other, as norms of rows did for a quarter of their time.
inline constexpr std::size_t kMovedTogether = 128;

/// Allocates memory whose lines hold nothing else.
template <class T>
struct OwnLines {
  using value_type = T;
  OwnLines() = default;
  template <class U>
  explicit OwnLines(const OwnLines<U>&) {}
  T* allocate(std::size_t n) {
    const std::size_t lines = (n * sizeof(T) + kMovedTogether - 1) / kMovedTogether;
    return static_cast<T*>(::operator new(lines* kMovedTogether, std::align_val_t{kMovedTogether}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{kMovedTogether}); }
  bool operator==(const OwnLines&) const = default;
};

/// Of one thread at a time.
template <class T>
using OwnVector = std::vector<T, OwnLines<T>>;

/// Objects that jobs borrow, so that there are no more of them than threads; each in lines of its own.
template <class T>
class Pool {
 public:
  /// Calls f with an object that nobody else uses meanwhile.
  template <class F>
  void with(const F& f) {
    std::unique_ptr<Own> own = take();
    f(own->object);
    const std::lock_guard lock(guard_);
    free_.push_back(std::move(own));
  }

 private:
  struct alignas(kMovedTogether) Own {
    T object;
  };

  std::unique_ptr<Own> take() {
    const std::lock_guard lock(guard_);
    if (free_.empty()) return std::make_unique<Own>();
    std::unique_ptr<Own> own = std::move(free_.back());
    free_.pop_back();
    return own;
  }

  std::mutex guard_;
  std::vector<std::unique_ptr<Own>> free_;
};

}  // namespace opref::fast
