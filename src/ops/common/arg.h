// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin: where along an axis the greatest or least element lies.
#pragma once

#include "evaluators/select.h"
#include "schema/operator.h"

namespace opref::ops {

/// The places along `axis`, of equal elements (-0 and +0 are equal) the first, or the last by select_last_index.
std::vector<Value> arg_extreme(const Call& call, std::span<const Output> outs, Extreme extreme);

/// Versions 1, 11, 12 and 13, their readings and output types.
Operator arg_operator(std::string_view op_type);

}  // namespace opref::ops
