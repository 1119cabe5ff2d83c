// SPDX-License-Identifier: Apache-2.0
// Y[i] = X[i] as an element of another type: by the table of exact/convert.h.
#pragma once

#include "exact/convert.h"
#include "schema/output.h"

namespace opref::evaluators {

/// X as elements of the output's type, of any types but complex ones; of the same type its bits. What has no such
/// element is `invalid`, with its position in X, which has the output's shape.
Tensor convert(const Output& out, const Tensor& x, const Conversion& how = {});

/// X's bytes as elements of the output's type, which has as many bits.
Tensor same_bits(const Output& out, const Tensor& x);

}  // namespace opref::evaluators
