// SPDX-License-Identifier: Apache-2.0
#include "symbols/survey.h"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <set>

#include "core/error.h"
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

constexpr std::array kStyles = {Style::small, Style::middle,       Style::blocks, Style::large,
                                Style::huge,  Style::large_blocks, Style::mixed,  Style::constant};

class Analysis {
 public:
  Analysis(Trials& model, std::span<const std::string> names, const SurveyOptions& options)
      : model_(model), names_(names), options_(options), sampler_(options.bounds, options.seed) {
    for (size_t i = 0; i < names.size(); ++i) symbols_.push_back(Expression::symbol(names[i], i));
    size_t nodes = nodes_in(model.graph());
    if (model.graph().opset_import.functions != nullptr)
      for (const Function& function : *model.graph().opset_import.functions) nodes += nodes_in(function.body);
    constexpr size_t kLeast = 24, kNodes = 40'000;
    confirming_ = std::clamp(kNodes / std::max<size_t>(nodes, 1), kLeast, std::max(kLeast, options.most_confirmed));
    budget_ = options.most_tried + 3 * confirming_;
    sampler_.set_constants(fewest(model.constants(), 64));
  }

  SymbolicSurvey run() {
    std::optional<Deadline> deadline;
    if (options_.seconds) deadline.emplace(*options_.seconds, "inferred");
    constexpr std::int64_t kMostAll = 4096;
    const auto everything = sampler_.all(kMostAll);
    if (everything) {
      budget_ += everything->size();
      fewest_ = 1;
      try_all(*everything);
    } else {
      try_first();
      try_beside_constants();
    }
    is_all_ = everything && !is_out_of_time();
    Fitted fitted = find(everything.has_value());
    return report(std::move(fitted));
  }

 private:
  static std::vector<std::int64_t> fewest(std::vector<std::int64_t> numbers, size_t most) {
    if (numbers.size() > most) numbers.resize(most);
    return numbers;
  }

  bool is_out_of_time() const {
    const Deadline* deadline = Deadline::current();
    return deadline != nullptr && deadline->is_over();
  }
  bool is_over() {
    if (is_out_of_time())
      limit_ = Limit::time;
    else if (trials_.size() >= budget_)
      limit_ = Limit::tried;
    return limit_ != Limit::none;
  }

  // --- what is tried

  /// New trials at these sizes, or those that there are.
  std::vector<Trial*> try_all(std::vector<Assignment> all) {
    std::vector<Assignment> fresh;
    for (Assignment& sizes : all) {
      sizes = sampler_.inside(std::move(sizes));
      if (!place_of_.contains(sizes) && std::ranges::find(fresh, sizes) == fresh.end()) fresh.push_back(sizes);
    }
    for (std::optional<Trial>& trial : model_.at(fresh, options_.threads)) {
      if (!trial) continue;
      place_of_.emplace(trial->sizes, trials_.size());
      trials_.push_back(*std::move(trial));
    }
    std::vector<Trial*> tried;
    for (const Assignment& sizes : all)
      if (const auto known = place_of_.find(sizes); known != place_of_.end()) tried.push_back(&trials_[known->second]);
    return tried;
  }

  /// Null where time ran out.
  Trial* try_one(const Assignment& sizes) {
    const std::vector<Trial*> tried = try_all({sizes});
    return tried.empty() ? nullptr : tried.front();
  }

  void try_first() {
    constexpr size_t kFirst = 32;
    std::vector<Assignment> first;
    for (size_t k = 0; k < kFirst; ++k) {
      first.push_back(sampler_.draw(kStyles[k % kStyles.size()]));
      if (names_.size() < 2 || k % 3 != 0) continue;
      Assignment equal = first.back();
      const std::int64_t a = sampler_.between(0, std::ssize(equal) - 1), b = sampler_.between(0, std::ssize(equal) - 2);
      equal[static_cast<size_t>(b < a ? b : b + 1)] = equal[static_cast<size_t>(a)];
      first.push_back(std::move(equal));
    }
    try_all(std::move(first));
  }

  TrialList whole() const {
    TrialList list;
    for (const Trial& trial : trials_)
      if (trial.is_whole()) list.push_back(&trial);
    return list;
  }

  /// Whole numbers that the evaluation finds, always the same ones.
  std::set<std::int64_t> folded() const {
    constexpr size_t kSome = 8, kFewest = 3;
    std::set<std::int64_t> numbers;
    TrialList some = whole();
    if (some.size() > kSome) some.resize(kSome);
    if (some.size() < kFewest) return numbers;
    for (const auto& [tensor, values] : some.front()->values) {
      const bool is_constant = std::ranges::all_of(some, [&, t = tensor, &v = values](const Trial* trial) {
        const auto found = trial->values.find(t);
        return found != trial->values.end() && found->second == v;
      });
      for (const std::int64_t x : is_constant ? values : Values())
        if (x > -(1 << 20) && x <= 1 << 20) numbers.insert(x < 0 ? -x : x);
    }
    return numbers;
  }

  void try_beside_constants() {
    constexpr size_t kMost = 96, kTried = 48;
    std::set<std::int64_t> numbers = folded();
    numbers.insert(sampler_.constants().begin(), sampler_.constants().end());
    std::erase_if(numbers, [](std::int64_t number) { return number < 2; });
    sampler_.set_constants(fewest({numbers.begin(), numbers.end()}, kMost));
    std::vector<Assignment> beside;
    for (const std::int64_t number : fewest(sampler_.constants(), kTried))
      for (const std::int64_t d : {-1, 0, 1}) {
        beside.push_back(sampler_.draw(d == 0 ? Style::middle : Style::small));
        beside.back()[static_cast<size_t>(sampler_.between(0, std::ssize(names_) - 1))] =
            std::max<std::int64_t>(1, number + d);
      }
    try_all(std::move(beside));
  }

  bool is_allowed(std::span<const std::int64_t> sizes) const {
    return std::ranges::all_of(rules_, [&](const Rule& rule) { return rule.condition.holds(sizes); });
  }

  /// Makes the simple rules hold.
  void obey(Assignment& sizes, const Rule* but = nullptr) const {
    for (const Rule& rule : rules_) {
      const Condition& condition = rule.condition;
      const Expression &e = condition.e(), &other = condition.other();
      if (&rule == but) continue;
      if (condition.relation() == Relation::equal && e.is_symbol() && (other.is_symbol() || other.is_number()))
        sizes[e.places().front()] = other.at(sizes);
      else if (condition.relation() == Relation::equal && other.is_symbol() && e.is_number())
        sizes[other.places().front()] = e.value();
      else if (condition.relation() == Relation::at_least && e.is_symbol() && !condition.holds(sizes) && but == nullptr)
        sizes[e.places().front()] += other.value();
    }
  }

  /// New sizes by which all rules hold; nothing where none are found.
  std::optional<Assignment> sample(Style style, const std::set<Assignment>& others = {}) {
    constexpr int kAttempts = 3000, kSame = 40;
    for (int k = 0; k < kAttempts; ++k) {
      if (k % kSame == kSame - 1)
        style = sampler_.any_of(std::array{Style::small, Style::middle, Style::blocks, Style::constant, Style::mixed});
      Assignment sizes = sampler_.draw(style);
      obey(sizes);
      if (sampler_.is_inside(sizes) && is_allowed(sizes) && !place_of_.contains(sizes) && !others.contains(sizes))
        return sizes;
    }
    return std::nullopt;
  }

  std::vector<Trial*> try_more(size_t count, std::span<const Style> styles) {
    std::vector<Assignment> all;
    std::set<Assignment> known;
    for (size_t k = 0; k < count && !is_over() && trials_.size() + all.size() < budget_; ++k) {
      auto sizes = sample(styles[k % styles.size()], known);
      if (!sizes) break;
      known.insert(*sizes);
      all.push_back(*std::move(sizes));
    }
    return try_all(std::move(all));
  }

  // --- expressions

  Fitted fit() {
    TrialList alive;
    for (const Trial& trial : trials_)
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
    std::vector<Trial*> fresh;
    for (int round = 0; round < kRounds; ++round) {
      fitted = fit();
      const std::vector<std::string> before = texts();
      has_left_out_ = false;
      derive_all(fitted);
      if (is_over()) break;
      if (has_left_out_) continue;
      if (is_all) {
        if (texts() == before) break;
        continue;
      }
      if (whole().size() < kEnough) {
        try_more(kMore, kStyles);
      } else if (texts() != before) {
        try_more(kFew, kStyles);
      } else if (is_broken_in_vain()) {
        continue;
      } else if (refined < kRefinements && refine(fitted)) {
        ++refined;
      } else {
        used_ = whole().size();
        fresh = try_more(confirming_, kConfirm);
        const bool all_work = std::ranges::all_of(fresh, [](const Trial* trial) { return trial->is_whole(); });
        if (check(fitted, fresh).empty() && all_work) break;
      }
    }
    if (is_all) {
      used_ = whole().size();
      for (Trial& trial : trials_)
        if (trial.is_whole()) fresh.push_back(&trial);
    }
    confirmed_ = static_cast<size_t>(std::ranges::count_if(fresh, [](const Trial* t) { return t->is_whole(); }));
    if (used_ == 0) used_ = whole().size();
    take_back(fitted, fresh);
    return fitted;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Rule& rule : rules_) all.push_back(rule.condition.text(names_));
    return all;
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
  std::map<std::string, std::set<size_t>> check(const Fitted& fitted, std::span<Trial* const> trials) const {
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

  void take_back(Fitted& fitted, std::span<Trial* const> fresh) {
    for (const auto& [name, axes] : check(fitted, fresh)) {
      ++taken_back_;
      SymbolicTensor& tensor = fitted.tensors.find(name)->second;
      if (axes.contains(tensor.sizes->size()))
        tensor = {{}, "other sizes contradict what was found"};
      else
        for (const size_t axis : axes) (*tensor.sizes)[axis].reset();
    }
  }

  // --- rules

  void derive_all(const Fitted& fitted) {
    rules_.clear();
    Refusal declared{Trial::kInputs, {}, {}, {}, {}};
    for (const Trial& trial : trials_)
      if (!trial.is_left_out) (trial.place == Trial::kInputs ? declared.refused : declared.passed).push_back(&trial);
    for (const OpenInput& input : model_.inputs())
      declared.read.emplace_back(Sizes(input.sizes.begin(), input.sizes.end()));
    if (!declared.refused.empty()) derive(declared);
    for (const Refusal& refusal : fitted.refusals) derive(refusal);
  }

  bool is_own(const Expression& e) const { return e.places().empty() || e.places().back() < names_.size(); }

  /// The sizes and numbers that a node reads, without those that values decide.
  std::vector<Expressions> lists_of(const Refusal& refusal) const {
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
  Expressions counts_of(const Refusal& refusal) const {
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
  Expression elements_read(const Refusal& refusal) const {
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
  std::vector<Condition> candidates(const Refusal& refusal, const std::vector<Expressions>& lists) const {
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
  void derive(const Refusal& refusal) {
    const std::vector<Expressions> lists = lists_of(refusal);
    if (refusal.passed.empty()) return look_for_sizes(refusal, lists);
    const std::vector<Condition> all = candidates(refusal, lists);
    TrialList left;
    const Expression elements = elements_read(refusal);
    for (const Trial* trial : refusal.refused) {
      if (elements.at(trial->sizes) == kNoValue)
        trials_[place_of_[trial->sizes]].is_left_out = true;
      else if (is_allowed(trial->sizes))
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

  void add_rule(const Condition& condition, std::ptrdiff_t node, const Trial& example) {
    Rule rule{condition, node < 0 ? kNoNode : static_cast<size_t>(node), example.refusal->message(), example.sizes};
    if (condition.relation() == Relation::broadcast) {
      rule.condition = Condition(Relation::equal, condition.e(), condition.other());
      broadcasts_.insert(rule.condition.text(names_));
      for (Trial& trial : trials_)
        if (trial.is_whole() && !rule.condition.holds(trial.sizes)) trial.is_left_out = has_left_out_ = true;
    }
    if (broadcasts_.contains(rule.condition.text(names_))) rule.note = "or one of them is 1, which is left out";
    rules_.push_back(std::move(rule));
  }

  /// Of a bound: whether no size lies between those that are taken and those that are not; they are asked for.
  bool is_sharp(const Condition& condition, const TrialList& refused, std::ptrdiff_t node,
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
    return is_over();
  }

  /// Halves the gap between a bound and what is refused.
  void close_gap(const Condition& condition, std::int64_t nearest, std::ptrdiff_t node) {
    constexpr int kSteps = 24;
    const bool is_least = condition.relation() == Relation::at_least;
    const std::int64_t bound = condition.other().value();
    std::int64_t low = is_least ? nearest : bound, high = is_least ? bound : nearest;
    for (int step = 0; step < kSteps && high - low > 1 && !is_over(); ++step) {
      const auto sizes = sizes_between(condition.e(), low, high);
      if (!sizes) return;
      const Trial* trial = try_one(*sizes);
      if (trial == nullptr) return;
      const std::int64_t value = condition.e().at(trial->sizes);
      if (value <= low || value >= high) return;
      const bool is_taken = trial->is_whole() || trial->place > node;
      (is_taken == is_least ? high : low) = value;
    }
  }

  /// Sizes at which `e` lies in the middle third, about, of what is between these.
  std::optional<Assignment> sizes_between(const Expression& e, std::int64_t low, std::int64_t high) {
    constexpr std::int64_t kMost = 5000;
    std::vector<const Assignment*> bases;
    for (const Trial& trial : trials_)
      if (trial.is_whole()) bases.push_back(&trial.sizes);
    if (bases.empty())
      for (const Trial& trial : trials_) bases.push_back(&trial.sizes);
    const std::int64_t middle = low + (high - low) / 2;
    for (const size_t place : e.places()) {
      Assignment sizes = *sampler_.any_of(bases);
      for (std::int64_t x = 1; x < kMost; ++x) {
        sizes[place] = x;
        const std::int64_t value = e.at(sizes);
        if (low < value && value < high && std::max(value - middle, middle - value) <= (high - low) / 3 + 1 &&
            sampler_.is_inside(sizes))
          return sizes;
      }
    }
    return std::nullopt;
  }

  /// Nothing passes yet: what would make two sizes equal, or one a number that stands in the model.
  void look_for_sizes(const Refusal& refusal, const std::vector<Expressions>& lists) {
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
        for (const std::int64_t number : fewest(sampler_.constants(), kConstants)) add(e, Expression::number(number));
    if (targets.size() > kMost) targets.erase(targets.begin() + kMost, targets.end());
    for (const Condition& target : targets) {
      if (is_over()) return;
      const Trial* trial = solve(target);
      if (trial != nullptr && (trial->is_whole() || trial->place > refusal.node)) return;
    }
  }

  /// Tries sizes by which the condition holds: one symbol is varied, the others are small.
  const Trial* solve(const Condition& condition) {
    constexpr int kAttempts = 3;
    constexpr std::int64_t kMost = 5000;
    for (const size_t place : condition.places())
      for (int attempt = 0; attempt < kAttempts; ++attempt) {
        Assignment sizes = sampler_.draw(Style::middle);
        if (attempt > 0)
          for (std::int64_t& size : sizes) size = sampler_.between(2, 9);
        obey(sizes);
        const auto works = [&](std::int64_t x) {
          sizes[place] = x;
          return condition.holds(sizes) && is_allowed(sizes) && sampler_.is_inside(sizes);
        };
        std::int64_t x = 1;
        while (x < kMost && !works(x)) ++x;
        if (x == kMost) continue;
        const Trial* trial = try_one(sizes);
        if (trial != nullptr && (trial->is_whole() || is_over())) return trial;
      }
    return nullptr;
  }

  /// Sizes by which one rule alone does not hold: whether some work all the same.
  bool is_broken_in_vain() {
    constexpr int kAttempts = 300, kEnough = 6;
    bool is_needless = false;
    const TrialList known = whole();
    for (const Rule& rule : rules_) {
      if (!broken_.insert(rule.condition.text(names_)).second) continue;
      std::vector<Assignment> all;
      for (int k = 0; k < kAttempts && std::ssize(all) < kEnough && !is_over(); ++k) {
        Assignment sizes = sampler_.any_of(known)->sizes;
        const size_t place = sampler_.any_of(rule.condition.places());
        const std::array choices = {std::int64_t{1}, sampler_.between(1, 12), sampler_.between(1, 100),
                                    sampler_.between(1, 1000),
                                    std::max<std::int64_t>(1, sizes[place] + sampler_.between(-3, 3))};
        sizes[place] = sampler_.any_of(choices);
        obey(sizes, &rule);
        const bool others_hold = std::ranges::all_of(
            rules_, [&](const Rule& other) { return &other == &rule || other.condition.holds(sizes); });
        if (rule.condition.holds(sizes) || !others_hold || !sampler_.is_inside(sizes) || place_of_.contains(sizes) ||
            std::ranges::find(all, sizes) != all.end())
          continue;
        all.push_back(std::move(sizes));
      }
      for (const Trial* trial : try_all(std::move(all))) is_needless |= trial->is_whole();
    }
    return is_needless;
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
      if (!is_own(offset.e)) continue;
      std::vector<Assignment> all;
      for (const std::int64_t b : steps_of(offset))
        if (auto sizes = sizes_that_decide(offset, b)) all.push_back(*std::move(sizes));
      if (is_over()) return is_new;
      for (const Trial* trial : try_all(std::move(all))) is_new |= trial->place > 0;
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
      std::optional<Assignment> sizes = sample(style);
      if (!sizes) return std::nullopt;
      const size_t place = sampler_.any_of(offset.e.places());
      const std::int64_t first = std::max<std::int64_t>(1, (*sizes)[place]);
      for (std::int64_t x = first; x <= first + 2 * offset.q; ++x) {
        (*sizes)[place] = x;
        const std::int64_t value = offset.e.at(*sizes);
        if (value == kNoValue) break;
        const std::int64_t rest = floor_mod(floor_mod(offset.p, offset.q) * floor_mod(value, offset.q) + b, offset.q);
        if (rest == 0 && is_allowed(*sizes) && sampler_.is_inside(*sizes)) {
          if (!place_of_.contains(*sizes)) return sizes;
          break;
        }
      }
    }
    return std::nullopt;
  }

  static std::int64_t floor_mod(std::int64_t a, std::int64_t q) { return a - floor_divide(a, q) * q; }

  // --- what is told

  SymbolicSurvey report(Fitted fitted) {
    SymbolicSurvey told;
    const TrialList works = whole();
    if (works.empty()) fail_for_all();
    mark_equal(fitted);
    told.rules = said(rules_, names_);
    for (const Rule& rule : rules_) told.conditions.push_back(rule.condition);
    std::map<std::ptrdiff_t, const Trial*> left;
    for (const Trial& trial : trials_)
      if (trial.place != Trial::kWhole && !trial.is_left_out && is_allowed(trial.sizes))
        left.emplace(trial.place, &trial);
    for (const auto& [place, trial] : left)
      told.open.push_back({Condition(Relation::equal, symbols_.front(), symbols_.front()),
                           place < 0 ? kNoNode : static_cast<size_t>(place), trial->refusal->message(), trial->sizes});
    Basis& basis = told.basis;
    basis.is_all = is_all_;
    basis.tried = trials_.size();
    basis.refused = static_cast<size_t>(
        std::ranges::count_if(trials_, [](const Trial& trial) { return trial.place != Trial::kWhole; }));
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
    told.limit = limit_;
    return told;
  }

  /// Which sizes are others at trials that are left out.
  void mark_equal(Fitted& fitted) {
    std::vector<Trial*> left_out;
    for (Trial& trial : trials_)
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
    if (trials_.empty()) fail(Fault::system, kMoreTime, "no sizes are tried within the time");
    const Trial& furthest = *std::ranges::max_element(trials_, {}, &Trial::place);
    Error error = *furthest.refusal;
    std::string sizes;
    for (size_t s = 0; s < names_.size(); ++s)
      sizes += format("{}{} = {}", s == 0 ? "" : ", ", names_[s], furthest.sizes[s]);
    error.add_place(format("at {}; none of the {} that were tried works", sizes, counted(std::ssize(trials_), "size")));
    throw error;
  }

  Trials& model_;
  const std::span<const std::string> names_;
  const SurveyOptions& options_;
  Sampler sampler_;
  Expressions symbols_;
  size_t confirming_ = 0, budget_ = 0;
  std::deque<Trial> trials_;
  std::map<Assignment, size_t> place_of_;
  std::vector<Rule> rules_;
  std::set<std::string> broken_;      ///< rules that were broken on purpose
  std::set<std::string> broadcasts_;  ///< equalities in place of which a node takes a 1 too
  bool has_left_out_ = false;         ///< trials, since the last fit
  Limit limit_ = Limit::none;
  bool is_all_ = false;
  size_t fewest_ = 4;  ///< trials that say something
  size_t used_ = 0, confirmed_ = 0, taken_back_ = 0;
};

}  // namespace

SymbolicSurvey survey(Trials& trials, std::span<const std::string> names, const SurveyOptions& options) {
  return Analysis(trials, names, options).run();
}

}  // namespace opref::symbols
