// SPDX-License-Identifier: Apache-2.0
// Whether a model that a tool made is still the model that it was made of, and where it is not.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/tolerance.h"
#include "models/lockstep.h"
#include "models/pairing.h"

namespace opref::models {

/// By what two models may differ.
enum class Arithmetic : std::uint8_t {
  same,       ///< rounding alone
  half,       ///< one has more float16 or bfloat16 tensors
  quantized,  ///< one has more nodes that quantise, or compute with integers of a scale
};
std::string_view name(Arithmetic arithmetic);

struct ComparisonOptions {
  std::optional<double> min_sqnr;  ///< of each output, in decibels; instead of what the arithmetic has
  std::optional<Tolerance> rule;   ///< by which outputs are judged, and nothing else
  bool by_names = true;            ///< pairs may be found by names
  bool with_shares = true;
  std::function<void()> after_node = [] {};
  std::function<void(std::string_view what)> begins = [](std::string_view) {};
};

/// Of a pair: equal; within what rounding explains; more than that.
enum class Agreement : std::uint8_t { equal, rounding, differs };
std::string_view name(Agreement agreement);

struct JudgedPair {
  Pair pair;
  bool is_numeric = true;
  /// Of the other model's region against the reference's; in the order of the reference's elements.
  Figures figures;
  double ratio = 0;  ///< of the error to the spread of right kernels; infinite where there is none
  Agreement agreement = Agreement::equal;
  /// Of quantised and half models: what the node's own error makes of the outputs, as a part of the whole model's error
  /// (squares); and the outputs' SQNR if this result, and nothing else, replaces the reference's.
  std::optional<double> share, alone;
};

struct JudgedOutput {
  std::string name, fresh_name;
  bool passes = false;
  enum class State : std::uint8_t {
    equal,
    rounding,
    differs,
    no_verdict,
    other_type,
    missing,
    extra
  } state = State::equal;
  ValueType type, fresh_type;
  Figures figures;
  double spread = 0, ratio = 0;  ///< of arithmetic `same`; `spread` is an rms
};
std::string_view name(JudgedOutput::State state);

/// What differs between two regions.
struct Description {
  std::vector<size_t> fresh_nodes, reference_nodes;  ///< places
  std::vector<std::string> sentences;
  std::vector<size_t> culprits;  ///< places in the reference
  std::vector<size_t> inputs;    ///< the reference's entities at which its region begins
};

struct ModelComparison {
  Arithmetic arithmetic = Arithmetic::same;
  bool is_reversed = false;  ///< the reference has what `arithmetic` says
  std::vector<JudgedPair> pairs;
  std::vector<JudgedOutput> outputs;
  std::vector<std::pair<size_t, size_t>> rewritten;  ///< entities that are no pair after all: computed in other ways
  std::vector<size_t> unpaired, unpaired_reference;  ///< entities
  std::optional<double> least_sqnr;
  std::string closest;             ///< the mistake that comes closest to the first region that differs; may be empty
  std::vector<size_t> ranked;      ///< of pairs, by share
  std::optional<double> together;  ///< the shares' sum
  bool shares_are_some = false;    ///< only those of the greatest errors are known
  bool is_one_region = false;      ///< no pair lies between the inputs and the outputs
  std::string no_spread;           ///< why the outputs' spread is not known; may be empty

  size_t count(Agreement agreement) const;
  /// The first pair that differs, in the reference's order; null where none does.
  const JudgedPair* first() const;
};

/// Compares; what pairs there are is then in `pairing`. `candidates` are those of the other model's own values.
/// Faults: those of run_graph.
ModelComparison compare_models(Pairing& pairing, const Candidates& candidates, const Environment& reference_inputs,
                               const ComparisonOptions& options, std::int64_t max_bytes);

/// Adds what other inputs show of the same models' outputs: `all` then has the figures of both, and the greater spread
/// and ratio; an output passes by the sums where an SQNR decides, else where both do. `options`: of both comparisons.
void add_outputs(ModelComparison& all, const ModelComparison& other, const ComparisonOptions& options);

/// What differs in a pair's regions.
Description describe(const Pairing& pairing, const Pair& pair);

}  // namespace opref::models
