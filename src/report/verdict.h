// SPDX-License-Identifier: Apache-2.0
// What a case comes out as.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/rooms.h"

namespace opref::report {

enum class Verdict : std::uint8_t { pass, fail, error, unsupported, skip };
std::string_view name(Verdict verdict);

}  // namespace opref::report
