// SPDX-License-Identifier: Apache-2.0
// Operators whose output has the elements of their first input, in their order, and another shape.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

inline std::vector<Value> in_other_shape(const Call& call, std::span<const Output> outs) {
  return {call.inputs()[0].tensor().reshaped(outs[0].type().shape)};
}

}  // namespace opref::ops
