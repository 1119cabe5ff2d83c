// Options that several subcommands share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/compare.h"
#include "io/case.h"
#include "io/json.h"
#include "run/evaluate.h"

namespace CLI {
class App;
}

namespace opref::cli {

struct NodeArguments {
  std::string node;
  std::vector<std::string> bindings, attributes, readings;
  std::string only;  ///< --node
  std::optional<std::int64_t> opset;
};
void add_node_options(CLI::App& command, NodeArguments& arguments);

/// A case whose inputs are bound, with the options in force.
struct Prepared {
  Case loaded;
  EvaluationOptions options;
};
Prepared prepare(const NodeArguments& arguments);

struct ToleranceArguments {
  bool exact = false, strict_nan = false, ignore_dtype = false;
  std::optional<std::int64_t> ulp;
  std::optional<double> rtol, atol;
};
void add_tolerance_options(CLI::App& command, ToleranceArguments& arguments);
/// Nothing where the command line chooses none. Two rules at once are a `usage` error.
std::optional<Tolerance> chosen_tolerance(const ToleranceArguments& arguments);

/// NAME=VALUE of --reading, into `choices`.
void parse_readings(const std::vector<std::string>& arguments, const Graph& graph, ReadingChoices& choices);

/// Warnings of evaluated nodes: the operators' own, and readings that mattered and were not selected.
void warn_of(const std::vector<Step>& steps);

/// The nodes of a --json document.
JsonWriter nodes_json(const std::vector<Step>& steps);
JsonWriter type_json(const TensorType& type);
JsonWriter comparison_json(const Comparison& comparison, const Tolerance& tolerance);
/// {"opref": version, "command": name}
JsonWriter document(std::string_view command);

}  // namespace opref::cli
