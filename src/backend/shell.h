// SPDX-License-Identifier: Apache-2.0
// Texts inside commands that /bin/sh reads.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/rooms.h"

namespace opref::backend {

/// The text as one word of a shell command; as it is where that needs no quotes.
std::string shell_quoted(std::string_view text);

/// A name that stands in braces in a command, and what takes its place.
using ShellPlace = std::pair<std::string_view, std::string>;

/// `command` with each {NAME} replaced by the text of that place, quoted for where it stands: outside quotes, inside
/// double or single ones, inside $(…). In one pass: what is put in is not looked at again.
std::string with_places(std::string_view command, std::span<const ShellPlace> places);

/// Whether one of these names stands in braces in the command. A word in braces that only resembles one ("{modle}") is
/// a `usage` error that offers it.
bool has_places(std::string_view command, std::span<const std::string_view> names);

}  // namespace opref::backend
