// SPDX-License-Identifier: Apache-2.0
// +Inf as a double: what no bound, no distance and no number exceeds.
#pragma once

#include "core/rooms.h"

namespace opref::core {

inline constexpr double kInfinity = __builtin_inf();

}  // namespace opref::core
