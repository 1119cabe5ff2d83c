// SPDX-License-Identifier: Apache-2.0
// The graphs inside a node: its subgraphs, and the body of a function that it calls.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "run/evaluate.h"
#include "run/functions.h"
#include "run/graph_names.h"
#include "run/memory.h"

namespace opref::run {

/// Where nodes are evaluated: their graph, and what is known there.
struct Scope {
  const GraphNames& names;
  std::span<const ValueInfo> results;  ///< of a subgraph, whose outputs the node around it reads
  const OpsetImport& opsets;           ///< the model's, in its subgraphs too
  const EvaluationOptions& options;
  Compute compute;
  Environment& environment;
  const std::shared_ptr<HeldBytes>& held;  ///< of the values in `environment`, and of those around a subgraph
  std::int64_t held_beside = 0;            ///< bytes of what the node around a subgraph gathers
  bool is_heard = true;                    ///< false: nobody asks which readings matter

  std::int64_t bytes_held() const { return checked_add(held_beside, held->total()); }

  /// Forgets the values that nobody reads any more.
  void release(std::span<const std::string> unread) const;
};

/// Evaluates one node; what it gives is added to the scope's environment. In evaluate.cpp.
Step evaluate(const Scope& scope, const Node& node);

/// What steps take that are told, with their text.
std::int64_t told_bytes(std::span<const Step> steps);

/// What the nodes of a node's subgraphs have to say: it is said of the node itself.
struct Inside {
  std::vector<Step>* steps = nullptr;  ///< where they are kept
  std::vector<Note> notes;
  std::vector<ReadingReport> readings;
  TierCounts decided;

  void add(Step step);
};

bool has_subgraph(const Node& node);

/// The last graph that was evaluated inside a node.
struct LastInside {
  const Graph* graph = nullptr;
  Environment environment;
  std::vector<Input> outputs;
};

/// Evaluates a node's subgraphs, with what they read from around the node; it outlives the environment that it was made
/// from. Of a graph without inputs `types` keeps the values that it knows, since they decide shapes inside.
class NodeSubgraphs : public FunctionSubgraphs {
 public:
  NodeSubgraphs(const Scope& scope, const Node& node);
  /// Of a node that calls a function, whose body sees nothing around the node.
  NodeSubgraphs(const Scope& scope, std::shared_ptr<const FunctionOperator> called, const Call& call);

  std::vector<ValueType> body_types() const override;
  std::vector<Value> body_values() const override;
  std::vector<ValueType> types(const Graph& graph, std::span<const ValueType> inputs) const override;
  std::vector<ValueType> inferred(const Graph& graph, std::span<const ValueType> inputs) const override;
  std::vector<Value> values(const Graph& graph, std::span<const Value> inputs, std::int64_t held) const override;

  /// The last graph that `kernel` evaluates.
  LastInside watch(const std::function<void()>& kernel) const;
  /// Nothing can be evaluated any more.
  void forget() const;
  const OpsetImport& opsets() const { return opsets_; }

  /// Until `stop`, what is said inside goes to `inside`, and values are kept.
  void gather(Inside& inside) { inside_ = &inside; }
  void stop();

 private:
  void require_evaluated() const;
  Tensor dense_of(const Initializer& initializer) const;
  std::variant<std::vector<ValueType>, Error> infer_now(const Graph& graph, std::span<const ValueType> inputs) const;
  /// What is known at first inside a graph.
  Environment environment_of(const Graph& graph, std::vector<Input> inputs) const;
  std::vector<Input> evaluated(const Graph& graph, std::vector<Input> inputs, std::int64_t held = 0) const;
  std::shared_ptr<HeldBytes> count(const Environment& environment) const;
  void count_given(std::shared_ptr<HeldBytes> held, const Environment& environment, std::vector<Value> values) const;
  std::vector<Input> evaluate_graph(const Graph& graph, std::vector<Input> inputs, Compute compute, Inside* inside,
                                    std::int64_t held_beside = 0) const;

  /// What evaluation needs to know of a graph, each time.
  struct Known {
    explicit Known(const Graph& graph) : names(graph), readers(graph, graph.outputs) {}
    const GraphNames names;
    const LastReaders readers;
  };
  const Known& known_of(const Graph& graph) const { return known_.try_emplace(&graph, graph).first->second; }

  const OpsetImport opsets_;
  EvaluationOptions options_;
  Compute compute_;
  const std::shared_ptr<const FunctionOperator> called_ = {};  ///< null: subgraphs of a node are meant
  const std::shared_ptr<const Graph> body_ = {};
  mutable std::vector<Input> given_ = {};  ///< to the body
  const std::function<std::string()> place_ = [this] {
    return format("in the function {}", to_text(called_->function()));
  };
  mutable Environment around_;
  const std::shared_ptr<HeldBytes> held_around_;
  std::int64_t held_beside_ = 0;
  mutable std::map<const Graph*, Known> known_ = {};
  /// What inference said of a graph: an operator asks again for each of its readings, and so would every node inside.
  struct Inferred {
    const Graph* graph;
    std::vector<ValueType> inputs;
    std::variant<std::vector<ValueType>, Error> outputs;
  };
  mutable std::vector<Inferred> inferred_ = {};
  /// The values that a graph gave last stay counted: the next iteration is given most of them, and counts only others.
  struct Counted {
    std::shared_ptr<HeldBytes> held;
    std::vector<Value> values;
  };
  mutable Counted counted_ = {};
  Inside* inside_ = nullptr;
  mutable LastInside* last_ = nullptr;
  mutable std::pair<const Graph*, std::vector<Value>> kept_ = {};
};

/// Null where the node has no subgraphs, and `called`, the function that it calls, is null.
std::shared_ptr<NodeSubgraphs> subgraphs_of(const Scope& scope, const Node& node, const Call& call,
                                            std::shared_ptr<const FunctionOperator> called);

}  // namespace opref::run
