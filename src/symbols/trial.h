// SPDX-License-Identifier: Apache-2.0
// The types of a graph at one assignment of its symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "run/bind.h"
#include "run/survey.h"
#include "symbols/fit.h"

namespace opref::symbols {

using namespace run;

/// An input with sizes that are numbers or symbols.
struct OpenInput {
  std::string name;
  DType dtype;
  std::vector<Expression> sizes;
};

/// An axis of a tensor whose size values decide.
struct DrawnAxis {
  size_t node, output, axis;
  friend auto operator<=>(const DrawnAxis&, const DrawnAxis&) = default;
};

/// What was found out at one assignment.
struct Trial {
  enum class State : std::uint8_t { absent, known, open, no_tensor };
  static constexpr std::ptrdiff_t kInputs = -1, kWhole = PTRDIFF_MAX;

  Assignment sizes;
  /// Of the node that refuses them; kInputs: what is declared of inputs does.
  std::ptrdiff_t place = kWhole;
  std::optional<Error> refusal = {};
  std::vector<State> states = {};
  std::map<size_t, Values> values = {};  ///< of tensors of few whole numbers
  std::vector<DrawnAxis> drawn = {};
  std::map<size_t, std::string> why = {};  ///< by node: it has no types
  std::vector<size_t> missed = {};         ///< nodes for which values were drawn in vain
  bool is_left_out = false;                ///< it works, but is not spoken of

  bool is_whole() const { return place == kWhole && !is_left_out; }
  /// A node refuses it only because values are missing, for which none were drawn that do.
  bool lacks_values() const { return refusal && refusal->fault() == Fault::usage; }
  std::span<const std::int64_t> shape(size_t tensor) const {
    return std::span(dims).subspan(first[tensor], first[tensor + 1] - first[tensor]);
  }

  std::vector<std::uint32_t> first = {};  ///< of each tensor, in dims
  Values dims = {};
};

/// Evaluates the types of a graph; what follows from what no symbol changes is evaluated once.
class Trials {
 public:
  /// `inputs` stay as they are for as long as this lives. Faults: those of load_inputs.
  Trials(Bound bound, std::vector<OpenInput> inputs);

  const Graph& graph() const { return bound_.graph; }
  std::span<const OpenInput> inputs() const { return inputs_; }
  /// Names of what varies: a Trial's tensors, by their places.
  std::span<const std::string> tensors() const { return tensors_; }
  std::optional<size_t> tensor(std::string_view name) const;
  /// The sizes that a tensor has at every assignment; nothing where symbols may change them, or where there are none.
  std::optional<Sizes> fixed(std::string_view name) const;
  /// Of these nodes the types vary, in the graph's order.
  std::span<const size_t> varying() const { return varying_; }
  /// Numbers about which the model may change: those that stand in it, or follow from such, from 2 to 2^20, ascending.
  std::vector<std::int64_t> constants() const;

  /// At these, on so many threads, each a Trial or nothing where time ran out. Faults: `internal`, and of the machine.
  std::vector<std::optional<Trial>> at(std::span<const Assignment> all, int threads);

  /// All nodes at these sizes, which all take; `environment` has what is known then. Faults: those of survey.
  std::vector<SurveyedNode> nodes_at(const Assignment& sizes, Environment& environment) const;

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Trial one(const Assignment& sizes) const;
  Environment with_sizes(Environment environment, const Assignment& sizes) const;
  void evaluate_fixed();
  /// What is `declared` alone is not evaluated, and says nothing.
  void keep(const Environment& environment, const std::set<std::string>& declared, Trial& trial) const;

  const Bound bound_;
  const std::vector<OpenInput> inputs_;
  std::vector<std::string> warnings_;
  Environment given_;  ///< inputs
  Environment fixed_;  ///< and what follows from those that no symbol changes
  std::vector<size_t> varying_;
  std::vector<std::string> tensors_;
  std::map<std::string, size_t, std::less<>> places_;
  std::vector<int> misses_;  ///< by node: so often values were drawn in vain; negative where they once were not
};

/// "Add 'sum'": the node's operator with its name, or its first output.
std::string label(const Node& node);

}  // namespace opref::symbols
