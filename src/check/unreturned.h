// SPDX-License-Identifier: Apache-2.0
// Values that a backend does not return, and how far what is allowed of them can move what is computed from them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explain/evaluated.h"
#include "run/node_case.h"

namespace opref::check {

/// The rule by which a value of this type is judged where none is chosen and no rigorous bound is known: numbers of
/// floating types by rtol 1e-3, bfloat16 2^-6, float16 2^-9, with the atol of a hundredth of that times the greatest
/// finite magnitude of the value; all else exactly.
Tolerance rule_without_bound(const Tensor& exact);

/// The kernel by whose bound a value of this type is judged where no rule is chosen; nothing for other types.
std::optional<BoundedKernel> kernel_of(DType dtype);

/// Values that are taken to be right. A backend that computes everything right may have computed others, each of them
/// as far off as its rule allows: whether that explains an output is tried with a few such values.
class Unreturned {
 public:
  /// `values` has what all names are taken to be, `cases` are the nodes of `whole`; all three live longer. `chosen` is
  /// the rule for all values, if there is one.
  Unreturned(const ReadyCase& whole, const NodeCases& cases, const Environment& values, std::optional<Tolerance> chosen,
             double seconds);

  /// This output of the node at `place` is not known. `wrong`: the backend returned what cannot be its value.
  void add(const std::string& name, size_t place, const std::string& title, bool wrong);
  /// The titles of the nodes that are judged together with this one, in the graph's order: those whose outputs it
  /// reads, and those whose outputs these read.
  std::vector<std::string> read_by(const Node& node) const;
  /// Whether a backend that computes everything right may give this output of the node at `place`. `right` is the node,
  /// evaluated with `values`.
  enum class Can : std::uint8_t { no, yes, unknown };
  Can give(size_t place, const Evaluated& right, const std::string& output, const Value& actual);

 private:
  struct Giver {
    size_t place;
    std::string title;
    bool exact;  ///< no right backend has another value
    bool vague;  ///< nothing is known of what other values one may have
  };
  bool reads_inexact(const Node& node) const;
  bool reads_vague(const Node& node) const;
  std::optional<Input> inferred(size_t place, const std::string& output) const;
  std::vector<double> allowed(const Evaluated& right, const std::string& output, const Tensor& exact) const;
  /// By place, their titles: what a node reads of the values that are not known, and what those are made of.
  std::map<size_t, std::string> givers_of(const Node& node) const;
  Evaluated moved(size_t place, size_t pattern) const;
  void move_givers(const Node& reader, size_t pattern);
  std::optional<double> reach(size_t place, const std::string& output, const Tensor& exact);

  const ReadyCase& whole_;
  const NodeCases& cases_;
  const Environment& values_;
  std::optional<Tolerance> chosen_;
  double seconds_;
  std::map<std::string, size_t, std::less<>> readers_;  ///< the place of the first node that reads each name
  std::map<std::string, Giver, std::less<>> givers_;
  std::map<std::pair<size_t, size_t>, Environment> moved_;  ///< by place and pattern
};

}  // namespace opref::check
