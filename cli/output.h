// What reaches the terminal: results on standard output, diagnostics on standard error.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace opref::cli {

/// --color=auto|always|never; auto: on a terminal without NO_COLOR.
enum class Color : std::uint8_t { automatic, always, never };
void set_color(Color color);
enum class Tone : std::uint8_t { good, bad, faint };
/// `text` in a colour, where standard output shows colours.
std::string toned(Tone tone, std::string_view text);

/// Writes to standard output; a failed write is a `system` error, a closed pipe ends the program quietly.
void print(std::string_view text);
void finish_output();
/// From now on standard output may break without an error or an end: what is printed then is lost, until
/// require_output says so. For commands that write files too.
void defer_broken_output();
/// What a failed print would have done since.
void require_output();

/// "warning: …" on standard error.
void warn(std::string_view text);
/// A line on standard error.
void note(std::string_view text);
/// "error: …" with its way out and its places; returns the exit code.
int report(const Error& error);

/// Two columns, the second wrapped at 80 characters and indented.
std::string two_columns(std::string_view left, std::string_view right, size_t left_width);

}  // namespace opref::cli
