// SPDX-License-Identifier: Apache-2.0
// How a subcommand declares its options and arguments. CLI11, four seconds of the compiler's work for each file that
// includes it, stays behind this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace opref::cli {

/// One that was declared, to say more of it.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option required() const;
  /// One or more values each time, up to the next option.
  Option takes_several() const;
  /// An empty text is a `usage` error.
  Option not_empty() const;
  /// The values that it takes, for completion. They are literals.
  Option offers(std::vector<std::string_view> values) const;

 private:
  CLI::Option& option_;
};

/// An option that takes a text: "--filter REGEX". `value` is what stands for it in the help.
Option add_option(CLI::App& command, const std::string& name, std::string& text, const std::string& value,
                  const std::string& description);
Option add_option(CLI::App& command, const std::string& name, std::optional<std::string>& text,
                  const std::string& value, const std::string& description);
/// One that may stand there again and again, each time with a text more.
Option add_option(CLI::App& command, const std::string& name, std::vector<std::string>& texts, const std::string& value,
                  const std::string& description);
Option add_option(CLI::App& command, const std::string& name, double& number, const std::string& value,
                  const std::string& description);

/// What has its place instead of a name; a list takes all that follow.
Option add_argument(CLI::App& command, const std::string& name, std::string& text, const std::string& description);
Option add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& text,
                    const std::string& description);
Option add_argument(CLI::App& command, const std::string& name, std::vector<std::string>& texts,
                    const std::string& description);

Option add_flag(CLI::App& command, const std::string& name, bool& flag, const std::string& description);
/// A flag that may have a value, "--bound=VALUE", and else has `usual`. An option whose value may be missing would take
/// the next argument for it.
Option add_flag(CLI::App& command, const std::string& name, const std::string& usual, std::optional<std::string>& text,
                const std::string& value, const std::string& description);

/// The whole numbers that an option takes.
struct Range {
  std::int64_t least, most = INT64_MAX;
};

/// Adds an option that takes a number: a whole one in a range, or any. Other text, and what does not fit into the type,
/// is a `usage` error.
void add_number(CLI::App& command, const std::string& name, std::optional<std::int64_t>& number, Range range,
                const std::string& description);
void add_number(CLI::App& command, const std::string& name, std::optional<double>& number,
                const std::string& description);
/// From 0 to 2^64 - 1.
void add_number(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& number,
                const std::string& description);
/// --max-bytes: a whole number of bytes, also as 2G or 512MiB (K, M, G, T: 1,024 of the one before).
void add_bytes(CLI::App& command, const std::string& name, std::optional<std::int64_t>& bytes,
               const std::string& description);
void add_max_bytes(CLI::App& command, std::optional<std::int64_t>& bytes, const std::string& description);
/// That a time limit, the option or member `name`, is above 0 and at most 1e6; else a `usage` error.
void require_timeout(std::string_view name, double seconds);
/// --timeout, of so many seconds.
void add_timeout(CLI::App& command, std::optional<double>& seconds, const std::string& description);
/// --opset: a whole number from 1; that it is none above kNewestOpset is for the operators to say.
void add_opset(CLI::App& command, std::optional<std::int64_t>& opset, const std::string& description);

/// An option that is taken only to be refused with a reason, and is in no help.
void hide_option(CLI::App& command, const std::string& name);

}  // namespace opref::cli
