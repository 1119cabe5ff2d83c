// SPDX-License-Identifier: Apache-2.0
// How a subcommand declares its options and arguments: one table, which help, completion and the parser read. CLI11,
// four seconds of the compiler's work for each file that includes it, is in program.cpp alone.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace opref::cli {

/// An option, or an argument that has its place. Texts are literals.
struct Option {
  enum class Value : std::uint8_t { none, needed, possible };
  std::vector<std::string_view> names;           ///< "-a", "--attribute"; of an argument none
  std::string_view value;                        ///< what stands for its value: "NAME=VALUE"; of an argument its name
  std::string_view meaning;                      ///< in its help
  std::function<void(const std::string&)> take;  ///< each of its values; of a flag ""; may be none
  Value takes = Value::needed;                   ///< possible: only after "="
  bool repeats = false, is_required = false, takes_several = false, refuses_empty = false;
  bool is_hidden = false;                      ///< taken only to be refused with a reason, and in no help
  bool is_general = false;                     ///< beside every command, but in the program's help only
  std::vector<std::string_view> choices = {};  ///< the values that there are, for completion; none: any
  size_t times = 0;                            ///< that it was given

  bool is_argument() const { return names.empty(); }
  bool has_name(std::string_view name) const;
  /// "--attribute"
  std::string_view long_name() const { return is_argument() ? value : names.back(); }

  Option& required() { return is_required = true, *this; }
  /// One or more values each time, up to the next option.
  Option& several() { return takes_several = true, *this; }
  /// An empty text is a `usage` error.
  Option& not_empty() { return refuses_empty = true, *this; }
  Option& offers(std::vector<std::string_view> values) { return choices = std::move(values), *this; }
};

/// Those of a command, in the order of its help.
using Options = std::deque<Option>;

/// By one of its names, or an argument's; null where there is none.
Option* find_option(Options& options, std::string_view name);

/// An option whose text `take` takes, or refuses by an error: "--filter REGEX". `value` is what stands for it in the
/// help. A name without "-" is an argument's.
Option& add_option(Options& options, std::string_view names, std::function<void(const std::string&)> take,
                   std::string_view value, std::string_view meaning);
template <class Text>
  requires std::is_assignable_v<Text&, const std::string&>
Option& add_option(Options& options, std::string_view names, Text& text, std::string_view value,
                   std::string_view meaning) {
  return add_option(
      options, names, [&text](const std::string& given) { text = given; }, value, meaning);
}
/// A list takes one more each time that the option stands there; as an argument all that follow.
Option& add_option(Options& options, std::string_view names, std::vector<std::string>& texts, std::string_view value,
                   std::string_view meaning);
/// What has its place instead of a name.
template <class Text>
Option& add_argument(Options& options, std::string_view name, Text& text, std::string_view meaning) {
  return add_option(options, name, text, name, meaning);
}

Option& add_flag(Options& options, std::string_view names, bool& flag, std::string_view meaning);
/// A flag that may have a value, "--bound=VALUE", and else has `usual`. An option whose value may be missing would take
/// the next argument for it.
Option& add_flag(Options& options, std::string_view names, std::string_view usual, std::optional<std::string>& text,
                 std::string_view value, std::string_view meaning);

/// The whole numbers that an option takes.
struct Range {
  std::int64_t least, most = INT64_MAX;
  bool is_open = false;  ///< `most` is named only: others refuse what is above
};

/// Adds an option that takes a number: a whole one in a range, one from 0 to 2^64 - 1, or any. Other text, and what
/// does not fit into the type, is a `usage` error.
void add_number(Options& options, std::string_view name, std::optional<std::int64_t>& number, Range range,
                std::string_view meaning);
void add_number(Options& options, std::string_view name, std::optional<std::uint64_t>& number,
                std::string_view meaning);
void add_number(Options& options, std::string_view name, std::optional<double>& number, std::string_view meaning);
/// A whole number of bytes, also as 2G or 512MiB (K, M, G, T: 1,024 of the one before).
void add_bytes(Options& options, std::string_view name, std::optional<std::int64_t>& bytes, std::string_view meaning);
/// That a time limit, the option or member `name`, is above 0 and at most 1e6; else a `usage` error.
void require_timeout(std::string_view name, double seconds);
/// The seconds of --timeout.
double parse_timeout(const std::string& text);
template <class Seconds>
void add_timeout(Options& options, Seconds& seconds, std::string_view meaning) {
  add_option(
      options, "--timeout", [&seconds](const std::string& given) { seconds = parse_timeout(given); }, "S", meaning);
}
/// --opset: a whole number from 1; that it is none above kNewestOpset is for the operators to say.
void add_opset(Options& options, std::optional<std::int64_t>& opset, std::string_view meaning);

}  // namespace opref::cli
