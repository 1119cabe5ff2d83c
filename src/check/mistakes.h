// What a backend may have done instead of what the node says: known mistakes and other arithmetic, generic over
// operators. They are tried, never selectable.
#pragma once

#include <span>
#include <string>

#include "run/evaluate.h"

namespace opref {

/// The plainest change that gives exactly `actual`, the outputs of the step's node: "kernel flipped", "float32
/// accumulation in order", "pads swapped, double rounding through float32", "reading lp_pool.nan=skip, float32
/// accumulation in order"; or "" where none does or none is needed. Nothing is tried on nodes with outputs of more than
/// 2^22 elements, and no arithmetic on more than 2^21 terms. `environment` has the values of the node's inputs.
std::string explain_by_mistakes(const Step& step, const Environment& environment, std::span<const Tensor> actual);

}  // namespace opref
