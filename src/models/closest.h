// SPDX-License-Identifier: Apache-2.0
// The known mistake that comes closest to what another model's region gives.
#pragma once

#include <string>

#include "models/lockstep.h"

namespace opref::models {

/// "BatchNormalization 'bn': mistake epsilon taken as 0.001": a mistake of the catalogue in one node of the reference's
/// region that leaves at most an eighth of the error's rms. Empty where none does, or the region is too large to try.
std::string closest_mistake(const Model& reference, const Meeting& meeting);

}  // namespace opref::models
