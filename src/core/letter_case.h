// SPDX-License-Identifier: Apache-2.0
// Upper and lower case, by Unicode's simple mappings: the same in every locale and on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::core {

/// Unicode's Simple_Lowercase_Mapping and Simple_Uppercase_Mapping, of Unicode 14.
std::uint32_t lower_case(std::uint32_t code);
std::uint32_t upper_case(std::uint32_t code);

/// Each code point of the UTF-8 text mapped; bytes that are no UTF-8 stay.
std::string mapped_case(std::string_view text, std::uint32_t (*mapping)(std::uint32_t));

}  // namespace opref::core
