// SPDX-License-Identifier: Apache-2.0
#include "core/index.h"

#include "core/error.h"

namespace opref::core {
namespace {

[[noreturn]] void overflow(std::int64_t a, char operation, std::int64_t b) {
  fail(Fault::invalid, "{} {} {} does not fit into 64 bits", a, std::string(1, operation), b);
}

template <class Operation>
Dims element_wise(const Dims& a, const Dims& b, Operation operation) {
  if (a.size() != b.size()) fail(Fault::internal, "{} and {} differ in length", to_text(a), to_text(b));
  Dims result = a;
  for (size_t i = 0; i < a.size(); ++i)
    result[i] =
        at_place([&] { return format("in axis {} of {} and {}", i, a, b); }, [&] { return operation(a[i], b[i]); });
  return result;
}

}  // namespace

Dims::Dims(std::span<const std::int64_t> values) {
  if (values.size() > kCapacity) fail(Fault::unsupported, "rank {} is more than {}", values.size(), kCapacity);
  std::copy(values.begin(), values.end(), begin());
  size_ = static_cast<std::uint8_t>(values.size());
}

Dims Dims::filled(size_t length, std::int64_t value) {
  Dims dims;
  for (size_t i = 0; i < length; ++i) dims.push_back(value);
  return dims;
}

void Dims::push_back(std::int64_t value) {
  if (size_ == kCapacity) fail(Fault::unsupported, "rank {} is more than {}", size_ + 1, kCapacity);
  values_[size_++] = value;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) overflow(a, '+', b);
  return result;
}

std::int64_t checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) overflow(a, '-', b);
  return result;
}

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) overflow(a, '*', b);
  return result;
}

Dims operator+(const Dims& a, const Dims& b) { return element_wise(a, b, checked_add); }
Dims operator-(const Dims& a, const Dims& b) { return element_wise(a, b, checked_subtract); }
Dims operator*(const Dims& a, const Dims& b) { return element_wise(a, b, checked_multiply); }
Dims operator+(const Dims& a, std::int64_t b) { return a + Dims::filled(a.size(), b); }
Dims operator-(const Dims& a, std::int64_t b) { return a - Dims::filled(a.size(), b); }

Dims join(const Dims& a, const Dims& b) {
  Dims result = a;
  for (const std::int64_t value : b) result.push_back(value);
  return result;
}

std::int64_t element_count(const Dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) require(size >= 0, "shape {} has a negative size", shape);
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  for (const std::int64_t size : shape)
    require(!__builtin_mul_overflow(count, size, &count), "shape {} has more elements than fit into 64 bits", shape);
  return count;
}

Dims coordinates(std::int64_t flat, const Dims& shape) {
  Dims result = shape;
  for (size_t i = shape.size(); i-- > 0; flat /= shape[i]) result[i] = flat % shape[i];
  return result;
}

std::int64_t position(const Dims& at, const Dims& shape) {
  std::int64_t flat = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) flat = checked_add(checked_multiply(flat, shape[axis]), at[axis]);
  return flat;
}

std::string to_text(const Dims& dims) { return "[" + join_text(dims, ",") + "]"; }

}  // namespace opref::core
