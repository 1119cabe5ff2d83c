// SPDX-License-Identifier: Apache-2.0
// Types that some machines carry in one of half the size: float64 as float32, 64-bit integers as int32.
#pragma once

#include <string>

#include "core/tensor.h"

namespace opref::explain {

bool is_narrowed(DType dtype);

/// "float64 carried as float32", of a type that is narrowed.
std::string narrowing_of(DType dtype);

/// An input that is carried so: of float64 the nearest float32, infinities and what is too large as its largest number;
/// of 64-bit integers the low 32 bits, of int64 signed. Other types stay.
Tensor narrowed_input(const Tensor& tensor);

/// A result that was carried so: rounded to float32; the low 32 bits, signed. Other types stay.
Tensor narrowed_result(const Tensor& tensor);

}  // namespace opref::explain
