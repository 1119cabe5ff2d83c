// SPDX-License-Identifier: Apache-2.0
// Rows of sums whose terms are one element of each of some tensors, which broadcast to the output's shape.
#pragma once

#include "evaluators/rows.h"

namespace opref::evaluators {

/// Of inputs of one type, which is the output's: float32, float16 or bfloat16. `divisor` is a whole number.
Rows rows_of_terms(std::span<const Tensor> inputs, double divisor = 1);

}  // namespace opref::evaluators
