// SPDX-License-Identifier: Apache-2.0
// Constants that a net keeps in a narrower type than it computes in. Between the files of the OpenVINO reader; nothing
// else includes this.
#pragma once

#include "core/tensor.h"

namespace opref::io {

/// Whether `to` has every number of `from`: of floating types the same one, or a narrower one in float32 or float64.
bool holds_all(DType to, DType from);

/// The same numbers in a type that holds_all of them; any NaN is the quiet one. More than `max_bytes` are a `system`
/// error.
Tensor widened(const Tensor& tensor, DType to, std::int64_t max_bytes);

}  // namespace opref::io
