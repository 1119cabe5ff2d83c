// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

#include "core/rooms.h"

namespace opref::system {

/// What the C library says of an errno: "No such file or directory".
inline std::string errno_text(int error) { return std::generic_category().message(error); }

}  // namespace opref::system
