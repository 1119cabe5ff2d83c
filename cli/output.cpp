// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "cli/remedies.h"
#include "cli/version.h"
#include "system/interrupt.h"

namespace opref::cli {
namespace {

constexpr size_t kColumns = 80;
Color chosen_color = Color::automatic;

bool shows_color(int descriptor) {
  if (chosen_color != Color::automatic) return chosen_color == Color::always;
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0');
}

std::optional<std::string> json_command;  // of --json
bool has_printed = false;
bool defers_broken_output = false;
int broken_output = 0;  // the error, if it was deferred

void output_failed(int error) {
  if (defers_broken_output) {
    broken_output = error;
    return;
  }
  if (error == EPIPE) std::quick_exit(128 + SIGPIPE);
  fail(Fault::system, "cannot write to standard output: {}", std::strerror(error));
}

/// Line by line printable, whatever files and processes brought into it.
std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines += printable(text.substr(0, end), std::string::npos);
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void write_error(std::string_view word, std::string_view color, std::string_view text) {
  const bool colored = shows_color(STDERR_FILENO);
  const std::string line = format("{}{}:{} {}\n", colored ? color : "", word, colored ? "\033[0m" : "", text);
  std::fflush(stdout);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// Characters, where bytes of UTF-8 that continue one do not count.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// As lines that are indented by two.
std::string filled(std::string_view text) { return wrapped(format("  {}", text), 2); }

/// A sentence that begins at `column`, on several lines if it is too long for one: where a clause ends, else a word.
std::string clauses(std::string_view text, size_t column) {
  if (column + width(text) <= kColumns) return std::string(text);
  const auto fits = [&](size_t end) { return end < text.size() && column + width(text.substr(0, end)) <= kColumns; };
  const auto quoted = [&](size_t end) { return std::ranges::count(text.substr(0, end), '\'') % 2 == 1; };
  for (const std::string_view mark : {"; ", ": ", " (", ", ", " "}) {
    size_t best = std::string_view::npos;
    const size_t length = mark == " (" || mark == " " ? 0 : 1;  // of the mark, on the first line
    for (size_t at = text.find(mark); at != std::string_view::npos && fits(at + length); at = text.find(mark, at + 1))
      if (!quoted(at) || mark == " ") best = at + length;
    if (best == std::string_view::npos || (mark != " " && column + best < kColumns / 3)) continue;
    return format("{}\n{}", text.substr(0, best), filled(text.substr(best + 1)));
  }
  return std::string(text);
}

/// A way out that does not stand behind its message: "; --force …" and ": give …" without what joins them, "(see …)"
/// without its brackets.
std::string alone(std::string_view way_out) {
  way_out.remove_prefix(std::min(way_out.find_first_not_of(";: "), way_out.size()));
  if (way_out.starts_with('(') && way_out.ends_with(')')) way_out = way_out.substr(1, way_out.size() - 2);
  return std::string(way_out);
}

void print_json(const Error& error) {
  Json json;
  json.set("opref", version_number());
  if (!json_command->empty()) json.set("command", *json_command);
  const std::string text = json.set("error", error_json(error)).text();
  std::fwrite(text.data(), 1, text.size(), stdout);  // if it cannot be written, the error is told all the same
}

}  // namespace

void set_color(Color color) { chosen_color = color; }

std::string toned(Tone tone, std::string_view text) {
  if (!shows_color(STDOUT_FILENO)) return std::string(text);
  const std::string_view code = tone == Tone::good ? "\033[32m" : tone == Tone::bad ? "\033[31m" : "\033[2m";
  return format("{}{}\033[0m", code, text);
}

void print(std::string_view text) {
  has_printed |= !text.empty();
  if (broken_output != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_failed(errno);
}

void finish_output() {
  if (broken_output == 0 && std::fflush(stdout) != 0) output_failed(errno);
}

void defer_broken_output() {
  system::ignore_broken_pipes();
  defers_broken_output = true;
}

void require_output() {
  finish_output();
  defers_broken_output = false;
  if (broken_output != 0) output_failed(broken_output);
}

void restart_output() {
  json_command.reset();
  has_printed = false;
}

void warn(std::string_view text, const std::vector<std::string>& more) {
  std::string lines = clauses(printable(text, std::string::npos), std::string_view("warning: ").size());
  for (const std::string& line : more) lines += "\n" + filled(printable(line, std::string::npos));
  write_error("warning", "\033[33m", lines);
}

void note(std::string_view text) {
  std::fflush(stdout);
  const std::string line = printable_lines(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void require_no_terminal(std::string_view file) {
  if (file == "-" && isatty(STDOUT_FILENO) == 1)
    fail(Fault::usage, "-o -: .npy is binary, and standard output is a terminal: give a file");
}

Json error_json(const Error& error) {
  Json json;
  json.set("fault", name(error.fault())).set("exit_code", static_cast<int>(error.fault()));
  json.set("message", error.message()).set("way_out", alone(way_out_text(error.way_out())));
  json.set("remedy", error.remedy().name()).set("remedy_argument", error.way_out().argument);
  return std::move(json.set("places", error.places()));
}

void report_as_json(std::string_view command) { json_command = command; }

int report(const Error& error) {
  if (json_command && !has_printed) print_json(error);
  constexpr std::string_view kWord = "error";
  std::string text = clauses(
      printable(format("{}{}", error.message(), way_out_text(error.way_out())), std::string::npos), kWord.size() + 2);
  for (const std::string& place : error.places()) text += "\n  " + place;
  write_error(kWord, "\033[31m", printable_lines(text));
  if (error.fault() == Fault::internal)
    write_error("note", "", "this is a bug in opref; please report it with the command");
  return static_cast<int>(error.fault());
}

std::string wrapped(std::string_view line, size_t further) {
  size_t column = std::min(line.find_first_not_of(' '), line.size());
  std::string lines(line.substr(0, column));
  line.remove_prefix(column);
  for (bool is_first = true; !line.empty(); is_first = false) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    const bool fits_alone = further + width(word) <= kColumns;
    if (!is_first && fits_alone && column + 1 + width(word) > kColumns)
      lines += "\n" + std::string(further, ' '), column = further;
    else if (!is_first)
      lines += ' ', ++column;
    lines += word, column += width(word);
  }
  return lines;
}

std::string two_columns(std::string_view left, std::string_view right, size_t left_width) {
  std::string text(left);
  if (width(left) + 2 > left_width && !right.empty()) text += "\n";
  size_t column = text.ends_with('\n') ? 0 : width(text);
  while (!right.empty()) {
    const size_t space = right.find(' ');
    const std::string_view word = right.substr(0, space);
    right.remove_prefix(space == std::string_view::npos ? right.size() : space + 1);
    if (column > left_width && column + 1 + width(word) > kColumns) text += "\n", column = 0;
    if (column < left_width)
      text.append(left_width - column, ' '), column = left_width;
    else
      text += ' ', ++column;
    text += word, column += width(word);
  }
  return text + "\n";
}

}  // namespace opref::cli
