// SPDX-License-Identifier: Apache-2.0
// Ensembles of decision trees of ai.onnx.ml: nodes that compare a feature with a threshold, leaves that vote.
#pragma once

#include <string>
#include <vector>

#include "evaluators/elements.h"
#include "evaluators/move.h"
#include "ops/shared/scores.h"
namespace opref::ops {
/// A weight for one target, or class.
struct Vote {
  std::int64_t target;
  double weight;
};

/// How a feature meets a threshold.
enum class Decision : std::uint8_t { leq, lt, gte, gt, eq, neq, member };

struct TreeNode {
  std::int64_t tree, id;  ///< as the attributes name it
  std::int64_t feature;
  double threshold;
  Decision decision;
  bool nan_is_true;
  /// The false child and the true one: a node's place, or ~(a leaf's place).
  std::array<std::int64_t, 2> child;
  std::int64_t members = -1;  ///< which set, of Decision::member
};
struct TreeLeaf {
  std::int64_t id;
  std::int64_t first = 0, count = 0;  ///< of the votes
};

/// tree.compare, tree.nan: of operators whose first version is `since`.
std::vector<Reading> tree_readings(std::int64_t since);
/// tree.empty_target.
Reading empty_target_reading(std::int64_t since, bool (*may_change_values)(const Call&));

enum class Aggregate : std::uint8_t { sum, average, min, max };

class Forest {
 public:
  /// The attributes nodes_*, and the votes that PREFIX_treeids, …_nodeids, …_ids, …_weights list, each of a target
  /// below `targets`. What does not fit together is `invalid`; so are, in `votes`, children and features that do not
  /// exist.
  static Forest of_lists(const Call& call, std::string_view prefix, std::int64_t targets);
  /// The attributes of TreeEnsemble.
  static Forest of_tensors(const Call& call, std::int64_t targets);

  std::int64_t trees() const { return std::ssize(roots_); }
  const std::vector<Vote>& all_votes() const { return votes_; }

  /// f(vote) for all votes of a row of X, tree by tree.
  template <class F>
  void votes(const Elements& X, std::int64_t row, std::int64_t features, const F& f) const {
    for (const std::int64_t root : roots_) {
      const TreeLeaf& leaf = leaves_[static_cast<size_t>(leaf_of(root, X, row * features, features, nullptr))];
      for (std::int64_t v = leaf.first; v < leaf.first + leaf.count; ++v) f(votes_[static_cast<size_t>(v)]);
    }
  }
  /// For `explain`: the way of the row through each tree, and, if asked for, what was read.
  void tell(const Output& out, const Tensor& X, std::int64_t row, std::int64_t features, bool tells_reads) const;

 private:
  explicit Forest(const Call& call);
  using Heard = std::function<void(const TreeNode& node, std::int64_t at, bool is_true)>;
  std::int64_t leaf_of(std::int64_t at, const Elements& X, std::int64_t first, std::int64_t features,
                       const Heard* heard) const;
  [[noreturn]] void fail_at(const TreeNode& node, std::int64_t features) const;
  bool is_true(const TreeNode& node, const Elements& X, std::int64_t at) const;
  void add_votes(const std::vector<std::int64_t>& leaf_of_vote, const std::vector<Vote>& votes);
  std::string condition(const TreeNode& node, const Tensor& X, std::int64_t at) const;

  bool in_float32_ = false, nan_is_neq_ = false;
  bool has_tree_ids_ = false;  ///< of the attributes
  std::vector<TreeNode> nodes_;
  std::vector<TreeLeaf> leaves_;
  std::vector<std::int64_t> roots_;           ///< as children
  std::vector<Vote> votes_;                   ///< by leaves
  std::vector<std::vector<double>> members_;  ///< ascending
};

/// The numbers of a list, or of its form as a tensor of floats, which excludes it.
std::vector<double> numbers_of(const Call& call, const std::string& attribute);

/// The scores of a row: what the votes of each target make.
struct TreeScores {
  const Forest& forest;
  const Tensor& input;
  std::int64_t features, targets;
  Aggregate aggregate = Aggregate::sum;
  std::vector<double> base = {};        ///< none, or one per target
  Tensor weights = {};                  ///< float64, of all votes
  double empty_min = 0, empty_max = 0;  ///< of a target without votes

  template <class R>
  std::vector<R> operator()(std::int64_t row, const Reader<R>&) const {
    const Elements X(input);
    const bool is_sum = aggregate == Aggregate::sum || aggregate == Aggregate::average;
    std::vector<SumOf<R>> sums(static_cast<size_t>(is_sum ? targets : 0));
    std::vector<std::optional<double>> extremes(static_cast<size_t>(is_sum ? 0 : targets));
    forest.votes(X, row, features, [&](const Vote& vote) {
      const auto t = static_cast<size_t>(vote.target);
      if (is_sum) return sums[t].add(R(vote.weight));
      std::optional<double>& best = extremes[t];
      if (!best || is_better(vote.weight, *best)) best = vote.weight;
    });
    std::vector<R> s;
    for (size_t t = 0; t < static_cast<size_t>(targets); ++t) {
      if (aggregate == Aggregate::sum && !base.empty()) sums[t].add(R(base[t]));
      if (aggregate == Aggregate::sum) s.push_back(sums[t].total());
      if (aggregate == Aggregate::average) s.push_back(sums[t].total() / R::whole(forest.trees()));
      if (!is_sum) s.push_back(R(extremes[t].value_or(aggregate == Aggregate::min ? empty_min : empty_max)));
      if (aggregate != Aggregate::sum && !base.empty()) s[t] = s[t] + R(base[t]);
    }
    return s;
  }

  /// Where each row is asked for few scores: its way through the trees is found for each.
  bool has_terms() const {
    constexpr std::int64_t kFew = 4;
    return targets <= kFew && (aggregate == Aggregate::sum || (aggregate == Aggregate::average && base.empty()));
  }
  template <class Sum>
  void terms(std::int64_t row, std::int64_t t, Sum& sum) const {
    const Elements X(input), W(weights);
    forest.votes(X, row, features, [&](const Vote& vote) {
      if (vote.target == t) sum.add(W[&vote - forest.all_votes().data()]);
    });
    const Tensor own = fill_of(base.empty() ? 0 : base[static_cast<size_t>(t)], DType::float64);
    const Elements b(own);
    if (!base.empty()) sum.add(b[0]);
    if (aggregate == Aggregate::average) sum.scale({1, forest.trees()});
  }

 private:
  /// Of MIN or MAX: NaN is better than all, and +0 greater than -0.
  bool is_better(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a);
    const double least = aggregate == Aggregate::min ? a : b, most = aggregate == Aggregate::min ? b : a;
    return least < most || (least == most && std::signbit(least) && !std::signbit(most));
  }
};
}  // namespace opref::ops
