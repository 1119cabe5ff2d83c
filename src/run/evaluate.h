// Evaluates the nodes of a graph in order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "ops/operators.h"
#include "spec/node.h"
#include "spec/resolve.h"

namespace opref {

struct EvaluationOptions {
  std::optional<std::int64_t> opset;  ///< of ai.onnx and openvino, instead of what the file states
  ReadingChoices readings;
  /// Inputs, outputs and scratch together; a `system` error before anything larger is allocated.
  std::int64_t max_bytes = INT64_MAX;
  bool exact_only = false;  ///< every element by the exact tier: slow, and must not change a byte
  int threads = 1;          ///< that work on one node; no number of them changes a byte
  int repeat = 1;           ///< so often is each kernel run, for its time
  bool generate = true;     ///< false: of generated inputs only the types are known
  /// Outputs of fewer elements are computed again to confirm which readings matter.
  std::int64_t confirm_readings_below = 65536;
};

/// What is known of the names of a graph.
using Environment = std::map<std::string, Input, std::less<>>;

/// A reading that another choice would have made visible.
struct ReadingReport {
  std::string_view name;
  std::string_view in_force;               ///< the alternative chosen, by default or by the user
  std::string_view stands_for;             ///< the alternative that `in_force` meant here, if it decides by the values
  bool selected;                           ///< by the user or the case
  std::vector<std::string_view> others;    ///< the alternatives that give another result
  std::vector<std::string_view> possible;  ///< those that may give another one: they were not evaluated
};

/// One evaluated node.
struct Step {
  const Node* node;
  std::int64_t opset;
  Call call;
  std::vector<ValueType> types;  ///< of its outputs
  std::vector<Note> notes;
  std::vector<ReadingReport> readings;
  std::int64_t estimated = 0, exact = 0;  ///< elements that each numeric tier decided
  double seconds = 0;                     ///< of the kernel, the first time
  double repeated_seconds = 0;            ///< the median of the other times
};

/// The opset in force for the node: the option, what the graph states for its domain, else the newest known, of
/// openvino opset1. One that is newer than opref knows is `unsupported`.
std::int64_t opset_in_force(const Graph& graph, const Node& node, const EvaluationOptions& options);

/// The node with what the environment knows of its inputs: the call of `infer` and `run`. Faults: those of `resolve`;
/// `usage` where nothing is known of an input.
Call resolve_node(const Graph& graph, const Node& node, const Environment& environment,
                  const EvaluationOptions& options);

/// Finds each node's operator and version; the first trouble is the error. Needs no tensors: says cheaply whether a
/// graph can be evaluated at all.
void require_known_operators(const Graph& graph, const EvaluationOptions& options);

/// Types of everything the graph computes, added to `environment`; tensor values only where given.
std::vector<Step> infer(const Graph& graph, Environment& environment, const EvaluationOptions& options);

/// Evaluates all nodes; the values are added to `environment`, each rounded to its type.
std::vector<Step> run(const Graph& graph, Environment& environment, const EvaluationOptions& options);

/// Evaluates what `run` left possible: the alternatives of the steps' readings that may give another result, of outputs
/// of any size. `environment` has the steps' values; where an output has no name, they stay possible.
void confirm_readings(std::vector<Step>& steps, const Environment& environment);

/// The graph of one node of `graph`: by its name, or by the name of one of its outputs.
Graph only_node(const Graph& graph, std::string_view name);

/// "reading max_unpool.index_space = auto (inferred) decides this result; output gives another"
std::string to_text(const ReadingReport& report);

/// Whether an evaluation ended with this for want of memory, by EvaluationOptions::max_bytes.
bool is_memory_limit(const Error& error);

/// Half of this machine's memory.
std::int64_t default_max_bytes();

}  // namespace opref
