// SPDX-License-Identifier: Apache-2.0
// Finds what must hold of the sizes so that all nodes take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "symbols/tried.h"

namespace opref::symbols {

/// Where what was tried does not decide between rules it asks for more sizes.
class RuleSearch {
 public:
  /// All stay as they are for as long as this lives, but for what is tried.
  RuleSearch(const Trials& model, std::span<const std::string> names, const Expressions& symbols, Tried& tried)
      : model_(model), names_(names), symbols_(symbols), tried_(tried) {}

  /// The fewest rules that explain what was refused, anew.
  void derive_all(const Fitted& fitted);
  const std::vector<Rule>& rules() const { return rules_; }
  /// Of their conditions.
  std::vector<std::string> texts() const;
  /// Whether the last rules left trials out that were fitted.
  bool has_left_out() const { return has_left_out_; }
  /// Tries sizes by which one rule alone does not hold: whether some work all the same.
  bool is_broken_in_vain();
  /// Whether it has no symbol that stands for a size that values decide.
  bool is_own(const Expression& e) const { return e.places().empty() || e.places().back() < names_.size(); }

 private:
  std::vector<Expressions> lists_of(const Refusal& refusal) const;
  Expressions counts_of(const Refusal& refusal) const;
  Expression elements_read(const Refusal& refusal) const;
  std::vector<Condition> candidates(const Refusal& refusal, const std::vector<Expressions>& lists) const;
  void derive(const Refusal& refusal);
  void add_rule(const Condition& condition, std::ptrdiff_t node, const Trial& example);
  bool is_sharp(const Condition& condition, const TrialList& refused, std::ptrdiff_t node,
                std::set<std::string>& asked);
  void close_gap(const Condition& condition, std::int64_t nearest, std::ptrdiff_t node);
  std::optional<Assignment> sizes_between(const Expression& e, std::int64_t low, std::int64_t high);
  void look_for_sizes(const Refusal& refusal, const std::vector<Expressions>& lists);
  const Trial* solve(const Condition& condition);
  void try_each_small();

  const Trials& model_;
  const std::span<const std::string> names_;
  const Expressions& symbols_;
  Tried& tried_;
  std::vector<Rule> rules_;
  std::set<std::string> broken_;      ///< rules that were broken on purpose
  std::set<std::string> broadcasts_;  ///< equalities in place of which a node takes a 1 too
  bool has_left_out_ = false, has_tried_small_ = false;
};

}  // namespace opref::symbols
