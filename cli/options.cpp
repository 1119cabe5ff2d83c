// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

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

bool OptionText::has_name(std::string_view name) const { return std::ranges::find(names, name) != names.end(); }

Options::Declared& Options::add(std::string_view names, OptionText text,
                                std::function<CLI::Option*(CLI::App&)> declare) {
  for (size_t begin = 0; names.starts_with('-') && begin < names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    text.names.emplace_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  all_.push_back({std::move(text), std::move(declare)});
  return all_.back();
}

Options::Declared* Options::find(std::string_view name) {
  const auto found = std::ranges::find_if(all_, [name](const Declared& one) {
    return one.text.is_argument() ? one.text.value == name : one.text.has_name(name);
  });
  return found == all_.end() ? nullptr : &*found;
}

std::vector<OptionText> Options::texts() const {
  std::vector<OptionText> texts;
  for (const Declared& one : all_)
    if (!one.hidden) texts.push_back(one.text);
  return texts;
}

namespace {

/// Whether the argument is the option: alone, joined with its value, or a letter among others.
bool may_be(const OptionText& option, std::string_view argument) {
  return std::ranges::any_of(option.names, [argument](std::string_view name) {
    const bool is_letter = !name.starts_with("--") && argument.starts_with('-') && !argument.starts_with("--");
    return argument.starts_with(name) || (is_letter && argument.find(name[1]) != argument.npos);
  });
}

}  // namespace

void Options::declare(CLI::App& parser, std::span<char* const> given) const {
  for (const Declared& one : all_) {
    const auto is_it = [&](std::string_view argument) { return may_be(one.text, argument); };
    if (!one.text.is_argument() && !one.required && std::ranges::none_of(given, is_it)) continue;
    CLI::Option& option = *one.declare(parser);
    if (!one.text.is_argument() && !one.text.value.empty()) option.type_name(one.text.value);
    if (one.required) option.required();
    if (one.takes_several) option.expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    if (one.not_empty)
      option.check([](const std::string& text) -> std::string { return text.empty() ? "it is empty" : ""; }, "");
  }
}

Option Option::required() const { return option_.required = true, *this; }
Option Option::takes_several() const { return option_.takes_several = true, *this; }
Option Option::not_empty() const { return option_.not_empty = true, *this; }
Option Option::hidden() const { return option_.hidden = true, *this; }
Option Option::offers(std::vector<std::string_view> values) const {
  option_.text.choices = std::move(values);
  return *this;
}

Option add_option(Options& options, std::string_view names, Target text, std::string_view value,
                  std::string_view meaning) {
  const bool is_list = std::holds_alternative<std::vector<std::string>*>(text.place);
  const auto declare = [names, text, is_list](CLI::App& parser) {
    CLI::Option* option =
        std::visit([&](auto* place) { return parser.add_option(std::string(names), *place); }, text.place);
    return is_list && names.starts_with('-') ? option->allow_extra_args(false) : option;
  };
  return Option(options.add(
      names, {.takes = OptionText::Value::needed, .value = std::string(value), .meaning = meaning, .repeats = is_list},
      declare));
}

Option add_argument(Options& options, std::string_view name, Target text, std::string_view meaning) {
  return add_option(options, name, text, name, meaning);
}

Option add_flag(Options& options, std::string_view names, bool& flag, std::string_view meaning) {
  return Option(options.add(names, {.value = "", .meaning = meaning},
                            [names, &flag](CLI::App& parser) { return parser.add_flag(std::string(names), flag); }));
}

Option add_flag(Options& options, std::string_view names, std::string_view usual, std::optional<std::string>& text,
                std::string_view value, std::string_view meaning) {
  const auto declare = [names, usual, &text](CLI::App& parser) {
    return parser.add_flag(format("{}{{{}}}", names, usual), text)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  };
  return Option(options.add(
      names, {.takes = OptionText::Value::possible, .value = std::string(value), .meaning = meaning}, declare));
}

Option add_parsed(Options& options, std::string_view name, std::string_view value, std::string_view meaning,
                  std::function<void(const std::string&)> parse) {
  const auto declare = [name, parse = std::move(parse)](CLI::App& parser) {
    return parser.add_option_function<std::string>(std::string(name), parse);
  };
  return Option(options.add(name, {.takes = OptionText::Value::needed, .value = std::string(value), .meaning = meaning},
                            declare));
}

void add_number(Options& options, std::string_view name, std::optional<std::int64_t>& number, Range range,
                std::string_view meaning) {
  const auto parse = [name, range, &number](const std::string& text) {
    number = parse_number<std::int64_t>(text);
    if (!number || *number < range.least || *number > range.most)
      fail(Fault::usage, "{} {}: it is a whole number{}", name, printable(text),
           range.most == INT64_MAX ? format(" of at least {}", range.least)
                                   : format(" from {} to {}", range.least, range.most));
  };
  add_parsed(options, name, "N", meaning, parse);
}

void add_bytes(Options& options, std::string_view name, std::optional<std::int64_t>& bytes, std::string_view meaning) {
  const auto parse = [name, &bytes](const std::string& text) {
    bytes = parse_bytes(text);
    if (!bytes) fail(Fault::usage, "{} {}: it is a number of bytes, as 4096, 512M or 2GiB", name, printable(text));
  };
  add_parsed(options, name, "BYTES", meaning, parse);
}

void add_max_bytes(Options& options, std::optional<std::int64_t>& bytes, std::string_view meaning) {
  add_bytes(options, "--max-bytes", bytes, meaning);
}

void require_timeout(std::string_view name, double seconds) {
  if (!(seconds > 0 && seconds <= 1e6))
    fail(Fault::usage, "{} {}: it is a number of seconds from above 0 to 1e6", name, seconds);
}

void add_timeout(Options& options, std::optional<double>& seconds, std::string_view meaning) {
  const auto parse = [&seconds](const std::string& text) {
    seconds = real_number("--timeout", text);
    require_timeout("--timeout", *seconds);
  };
  add_parsed(options, "--timeout", "R", meaning, parse);
}

void add_opset(Options& options, std::optional<std::int64_t>& opset, std::string_view meaning) {
  const auto parse = [&opset](const std::string& text) {
    opset = parse_number<std::int64_t>(text);
    if (!opset || *opset < 1)
      fail(Fault::usage, "--opset {}: it is a whole number from 1 to {}", printable(text), kNewestOpset);
  };
  add_parsed(options, "--opset", "N", meaning, parse);
}

void add_number(Options& options, std::string_view name, std::optional<double>& number, std::string_view meaning) {
  const auto parse = [name, &number](const std::string& text) { number = real_number(name, text); };
  add_parsed(options, name, "R", meaning, parse);
}

void add_number(Options& options, std::string_view name, std::optional<std::uint64_t>& number,
                std::string_view meaning) {
  const auto parse = [name, &number](const std::string& text) {
    number = parse_number<std::uint64_t>(text);
    if (!number) fail(Fault::usage, "{} {}: it is a whole number from 0 to {}", name, printable(text), UINT64_MAX);
  };
  add_parsed(options, name, "N", meaning, parse);
}

void hide_option(Options& options, std::string_view name) { options.find(name)->hidden = true; }

}  // namespace opref::cli
