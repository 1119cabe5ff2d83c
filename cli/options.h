// SPDX-License-Identifier: Apache-2.0
// How a subcommand declares its options and arguments: one table, which help, completion and the parser read. CLI11,
// four seconds of the compiler's work for each file that includes it, stays behind this.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace opref::cli {

/// An option, or an argument that has its place.
struct OptionText {
  enum class Value : std::uint8_t { none, needed, possible };
  std::vector<std::string> names = {};  ///< "-a", "--attribute"; of an argument none
  Value takes = Value::none;            ///< possible: only after "="
  std::string value;                    ///< what stands for its value: "NAME=VALUE"; of an argument its name
  std::string_view meaning;
  bool repeats = false;
  std::vector<std::string_view> choices = {};  ///< the values that there are; none: any

  bool is_argument() const { return names.empty(); }
  bool has_name(std::string_view name) const;
};

/// The options and arguments of a command, in the order of its help. Texts are literals.
class Options {
 public:
  struct Declared {
    OptionText text;
    std::function<CLI::Option*(CLI::App&)> declare;  ///< to CLI11
    bool required = false, takes_several = false, not_empty = false, hidden = false;
  };

  Declared& add(std::string_view names, OptionText text, std::function<CLI::Option*(CLI::App&)> declare);
  /// Null where it has none of this name.
  Declared* find(std::string_view name);
  /// All but the hidden ones.
  std::vector<OptionText> texts() const;
  /// Declares the arguments, and those options that may be among `given`: to declare all takes CLI11 longer than a
  /// small node takes.
  void declare(CLI::App& parser, std::span<char* const> given) const;

 private:
  std::deque<Declared> all_;
};

/// One that was declared, to say more of it.
class Option {
 public:
  explicit Option(Options::Declared& option) : option_(option) {}

  Option required() const;
  /// One or more values each time, up to the next option.
  Option takes_several() const;
  /// An empty text is a `usage` error.
  Option not_empty() const;
  /// The values that it takes, for completion.
  Option offers(std::vector<std::string_view> values) const;
  /// It is taken only to be refused with a reason, and is in no help.
  Option hidden() const;

 private:
  Options::Declared& option_;
};

/// Where the text of an option goes: a list takes one more each time that the option stands there.
struct Target {
  template <class Text>
    requires(!std::is_same_v<Text, Target>)
  Target(Text& text) : place(&text) {}
  std::variant<std::string*, std::optional<std::string>*, std::vector<std::string>*, double*> place;
};
/// An option that takes a text: "--filter REGEX". `value` is what stands for it in the help.
Option add_option(Options& options, std::string_view names, Target text, std::string_view value,
                  std::string_view meaning);
/// What has its place instead of a name; a list takes all that follow.
Option add_argument(Options& options, std::string_view name, Target text, std::string_view meaning);

Option add_flag(Options& options, std::string_view names, bool& flag, std::string_view meaning);
/// A flag that may have a value, "--bound=VALUE", and else has `usual`. An option whose value may be missing would take
/// the next argument for it.
Option add_flag(Options& options, std::string_view names, std::string_view usual, std::optional<std::string>& text,
                std::string_view value, std::string_view meaning);

/// The whole numbers that an option takes.
struct Range {
  std::int64_t least, most = INT64_MAX;
};

/// Adds an option that takes a number: a whole one in a range, or any. Other text, and what does not fit into the type,
/// is a `usage` error.
void add_number(Options& options, std::string_view name, std::optional<std::int64_t>& number, Range range,
                std::string_view meaning);
void add_number(Options& options, std::string_view name, std::optional<double>& number, std::string_view meaning);
/// From 0 to 2^64 - 1.
void add_number(Options& options, std::string_view name, std::optional<std::uint64_t>& number,
                std::string_view meaning);
/// --max-bytes: a whole number of bytes, also as 2G or 512MiB (K, M, G, T: 1,024 of the one before).
void add_bytes(Options& options, std::string_view name, std::optional<std::int64_t>& bytes, std::string_view meaning);
void add_max_bytes(Options& options, std::optional<std::int64_t>& bytes, std::string_view meaning);
/// That a time limit, the option or member `name`, is above 0 and at most 1e6; else a `usage` error.
void require_timeout(std::string_view name, double seconds);
/// --timeout, of so many seconds.
void add_timeout(Options& options, std::optional<double>& seconds, std::string_view meaning);
/// --opset: a whole number from 1; that it is none above kNewestOpset is for the operators to say.
void add_opset(Options& options, std::optional<std::int64_t>& opset, std::string_view meaning);
/// An option whose text `parse` takes, or refuses by an error.
Option add_parsed(Options& options, std::string_view name, std::string_view value, std::string_view meaning,
                  std::function<void(const std::string&)> parse);

void hide_option(Options& options, std::string_view name);

}  // namespace opref::cli
