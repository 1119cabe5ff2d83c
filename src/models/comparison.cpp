// SPDX-License-Identifier: Apache-2.0
#include "models/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "check/sensitivity.h"
#include "compare/compare.h"
#include "compare/error_bound.h"
#include "core/infinity.h"
#include "io/generate.h"
#include "models/closest.h"
#include "models/shares.h"
#include "system/deadline.h"
#include "system/machine_error.h"

namespace opref::models {
namespace {

constexpr double kTimes = 4;         // the spread that right kernels may be apart
constexpr double kNoVerdict = 0.05;  // of an output: a spread above says nothing of it
constexpr int kNoiseRuns = 4;
constexpr double kLeastOfHalf = 30, kLeastOfQuantized = 10;

}  // namespace

std::string_view name(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::same:
      return "same";
    case Arithmetic::half:
      return "half";
    case Arithmetic::quantized:
      return "quantised";
  }
  return "";
}

std::string_view name(Agreement agreement) {
  switch (agreement) {
    case Agreement::equal:
      return "equal";
    case Agreement::rounding:
      return "rounding";
    case Agreement::differs:
      return "differs";
  }
  return "";
}

std::string_view name(JudgedOutput::State state) {
  switch (state) {
    case JudgedOutput::State::equal:
      return "equal";
    case JudgedOutput::State::rounding:
      return "rounding";
    case JudgedOutput::State::differs:
      return "differs";
    case JudgedOutput::State::no_verdict:
      return "no_verdict";
    case JudgedOutput::State::other_type:
      return "other_type";
    case JudgedOutput::State::missing:
      return "missing";
    case JudgedOutput::State::extra:
      return "extra";
  }
  return "";
}

size_t ModelComparison::count(Agreement agreement) const {
  return static_cast<size_t>(std::ranges::count(pairs, agreement, &JudgedPair::agreement));
}

const JudgedPair* ModelComparison::first() const {
  const auto found = std::ranges::find(pairs, Agreement::differs, &JudgedPair::agreement);
  return found == pairs.end() ? nullptr : &*found;
}

namespace {

double unit_roundoff(const Entity& entity) {
  return compare::has_limits(entity.type.dtype()) ? compare::limits_of(entity.type.dtype()).unit_roundoff : 0;
}

class Comparer {
 public:
  Comparer(Pairing& pairing, const Environment& inputs, const ComparisonOptions& options, std::int64_t max_bytes)
      : pairing_(pairing),
        fresh_(pairing.fresh()),
        reference_(pairing.reference()),
        inputs_(inputs),
        options_(options),
        index_(pairing.reference()),
        lockstep_(pairing, max_bytes) {}

  ModelComparison compare(const Candidates& candidates) {
    find_arithmetic();
    pair_all(pairing_, candidates, {options_.by_names, is_same()});
    options_.begins("evaluating each region on the reference's values");
    judge_in_rounds();
    pairing_.find_copies();
    if (is_same()) {
      settle();
      doubt();
    }
    judge_outputs();
    if (!is_same() && options_.with_shares && !options_.rule) add_shares(result_, pairing_, lockstep_, step_options());
    if (is_same()) find_closest();
    list_unpaired();
    return std::move(result_);
  }

 private:
  bool is_same() const { return result_.arithmetic == Arithmetic::same; }

  void find_arithmetic() {
    const size_t mine = fresh_.quantized_nodes(), theirs = reference_.quantized_nodes();
    const size_t my_halves = fresh_.half_entities(), their_halves = reference_.half_entities();
    if (mine != theirs) {
      result_.arithmetic = Arithmetic::quantized;
      result_.is_reversed = mine < theirs;
    } else if (my_halves != their_halves) {
      result_.arithmetic = Arithmetic::half;
      result_.is_reversed = my_halves < their_halves;
    }
    result_.least_sqnr = options_.min_sqnr;
    if (!result_.least_sqnr && !is_same())
      result_.least_sqnr = result_.arithmetic == Arithmetic::half ? kLeastOfHalf : kLeastOfQuantized;
  }

  LockstepOptions step_options() const {
    LockstepOptions options;
    options.with_base = !is_same();
    options.after_node = options_.after_node;
    return options;
  }

  JudgedPair judge(const Meeting& meeting) const {
    JudgedPair judged;
    judged.pair = meeting.pair;
    if (!meeting.x || !meeting.y || meeting.x->values.size() != meeting.y->values.size()) {
      judged.is_numeric = false;
      judged.agreement = same_bits(meeting.value, meeting.expected) ? Agreement::equal : Agreement::differs;
      judged.ratio = judged.agreement == Agreement::equal ? 0 : kInfinity;
      return judged;
    }
    const Numbers& right = meeting.base == nullptr ? *meeting.y : *meeting.base;
    judged.figures = figures_of(*meeting.x, right);
    if (judged.figures.differ == 0) return judged;
    judged.ratio = kInfinity;
    const Entity& reference = reference_.entities()[meeting.pair.reference];
    if (is_same() && judged.figures.nonfinite == 0 && is_floating(reference.type.dtype())) {
      const RegionRun run{reference_, meeting.reference_region, meeting.reference_value, meeting.held};
      const Spread spread = spread_of(run, reference.cuts.front(), right, kNoiseRuns);
      if (std::ranges::any_of(spread.squares, [](double square) { return square > 0; }))
        judged.ratio = ratio_to_spread(*meeting.x, right, spread, unit_roundoff(reference));
    }
    judged.agreement = judged.ratio <= kTimes ? Agreement::rounding : Agreement::differs;
    return judged;
  }

  /// All pairs, or those of some entities.
  std::vector<JudgedPair> judge_pairs(LockstepOptions options, StepFindings* findings = nullptr) {
    std::vector<JudgedPair> judged;
    StepFindings found = lockstep_.run(options, [&](const Meeting& meeting) { judged.push_back(judge(meeting)); });
    if (findings != nullptr) *findings = std::move(found);
    std::ranges::sort(judged, {}, [](const JudgedPair& one) { return one.pair.reference; });
    return judged;
  }

  StepFindings judge_all() {
    LockstepOptions options = step_options();
    if (is_same()) options.index = &index_;
    options.sketches = !is_same();
    StepFindings findings;
    result_.pairs = judge_pairs(options, &findings);
    return findings;
  }

  /// What agrees on the reference's values is paired, until nothing more does.
  void judge_in_rounds() {
    constexpr int kMost = 4;
    constexpr double kLike = 0.9;
    for (int round = 0;; ++round) {
      const StepFindings findings = judge_all();
      if (round == kMost) return;
      size_t added = 0;
      if (is_same()) added += pair_by_values(pairing_, findings.candidates, Found::in_step);
      added += pair_by_neighbours(pairing_);
      if (!is_same()) added += pair_by_likeness(pairing_, kLike, &findings.sketches);
      if (added == 0) return;
    }
  }

  bool is_output(size_t fresh) const { return std::ranges::find(fresh_.outputs(), fresh) != fresh_.outputs().end(); }

  /// Behind the first pair that differs the other model goes on from the reference's value: pairs that were guessed and
  /// differ are matched anew.
  void settle() {
    constexpr int kMost = 6;
    std::set<size_t> known;
    for (int round = 0; round < kMost; ++round) {
      std::vector<Pair> bad, dropped;
      for (const JudgedPair& judged : result_.pairs)
        if (judged.agreement == Agreement::differs && !known.contains(judged.pair.fresh)) bad.push_back(judged.pair);
      if (bad.empty()) return;
      known.insert(bad.front().fresh);
      for (size_t k = 1; k < bad.size(); ++k)
        if (is_guess(bad[k].found) && !is_output(bad[k].fresh)) dropped.push_back(bad[k]);
      if (dropped.empty()) return;
      for (const Pair& pair : dropped) pairing_.remove(pair.fresh);
      for (int again = 0; again < 2; ++again)
        if (pair_by_values(pairing_, judge_all().candidates, Found::in_step) == 0) break;
      for (const Pair& pair : dropped)
        if (has_same_operator(pair)) pairing_.add(pair.fresh, pair.reference, pair.found, pair.layout);
      judge_all();
    }
  }

  bool has_same_operator(const Pair& pair) const {
    const size_t a = fresh_.entities()[pair.fresh].producer, b = reference_.entities()[pair.reference].producer;
    return a != kNone && b != kNone && fresh_.nodes()[a].standing.plain == reference_.nodes()[b].standing.plain;
  }

  /// Pairs that differ though all that is computed from them agrees, on these values and on others, are none: the
  /// models come to the same by different ways.
  void doubt() {
    constexpr size_t kTries = 3;
    std::vector<Pair> differing;
    for (const JudgedPair& judged : result_.pairs)
      if (judged.agreement == Agreement::differs && differing.size() < kTries) differing.push_back(judged.pair);
    bool changed = false;
    for (const Pair& pair : differing)
      if (pairing_.to(pair.fresh) == pair.reference && is_rewritten(pair)) changed = true;
    if (changed) judge_all();
  }

  bool is_rewritten(const Pair& pair) {
    constexpr size_t kMost = 6;
    const PairingState before = pairing_.state();
    std::vector<size_t> gone = {pair.fresh};
    while (gone.size() <= kMost && std::ranges::none_of(gone, [&](size_t one) { return is_output(one); })) {
      std::set<size_t> my_gone(gone.begin(), gone.end()), their_gone;
      for (const size_t one : gone) their_gone.insert(before.to[one]);
      for (const size_t one : gone) pairing_.remove(one);
      LockstepOptions options = step_options();
      options.only = readers_of(my_gone, their_gone);
      if (options.only.empty()) break;
      std::vector<size_t> more;
      const std::vector<JudgedPair> judged_readers = judge_pairs(options);
      if (judged_readers.size() < options.only.size()) break;  // some have no value
      for (const JudgedPair& judged : judged_readers)
        if (judged.agreement == Agreement::differs) more.push_back(judged.pair.fresh);
      if (more.empty()) {
        if (!agrees_elsewhere(options)) break;
        for (const size_t one : gone) result_.rewritten.emplace_back(one, before.to[one]);
        return true;
      }
      gone.insert(gone.end(), more.begin(), more.end());
    }
    pairing_.restore(before);
    return false;
  }

  /// Pairs whose regions have one of these entities inside.
  std::set<size_t> readers_of(const std::set<size_t>& fresh, const std::set<size_t>& reference) const {
    const auto has_inside = [](const Model& model, const Region& region, const std::set<size_t>& entities) {
      return std::ranges::any_of(entities, [&](size_t entity) {
        const size_t producer = model.entities()[entity].producer;
        return producer != kNone && std::ranges::binary_search(region.nodes, producer);
      });
    };
    std::set<size_t> readers;
    for (const Pair& pair : pairing_.pairs()) {
      const Region mine = region_of(fresh_, pair.fresh, [&](size_t e) { return pairing_.to(e) != kNone; }),
                   theirs = region_of(reference_, pair.reference, [&](size_t e) { return pairing_.back(e) != kNone; });
      if (has_inside(fresh_, mine, fresh) || has_inside(reference_, theirs, reference)) readers.insert(pair.fresh);
    }
    return readers;
  }

  bool agrees_elsewhere(const LockstepOptions& options) {
    bool agrees = true;
    lockstep_.run(options, [&](const Meeting& meeting) {
      try {
        for (int draw = 0; draw < 3 && agrees; ++draw) agrees = agrees_on(meeting, draw);
      } catch (const Error& error) {  // a node refuses such values
        pass_on(error);
        require_time();
        agrees = false;
      }
    });
    return agrees;
  }

  /// On other values of what the regions read: each element times 0.5 to 1.5; then also of the size 1 and 2^-5, where
  /// nothing saturates.
  bool agrees_on(const Meeting& meeting, int draw) const {
    constexpr double kNear = 4e-6;
    Values mine, theirs;
    for (const size_t input : meeting.reference_region.inputs) {
      const Entity& entity = reference_.entities()[input];
      const Value* value = meeting.reference_value(entity.cuts.front());
      const auto numbers = value == nullptr ? std::nullopt : reference_.real(entity.cuts.front(), *value);
      if (!numbers || !is_floating(entity.type.dtype())) continue;
      const Numbers drawn = drawn_near(*numbers, entity.name, draw);
      theirs.insert_or_assign(entity.cuts.front(), tensor_of(drawn, value->tensor()->type()));
      const size_t other = pairing_.back(input);
      if (other == kNone) continue;
      const Entity& fresh = fresh_.entities()[other];
      const Value* own = meeting.fresh_value(fresh.cuts.front());
      if (own == nullptr || own->tensor() == nullptr) continue;
      mine.insert_or_assign(
          fresh.cuts.front(),
          tensor_of(arranged_back(drawn, pairing_.layout(other), own->tensor()->shape()), own->tensor()->type()));
    }
    const auto with = [](const Values& values, const ValueOf& rest) -> ValueOf {
      return [&values, rest](const std::string& name) {
        const auto found = values.find(name);
        return found == values.end() ? rest(name) : &found->second;
      };
    };
    const std::string &my_name = fresh_.entities()[meeting.pair.fresh].cuts.front(),
                      &their_name = reference_.entities()[meeting.pair.reference].cuts.front();
    const auto a = evaluate({fresh_, meeting.fresh_region, with(mine, meeting.fresh_value), meeting.held}, my_name);
    const auto b = evaluate({reference_, meeting.reference_region, with(theirs, meeting.reference_value), meeting.held},
                            their_name);
    auto x = a ? fresh_.real(my_name, *a) : std::nullopt, y = b ? reference_.real(their_name, *b) : std::nullopt;
    if (!x || !y || x->values.size() != y->values.size()) return false;
    const Figures figures = figures_of(arranged(std::move(*x), meeting.pair.layout, y->shape), *y);
    return figures.nonfinite == 0 && figures.rms() <= kNear * figures.reference_rms();
  }

  static Numbers drawn_near(const Numbers& numbers, const std::string& name, int draw) {
    constexpr double kSizes[] = {0, 1, 0x1p-5};
    double squares = 0;
    std::int64_t finite = 0;
    for (const double x : numbers.values)
      if (std::isfinite(x)) squares += x * x, ++finite;
    const double rms = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
    const double factor = draw == 0 || rms == 0 ? 1 : kSizes[draw] / rms;
    const Random random = stream_of(static_cast<std::uint64_t>(draw), name);
    Numbers drawn = numbers;
    for (std::int64_t i = 0; i < std::ssize(drawn.values); ++i)
      drawn.values[static_cast<size_t>(i)] *=
          factor * (0.5 + static_cast<double>(word64(random.draw(i), 0) >> 11) * 0x1p-53);
    return drawn;
  }

  const OutputSpread* spread_of_output(const std::string& output) {
    if (!sensitivity_ && result_.no_spread.empty()) {
      options_.begins("evaluating the reference with noise");
      try {
        sensitivity_ = sensitivity_of(reference_.graph(), inputs_, reference_.options());
      } catch (const Error& error) {
        pass_on(error);
        require_time();
        result_.no_spread = error.message();
      }
    }
    if (!sensitivity_) return nullptr;
    const auto found = std::ranges::find(sensitivity_->outputs, output, &OutputSpread::name);
    return found == sensitivity_->outputs.end() ? nullptr : &*found;
  }

  void judge_outputs() {
    const auto &mine = fresh_.graph().outputs, &theirs = reference_.graph().outputs;
    for (size_t k = 0; k < theirs.size(); ++k) {
      const size_t entity = reference_.outputs()[k];
      size_t other = k;
      const auto named = std::ranges::find(mine, theirs[k].name, &ValueInfo::name);
      if (named != mine.end()) other = static_cast<size_t>(named - mine.begin());
      JudgedOutput output;
      output.name = theirs[k].name;
      if (const ValueType* type = reference_.type_of_name(output.name)) output.type = *type;
      const bool is_taken = named == mine.end() && other < mine.size() &&
                            std::ranges::find(theirs, mine[other].name, &ValueInfo::name) != theirs.end();
      if (other >= mine.size() || is_taken) {
        output.state = JudgedOutput::State::missing;
      } else {
        output.fresh_name = mine[other].name;
        judge_output(output, entity);
      }
      judge_passing(output);
      result_.outputs.push_back(std::move(output));
    }
    for (const ValueInfo& info : mine)
      if (std::ranges::find(result_.outputs, info.name, &JudgedOutput::fresh_name) == result_.outputs.end()) {
        JudgedOutput extra;
        extra.name = extra.fresh_name = info.name;
        extra.state = JudgedOutput::State::extra;
        result_.outputs.push_back(std::move(extra));
      }
  }

  void judge_output(JudgedOutput& output, size_t entity) {
    const Value *value = fresh_.output_value(output.fresh_name), *expected = reference_.output_value(output.name);
    if (const ValueType* type = fresh_.type_of_name(output.fresh_name)) output.fresh_type = *type;
    if (value == nullptr || expected == nullptr) {
      output.state = JudgedOutput::State::missing;
      return;
    }
    output.type = type_of(*expected);
    output.fresh_type = type_of(*value);
    const auto x = fresh_.real(output.fresh_name, *value), y = reference_.real(output.name, *expected);
    const bool same_shape =
        output.type.form == output.fresh_type.form &&
        (output.type.form != Form::tensor || output.type.tensor.shape == output.fresh_type.tensor.shape);
    const bool same_dtype = !is_same() || output.type.dtype() == output.fresh_type.dtype();
    if (!same_shape || !same_dtype || (bool(x) != bool(y))) {
      output.state = JudgedOutput::State::other_type;
      return;
    }
    if (!x || !y) {
      output.state = same_bits(*value, *expected) ? JudgedOutput::State::equal : JudgedOutput::State::differs;
      return;
    }
    output.figures = figures_of(*x, *y);
    if (output.figures.differ == 0) return;
    output.state = JudgedOutput::State::differs;
    output.ratio = kInfinity;
    if (!is_same() || output.figures.nonfinite > 0 || !is_floating(output.type.dtype())) return;
    const OutputSpread* spread = spread_of_output(output.name);
    if (spread == nullptr || entity == kNone) return;
    output.spread = spread->spread;
    if (spread->relative() > kNoVerdict) {
      output.state = JudgedOutput::State::no_verdict;
      return;
    }
    const double allowed =
        spread->spread + unit_roundoff(reference_.entities()[entity]) * output.figures.reference_rms();
    if (allowed > 0) output.ratio = output.figures.rms() / allowed;
    if (output.ratio <= kTimes) output.state = JudgedOutput::State::rounding;
  }

  void judge_passing(JudgedOutput& output) const {
    using State = JudgedOutput::State;
    if (output.state == State::missing || output.state == State::extra || output.state == State::other_type) return;
    if (options_.rule) {
      const Value *value = fresh_.output_value(output.fresh_name), *expected = reference_.output_value(output.name);
      output.passes = compare_values(*value, *expected, *options_.rule).equal();
    } else if (result_.least_sqnr) {
      output.passes = output.state == State::equal || output.figures.sqnr() >= *result_.least_sqnr;
    } else {
      output.passes = output.state != State::differs || !is_whole_error(output);
    }
  }

  /// An output that differs by more than rounding fails where a region does, not by itself: what regions lose may add
  /// up in a model that amplifies it.
  bool is_whole_error(const JudgedOutput& output) const {
    return output.figures.nonfinite > 0 || !is_floating(output.type.dtype()) || result_.first() != nullptr;
  }

  void find_closest() {
    const JudgedPair* first = result_.first();
    if (first == nullptr) return;
    LockstepOptions options = step_options();
    options.only = {first->pair.fresh};
    lockstep_.run(options, [&](const Meeting& meeting) {
      if (meeting.x && meeting.y) result_.closest = closest_mistake(reference_, meeting);
    });
  }

  void list_unpaired() {
    for (size_t entity = 0; entity < fresh_.entities().size(); ++entity)
      if (pairing_.to(entity) == kNone && !fresh_.entities()[entity].is_inner && !pairing_.copies().contains(entity))
        result_.unpaired.push_back(entity);
    for (size_t entity = 0; entity < reference_.entities().size(); ++entity)
      if (pairing_.back(entity) == kNone && !reference_.entities()[entity].is_inner)
        result_.unpaired_reference.push_back(entity);
    const auto is_end = [&](const Pair& pair) { return pair.found == Found::end; };
    const std::vector<Pair> pairs = pairing_.pairs();
    result_.is_one_region = std::ranges::all_of(pairs, is_end) && reference_.nodes().size() > 1;
  }

  Pairing& pairing_;
  const Model &fresh_, &reference_;
  const Environment& inputs_;
  const ComparisonOptions& options_;
  const ValueIndex index_;
  Lockstep lockstep_;
  ModelComparison result_;
  std::optional<Sensitivity> sensitivity_;
};

}  // namespace

ModelComparison compare_models(Pairing& pairing, const Candidates& candidates, const Environment& reference_inputs,
                               const ComparisonOptions& options, std::int64_t max_bytes) {
  return Comparer(pairing, reference_inputs, options, max_bytes).compare(candidates);
}

void add_outputs(ModelComparison& all, const ModelComparison& other, const ComparisonOptions& options) {
  for (JudgedOutput& output : all.outputs) {
    const auto more = std::ranges::find(other.outputs, output.name, &JudgedOutput::name);
    if (more == other.outputs.end()) continue;
    output.figures.add(more->figures);
    output.state = std::max(output.state, more->state);
    output.spread = std::max(output.spread, more->spread);
    output.ratio = std::max(output.ratio, more->ratio);
    const bool is_compared = output.state < JudgedOutput::State::other_type;
    if (all.least_sqnr && !options.rule && is_compared && output.figures.count > 0)
      output.passes = output.state == JudgedOutput::State::equal || output.figures.sqnr() >= *all.least_sqnr;
    else
      output.passes = output.passes && more->passes;
  }
}

}  // namespace opref::models
