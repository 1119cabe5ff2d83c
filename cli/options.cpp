// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

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

bool Option::has_name(std::string_view name) const { return std::ranges::find(names, name) != names.end(); }

Option* find_option(Options& options, std::string_view name) {
  const auto found = std::ranges::find_if(options, [name](const Option& option) {
    return option.is_argument() ? option.value == name : option.has_name(name);
  });
  return found == options.end() ? nullptr : &*found;
}

Option& add_option(Options& options, std::string_view names, std::function<void(const std::string&)> take,
                   std::string_view value, std::string_view meaning) {
  Option& option = options.emplace_back(Option{{}, value, meaning, std::move(take)});
  for (size_t begin = 0; names.starts_with('-') && begin < names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    option.names.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return option;
}

Option& add_option(Options& options, std::string_view names, std::vector<std::string>& texts, std::string_view value,
                   std::string_view meaning) {
  const auto take = [&texts](const std::string& text) { texts.push_back(text); };
  Option& option = add_option(options, names, take, value, meaning);
  option.repeats = true;
  option.takes_several = option.is_argument();
  return option;
}

Option& add_flag(Options& options, std::string_view names, bool& flag, std::string_view meaning) {
  Option& option = add_option(
      options, names, [&flag](const std::string&) { flag = true; }, "", meaning);
  option.takes = Option::Value::none;
  option.repeats = true;
  return option;
}

Option& add_flag(Options& options, std::string_view names, std::string_view usual, std::optional<std::string>& text,
                 std::string_view value, std::string_view meaning) {
  const auto take = [usual, &text](const std::string& given) { text = given.empty() ? usual : given; };
  Option& option = add_option(options, names, take, value, meaning);
  option.takes = Option::Value::possible;
  return option;
}

void add_number(Options& options, std::string_view name, std::optional<std::int64_t>& number, Range range,
                std::string_view meaning) {
  const auto parse = [name, range, &number](const std::string& text) {
    number = parse_number<std::int64_t>(text);
    if (!number || *number < range.least || (*number > range.most && !range.is_open))
      fail(Fault::usage, "{} {}: it is a whole number{}", name, printable(text),
           range.most == INT64_MAX ? format(" of at least {}", range.least)
                                   : format(" from {} to {}", range.least, range.most));
  };
  add_option(options, name, parse, "N", meaning);
}

void add_number(Options& options, std::string_view name, std::optional<std::uint64_t>& number,
                std::string_view meaning) {
  const auto parse = [name, &number](const std::string& text) {
    number = parse_number<std::uint64_t>(text);
    if (!number) fail(Fault::usage, "{} {}: it is a whole number from 0 to {}", name, printable(text), UINT64_MAX);
  };
  add_option(options, name, parse, "N", meaning);
}

void add_number(Options& options, std::string_view name, std::optional<double>& number, std::string_view meaning) {
  add_option(
      options, name, [name, &number](const std::string& text) { number = real_number(name, text); }, "R", meaning);
}

void add_bytes(Options& options, std::string_view name, std::optional<std::int64_t>& bytes, std::string_view meaning) {
  const auto parse = [name, &bytes](const std::string& text) {
    bytes = parse_bytes(text);
    if (!bytes) fail(Fault::usage, "{} {}: it is a number of bytes, as 4096, 512M or 2GiB", name, printable(text));
  };
  add_option(options, name, parse, "BYTES", meaning);
}

void require_timeout(std::string_view name, double seconds) {
  if (!(seconds > 0 && seconds <= 1e6))
    fail(Fault::usage, "{} {}: it is a number of seconds from above 0 to 1e6", name, seconds);
}

double parse_timeout(const std::string& text) {
  const double seconds = real_number("--timeout", text);
  require_timeout("--timeout", seconds);
  return seconds;
}

void add_opset(Options& options, std::optional<std::int64_t>& opset, std::string_view meaning) {
  add_number(options, "--opset", opset, {.least = 1, .most = kNewestOpset, .is_open = true}, meaning);
}

}  // namespace opref::cli
