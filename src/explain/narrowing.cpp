// SPDX-License-Identifier: Apache-2.0
#include "explain/narrowing.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "exact/rounding.h"

namespace opref::explain {
namespace {

double as_float32(const Tensor& tensor, std::int64_t i) {
  return widen(nearest<float>(tensor.values<double>()[static_cast<size_t>(i)]));
}

}  // namespace

bool is_narrowed(DType dtype) { return dtype == DType::float64 || dtype == DType::int64 || dtype == DType::uint64; }

std::string narrowing_of(DType dtype) {
  return dtype == DType::float64 ? "float64 carried as float32" : format("{} carried as int32", dtype);
}

Tensor narrowed_input(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (!is_narrowed(dtype)) return tensor;
  return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
    if (dtype == DType::float64) {
      const double rounded = as_float32(tensor, i);
      constexpr double kLargest = std::numeric_limits<float>::max();
      return std::bit_cast<std::uint64_t>(std::isinf(rounded) ? std::copysign(kLargest, rounded) : rounded);
    }
    const auto word = static_cast<std::uint32_t>(element_bits(tensor, i));
    return dtype == DType::int64 ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)}) : word;
  });
}

Tensor narrowed_result(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (!is_narrowed(dtype)) return tensor;
  return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
    if (dtype == DType::float64) return std::bit_cast<std::uint64_t>(as_float32(tensor, i));
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(element_bits(tensor, i))});
  });
}

}  // namespace opref::explain
