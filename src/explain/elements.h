// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as a search for causes compares and tells them.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace opref::explain {

/// Whether a's element i and b's element k, of one type, are the same: all NaN are one.
bool is_same_element(const Tensor& a, std::int64_t i, const Tensor& b, std::int64_t k);
inline bool is_same_element(const Tensor& a, const Tensor& b, std::int64_t k) { return is_same_element(a, k, b, k); }

/// Whether an element of the type is a word of at most 64 bits: neither a string nor a complex128.
bool has_words(DType dtype);

/// The greatest finite magnitude of the elements; 0 where there is none.
double greatest(const Tensor& tensor);

/// 10^exponent, rounded once.
double power_of_ten(int exponent);
/// Of the greatest power of ten that is not above x > 0.
int decimal_exponent(double x);

}  // namespace opref::explain
