// SPDX-License-Identifier: Apache-2.0
// What symbols that stand for sizes may be called.
#pragma once

#include <string_view>

#include "core/rooms.h"

namespace opref::run {

/// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text);

/// Whether an expression means something else by the name: floor, Min, Max, and u1, u2 …, sizes that values decide.
bool is_reserved(std::string_view name);

}  // namespace opref::run
