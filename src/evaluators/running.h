// SPDX-License-Identifier: Apache-2.0
// Y[…, j, …] = the sum or product of X[…, k, …] over k <= j along an axis, each rounded once: a line is read once.
#pragma once

#include "core/tensor.h"
#include "schema/output.h"

namespace opref::evaluators {

/// Which elements those of a line meet.
struct Running {
  std::size_t axis;
  bool exclusive = false;     ///< k < j: the first is 0, or 1
  bool reverse = false;       ///< from the other end
  bool copies_first = false;  ///< the first is the element's bits, where nothing else is added to it: -0 stays
};
/// Of float16, bfloat16, float32, float64, or integers of 8 to 64 bits modulo 2^bits.
Tensor running_sums(const Output& out, const Tensor& x, const Running& how);
Tensor running_products(const Output& out, const Tensor& x, const Running& how);

}  // namespace opref::evaluators
