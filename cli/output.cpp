#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/remedies.h"

namespace opref::cli {
namespace {

constexpr size_t kColumns = 80;
Color chosen_color = Color::automatic;

bool shows_color(int descriptor) {
  if (chosen_color != Color::automatic) return chosen_color == Color::always;
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0');
}

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

}  // namespace

void set_color(Color color) { chosen_color = color; }

std::string toned(Tone tone, std::string_view text) {
  if (!shows_color(STDOUT_FILENO)) return std::string(text);
  const std::string_view code = tone == Tone::good ? "\033[32m" : tone == Tone::bad ? "\033[31m" : "\033[2m";
  return format("{}{}\033[0m", code, text);
}

void print(std::string_view text) {
  if (broken_output != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_failed(errno);
}

void finish_output() {
  if (broken_output == 0 && std::fflush(stdout) != 0) output_failed(errno);
}

void defer_broken_output() {
  std::signal(SIGPIPE, SIG_IGN);
  defers_broken_output = true;
}

void require_output() {
  finish_output();
  defers_broken_output = false;
  if (broken_output != 0) output_failed(broken_output);
}

void warn(std::string_view text) { write_error("warning", "\033[33m", printable(text, std::string::npos)); }

void note(std::string_view text) {
  std::fflush(stdout);
  const std::string line = printable_lines(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int report(const Error& error) {
  std::string text = format("{}{}", error.message(), way_out_text(error.way_out()));
  for (const std::string& place : error.places()) text += "\n  " + place;
  write_error("error", "\033[31m", printable_lines(text));
  if (error.fault() == Fault::internal)
    write_error("note", "", "this is a bug in opref; please report it with the command");
  return static_cast<int>(error.fault());
}

std::string two_columns(std::string_view left, std::string_view right, size_t left_width) {
  std::string text(left);
  if (left.size() + 2 > left_width && !right.empty()) text += "\n";
  size_t column = text.ends_with('\n') ? 0 : text.size();
  while (!right.empty()) {
    const size_t space = right.find(' ');
    const std::string_view word = right.substr(0, space);
    right.remove_prefix(space == std::string_view::npos ? right.size() : space + 1);
    if (column > left_width && column + 1 + word.size() > kColumns) text += "\n", column = 0;
    if (column < left_width)
      text.append(left_width - column, ' '), column = left_width;
    else
      text += ' ', ++column;
    text += word, column += word.size();
  }
  return text + "\n";
}

}  // namespace opref::cli
