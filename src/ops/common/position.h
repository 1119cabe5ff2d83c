// SPDX-License-Identifier: Apache-2.0
// The input 'position', a place in a sequence.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

/// "It must be a scalar(tensor of empty shape)", which ONNX's own data have as [1]. Without values too.
void require_scalar_position(const Call& call);

/// The position, else `omitted`: from -n to `last`, negative ones counted from the back of the sequence of n elements.
/// Others are `invalid`.
std::ptrdiff_t position_of(const Call& call, std::int64_t n, std::int64_t omitted, std::int64_t last);

}  // namespace opref::ops
