// SPDX-License-Identifier: Apache-2.0
// Options that several subcommands share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/expected.h"
#include "cli/options.h"
#include "io/case.h"
#include "io/json/json.h"
#include "report/shard.h"
#include "run/bind.h"

namespace opref::cli {

constexpr std::int64_t kMostThreads = 1024;

/// What --filter says; no regular expression is a `usage` error.
void require_filter(const std::string& expression);

struct NodeArguments {
  std::string node;
  std::vector<std::string> bindings, attributes, readings;
  std::vector<std::string> only;  ///< --node
  std::optional<std::int64_t> opset;
  bool fix_names = false;
  bool takes_unknown = false;  ///< see NodeOptions
};
void add_node_options(Options& command, NodeArguments& arguments);
/// --fix-names
void add_fix_names(Options& command, bool& fixes);
/// What it changed, or did not.
void note_fixed_names(const std::vector<std::string>& changes);
/// --reading: NAME=VALUE, for bind_case.
void add_reading(Options& command, std::vector<std::string>& readings);

/// The case that arguments.node names; a `system` error where reading it takes longer than `seconds`, if any are given.
Case read_node(const NodeArguments& arguments, std::int64_t max_bytes, const std::optional<double>& seconds);

/// Binds the arguments to `read`, the case that arguments.node names. Says which names were fixed.
Bound bind_case(const NodeArguments& arguments, Case read);

struct ToleranceArguments {
  bool exact = false, strict_nan = false, ignore_dtype = false, strict = false;
  std::optional<std::int64_t> ulp;
  std::optional<double> rtol, atol;
  std::optional<std::string> bound;  ///< as parse_kernel takes it
};
void add_tolerance_options(Options& command, ToleranceArguments& arguments);
/// --strict, of commands that know the bound.
void add_strict(Options& command, ToleranceArguments& arguments);
/// Two rules at once are a `usage` error.
ToleranceChoice chosen_tolerance(const ToleranceArguments& arguments);
/// " --ulp 4": the options as they were given.
std::string to_options(const ToleranceArguments& arguments);

/// Of --shard: I/N, auto or auto/N; empty: all there is. A program that knows shards says so to the engine.
Shard chosen_shard(const std::string& text);

/// Notes of what take_branches did.
void note_taken_branches(const std::vector<std::string>& taken);

/// The operators' own warnings.
void warn_of_notes(const Step& step);
void warn_of_notes(const std::vector<Step>& steps);
/// Readings that mattered and were not selected.
void warn_of_readings(const std::vector<Step>& steps);

/// --max-bytes, or half of this machine's memory.
std::int64_t limit_of(const std::optional<std::int64_t>& max_bytes);

/// The nodes of a --json document.
Json step_json(const Step& step);
Json nodes_json(const std::vector<Step>& steps);
/// Whether a document has a tensor's elements, where they are few.
enum class Elements : std::uint8_t { some, none };
/// A tensor as `tensor` writes it, {"sequence": [tensor…], "dtype": …}, {"optional": null, a tensor or a sequence}.
Json value_json(const Value& value, Json (*tensor)(const Tensor&, Elements));
/// {"opref": version, "command": name}
Json document(std::string_view command);

}  // namespace opref::cli
