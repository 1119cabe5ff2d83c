// SPDX-License-Identifier: Apache-2.0
// Texts inside commands that /bin/sh reads.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::backend {

/// The text as one word of a shell command; as it is where that needs no quotes.
std::string shell_quoted(std::string_view text);

/// The environment variable that takes the place {NAME}: OPREF_MODEL of "model".
std::string variable_of(std::string_view place);

/// A command with its places filled.
struct Placed {
  std::string command;
  bool any = false;  ///< whether there was a place
};

/// `command` with each of these names that stands in braces, {NAME}, replaced by the environment variable of that
/// place, within quotes that fit where it stands: what the variable holds is one word or a part of one, never code.
/// Faults: `usage`, where it would be code all the same (behind a backtick or a here document, in arithmetic, in what
/// sh -c, eval, ssh, python -c, awk and the like take), and for a word in braces that only resembles a place
/// ("{modle}"), with the one that it resembles.
Placed with_places(std::string_view command, std::span<const std::string_view> names);

}  // namespace opref::backend
