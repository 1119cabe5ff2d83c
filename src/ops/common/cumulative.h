// SPDX-License-Identifier: Apache-2.0
// CumSum and CumProd: what each element makes of those before it along an axis.
#pragma once

#include "evaluators/running.h"
#include "schema/operator.h"

namespace opref::ops {

/// Inputs, output and attributes of the first version.
OpSchema& cumulative(OpSchema& s, const Types& types);
/// x's type; the axis is a scalar, one of x's.
std::vector<ValueType> cumulative_types(const Call& call);
/// By axis, exclusive and reverse.
Running running(const Call& call);

}  // namespace opref::ops
