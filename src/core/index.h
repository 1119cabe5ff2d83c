// SPDX-License-Identifier: Apache-2.0
// Shapes, coordinates and per-axis attribute values: short lists of 64-bit integers with checked arithmetic.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "core/rooms.h"

namespace opref::core {

/// At most 16 integers, one per axis. Arithmetic is element-wise between equal lengths (or with one number for all),
/// and an `invalid` error where a result leaves 64 bits. Meant for geometry, not for inner loops.
class Dims {
 public:
  static constexpr size_t kCapacity = 16;

  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
  /// A list of more than 16 is an `unsupported` error.
  explicit Dims(std::span<const std::int64_t> values);
  static Dims filled(size_t length, std::int64_t value);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t& operator[](size_t i) { return values_[i]; }
  std::int64_t operator[](size_t i) const { return values_[i]; }
  std::int64_t* begin() { return values_.data(); }
  std::int64_t* end() { return values_.data() + size_; }
  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + size_; }
  operator std::span<const std::int64_t>() const { return {begin(), end()}; }

  void push_back(std::int64_t value);
  Dims first(size_t count) const { return Dims(std::span(begin(), count)); }
  Dims without_first(size_t count) const { return Dims(std::span(begin() + count, end())); }

  friend bool operator==(const Dims& a, const Dims& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  std::array<std::int64_t, kCapacity> values_{};
  std::uint8_t size_ = 0;
};

Dims operator+(const Dims& a, const Dims& b);
Dims operator-(const Dims& a, const Dims& b);
Dims operator*(const Dims& a, const Dims& b);
Dims operator+(const Dims& a, std::int64_t b);
Dims operator-(const Dims& a, std::int64_t b);

/// a followed by b.
Dims join(const Dims& a, const Dims& b);

/// Checked 64-bit arithmetic; an `invalid` error on overflow.
std::int64_t checked_add(std::int64_t a, std::int64_t b);
std::int64_t checked_subtract(std::int64_t a, std::int64_t b);
std::int64_t checked_multiply(std::int64_t a, std::int64_t b);

/// a/positive, rounded down, and up.
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t positive) {
  return a / positive - (a % positive < 0 ? 1 : 0);
}
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t positive) {
  return a / positive + (a % positive > 0 ? 1 : 0);
}

/// The product of the sizes (1 for rank 0); an `invalid` error if it leaves 64 bits or a size is negative.
std::int64_t element_count(const Dims& shape);

/// The coordinates of the element at row-major position `flat` of a non-empty array.
Dims coordinates(std::int64_t flat, const Dims& shape);

/// The row-major position of the element at coordinates `at`.
std::int64_t position(const Dims& at, const Dims& shape);

/// "[1,3,32,32]"
std::string to_text(const Dims& dims);

}  // namespace opref::core
