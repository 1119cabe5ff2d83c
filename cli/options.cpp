// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/command_text.h"
#include "core/error.h"
#include "run/version.h"

namespace opref::cli {
namespace {

/// Nothing if the text is no number, or one that does not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc{} && end == text.end() ? std::optional(number) : std::nullopt;
}

/// "4096", "2G", "2GiB"; nothing for other text and what does not fit into 63 bits.
std::optional<std::int64_t> parse_bytes(std::string_view text) {
  if (text.ends_with("iB")) {
    text.remove_suffix(2);
    if (text.empty() || (text.back() >= '0' && text.back() <= '9')) return std::nullopt;
  }
  constexpr std::string_view kUnits = "KMGT", kSmallUnits = "kmgt";
  const char last = text.empty() ? '\0' : text.back();
  const size_t unit = std::min(kUnits.find(last), kSmallUnits.find(last));
  if (unit != std::string_view::npos) text.remove_suffix(1);
  const auto number = parse_number<std::int64_t>(text);
  const int shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  if (!number || *number < 0 || *number > INT64_MAX >> shift) return std::nullopt;
  return *number << shift;
}

/// The number that an option takes; other text is a `usage` error.
double real_number(std::string_view name, const std::string& text) {
  if (const auto number = parse_number<double>(text)) return *number;
  const std::string without_unit = text.substr(0, text.empty() ? 0 : text.size() - 1);
  if (text.ends_with('s') && parse_number<double>(without_unit))
    fail(Fault::usage, "{} {}: it is a number of seconds: {}", name, printable(text), without_unit);
  fail(Fault::usage, "{} {}: it must be a number that fits into float64, such as 0.01{}", name, printable(text),
       text.ends_with('%') ? ", which is 1%" : "");
}

}  // namespace

Option Option::required() const {
  option_.required();
  return *this;
}

Option Option::takes_several() const {
  option_.expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  return *this;
}

Option Option::not_empty() const {
  option_.check([](const std::string& text) -> std::string { return text.empty() ? "it is empty" : ""; }, "");
  return *this;
}

Option Option::offers(std::vector<std::string_view> values) const {
  offer(&option_, std::move(values));
  return *this;
}

Option add_option(CLI::App& command, const std::string& name, std::string& text, const std::string& value,
                  const std::string& description) {
  return Option(*command.add_option(name, text, description)->type_name(value));
}

Option add_option(CLI::App& command, const std::string& name, std::optional<std::string>& text,
                  const std::string& value, const std::string& description) {
  return Option(*command.add_option(name, text, description)->type_name(value));
}

Option add_option(CLI::App& command, const std::string& name, std::vector<std::string>& texts, const std::string& value,
                  const std::string& description) {
  return Option(*command.add_option(name, texts, description)->allow_extra_args(false)->type_name(value));
}

Option add_option(CLI::App& command, const std::string& name, double& number, const std::string& value,
                  const std::string& description) {
  return Option(*command.add_option(name, number, description)->type_name(value));
}

Option add_argument(CLI::App& command, const std::string& name, std::string& text, const std::string& description) {
  return Option(*command.add_option(name, text, description));
}

Option add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& text,
                    const std::string& description) {
  return Option(*command.add_option(name, text, description));
}

Option add_argument(CLI::App& command, const std::string& name, std::vector<std::string>& texts,
                    const std::string& description) {
  return Option(*command.add_option(name, texts, description));
}

Option add_flag(CLI::App& command, const std::string& name, bool& flag, const std::string& description) {
  return Option(*command.add_flag(name, flag, description));
}

Option add_flag(CLI::App& command, const std::string& name, const std::string& usual, std::optional<std::string>& text,
                const std::string& value, const std::string& description) {
  return Option(*command.add_flag(format("{}{{{}}}", name, usual), text, description)
                     ->type_name(value)
                     ->multi_option_policy(CLI::MultiOptionPolicy::Throw));
}

void add_number(CLI::App& command, const std::string& name, std::optional<std::int64_t>& number, Range range,
                const std::string& description) {
  const auto parse = [name, range, &number](const std::string& text) {
    number = parse_number<std::int64_t>(text);
    if (!number || *number < range.least || *number > range.most)
      fail(Fault::usage, "{} {}: it is a whole number{}", name, printable(text),
           range.most == INT64_MAX ? format(" of at least {}", range.least)
                                   : format(" from {} to {}", range.least, range.most));
  };
  command.add_option_function<std::string>(name, parse, description)->type_name("N");
}

void add_bytes(CLI::App& command, const std::string& name, std::optional<std::int64_t>& bytes,
               const std::string& description) {
  const auto parse = [name, &bytes](const std::string& text) {
    bytes = parse_bytes(text);
    if (!bytes) fail(Fault::usage, "{} {}: it is a number of bytes, as 4096, 512M or 2GiB", name, printable(text));
  };
  command.add_option_function<std::string>(name, parse, description)->type_name("BYTES");
}

void add_max_bytes(CLI::App& command, std::optional<std::int64_t>& bytes, const std::string& description) {
  add_bytes(command, "--max-bytes", bytes, description);
}

void require_timeout(std::string_view name, double seconds) {
  if (!(seconds > 0 && seconds <= 1e6))
    fail(Fault::usage, "{} {}: it is a number of seconds from above 0 to 1e6", name, seconds);
}

void add_timeout(CLI::App& command, std::optional<double>& seconds, const std::string& description) {
  const auto parse = [&seconds](const std::string& text) {
    seconds = real_number("--timeout", text);
    require_timeout("--timeout", *seconds);
  };
  command.add_option_function<std::string>("--timeout", parse, description)->type_name("R");
}

void add_opset(CLI::App& command, std::optional<std::int64_t>& opset, const std::string& description) {
  const auto parse = [&opset](const std::string& text) {
    opset = parse_number<std::int64_t>(text);
    if (!opset || *opset < 1)
      fail(Fault::usage, "--opset {}: it is a whole number from 1 to {}", printable(text), kNewestOpset);
  };
  command.add_option_function<std::string>("--opset", parse, description)->type_name("N");
}

void add_number(CLI::App& command, const std::string& name, std::optional<double>& number,
                const std::string& description) {
  const auto parse = [name, &number](const std::string& text) { number = real_number(name, text); };
  command.add_option_function<std::string>(name, parse, description)->type_name("R");
}

void add_number(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& number,
                const std::string& description) {
  const auto parse = [name, &number](const std::string& text) {
    number = parse_number<std::uint64_t>(text);
    if (!number) fail(Fault::usage, "{} {}: it is a whole number from 0 to {}", name, printable(text), UINT64_MAX);
  };
  command.add_option_function<std::string>(name, parse, description)->type_name("N");
}

void hide_option(CLI::App& command, const std::string& name) { command.get_option(name)->group(""); }

}  // namespace opref::cli
