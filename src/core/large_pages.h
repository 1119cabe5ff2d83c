// SPDX-License-Identifier: Apache-2.0
// Memory in large pages: of small ones, each costs a fault when it is first written.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "core/rooms.h"

namespace opref::core {

struct Memory {
  std::shared_ptr<std::byte> data;
  bool is_zero = false;
};

/// To be written before it is read, unless it happens to be zero; null if the machine does not give as much. Aligned
/// for any type, and at least one byte. Some of what was given back is kept for the next request, up to 32 MiB in all;
/// what is fresh takes no memory before it is written.
Memory any_memory(std::size_t bytes);
/// Likewise, always zeros.
std::shared_ptr<std::byte> zeroed_memory(std::size_t bytes);
/// Gives what is kept back to the system.
void release_kept_memory();

/// An array that is written before it is read.
template <class T>
class Scratch {
  static_assert(std::is_trivial_v<T>);

 public:
  /// n elements, whose values mean nothing.
  void resize(std::size_t n) {
    if (n > capacity_) {
      data_ = nullptr;
      data_ = any_memory(n * sizeof(T)).data;
      if (data_ == nullptr) throw std::bad_alloc();
      capacity_ = n;
    }
    size_ = n;
  }
  std::size_t size() const { return size_; }
  T* data() { return reinterpret_cast<T*>(data_.get()); }
  const T* data() const { return reinterpret_cast<const T*>(data_.get()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  std::shared_ptr<std::byte> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace opref::core
