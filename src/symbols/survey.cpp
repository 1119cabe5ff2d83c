// SPDX-License-Identifier: Apache-2.0
#include "symbols/survey.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "core/error.h"
#include "symbols/rule_search.h"
#include "system/deadline.h"
#include "system/machine_error.h"

namespace opref::symbols {
namespace {

/// Nodes, those of graphs inside them too.
size_t nodes_in(const Graph& graph) {
  size_t count = 0;
  for (const Node& node : graph.nodes) {
    ++count;
    for (const Attribute& attribute : node.attributes)
      if (const Graph* inner = subgraph(attribute)) count += nodes_in(*inner);
  }
  return count;
}

class Analysis {
 public:
  Analysis(Trials& model, std::span<const std::string> names, const SurveyOptions& options)
      : model_(model),
        names_(names),
        options_(options),
        symbols_(symbols_of(names)),
        confirming_(confirming(model.graph(), options)),
        tried_(model, names.size(), Sampler(options.bounds, options.seed), options.threads,
               options.most_tried + 3 * confirming_),
        rules_(model, names, symbols_, tried_) {}

  SymbolicSurvey run() {
    std::optional<Deadline> deadline;
    if (options_.seconds) deadline.emplace(*options_.seconds, "inferred");
    constexpr std::int64_t kMostAll = 4096;
    const auto everything = tried_.sampler().all(kMostAll);
    if (everything) {
      fewest_ = 1;
      tried_.try_every(*everything);
    } else {
      tried_.try_first();
      tried_.try_beside_constants();
    }
    is_all_ = everything && !Tried::is_out_of_time();
    Fitted fitted = find(everything.has_value());
    return report(std::move(fitted));
  }

 private:
  static Expressions symbols_of(std::span<const std::string> names) {
    Expressions symbols;
    for (size_t i = 0; i < names.size(); ++i) symbols.push_back(Expression::symbol(names[i], i));
    return symbols;
  }

  /// How many sizes confirm what was found: fewer of a large model.
  static size_t confirming(const Graph& graph, const SurveyOptions& options) {
    size_t nodes = nodes_in(graph);
    if (graph.opset_import.functions != nullptr)
      for (const Function& function : *graph.opset_import.functions) nodes += nodes_in(function.body);
    constexpr size_t kLeast = 24, kNodes = 40'000;
    return std::clamp(kNodes / std::max<size_t>(nodes, 1), kLeast, std::max(kLeast, options.most_confirmed));
  }

  Fitted fit() {
    TrialList alive;
    for (const Trial& trial : tried_.trials())
      if (trial.place != Trial::kInputs && !trial.is_left_out) alive.push_back(&trial);
    return fit_nodes(model_, names_, std::move(alive), fewest_);
  }

  Fitted find(bool is_all) {
    constexpr int kRounds = 14, kRefinements = 6;
    constexpr size_t kEnough = 40, kMore = 24, kFew = 8;
    constexpr std::array kConfirm = {Style::middle, Style::small, Style::large,        Style::constant,
                                     Style::blocks, Style::mixed, Style::large_blocks, Style::huge};
    Fitted fitted;
    int refined = 0;
    TrialList fresh;
    for (int round = 0; round < kRounds; ++round) {
      fitted = fit();
      const std::vector<std::string> before = rules_.texts();
      rules_.derive_all(fitted);
      if (tried_.is_over()) break;
      if (rules_.has_left_out()) continue;
      if (is_all) {
        if (rules_.texts() == before) break;
        continue;
      }
      const bool is_enough = tried_.whole().size() >= kEnough;
      if (!is_enough && !tried_.try_more(kMore, kAllStyles, rules_.rules()).empty()) continue;
      if (!is_enough && fewest_ > 1 && tries_all_left()) {
        fewest_ = 1;
        continue;
      }
      if (rules_.texts() != before) {
        tried_.try_more(kFew, kAllStyles, rules_.rules());
      } else if (rules_.is_broken_in_vain()) {
        continue;
      } else if (refined < kRefinements && refine(fitted)) {
        ++refined;
      } else {
        used_ = tried_.whole().size();
        fresh = tried_.try_more(confirming_, kConfirm, rules_.rules());
        const bool all_work =
            std::ranges::all_of(fresh, [](const Trial* trial) { return trial->is_whole() || trial->lacks_values(); });
        if (check(fitted, fresh).empty() && all_work) break;
      }
    }
    if (is_all) {
      used_ = tried_.whole().size();
      for (const Trial& trial : tried_.trials())
        if (trial.is_whole()) fresh.push_back(&trial);
    }
    confirmed_ = static_cast<size_t>(std::ranges::count_if(fresh, [](const Trial* t) { return t->is_whole(); }));
    if (used_ == 0) used_ = tried_.whole().size();
    take_back(fitted, fresh);
    return fitted;
  }

  /// The sizes that the rules of one symbol alone leave it; nothing where they may be many.
  std::optional<Values> left_by_rules(size_t place) const {
    constexpr std::int64_t kLooked = 5000, kFarthest = 1'000'000;
    constexpr size_t kFew = 64;
    Assignment sizes(names_.size(), 1);
    Values left;
    for (std::int64_t x = options_.bounds[place].least; x <= kFarthest; x += x < kLooked ? 1 : x / 64) {
      sizes[place] = x;
      const bool is_left = std::ranges::all_of(rules_.rules(), [&](const Rule& rule) {
        return rule.condition.places() != std::vector{place} || rule.condition.holds(sizes);
      });
      if (is_left) left.push_back(x);
      if (left.size() > kFew) return std::nullopt;
    }
    return left;
  }

  /// Tries all sizes that the rules leave, where each symbol has few; false where there may be others.
  bool tries_all_left() {
    constexpr size_t kMost = 256;
    std::vector<Assignment> all{Assignment()};
    for (size_t place = 0; place < names_.size(); ++place) {
      const auto left = left_by_rules(place);
      if (!left || all.size() * left->size() > kMost) return false;
      std::vector<Assignment> longer;
      for (const Assignment& sizes : all)
        for (const std::int64_t x : *left) longer.push_back(sizes), longer.back().push_back(x);
      all = std::move(longer);
    }
    std::erase_if(all, [&](const Assignment& sizes) {
      return !all_hold(rules_.rules(), sizes) || !tried_.sampler().is_inside(sizes);
    });
    tried_.try_all(std::move(all));
    return true;
  }

  /// The sizes of the symbols, and those that values decide.
  Assignment with_decided(const Fitted& fitted, const Trial& trial) const {
    Assignment sizes = trial.sizes;
    for (const DecidedSize& decided : fitted.decided) {
      const size_t tensor = *model_.tensor(decided.output);
      std::span<const std::int64_t> shape;
      if (trial.states[tensor] == Trial::State::known) shape = trial.shape(tensor);
      sizes.push_back(decided.axis < shape.size() ? shape[decided.axis] : 0);
    }
    return sizes;
  }

  /// Which sizes of tensors are others at a trial than their expressions say; empty where all ranks are.
  std::map<std::string, std::set<size_t>> check(const Fitted& fitted, std::span<const Trial* const> trials) const {
    std::map<std::string, std::set<size_t>> wrong;
    for (const Trial* trial : trials) {
      if (trial->place == Trial::kInputs) continue;
      const Assignment sizes = with_decided(fitted, *trial);
      for (const auto& [name, tensor] : fitted.tensors) {
        const auto place = model_.tensor(name);
        if (!place || !tensor.sizes || trial->states[*place] != Trial::State::known) continue;
        const auto shape = trial->shape(*place);
        if (shape.size() != tensor.sizes->size())
          for (size_t axis = 0; axis <= tensor.sizes->size(); ++axis) wrong[name].insert(axis);
        for (size_t axis = 0; axis < std::min(shape.size(), tensor.sizes->size()); ++axis)
          if (const Size& size = (*tensor.sizes)[axis]; size && size->at(sizes) != shape[axis])
            wrong[name].insert(axis);
      }
    }
    return wrong;
  }

  void take_back(Fitted& fitted, std::span<const Trial* const> fresh) {
    for (const auto& [name, axes] : check(fitted, fresh)) {
      ++taken_back_;
      SymbolicTensor& tensor = fitted.tensors.find(name)->second;
      if (axes.contains(tensor.sizes->size()))
        tensor = {{}, "other sizes contradict what was found"};
      else
        for (const size_t axis : axes) (*tensor.sizes)[axis].reset();
    }
  }
  /// Where several b of floor((p*e + b)/q) give what was seen: sizes at which they differ. False where there are none.
  bool refine(const Fitted& fitted) {
    constexpr size_t kMost = 24;
    std::map<std::string, const OpenOffset*> open;
    std::vector<const OpenOffset*> list;
    for (const OpenOffset& offset : fitted.open_offsets) {
      const auto [place, is_new] = open.emplace(format("{} {} {}", offset.e, offset.p, offset.q), &offset);
      if (is_new && list.size() < kMost) list.push_back(&offset);
      place->second = &offset;
    }
    bool is_new = false;
    for (const OpenOffset* known : list) {
      const OpenOffset& offset = *open[format("{} {} {}", known->e, known->p, known->q)];
      if (!rules_.is_own(offset.e)) continue;
      std::vector<Assignment> all;
      for (const std::int64_t b : steps_of(offset))
        if (auto sizes = sizes_that_decide(offset, b)) all.push_back(*std::move(sizes));
      if (tried_.is_over()) return is_new;
      for (const Trial* trial : tried_.try_all(std::move(all))) is_new |= trial->place > 0;
    }
    return is_new;
  }

  static std::set<std::int64_t> steps_of(const OpenOffset& offset) {
    constexpr std::int64_t kSteps = 16;
    std::set<std::int64_t> steps;
    const std::int64_t width = offset.most - offset.least;
    for (std::int64_t k = 0; k < kSteps; ++k)
      if (const std::int64_t b = offset.least + 1 + width / kSteps * k + width % kSteps * k / kSteps; b <= offset.most)
        steps.insert(b);
    return steps;
  }

  /// At p*e + b = 0 (mod q) every b from this one on gives one more than those below it.
  std::optional<Assignment> sizes_that_decide(const OpenOffset& offset, std::int64_t b) {
    for (const Style style : {Style::small, Style::middle, Style::blocks, Style::middle}) {
      std::optional<Assignment> sizes = tried_.sample(style, rules_.rules());
      if (!sizes) return std::nullopt;
      const size_t place = tried_.sampler().any_of(offset.e.places());
      const std::int64_t first = std::max<std::int64_t>(1, (*sizes)[place]);
      for (std::int64_t x = first; x <= first + 2 * offset.q; ++x) {
        (*sizes)[place] = x;
        const std::int64_t value = offset.e.at(*sizes);
        if (value == kNoValue) break;
        const std::int64_t rest = floor_mod(floor_mod(offset.p, offset.q) * floor_mod(value, offset.q) + b, offset.q);
        if (rest == 0 && all_hold(rules_.rules(), *sizes) && tried_.sampler().is_inside(*sizes)) {
          if (!tried_.contains(*sizes)) return sizes;
          break;
        }
      }
    }
    return std::nullopt;
  }

  static std::int64_t floor_mod(std::int64_t a, std::int64_t q) { return a - floor_divide(a, q) * q; }

  SymbolicSurvey report(Fitted fitted) {
    SymbolicSurvey told;
    const TrialList works = tried_.whole();
    if (works.empty()) fail_for_all();
    mark_equal(fitted);
    told.rules = said(rules_.rules(), names_);
    for (const Rule& rule : rules_.rules()) told.conditions.push_back(rule.condition);
    std::map<std::ptrdiff_t, const Trial*> left;
    for (const Trial& trial : tried_.trials())
      if (trial.place != Trial::kWhole && !trial.is_left_out && all_hold(rules_.rules(), trial.sizes))
        left.emplace(trial.place, &trial);
    for (const auto& [place, trial] : left)
      told.open.push_back({Condition(Relation::equal, symbols_.front(), symbols_.front()),
                           place < 0 ? kNoNode : static_cast<size_t>(place), trial->refusal->message(), trial->sizes});
    Basis& basis = told.basis;
    basis.is_all = is_all_;
    basis.tried = tried_.trials().size();
    basis.refused = static_cast<size_t>(
        std::ranges::count_if(tried_.trials(), [](const Trial& trial) { return trial.place != Trial::kWhole; }));
    basis.used = used_, basis.confirmed = confirmed_, basis.taken_back = taken_back_;
    for (size_t s = 0; s < names_.size(); ++s) {
      Values sizes;
      for (const Trial* trial : works) sizes.push_back(trial->sizes[s]);
      basis.range.emplace_back(std::ranges::min(sizes), std::ranges::max(sizes));
    }
    constexpr size_t kExamples = 4;
    TrialList sorted = works;
    std::ranges::stable_sort(sorted, {}, [](const Trial* trial) {
      return std::accumulate(trial->sizes.begin(), trial->sizes.end(), std::int64_t{0});
    });
    for (size_t k = 0; k < kExamples && k < sorted.size(); ++k)
      told.examples.push_back(sorted[k * (sorted.size() - 1) / (kExamples - 1)]->sizes);
    told.tensors = std::move(fitted.tensors);
    told.decided = std::move(fitted.decided);
    told.limit = tried_.limit();
    return told;
  }

  /// Which sizes are others at trials that are left out.
  void mark_equal(Fitted& fitted) {
    TrialList left_out;
    for (const Trial& trial : tried_.trials())
      if (trial.is_left_out && trial.place == Trial::kWhole) left_out.push_back(&trial);
    const auto differ = check(fitted, left_out);
    for (auto& [name, tensor] : fitted.tensors) {
      tensor.if_equal.assign(tensor.sizes ? tensor.sizes->size() : 0, false);
      if (const auto axes = differ.find(name); axes != differ.end())
        for (const size_t axis : axes->second)
          if (axis < tensor.if_equal.size()) tensor.if_equal[axis] = true;
    }
  }

  [[noreturn]] void fail_for_all() const {
    if (Tried::is_out_of_time())
      fail(Fault::system, kMoreTime, "of {} that were tried within the time none works",
           counted(std::ssize(tried_.trials()), "size"));
    // A node that needs values takes the types.
    const Trial& furthest = *std::ranges::max_element(
        tried_.trials(), {}, [](const Trial& trial) { return std::pair(trial.place, trial.lacks_values()); });
    Error error = *furthest.refusal;
    std::string sizes;
    for (size_t s = 0; s < names_.size(); ++s)
      sizes += format("{}{} = {}", s == 0 ? "" : ", ", names_[s], furthest.sizes[s]);
    error.add_place(
        format("at {}; none of the {} that were tried works", sizes, counted(std::ssize(tried_.trials()), "size")));
    throw error;
  }

  Trials& model_;
  const std::span<const std::string> names_;
  const SurveyOptions& options_;
  const Expressions symbols_;
  const size_t confirming_;
  Tried tried_;
  RuleSearch rules_;
  bool is_all_ = false;
  size_t fewest_ = 4;  ///< trials that say something
  size_t used_ = 0, confirmed_ = 0, taken_back_ = 0;
};

}  // namespace

SymbolicSurvey survey(Trials& trials, std::span<const std::string> names, const SurveyOptions& options) {
  return Analysis(trials, names, options).run();
}

}  // namespace opref::symbols
