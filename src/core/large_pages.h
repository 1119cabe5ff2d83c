// Memory in large pages: of small ones, each costs a fault when it is first written.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace opref {

/// Zeros, which take no memory before they are written; null if the machine does not give as many. Aligned for any
/// type, and at least one byte.
std::shared_ptr<std::byte> zeroed_memory(std::size_t bytes);

/// An array that is written before it is read.
template <class T>
class Scratch {
  static_assert(std::is_trivial_v<T>);

 public:
  /// n elements, whose values mean nothing.
  void resize(std::size_t n) {
    if (n > capacity_) {
      data_ = nullptr;
      data_ = zeroed_memory(n * sizeof(T));
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

}  // namespace opref
