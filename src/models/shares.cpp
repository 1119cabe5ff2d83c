// SPDX-License-Identifier: Apache-2.0
#include "models/shares.h"

#include <algorithm>
#include <limits>
#include <set>

#include "run/part_of_graph.h"

namespace opref::models {
namespace {

constexpr size_t kMostOfAll = 200, kMostOfSome = 64;

/// Sums of squares over all floating outputs.
struct Power {
  double error = 0, reference = 0;
  double relative() const { return reference == 0 ? 0 : error / reference; }
  void add(const Figures& figures) {
    error += figures.nonfinite > 0 ? std::numeric_limits<double>::infinity() : figures.error_squares;
    reference += figures.reference_squares;
  }
};

/// Evaluates the reference with one tensor replaced.
class Carrier {
 public:
  Carrier(const Model& reference, ValueOf exact) : reference_(reference), exact_(std::move(exact)) {}

  Power carried(const std::string& name, const Value& value) const {
    const Values made = exact_ ? evaluated_beside(name, value) : evaluated(name, value);
    Power power;
    std::set<std::string_view> taken;
    for (const ValueInfo& output : reference_.graph().outputs) {
      const Value* right = reference_.output_value(output.name);
      if (right == nullptr || !taken.insert(output.name).second || !is_floating(type_of(*right).dtype())) continue;
      const auto y = reference_.real(output.name, *right);
      const auto changed = made.find(output.name);
      const auto x = changed == made.end() ? y : reference_.real(output.name, changed->second);
      if (x && y && x->values.size() == y->values.size()) power.add(figures_of(*x, *y));
    }
    return power;
  }

 private:
  /// Only what depends on the tensor.
  Values evaluated_beside(const std::string& name, const Value& value) const {
    Values made;
    made.emplace(name, value);
    const ValueOf value_of = [&](const std::string& read) -> const Value* {
      const auto found = made.find(read);
      return found != made.end() ? &found->second : exact_(read);
    };
    for (const ModelNode& node : reference_.nodes()) {
      if (!node.is_live || !node.is_evaluated()) continue;
      const auto is_made = [&](const std::string& read) { return made.contains(read); };
      const auto& outputs = node.node->outputs;
      const bool is_given = std::ranges::find(outputs, name) != outputs.end();
      const bool is_needed = std::ranges::any_of(reference_.runner().reads(node.place), is_made) ||
                             std::ranges::any_of(outputs, [&](const std::string& output) {
                               return !output.empty() && exact_(output) == nullptr;
                             });
      if (is_given || !is_needed || !reference_.runner().has_inputs(node.place, value_of)) continue;
      for (auto& [given, result] : reference_.runner().run(node.place, value_of, 0).values)
        made.insert_or_assign(given, std::move(result));
    }
    return made;
  }

  /// The whole reference from the tensor on.
  Values evaluated(const std::string& name, const Value& value) const {
    Graph cut = reference_.graph();
    cut_at(cut, {name});
    Environment environment;
    for (const std::string& read : names_read_of(cut))
      if (const Value* known = reference_.constant(read))
        environment.emplace(read, Input{read, type_of(*known), *known});
    environment.insert_or_assign(name, Input{name, type_of(value), value});
    EvaluationOptions options = reference_.options();
    options.keep = Keep::results;
    run_graph(cut, environment, options);
    Values made;
    for (const ValueInfo& output : cut.outputs)
      if (const auto known = environment.find(output.name); known != environment.end() && known->second.value)
        made.emplace(output.name, *known->second.value);
    return made;
  }

  static std::set<std::string> names_read_of(const Graph& graph) {
    std::set<std::string> names;
    for (const Node& node : graph.nodes)
      for (const std::string& name : names_read(node)) names.insert(name);
    for (const ValueInfo& input : graph.inputs) names.insert(input.name);
    return names;
  }

  const Model& reference_;
  ValueOf exact_;
};

/// The pairs whose share is worked out: entities of the other model.
std::set<size_t> chosen_pairs(ModelComparison& comparison, const Model& reference) {
  std::vector<const JudgedPair*> rows;
  for (const JudgedPair& judged : comparison.pairs) {
    const Entity& entity = reference.entities()[judged.pair.reference];
    if (judged.is_numeric && judged.figures.differ > 0 && is_floating(entity.type.dtype()) && entity.producer != kNone)
      rows.push_back(&judged);
  }
  std::ranges::stable_sort(rows, {}, [](const JudgedPair* row) { return row->figures.sqnr(); });
  comparison.shares_are_some = rows.size() > kMostOfAll;
  if (comparison.shares_are_some) rows.resize(kMostOfSome);
  std::set<size_t> chosen;
  for (const JudgedPair* row : rows) chosen.insert(row->pair.fresh);
  return chosen;
}

}  // namespace

void add_shares(ModelComparison& comparison, Pairing& pairing, Lockstep& lockstep, const LockstepOptions& options) {
  const Model& reference = pairing.reference();
  const std::set<size_t> chosen = chosen_pairs(comparison, reference);
  const Carrier carrier(reference, lockstep.kept_reference());
  Power whole;
  for (const JudgedOutput& output : comparison.outputs)
    if (is_floating(output.type.dtype()) && output.figures.count > 0) whole.add(output.figures);
  std::map<size_t, double> own, alone;
  const auto carry = [&](const Meeting& meeting, const Numbers& numbers) {
    const std::string& name = reference.entities()[meeting.pair.reference].cuts.front();
    return carrier.carried(name, tensor_of(numbers, meeting.expected.tensor()->type(), reference.scale_of(name)))
        .relative();
  };
  lockstep.run(options, [&](const Meeting& meeting) {
    if (!chosen.contains(meeting.pair.fresh) || !meeting.x || !meeting.y || meeting.base == nullptr) return;
    Numbers added = *meeting.y;
    for (size_t i = 0; i < added.values.size(); ++i) added.values[i] += meeting.x->values[i] - meeting.base->values[i];
    own.emplace(meeting.pair.fresh, carry(meeting, added));
  });
  LockstepOptions stored = options;
  stored.with_base = false;
  stored.as_stored = true;
  lockstep.run(stored, [&](const Meeting& meeting) {
    if (own.contains(meeting.pair.fresh) && meeting.x && meeting.y)
      alone.emplace(meeting.pair.fresh, carry(meeting, *meeting.x));
  });
  double together = 0;
  for (size_t k = 0; k < comparison.pairs.size(); ++k) {
    JudgedPair& judged = comparison.pairs[k];
    const auto found = own.find(judged.pair.fresh);
    if (found == own.end()) continue;
    const double as_it_is = alone[judged.pair.fresh];
    judged.share = whole.relative() == 0 ? 0 : found->second / whole.relative();
    judged.alone = as_it_is == 0 ? std::numeric_limits<double>::infinity() : decibels(1 / as_it_is);
    together += *judged.share;
    comparison.ranked.push_back(k);
  }
  std::ranges::stable_sort(comparison.ranked,
                           [&](size_t a, size_t b) { return *comparison.pairs[a].share > *comparison.pairs[b].share; });
  comparison.together = together;
}

}  // namespace opref::models
