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

/// {NAME} in a command, and the path that it stands for.
struct Place {
  std::string_view name;
  std::string path;
};

/// `command` with each place that stands in it replaced by its path. A path has only characters that mean nothing to a
/// shell and to other languages, with or without quotes: so it is no code, wherever it stands. Faults: `usage`, for
/// another path, and for a word in braces that resembles a place ("{modle}"), with the one that it resembles.
std::string with_places(std::string_view command, std::span<const Place> places);

}  // namespace opref::backend
