// SPDX-License-Identifier: Apache-2.0
// Which node of a model a backend computes wrongly: each is judged alone, from the backend's own values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/expected.h"
#include "check/model_values.h"
#include "check/other_type.h"
#include "check/sensitivity.h"
#include "check/unreturned.h"
#include "explain/evaluated.h"
#include "report/case_record.h"
#include "run/memory.h"

namespace opref::check {

struct BisectOptions {
  ToleranceChoice tolerance;
  double timeout = 60;      ///< seconds for what opref computes of one node
  size_t most_causes = 10;  ///< nodes whose causes are looked for, the worst ones
  std::function<void()> after_node = [] {};
  std::function<void(std::string_view what)> begins = [](std::string_view) {};  ///< what takes long beside the nodes
};

/// One node, judged by its right outputs for the inputs that the backend gave it.
struct JudgedNode {
  size_t place = 0;   ///< in the graph
  CaseRecord record;  ///< by the node's name, or that of its first output; `skip`: opref cannot judge it
  /// The greatest distance of an element; infinite where one is NaN or infinite and should not be, or the reverse.
  double ulp = 0;
  /// Nodes whose outputs the backend does not return, in the graph's order: they are judged as one with this node. Of a
  /// node that is not judged, because none of its own is returned: none.
  std::vector<std::string> together;
  std::optional<double> share;    ///< of the error of the model's worst output element; of the nodes that matter
  std::optional<Tolerance> rule;  ///< by which it fails
  bool sought = false;            ///< whether causes were looked for
  std::optional<Fault> refused;   ///< what the specification refuses is no fault of the backend
  std::string folder;             ///< into which it was extracted, else empty
  std::string in_place_of;        ///< nodes of the graph before it was optimised, as the node itself says, or empty
};

/// A value that the backend does not return.
struct NotReturned {
  std::string name, why;
  bool is_output = false;  ///< of the model
};

/// The worst element of the model's outputs, and what it is made of.
struct WorstElement {
  std::string output;
  Dims index;
  double actual = 0, exact = 0;
  std::string not_shared;  ///< why no node's share is known; empty: they are
};

/// An output that differs when the backend is asked for it alone.
struct ChangedOutput {
  OutputRecord record;
  double error = 0;                    ///< rms of the differences of numbers
  std::optional<OutputSpread> spread;  ///< of the exact output; where the difference is greater than its rule allows

  /// Whether right backends may differ as much: the error is at most 4 times the spread.
  bool is_rounding() const { return spread && spread->is_numeric && error <= OutputSpread::kTimes * spread->spread; }
};

struct Bisection {
  std::vector<JudgedNode> nodes;      ///< those that fail first, then by share and ULP, the worst first
  std::vector<OutputRecord> outputs;  ///< the model's that are returned, against the exact ones
  std::string no_outputs;             ///< why the exact ones are not known; empty: they are
  std::optional<WorstElement> worst;  ///< nothing where the outputs are exact, or not numbers
  std::vector<ChangedOutput> changed;
  std::string not_asked_alone;  ///< why that is not known; empty: it is
  bool fails_alone = false;     ///< whether that is the backend's fault: it dies, hangs, leaves an output out …
  /// Whether some change is greater than the rule for outputs and rounding explain.
  bool fused_differ = false;
  std::string no_spread;                ///< why the spread that is asked for is not known; empty: it is
  std::optional<NonFinite> non_finite;  ///< among the backend's values
  std::vector<NotReturned> not_returned;
  bool broken = false;            ///< whether the backend called the model an error when asked last
  bool returned_nothing = false;  ///< not one of all values, though it neither refuses nor dies
  int deaths = 0;                 ///< how often it died or did not answer when it was asked for all values
  std::vector<std::string> bugs;  ///< in opref, sentences: beside those of nodes, which their records have

  /// 70 after a bug in opref; 1 where a node fails; 3 or 4 where the specification refuses one; 1 where an output of
  /// the model is missing or of another type, the outputs alone differ by more than their rule and rounding explain, or
  /// the backend dies or fails when it is asked for them alone; where nothing could be judged 1 if the backend calls
  /// the model an error, else 5; else 0.
  int exit_code() const;
};

/// The greatest distance of an element; infinite where one has none, or nothing could be compared.
double greatest_ulp(const Comparison& comparison);

/// That every input has a value: else a `usage` error that names all that have none.
void require_values(const ReadyCase& whole);

/// The judgement of a backend's values of a case, each of whose graph's nodes has a place in it.
class Bisector {
 public:
  /// `alone` are the model's outputs when it is asked for nothing else; may be null. Faults: `usage` where an input has
  /// no value, `malformed` (names that are not sound), those of load_inputs.
  Bisector(std::shared_ptr<const ReadyCase> whole, const ModelValues& values, const ModelValues* alone,
           BisectOptions options);
  Bisection judge();

  /// All that the backend gave, and where it did not what is right; after judge().
  const Environment& values() const { return values_; }
  /// A node with the backend's inputs; in the backend's type where that is another one.
  Bound alone(size_t place) const;
  /// Its right outputs; after judge(). Faults: those of its evaluation.
  Environment right_values(size_t place) const;

 private:
  void compute_exactly(Bisection& bisection);
  JudgedNode judge_node(size_t place);
  /// `right` is what the model's types give, `own` what the backend's do: the same but for a backend of other types.
  void judge_outputs(JudgedNode& judged, const Evaluated& right, const std::shared_ptr<const Evaluated>& own);
  std::shared_ptr<const Evaluated> in_own_type(size_t place, const std::shared_ptr<const Evaluated>& right);
  void take_unjudged(const Node& node, CaseRecord& record);
  std::optional<Value> read(const ModelValues& values, const std::string& name, const ValueType& expected,
                            std::string& problem) const;
  void look_for_causes(Bisection& bisection);
  void look_for_causes(CaseRecord& record, size_t place) const;
  void compare_outputs(Bisection& bisection);
  void compare_alone(Bisection& bisection);
  void look_for_rounding(Bisection& bisection) const;
  void share_error(Bisection& bisection);
  void look_for_non_finite(Bisection& bisection);
  std::shared_ptr<const ReadyCase> alone_case(size_t place) const;
  std::int64_t bytes_left() const;
  /// A value of the backend's, or the right one.
  void take(const std::string& name, const ValueType& type, MaybeValue value);

  std::shared_ptr<const ReadyCase> whole_;
  const NodeCases cases_;
  const ModelValues& files_;
  const ModelValues* alone_;
  BisectOptions options_;
  Environment given_;                        ///< inputs and what the model holds
  Environment values_;                       ///< the backend's, and where it has none right ones
  HeldBytes held_;                           ///< by values_
  Environment exact_;                        ///< the outputs; empty where they are not known
  std::map<size_t, OtherType> other_types_;  ///< by place: of nodes that are judged in the backend's type
  Unreturned unreturned_;
  size_t untypical_sought_ = 0;  ///< nodes that pass whose causes were looked for
};

}  // namespace opref::check
