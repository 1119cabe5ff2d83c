// SPDX-License-Identifier: Apache-2.0
// Complex numbers as what they lie in memory: a real and an imaginary part each.
#pragma once

#include "core/tensor.h"
#include "schema/types.h"

namespace opref::ops {

inline bool is_complex(DType dtype) { return types::complexes.contains(dtype); }

/// A complex tensor as its parts, of a floating type, along an axis after the others; another one as it is.
Tensor parts_of(const Tensor& x);
TensorType parts_type(const TensorType& type);

}  // namespace opref::ops
