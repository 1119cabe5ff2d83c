// SPDX-License-Identifier: Apache-2.0
#include "symbols/node_fits.h"

#include <set>

#include "core/error.h"

namespace opref::symbols {
namespace {

std::set<size_t> ranks_of(const TrialList& trials, size_t tensor) {
  std::set<size_t> ranks;
  for (const Trial* trial : trials) ranks.insert(trial->shape(tensor).size());
  return ranks;
}

bool are_known(const TrialList& trials, size_t tensor) {
  return std::ranges::all_of(trials, [&](const Trial* trial) { return trial->states[tensor] == Trial::State::known; });
}

Values column(const TrialList& trials, size_t tensor, size_t axis) {
  Values values;
  for (const Trial* trial : trials) values.push_back(trial->shape(tensor)[axis]);
  return values;
}

class NodeFitter {
 public:
  NodeFitter(const Trials& model, std::span<const std::string> names, TrialList alive, size_t fewest)
      : model_(model), names_(names), alive_(std::move(alive)), fewest_(fewest) {
    for (const Trial* trial : alive_) drawn_.insert(trial->drawn.begin(), trial->drawn.end());
    for (size_t i = 0; i < names_.size(); ++i) symbols_.push_back(Expression::symbol(names_[i], i));
    for (const OpenInput& input : model_.inputs()) {
      Sizes sizes(input.sizes.begin(), input.sizes.end());
      fitted_.tensors.insert_or_assign(input.name, SymbolicTensor{std::move(sizes)});
    }
    start_fitter();
  }

  Fitted fit() && {
    const std::vector<Node>& nodes = model_.graph().nodes;
    for (const size_t k : model_.varying()) {
      leave_refused(k);
      if (alive_.size() < fewest_) break;
      drop_without_shapes(nodes[k]);
      fit_node(k);
    }
    for (const size_t k : model_.varying())
      for (const std::string& output : nodes[k].outputs)
        if (!output.empty() && !fitted_.tensors.contains(output))
          set_unknown(output, lacks_values_    ? "values decide its shape"
                              : alive_.empty() ? "no sizes reach it"
                                               : "too few sizes reach it");
    if (!fitted_.refusals.empty() && alive_.size() >= 2 * fewest_) fit_again();
    take_open_offsets();
    return std::move(fitted_);
  }

 private:
  void start_fitter() {
    take_open_offsets();
    std::vector<Assignment> rows;
    for (const Trial* trial : alive_) {
      rows.push_back(trial->sizes);
      for (const auto& values : decided_values_) {
        const auto found = values.find(trial);
        rows.back().push_back(found == values.end() ? 0 : found->second);
      }
    }
    fitter_.emplace(symbols_, std::move(rows));
    std::ranges::stable_sort(found_, {}, &Expression::length);
    for (const Expression& e : found_) fitter_->know(e);
  }

  void take_open_offsets() {
    if (!fitter_) return;
    const auto& open = fitter_->open_offsets();
    fitted_.open_offsets.insert(fitted_.open_offsets.end(), open.begin(), open.end());
  }

  std::optional<Sizes> sizes_of(const std::string& name) const {
    const auto found = fitted_.tensors.find(name);
    return found != fitted_.tensors.end() ? found->second.sizes : model_.fixed(name);
  }

  std::vector<std::string> names_of(const Node& node) const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    std::ranges::for_each(node.inputs, add);
    std::ranges::for_each(names_read(node), add);
    return names;
  }

  void leave_refused(size_t k) {
    const auto is_refused = [&](const Trial* trial) { return trial->place == static_cast<std::ptrdiff_t>(k); };
    if (std::ranges::none_of(alive_, is_refused)) return;
    Refusal refusal{static_cast<std::ptrdiff_t>(k), {}, {}, {}, {}};
    std::ranges::partition_copy(alive_, std::back_inserter(refusal.refused), std::back_inserter(refusal.passed),
                                is_refused);
    for (const std::string& name : names_of(model_.graph().nodes[k])) {
      refusal.read.push_back(sizes_of(name));
      if (const auto numbers = numbers_.find(name); numbers != numbers_.end())
        refusal.numbers.push_back(numbers->second);
    }
    lacks_values_ |= std::ranges::any_of(refusal.refused, &Trial::lacks_values);
    alive_ = refusal.passed;
    fitted_.refusals.push_back(std::move(refusal));
    start_fitter();
  }

  /// Trials at which values could not be drawn, where there are enough others.
  void drop_without_shapes(const Node& node) {
    constexpr size_t kEnough = 12;
    TrialList some;
    for (const Trial* trial : alive_)
      if (std::ranges::all_of(node.outputs, [&](const std::string& output) {
            return output.empty() || trial->states[*model_.tensor(output)] == Trial::State::known;
          }))
        some.push_back(trial);
    if (some.size() < kEnough || some.size() == alive_.size()) return;
    alive_ = std::move(some);
    start_fitter();
  }

  void set_unknown(const std::string& output, std::string why) {
    fitted_.tensors.insert_or_assign(output, SymbolicTensor{{}, std::move(why)});
  }

  std::string why_open(size_t k) const {
    for (const Trial* trial : alive_)
      if (const auto why = trial->why.find(k); why != trial->why.end()) return why->second;
    return "values decide its shape";
  }

  std::string why_ranks(size_t tensor, const std::set<size_t>& ranks) const {
    for (size_t s = 0; s < names_.size(); ++s) {
      std::set<size_t> ones, others;
      for (const Trial* trial : alive_) (trial->sizes[s] == 1 ? ones : others).insert(trial->shape(tensor).size());
      if (ones.size() == 1 && others.size() == 1 && ones != others)
        return format("its rank is {} where {} is 1, else {}", *ones.begin(), names_[s], *others.begin());
    }
    return format("its rank is {}", join_text(ranks, " or "));
  }

  void fit_node(size_t k) {
    const Node& node = model_.graph().nodes[k];
    lists_.clear();
    near_.clear();
    for (const std::string& name : names_of(node)) {
      if (auto sizes = sizes_of(name)) lists_.push_back(*std::move(sizes));
      if (const auto numbers = numbers_.find(name); numbers != numbers_.end()) add_near(numbers->second);
    }
    for (const Sizes& list : lists_) add_near(list);
    for (size_t o = 0; o < node.outputs.size(); ++o)
      if (!node.outputs[o].empty()) fit_output(k, o);
  }

  void add_near(const Sizes& sizes) {
    for (const Size& size : sizes)
      if (size && !size->is_number()) add_once(near_, *size);
  }

  void fit_output(size_t k, size_t o) {
    const std::string& output = model_.graph().nodes[k].outputs[o];
    const size_t tensor = *model_.tensor(output);
    const auto is_no_tensor = [&](const Trial* trial) { return trial->states[tensor] == Trial::State::no_tensor; };
    if (std::ranges::any_of(alive_, is_no_tensor)) return set_unknown(output, "it is no tensor");
    if (!are_known(alive_, tensor)) return set_unknown(output, why_open(k));
    const std::set<size_t> ranks = ranks_of(alive_, tensor);
    if (ranks.size() > 1) {
      split_.insert(output);
      return set_unknown(output, why_ranks(tensor, ranks));
    }
    Sizes sizes;
    for (size_t axis = 0; axis < *ranks.begin(); ++axis) {
      const Values values = column(alive_, tensor, axis);
      sizes.push_back(drawn_.contains({k, o, axis}) ? decided(k, output, axis, values) : fitted(values));
    }
    fitted_.tensors.insert_or_assign(output, SymbolicTensor{std::move(sizes)});
    fit_numbers(tensor, output);
  }

  Size fitted(const Values& values) {
    Size e = fitter_->fit(values, near_, lists_);
    if (e && !e->is_number() && !e->is_symbol()) add_once(found_, *e);
    return e;
  }

  /// Another symbol, but where the same sizes have one.
  Expression decided(size_t k, const std::string& output, size_t axis, const Values& values) {
    if (const Expression* known = fitter_->known(values)) return *known;
    const std::string name = format("u{}", decided_values_.size() + 1);
    const Expression symbol = Expression::symbol(name, symbols_.size());
    auto& by_trial = decided_values_.emplace_back();
    for (size_t i = 0; i < alive_.size(); ++i) by_trial.emplace(alive_[i], values[i]);
    symbols_.push_back(symbol);
    fitter_->add_symbol(symbol, values);
    fitted_.decided.push_back({name, k, output, axis, std::ranges::min(values), std::ranges::max(values)});
    return symbol;
  }

  /// Of a tensor that all trials know few numbers of.
  void fit_numbers(size_t tensor, const std::string& output) {
    std::vector<const Values*> lists;
    for (const Trial* trial : alive_) {
      const auto found = trial->values.find(tensor);
      if (found == trial->values.end()) return;
      lists.push_back(&found->second);
    }
    const size_t count = lists.front()->size();
    if (std::ranges::any_of(lists, [&](const Values* list) { return list->size() != count; })) return;
    Sizes numbers;
    for (size_t j = 0; j < count; ++j) {
      Values values;
      for (const Values* list : lists) values.push_back((*list)[j]);
      Size e = fitter_->fit(values, near_);
      if (e && !e->is_number() && !e->is_symbol()) add_once(found_, *e);
      numbers.push_back(std::move(e));
    }
    numbers_.insert_or_assign(output, std::move(numbers));
  }

  /// What had several ranks, or no expression, in front of a node that refuses sizes: at those that all nodes take.
  void fit_again() {
    for (const size_t k : model_.varying()) {
      const Node& node = model_.graph().nodes[k];
      for (const std::string& output : node.outputs) {
        const auto known = fitted_.tensors.find(output);
        if (output.empty() || known == fitted_.tensors.end()) continue;
        const auto& sizes = known->second.sizes;
        const bool is_whole = sizes && std::ranges::all_of(*sizes, [](const Size& size) { return size.has_value(); });
        if (is_whole || (!sizes && !split_.contains(output))) continue;
        const size_t tensor = *model_.tensor(output);
        if (!are_known(alive_, tensor) || ranks_of(alive_, tensor).size() > 1) continue;
        lists_.clear();
        near_.clear();
        for (const std::string& name : names_of(node))
          if (const auto read = sizes_of(name)) add_near(*read);
        Sizes again;
        for (size_t axis = 0; axis < alive_.front()->shape(tensor).size(); ++axis)
          again.push_back(fitted(column(alive_, tensor, axis)));
        fitted_.tensors.insert_or_assign(output, SymbolicTensor{std::move(again)});
      }
    }
  }

  const Trials& model_;
  const std::span<const std::string> names_;
  TrialList alive_;
  bool lacks_values_ = false;  ///< at some of those that are no more alive
  const size_t fewest_;        ///< trials that say something
  Fitted fitted_;
  std::set<DrawnAxis> drawn_;
  Expressions symbols_;  ///< those of values too
  std::vector<std::map<const Trial*, std::int64_t>> decided_values_;
  Expressions found_;
  std::optional<Fitter> fitter_;
  std::map<std::string, Sizes, std::less<>> numbers_;  ///< of tensors with few
  std::set<std::string, std::less<>> split_;           ///< of several ranks
  std::vector<Sizes> lists_;                           ///< of the node at hand: what it reads
  Expressions near_;
};

}  // namespace

Fitted fit_nodes(const Trials& model, std::span<const std::string> names, TrialList alive, size_t fewest) {
  return NodeFitter(model, names, std::move(alive), fewest).fit();
}

}  // namespace opref::symbols
