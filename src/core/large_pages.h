// Memory in large pages: of small ones, each costs a fault when it is first written.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace opref {

/// Advises the system to take large pages for memory that was not yet touched. Nothing for less than one of them.
void prefer_large_pages(void* data, std::size_t bytes);

/// An array that is written before it is read: its elements have no values at first.
template <class T>
class Scratch {
  static_assert(std::is_trivial_v<T>);

 public:
  /// n elements, all without values.
  void resize(std::size_t n) {
    if (n > capacity_) {
      data_.reset();
      data_.reset(static_cast<T*>(std::malloc(n * sizeof(T))));
      if (data_ == nullptr) throw std::bad_alloc();
      capacity_ = n;
      prefer_large_pages(data_.get(), n * sizeof(T));
    }
    size_ = n;
  }
  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace opref
