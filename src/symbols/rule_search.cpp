// SPDX-License-Identifier: Apache-2.0
#include "symbols/rule_search.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/error.h"
#include "system/machine_error.h"

namespace opref::symbols {

std::vector<std::string> RuleSearch::texts() const {
  std::vector<std::string> all;
  for (const Rule& rule : rules_) all.push_back(rule.condition.text(names_));
  return all;
}

void RuleSearch::derive_all(const Fitted& fitted) {
  rules_.clear();
  has_left_out_ = false;
  Refusal declared{Trial::kInputs, {}, {}, {}, {}};
  for (const Trial& trial : tried_.trials())
    if (!trial.is_left_out) (trial.place == Trial::kInputs ? declared.refused : declared.passed).push_back(&trial);
  for (const OpenInput& input : model_.inputs())
    declared.read.emplace_back(Sizes(input.sizes.begin(), input.sizes.end()));
  if (!declared.refused.empty()) derive(declared);
  for (const Refusal& refusal : fitted.refusals) derive(refusal);
}

/// The sizes and numbers that a node reads, without those that values decide.
std::vector<Expressions> RuleSearch::lists_of(const Refusal& refusal) const {
  std::vector<Expressions> lists;
  const auto add = [&](const Sizes& sizes) {
    Expressions& list = lists.emplace_back();
    for (const Size& size : sizes)
      if (size && is_own(*size)) list.push_back(*size);
  };
  for (const auto& sizes : refusal.read)
    if (sizes) add(*sizes);
  for (const Sizes& numbers : refusal.numbers) add(numbers);
  return lists;
}

/// How many elements the tensors that a node reads have.
Expressions RuleSearch::counts_of(const Refusal& refusal) const {
  Expressions counts;
  for (const auto& sizes : refusal.read) {
    if (!sizes || sizes->size() < 2) continue;
    Expressions factors;
    for (const Size& size : *sizes)
      if (size && is_own(*size)) factors.push_back(*size);
    if (factors.size() != sizes->size()) continue;
    if (const Expression count = Expression::product(1, factors); !count.is_number()) counts.push_back(count);
  }
  return counts;
}

/// The elements of all that a node reads, multiplied: where they leave 64 bits, it may refuse what it makes of them
/// for that alone.
Expression RuleSearch::elements_read(const Refusal& refusal) const {
  Expressions factors;
  for (const auto& sizes : refusal.read)
    for (const Size& size : sizes.value_or(Sizes()))
      if (size && is_own(*size)) factors.push_back(*size);
  try {
    return Expression::product(1, factors);
  } catch (const Error& error) {
    pass_on(error);
    return Expression::number(kNoValue);
  }
}

/// Conditions that hold at all trials that pass.
std::vector<Condition> RuleSearch::candidates(const Refusal& refusal, const std::vector<Expressions>& lists) const {
  std::vector<Condition> all;
  const auto add = [&](Relation relation, const Expression& e, const Expression& other) {
    Condition condition(relation, e, other);
    if (condition.places().empty()) return;
    if (std::ranges::all_of(refusal.passed, [&](const Trial* trial) { return condition.holds(trial->sizes); }))
      all.push_back(std::move(condition));
  };
  const auto add_equal = [&](const Expression& a, const Expression& b) {
    if (a == b || (a.is_number() && b.is_number())) return;
    add(Relation::equal, a, b);
    add(Relation::broadcast, a, b);
  };
  for (size_t i = 0; i < lists.size(); ++i)
    for (size_t j = i + 1; j < lists.size(); ++j)
      for (const Expression& a : lists[i])
        for (const Expression& b : lists[j]) add_equal(a, b);
  Expressions single;
  for (const Expressions& list : lists)
    for (const Expression& e : list)
      if (!e.is_number()) add_once(single, e);
  for (const Expression& count : counts_of(refusal)) add_once(single, count);
  for (const Expression& symbol : symbols_) add_once(single, symbol);
  for (const Expression& e : single) {
    Values values;
    for (const Trial* trial : refusal.passed) values.push_back(e.at(trial->sizes));
    if (std::ranges::count(values, kNoValue) > 0) continue;
    const auto [least, most] = std::ranges::minmax(values);
    std::int64_t g = 0;
    for (const std::int64_t value : values) g = std::gcd(g, value);
    const auto number = [](std::int64_t value) { return Expression::number(value); };
    if (g > 1 && std::set(values.begin(), values.end()).size() > 2) add(Relation::multiple, e, number(g));
    std::int64_t step = 0;
    for (const std::int64_t value : values) step = std::gcd(step, value - least);
    if (const std::int64_t rest = step > 1 ? least % step : 0; rest != 0)
      add(Relation::multiple, Expression::line(e, {.c = -rest}), number(step));
    if (least == most) add(Relation::equal, e, number(least));
    add(Relation::at_least, e, number(least));
    add(Relation::at_most, e, number(most));
  }
  for (size_t i = 0; i < symbols_.size(); ++i)
    for (size_t j = i + 1; j < symbols_.size(); ++j) add(Relation::equal, symbols_[i], symbols_[j]);
  std::ranges::stable_sort(all, {}, &Condition::cost);
  return all;
}

/// Adds the fewest conditions that explain what the node refuses.
void RuleSearch::derive(const Refusal& refusal) {
  const std::vector<Expressions> lists = lists_of(refusal);
  if (refusal.passed.empty()) return look_for_sizes(refusal, lists);
  const std::vector<Condition> all = candidates(refusal, lists);
  TrialList left;
  const Expression elements = elements_read(refusal);
  for (const Trial* trial : refusal.refused) {
    if (elements.at(trial->sizes) == kNoValue)
      tried_.leave_out(*trial);
    else if (!trial->lacks_values() && all_hold(rules_, trial->sizes))
      left.push_back(trial);
  }
  std::set<std::string> asked;
  while (!left.empty()) {
    const Condition* best = nullptr;
    TrialList explained;
    for (const Condition& condition : all) {
      TrialList these;
      std::ranges::copy_if(left, std::back_inserter(these),
                           [&](const Trial* trial) { return !condition.holds(trial->sizes); });
      if (these.size() <= explained.size() || !is_sharp(condition, these, refusal.node, asked)) continue;
      best = &condition;
      explained = std::move(these);
    }
    if (best == nullptr) return;
    add_rule(*best, refusal.node, *explained.front());
    std::erase_if(left, [&](const Trial* trial) { return !best->holds(trial->sizes); });
  }
}

void RuleSearch::add_rule(const Condition& condition, std::ptrdiff_t node, const Trial& example) {
  Rule rule{condition, node < 0 ? kNoNode : static_cast<size_t>(node), example.refusal->message(), example.sizes};
  if (condition.relation() == Relation::broadcast) {
    rule.condition = Condition(Relation::equal, condition.e(), condition.other());
    broadcasts_.insert(rule.condition.text(names_));
    for (const Trial& trial : tried_.trials())
      if (trial.is_whole() && !rule.condition.holds(trial.sizes)) tried_.leave_out(trial), has_left_out_ = true;
  }
  if (broadcasts_.contains(rule.condition.text(names_))) rule.note = "or one of them is 1, which is left out";
  rules_.push_back(std::move(rule));
}

/// Of a bound: whether no size lies between those that are taken and those that are not; they are asked for.
bool RuleSearch::is_sharp(const Condition& condition, const TrialList& refused, std::ptrdiff_t node,
                          std::set<std::string>& asked) {
  const bool is_least = condition.relation() == Relation::at_least;
  if (!is_least && condition.relation() != Relation::at_most) return true;
  if (refused.empty()) return false;
  Values edge;
  for (const Trial* trial : refused) edge.push_back(condition.e().at(trial->sizes));
  const std::int64_t bound = condition.other().value();
  const std::int64_t nearest = is_least ? std::ranges::max(edge) : std::ranges::min(edge);
  if (nearest == kNoValue) return false;
  const std::int64_t gap = is_least ? bound - nearest : nearest - bound;
  if (gap <= 1) return true;
  if (asked.insert(format("{} {}", static_cast<int>(condition.relation()), condition.e())).second)
    close_gap(condition, nearest, node);
  return tried_.is_over();
}

/// Halves the gap between a bound and what is refused.
void RuleSearch::close_gap(const Condition& condition, std::int64_t nearest, std::ptrdiff_t node) {
  constexpr int kSteps = 24;
  const bool is_least = condition.relation() == Relation::at_least;
  const std::int64_t bound = condition.other().value();
  std::int64_t low = is_least ? nearest : bound, high = is_least ? bound : nearest;
  for (int step = 0; step < kSteps && high - low > 1 && !tried_.is_over(); ++step) {
    const auto sizes = sizes_between(condition.e(), low, high);
    if (!sizes) return;
    const Trial* trial = tried_.try_one(*sizes);
    if (trial == nullptr) return;
    const std::int64_t value = condition.e().at(trial->sizes);
    if (value <= low || value >= high) return;
    const bool is_taken = trial->is_whole() || trial->place > node;
    (is_taken == is_least ? high : low) = value;
  }
}

/// Sizes at which `e` lies in the middle third, about, of what is between these.
std::optional<Assignment> RuleSearch::sizes_between(const Expression& e, std::int64_t low, std::int64_t high) {
  constexpr std::int64_t kMost = 5000;
  std::vector<const Assignment*> bases;
  for (const Trial& trial : tried_.trials())
    if (trial.is_whole()) bases.push_back(&trial.sizes);
  if (bases.empty())
    for (const Trial& trial : tried_.trials()) bases.push_back(&trial.sizes);
  const std::int64_t middle = low + (high - low) / 2;
  for (const size_t place : e.places()) {
    Assignment sizes = *tried_.sampler().any_of(bases);
    for (std::int64_t x = 1; x < kMost; ++x) {
      sizes[place] = x;
      const std::int64_t value = e.at(sizes);
      if (low < value && value < high && std::max(value - middle, middle - value) <= (high - low) / 3 + 1 &&
          tried_.sampler().is_inside(sizes))
        return sizes;
    }
  }
  return std::nullopt;
}

/// Nothing passes yet: what would make two sizes equal, or one a number that stands in the model.
void RuleSearch::look_for_sizes(const Refusal& refusal, const std::vector<Expressions>& lists) {
  constexpr size_t kMost = 150, kConstants = 32;
  std::vector<Condition> targets;
  std::set<std::string> known;
  const auto add = [&](const Expression& a, const Expression& b) {
    if (a == b || (a.is_number() && b.is_number())) return;
    if (known.insert(format("{} = {}", a, b)).second) targets.emplace_back(Relation::equal, a, b);
  };
  for (size_t i = 0; i < lists.size(); ++i)
    for (size_t j = i + 1; j < lists.size(); ++j)
      for (const Expression& a : lists[i])
        for (const Expression& b : lists[j]) add(a, b);
  for (const Expressions& list : lists)
    for (const Expression& e : list)
      for (const std::int64_t number : tried_.sampler().constants() | std::views::take(kConstants))
        add(e, Expression::number(number));
  if (targets.size() > kMost) targets.erase(targets.begin() + kMost, targets.end());
  for (const Condition& target : targets) {
    if (tried_.is_over()) return;
    const Trial* trial = solve(target);
    if (trial != nullptr && (trial->is_whole() || trial->place > refusal.node)) return;
  }
  try_each_small();
}

/// A node may ask for a number that stands nowhere: each small size of each symbol, once.
void RuleSearch::try_each_small() {
  constexpr std::int64_t kMost = 96;
  if (std::exchange(has_tried_small_, true)) return;
  std::vector<Assignment> all;
  for (size_t place = 0; place < names_.size(); ++place)
    for (std::int64_t x = 1; x <= kMost; ++x) {
      all.push_back(tried_.sampler().draw(Style::small));
      all.back()[place] = x;
      obey(all.back(), rules_);
    }
  tried_.try_all(std::move(all));
}

/// Tries sizes by which the condition holds: one symbol is varied, the others are small.
const Trial* RuleSearch::solve(const Condition& condition) {
  constexpr int kAttempts = 3;
  constexpr std::int64_t kMost = 5000;
  for (const size_t place : condition.places())
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Assignment sizes = tried_.sampler().draw(Style::middle);
      if (attempt > 0)
        for (std::int64_t& size : sizes) size = tried_.sampler().between(2, 9);
      obey(sizes, rules_);
      const auto works = [&](std::int64_t x) {
        sizes[place] = x;
        return condition.holds(sizes) && all_hold(rules_, sizes) && tried_.sampler().is_inside(sizes);
      };
      const Expression &e = condition.e(), &other = condition.other();
      std::int64_t x = e.is_symbol() && other.is_number()   ? other.value()
                       : other.is_symbol() && e.is_number() ? e.value()
                                                            : 1;
      while (x < kMost && !works(x)) ++x;
      if (!works(x)) continue;
      const Trial* trial = tried_.try_one(sizes);
      if (trial != nullptr && (trial->is_whole() || tried_.is_over())) return trial;
    }
  return nullptr;
}

/// Sizes by which one rule alone does not hold: whether some work all the same.
bool RuleSearch::is_broken_in_vain() {
  constexpr int kAttempts = 300, kEnough = 6;
  bool is_needless = false;
  const TrialList known = tried_.whole();
  for (const Rule& rule : rules_) {
    if (!broken_.insert(rule.condition.text(names_)).second) continue;
    std::vector<Assignment> all;
    for (const size_t place : rule.condition.places()) {
      const std::ptrdiff_t enough = std::ssize(all) + kEnough;
      for (int k = 0; k < kAttempts && std::ssize(all) < enough && !tried_.is_over(); ++k) {
        Assignment sizes = tried_.sampler().any_of(known)->sizes;
        const std::array choices = {std::int64_t{1}, tried_.sampler().between(1, 12), tried_.sampler().between(1, 100),
                                    tried_.sampler().between(1, 1000),
                                    std::max<std::int64_t>(1, sizes[place] + tried_.sampler().between(-3, 3))};
        sizes[place] = tried_.sampler().any_of(choices);
        obey(sizes, rules_, &rule);
        const bool others_hold = std::ranges::all_of(
            rules_, [&](const Rule& other) { return &other == &rule || other.condition.holds(sizes); });
        if (rule.condition.holds(sizes) || !others_hold || !tried_.sampler().is_inside(sizes) ||
            tried_.contains(sizes) || std::ranges::find(all, sizes) != all.end())
          continue;
        all.push_back(std::move(sizes));
      }
    }
    for (const Trial* trial : tried_.try_all(std::move(all))) is_needless |= trial->is_whole();
  }
  return is_needless;
}

}  // namespace opref::symbols
