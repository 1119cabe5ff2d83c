// SPDX-License-Identifier: Apache-2.0
// What must hold of the sizes so that a node takes them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbols/fit.h"

namespace opref::symbols {

/// How a size stands to another one, or to a number. `broadcast`: they are equal, or one of them is 1.
enum class Relation : std::uint8_t { equal, broadcast, multiple, at_least, at_most };

/// What a node asks of sizes.
class Condition {
 public:
  /// Of two that are equal, what stands on both sides is left out: sizes are positive. `number`: of the other
  /// relations.
  Condition(Relation relation, const Expression& e, const Expression& other);

  Relation relation() const { return relation_; }
  const Expression& e() const { return e_; }
  const Expression& other() const { return other_; }
  /// Of sizes at which it has no value nothing is said.
  bool holds(std::span<const std::int64_t> sizes) const;
  /// The places of the symbols in it.
  std::vector<size_t> places() const;
  /// Of two that explain as much the one of least cost is meant.
  int cost() const;
  /// "N = K", "floor(H/2) is a multiple of 3"; one of one symbol is said of that: "W >= 5", "H % 32 in 0, 29..31".
  std::string text(std::span<const std::string> names) const;

 private:
  Relation relation_;
  Expression e_, other_;
};

/// A condition with the node that asks for it.
struct Rule {
  Condition condition;
  size_t node;            ///< its place in the graph, or kNoNode
  std::string message;    ///< what it says where the condition does not hold
  Assignment example;     ///< at which it says so
  std::string text = {};  ///< instead of the condition's
  std::string note = {};  ///< what stands behind the text
};
inline constexpr size_t kNoNode = SIZE_MAX;

bool all_hold(std::span<const Rule> rules, std::span<const std::int64_t> sizes);
/// Changes sizes so that the simple ones of these rules hold, all but one of them.
void obey(Assignment& sizes, std::span<const Rule> rules, const Rule* but = nullptr);

/// The rules as they are said: of each symbol alone those that do not follow from the others, two bounds of one node
/// as one; then those of several symbols. Each has its text.
std::vector<Rule> said(std::span<const Rule> rules, std::span<const std::string> names);

}  // namespace opref::symbols
