// SPDX-License-Identifier: Apache-2.0
// Tensors and tolerances, for tests of comparing.
#pragma once

#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "compare/compare.h"

namespace opref::compare {

using Rule = Tolerance::Rule;
using Codes = std::vector<std::uint64_t>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();

inline Tolerance exactly(bool strict_nan = false) { return {.rule = Rule::exact, .strict_nan = strict_nan}; }
inline Tolerance within_ulp(std::int64_t ulp) { return {.rule = Rule::ulp, .ulp = ulp}; }
inline Tolerance relative(double rtol, double atol) { return {.rule = Rule::relative, .rtol = rtol, .atol = atol}; }
inline Tolerance any_dtype(Tolerance tolerance) {
  tolerance.ignore_dtype = true;
  return tolerance;
}

/// A vector with these bits as elements; of complex types, two per element.
inline Tensor from_codes(DType dtype, const Codes& codes) {
  const bool complex = info(dtype).kind == Kind::complex;
  const int bits = complex ? info(dtype).bits / 2 : info(dtype).bits;
  TensorBuilder builder({dtype, Dims{static_cast<std::int64_t>(codes.size()) / (complex ? 2 : 1)}});
  for (size_t i = 0; i < codes.size(); ++i) {
    if (bits < 8) {
      const size_t first = i * static_cast<size_t>(bits);
      builder.bytes()[first / 8] |= static_cast<std::byte>(codes[i] << (first % 8));
      if (first % 8 + static_cast<size_t>(bits) > 8)
        builder.bytes()[first / 8 + 1] |= static_cast<std::byte>(codes[i] >> (8 - first % 8));
    } else {
      std::memcpy(&builder.bytes()[i * static_cast<size_t>(bits / 8)], &codes[i], static_cast<size_t>(bits / 8));
    }
  }
  return std::move(builder).finish();
}

template <class T>
Tensor vector_of(DType dtype, std::vector<T> elements) {
  return Tensor::of<T>(dtype, Dims{static_cast<std::int64_t>(elements.size())}, elements);
}
inline Tensor doubles(std::vector<double> elements) { return vector_of(DType::float64, std::move(elements)); }
inline Tensor floats(std::vector<float> elements) { return vector_of(DType::float32, std::move(elements)); }
inline Tensor int64s(std::vector<std::int64_t> elements) { return vector_of(DType::int64, std::move(elements)); }

inline bool passes(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  return compare_values(actual, expected, tolerance).equal();
}
inline bool passes(double actual, double expected, const Tolerance& tolerance) {
  return passes(doubles({actual}), doubles({expected}), tolerance);
}
inline std::optional<std::uint64_t> ulp_between(DType dtype, std::uint64_t actual, std::uint64_t expected) {
  return compare_values(from_codes(dtype, {actual}), from_codes(dtype, {expected}), exactly()).first.value().ulp;
}

}  // namespace opref::compare
