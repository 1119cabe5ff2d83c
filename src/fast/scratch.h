// SPDX-License-Identifier: Apache-2.0
// Memory to work in.
#pragma once

#include <memory>
#include <new>
#include <type_traits>

#include "core/memory.h"
#include "core/rooms.h"

namespace opref::fast {

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

}  // namespace opref::fast
