// SPDX-License-Identifier: Apache-2.0
// Whose names the room of two models sees; see core/rooms.h.
#pragma once

#include "core/rooms.h"

namespace opref::models {
using namespace check;
}
