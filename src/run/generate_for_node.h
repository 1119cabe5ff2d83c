// Generated values that look at the node which takes them.
#pragma once

#include "io/generate.h"
#include "spec/call.h"

namespace opref {

/// The values of actual input `input` of the call, whose types are all known. Element i depends on the seed, the
/// input's name, i, and the call's attributes and types.
///
/// ties: many elements of a convolution's output (a tenth or more) are midpoints, which the bias, if it has this
/// generator too, leaves as they are or moves a little; each whole window of an LpPool gives a midpoint, or in some
/// planes one with a little more under the root. p is 1, 2 or 3, for the powers of larger numbers have no such sums
/// that are known. cancel: of each group's input channels the first and the last cancel, what is between them is left.
///
/// Faults: `usage` where the operator has no such values; `invalid` where it refuses the node.
Tensor generate_for_node(const Fill& fill, const Call& call, size_t input);

}  // namespace opref
