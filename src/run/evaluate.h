// SPDX-License-Identifier: Apache-2.0
// Evaluates the nodes of a graph in order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "run/readings.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::run {

/// Which values stay known once they are evaluated; others go after their last reader. Inputs stay.
enum class Keep : std::uint8_t {
  results,  ///< the graph's outputs
  judged,   ///< and the calls that give them, and those with readings that may matter
  all,
};

struct Step;

struct EvaluationOptions {
  ReadingChoices readings;
  /// Inputs, outputs and scratch together; a `system` error before anything larger is allocated.
  std::int64_t max_bytes = INT64_MAX;
  bool exact_only = false;  ///< every element by the exact tier: slow, and must not change a byte
  int threads = 1;          ///< that work on one node; no number of them changes a byte
  int repeat = 1;           ///< so often is each kernel run, for its time
  Keep keep = Keep::all;
  std::vector<std::string> also_kept = {};  ///< like the graph's outputs
  std::function<void()> after_node = {};    ///< of the graph itself, not of its subgraphs
  /// Before values of the graph itself are computed: told the name and type of each. May throw.
  std::function<void(const std::string& name, const ValueType& type)> before_value = {};
  /// What becomes of the values that a node gives, those of graphs inside nodes too: called before anybody reads them.
  std::function<void(const Step& step, std::vector<Value>& values)> alter = {};
  bool tell_bodies = false;  ///< of a function that is called, the steps of its body
  bool generate = true;      ///< false: of generated inputs only the types are known
  /// Outputs of fewer elements are computed again to confirm which readings matter.
  std::int64_t confirm_readings_below = 65536;
};

/// What is known of the names of a graph.
using Environment = std::map<std::string, Input, std::less<>>;
/// A `usage` error where the tensor has none.
const Value& value_of(const Environment& environment, const std::string& tensor);

/// How many elements each numeric tier decided.
struct TierCounts {
  std::int64_t estimated = 0, exact = 0;
  std::int64_t all() const { return estimated + exact; }
  void add(const TierCounts& other) { estimated += other.estimated, exact += other.exact; }
};

/// One evaluated node.
struct Step {
  const Node* node;
  std::int64_t opset;
  Call call;                     ///< without values where they are not kept
  std::vector<ValueType> types;  ///< of its outputs
  std::vector<Note> notes;
  std::vector<ReadingReport> readings;
  std::vector<TierCounts> decided{};  ///< of each output
  TierCounts inside{};                ///< of the nodes of its subgraphs
  double seconds = 0;                 ///< of the kernel, the first time
  double repeated_seconds = 0;        ///< the median of the other times
  std::vector<Step> body = {};        ///< of a function, where they are asked for; with types alone

  TierCounts all_decided() const {
    TierCounts all = inside;
    for (const TierCounts& output : decided) all.add(output);
    return all;
  }
};

/// The node with what the environment knows of its inputs: the call of `infer` and `run`. Faults: those of `resolve`;
/// `usage` where nothing is known of an input.
Call resolve_node(const Graph& graph, const Node& node, const Environment& environment,
                  const EvaluationOptions& options);

/// Where a value was made that a node hands on from a graph inside it: a function's body, the branch of a condition,
/// the last iteration of a loop.
struct Origin {
  Graph graph;
  Environment environment;  ///< before its first node
  std::string output;
};
/// Of an output of a call from resolve_node that has the values of its inputs; nothing where the node makes the value
/// itself. Faults: those of the kernel.
std::optional<Origin> origin_of(const Call& call, std::span<const ValueType> types, size_t output);

enum class Compute : std::uint8_t {
  types,  ///< and the values of what other nodes read, where they are few and follow from values or types alone
  values,
};

/// The nodes of a graph, one after another in its order.
class Evaluation {
 public:
  /// All stay as they are, but for what nodes give, which is added to `environment`.
  Evaluation(const Graph& graph, Environment& environment, const EvaluationOptions& options, Compute compute);
  ~Evaluation();
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  Step evaluate(const Node& node);
  /// The values of these names: their types stay known.
  void forget(std::span<const std::string> names);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Types of everything the graph computes, added to `environment`; values as Compute::types says.
std::vector<Step> infer(const Graph& graph, Environment& environment, const EvaluationOptions& options);

/// Evaluates all nodes; the values are added to `environment`, each rounded to its type.
std::vector<Step> run_graph(const Graph& graph, Environment& environment, const EvaluationOptions& options);

/// Evaluates what `run` left possible: the alternatives of the steps' readings that may give another result, of outputs
/// of any size. `environment` has the steps' values; where an output has no name, they stay possible.
void confirm_readings(std::vector<Step>& steps, const Environment& environment);

/// Half of this machine's memory.
std::int64_t default_max_bytes();

}  // namespace opref::run
