// SPDX-License-Identifier: Apache-2.0
// Whole numbers of 128 bits, in which products of two sizes do not overflow.
#pragma once

#include "core/rooms.h"

namespace opref::symbols {

__extension__ using Wide = __int128;

/// floor(a / positive)
inline Wide floor_of(Wide a, Wide positive) { return a / positive - (a % positive < 0 ? 1 : 0); }

}  // namespace opref::symbols
