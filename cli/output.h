// SPDX-License-Identifier: Apache-2.0
// What reaches the terminal: results on standard output, diagnostics on standard error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "io/json/json.h"

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
/// Forgets what was printed and that errors are JSON: for a child process that runs a command of its own.
void restart_output();

/// "warning: …" on standard error, what there is more to say below it.
void warn(std::string_view text, const std::vector<std::string>& more = {});
/// A line on standard error.
void note(std::string_view text);
/// A `usage` error where a tensor's file is "-", standard output, and that is a terminal.
void require_no_terminal(std::string_view file);
/// {"fault", "exit_code", "message", "way_out", "remedy", "remedy_argument", "places"}
io::Json error_json(const Error& error);
/// From now on errors are a JSON document on standard output too, of this command (empty: of none), where nothing has
/// been printed there.
void report_as_json(std::string_view command);
/// "error: …" with its way out and its places; returns the exit code.
int report(const Error& error);

/// As lines of at most 80 columns, those after the first indented by `further`; words that are longer stand alone.
std::string wrapped(std::string_view line, size_t further);
/// Two columns, the second wrapped at 80 characters and indented.
std::string two_columns(std::string_view left, std::string_view right, size_t left_width);

}  // namespace opref::cli
