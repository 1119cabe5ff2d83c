// SPDX-License-Identifier: Apache-2.0
// What each result of a quantised model adds to the error of the outputs.
#pragma once

#include "models/comparison.h"

namespace opref::models {

/// Of the pairs that differ: the reference's outputs where this tensor, and nothing else, is what the other model's
/// node makes of the reference's values as that model stores them (`alone`); and without what storing these values
/// adds, so that each error counts once (`share`). All pairs up to 200, else the 64 with the greatest error at the
/// node.
void add_shares(ModelComparison& comparison, Pairing& pairing, Lockstep& lockstep, const LockstepOptions& options);

}  // namespace opref::models
