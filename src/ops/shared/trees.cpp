// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/trees.h"

#include "exact/element_text.h"
#include "exact/sentence_sink.h"
#include "exact/whole.h"
#include "ops/operator_file.h"
#include "ops/shared/tree_lists.h"
namespace opref::ops {
namespace {
constexpr std::array<std::string_view, 7> kBranches{"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",   "BRANCH_GT",
                                                    "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER"};
constexpr std::array<std::string_view, 7> kSigns{"<=", "<", ">=", ">", "==", "!=", "in"};

/// A list of the nodes has an entry for each.
void require_length(std::string_view name, std::int64_t length, std::string_view other, std::int64_t count) {
  require(length == count, "{} has {}, but {} has {}", name, counted(length, "value"), other, counted(count, "value"));
}
/// nodes_missing_value_tracks_true and nodes_hitrates: none, or one for each node.
std::vector<std::int64_t> optional_list(const Call& call, std::string_view name, std::string_view other,
                                        std::int64_t count) {
  std::vector<std::int64_t> list = integers_of(call, name);
  if (list.empty()) list.resize(static_cast<size_t>(count));
  require_length(name, std::ssize(list), other, count);
  return list;
}
/// The elements of a list that is a tensor of rank 1.
const Tensor& list_tensor(const Call& call, std::string_view name) {
  const Tensor& list = call.tensor(name);
  require(list.shape().size() == 1, "{} has shape {}, but must have one axis", name, list.shape());
  return list;
}
std::vector<double> doubles(const Tensor& list) {
  const Elements numbers(list);
  std::vector<double> all;
  for (std::int64_t i = 0; i < list.count(); ++i) all.push_back(numbers.number(i));
  return all;
}
}  // namespace

std::vector<double> numbers_of(const Call& call, const std::string& attribute) {
  const std::string tensor = attribute + "_as_tensor";
  std::vector<double> list = doubles_of(call, attribute);
  if (!call.has_here(tensor)) return list;
  require(list.empty(), "{} and {} are both given, but exclude each other", attribute, tensor);
  const DType dtype = call.tensor(tensor).dtype();
  require(dtype == DType::float32 || dtype == DType::float64, "{} has type {}, but must be float32 or float64", tensor,
          dtype);
  return doubles(list_tensor(call, tensor));
}

std::vector<Reading> tree_readings(std::int64_t since) {
  const auto has_wide_numbers = [](const Call& call) {
    return call.type("X").dtype != DType::float16 &&
           (call.type("X").dtype != DType::float32 || call.has_here("nodes_values_as_tensor"));
  };
  const auto may_be_nan = [](const Call& call) { return info(call.type("X").dtype).kind == Kind::floating; };
  return {{.name = "tree.compare",
           .alternatives = {"exact: a feature and a threshold are compared as they are",
                            "float32: both are rounded to float32 first"},
           .defaults = {{since, "exact"}},
           .reason = "both are numbers; models that were made from doubles differ by the threshold's rounding",
           .may_change_values = has_wide_numbers},
          {.name = "tree.nan",
           .alternatives = {"tracks: nodes_missing_value_tracks_true says where NaN goes, of every mode",
                            "neq: of NEQ it goes to the true child"},
           .defaults = {{since, "tracks"}},
           .reason = "the page says so; onnxruntime compares NaN as IEEE 754 does",
           .may_change_values = may_be_nan}};
}

Reading empty_target_reading(std::int64_t since, bool (*may_change_values)(const Call&)) {
  return {.name = "tree.empty_target",
          .alternatives = {"zero: MIN and MAX of no vote are 0",
                           "extreme: MIN is the output type's greatest number, MAX its least"},
          .defaults = {{since, "zero"}},
          .reason = "the page says nothing; onnxruntime has 0, onnx.reference begins with the extremes",
          .may_change_values = may_change_values};
}

Forest::Forest(const Call& call)
    : in_float32_(call.reads("tree.compare", "float32")), nan_is_neq_(call.reads("tree.nan", "neq")) {}

Forest Forest::of_lists(const Call& call, std::string_view prefix, std::int64_t targets) {
  Forest forest(call);
  forest.has_tree_ids_ = true;
  const auto ids = integers_of(call, "nodes_nodeids"), trees = integers_of(call, "nodes_treeids"),
             features = integers_of(call, "nodes_featureids"), when_true = integers_of(call, "nodes_truenodeids"),
             when_false = integers_of(call, "nodes_falsenodeids");
  const auto modes = call.has("nodes_modes") ? call.strings("nodes_modes") : std::vector<std::string>();
  const std::vector<double> thresholds = numbers_of(call, "nodes_values"),
                            hitrates = numbers_of(call, "nodes_hitrates");
  const std::int64_t count = std::ssize(ids);
  require(count > 0, "nodes_nodeids is empty, but there must be nodes");
  for (const auto& [name, length] :
       {std::pair("nodes_treeids", std::ssize(trees)), std::pair("nodes_featureids", std::ssize(features)),
        std::pair("nodes_modes", std::ssize(modes)), std::pair("nodes_values", std::ssize(thresholds)),
        std::pair("nodes_truenodeids", std::ssize(when_true)), std::pair("nodes_falsenodeids", std::ssize(when_false))})
    require_length(name, length, "nodes_nodeids", count);
  if (!hitrates.empty()) require_length("nodes_hitrates", std::ssize(hitrates), "nodes_nodeids", count);
  const auto missing = optional_list(call, "nodes_missing_value_tracks_true", "nodes_nodeids", count);

  // The places of nodes by tree and id, found by bisection.
  std::vector<std::int64_t> by_id(static_cast<size_t>(count));
  std::iota(by_id.begin(), by_id.end(), 0);
  const auto key = [&](std::int64_t i) { return std::pair(trees[i], ids[i]); };
  if (!std::ranges::is_sorted(by_id, {}, key)) std::ranges::sort(by_id, {}, key);
  for (std::int64_t i = 1; i < count; ++i)
    require(key(by_id[i - 1]) != key(by_id[i]), "nodes_nodeids has {} twice in tree {}", ids[by_id[i]],
            trees[by_id[i]]);
  const auto place_of = [&](std::string_view name, std::int64_t tree, std::int64_t id) {
    const auto found = std::ranges::lower_bound(by_id, std::pair(tree, id), {}, key);
    require(found != by_id.end() && key(*found) == std::pair(tree, id), "{} has {}, but tree {} has no such node", name,
            id, tree);
    return *found;
  };

  std::vector<std::int64_t> as_child(static_cast<size_t>(count));  // the place among nodes, or ~ that among leaves
  for (std::int64_t i = 0; i < count; ++i) {
    const auto mode = std::ranges::find(kBranches, modes[i]);
    const bool is_leaf = modes[i] == "LEAF";
    if (!is_leaf && (mode == kBranches.end() || *mode == "BRANCH_MEMBER"))
      fail(Fault::invalid, "nodes_modes[{}] is {}, but must be BRANCH_LEQ, _LT, _GTE, _GT, _EQ, _NEQ or LEAF", i,
           printable(modes[i]));
    as_child[i] = is_leaf ? ~std::ssize(forest.leaves_) : std::ssize(forest.nodes_);
    if (is_leaf)
      forest.leaves_.push_back({ids[i]});
    else
      forest.nodes_.push_back({trees[i],
                               ids[i],
                               features[i],
                               thresholds[i],
                               static_cast<Decision>(mode - kBranches.begin()),
                               missing[i] != 0,
                               {}});
  }
  for (std::int64_t i = 0; i < count; ++i)
    if (as_child[i] >= 0)
      forest.nodes_[as_child[i]].child = {as_child[place_of("nodes_falsenodeids", trees[i], when_false[i])],
                                          as_child[place_of("nodes_truenodeids", trees[i], when_true[i])]};
  // The root of a tree is its first node in the list.
  std::set<std::int64_t> known;
  for (std::int64_t i = 0; i < count; ++i)
    if ((i == 0 || trees[i] != trees[i - 1]) && known.insert(trees[i]).second) forest.roots_.push_back(as_child[i]);

  const auto name = [&](std::string_view list) { return format("{}_{}", prefix, list); };
  const std::string ids_name = name("ids"), nodes_name = name("nodeids");
  const auto targets_of = integers_of(call, name("ids")), voters = integers_of(call, name("nodeids")),
             voters_trees = integers_of(call, name("treeids"));
  const std::vector<double> weights = numbers_of(call, name("weights"));
  require_length(name("nodeids"), std::ssize(voters), name("ids"), std::ssize(targets_of));
  require_length(name("treeids"), std::ssize(voters_trees), name("ids"), std::ssize(targets_of));
  require_length(name("weights"), std::ssize(weights), name("ids"), std::ssize(targets_of));
  std::vector<std::int64_t> leaf_of_vote;
  std::vector<Vote> votes;
  for (size_t v = 0; v < targets_of.size(); ++v) {
    require(targets_of[v] >= 0 && targets_of[v] < targets, "{}[{}] is {}, but must be from 0 to {}", ids_name, v,
            targets_of[v], targets - 1);
    const std::int64_t child = as_child[place_of(nodes_name, voters_trees[v], voters[v])];
    leaf_of_vote.push_back(child >= 0 ? std::ssize(forest.leaves_) : ~child);  // a node that is no leaf is never asked
    votes.push_back({targets_of[v], weights[v]});
  }
  forest.leaves_.push_back({-1});
  forest.add_votes(leaf_of_vote, votes);
  return forest;
}

void Forest::add_votes(const std::vector<std::int64_t>& leaf_of_vote, const std::vector<Vote>& votes) {
  for (const std::int64_t leaf : leaf_of_vote) ++leaves_[leaf].count;
  std::int64_t first = 0;
  for (TreeLeaf& leaf : leaves_) leaf.first = first, first += std::exchange(leaf.count, 0);
  votes_.resize(votes.size());
  for (size_t v = 0; v < votes.size(); ++v) {
    TreeLeaf& leaf = leaves_[leaf_of_vote[v]];
    votes_[leaf.first + leaf.count++] = votes[v];
  }
}

Forest Forest::of_tensors(const Call& call, std::int64_t targets) {
  Forest forest(call);
  const DType dtype = call.type("X").dtype;
  for (const std::string_view name : {"nodes_splits", "leaf_weights", "membership_values"})
    if (call.has(name))
      require(call.tensor(name).dtype() == dtype, "{} has type {}, but X has {}", name, call.tensor(name).dtype(),
              dtype);
  require(call.tensor("nodes_modes").dtype() == DType::uint8, "nodes_modes has type {}, but must be uint8",
          call.tensor("nodes_modes").dtype());
  const std::vector<double> splits = doubles(list_tensor(call, "nodes_splits")),
                            modes = doubles(list_tensor(call, "nodes_modes")),
                            weights = doubles(list_tensor(call, "leaf_weights"));
  const std::int64_t count = std::ssize(splits), leaves = std::ssize(weights);
  const auto list = [&](std::string_view name) {
    std::vector<std::int64_t> values = call.integers(name);
    require_length(name, std::ssize(values), "nodes_splits", count);
    return values;
  };
  require_length("nodes_modes", std::ssize(modes), "nodes_splits", count);
  const auto features = list("nodes_featureids"), when_true = list("nodes_truenodeids"),
             when_false = list("nodes_falsenodeids"), leaf_when_true = list("nodes_trueleafs"),
             leaf_when_false = list("nodes_falseleafs");
  const auto missing = optional_list(call, "nodes_missing_value_tracks_true", "nodes_splits", count);
  if (call.has("nodes_hitrates"))
    require_length("nodes_hitrates", list_tensor(call, "nodes_hitrates").count(), "nodes_splits", count);

  // One child is a leaf where its flag is 1, else a node.
  const auto child = [&](std::string_view ids, std::int64_t id, std::string_view flags, std::int64_t flag,
                         std::int64_t i) {
    require(flag == 0 || flag == 1, "{}[{}] is {}, but must be 0 or 1", flags, i, flag);
    const std::int64_t most = flag == 1 ? leaves : count;
    if (id < 0 || id >= most)
      fail(Fault::invalid, "{}[{}] is {}, but there are {}", ids, i, id,
           counted(most, flag == 1 ? "leaf weight" : "node"));
    return flag == 1 ? ~id : id;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    require(modes[i] < kBranches.size(), "nodes_modes[{}] is {}, but must be from 0 to 6", i, modes[i]);
    forest.nodes_.push_back({-1,
                             i,
                             features[i],
                             splits[i],
                             static_cast<Decision>(static_cast<int>(modes[i])),
                             missing[i] != 0,
                             {child("nodes_falsenodeids", when_false[i], "nodes_falseleafs", leaf_when_false[i], i),
                              child("nodes_truenodeids", when_true[i], "nodes_trueleafs", leaf_when_true[i], i)}});
  }
  forest.roots_ = call.integers("tree_roots");
  require(!forest.roots_.empty(), "tree_roots is empty, but there must be a tree");
  for (size_t t = 0; t < forest.roots_.size(); ++t)
    require(forest.roots_[t] >= 0 && forest.roots_[t] < count, "tree_roots[{}] is {}, but there are {}", t,
            forest.roots_[t], counted(count, "node"));

  // Sets in the order of the nodes of mode MEMBER, each ended by NaN, which may be missing of the last.
  std::vector<std::vector<double>> sets;
  bool is_open = false;
  for (const double member :
       call.has("membership_values") ? doubles(list_tensor(call, "membership_values")) : std::vector<double>()) {
    if (!is_open) sets.emplace_back();
    is_open = !std::isnan(member);
    if (is_open) sets.back().push_back(member);
  }
  for (TreeNode& node : forest.nodes_)
    if (node.decision == Decision::member) node.members = std::ssize(forest.members_), forest.members_.emplace_back();
  require(sets.size() == forest.members_.size(), "membership_values has {}, but there are {} of mode BRANCH_MEMBER",
          counted(std::ssize(sets), "set"), counted(std::ssize(forest.members_), "node"));
  forest.members_ = std::move(sets);
  for (std::vector<double>& set : forest.members_) std::ranges::sort(set);

  const std::vector<std::int64_t> ids = call.integers("leaf_targetids");
  require_length("leaf_targetids", std::ssize(ids), "leaf_weights", leaves);
  for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
    require(ids[leaf] >= 0 && ids[leaf] < targets, "leaf_targetids[{}] is {}, but must be from 0 to {}", leaf,
            ids[leaf], targets - 1);
    forest.leaves_.push_back({leaf, leaf, 1});
    forest.votes_.push_back({ids[leaf], weights[leaf]});
  }
  return forest;
}

// x = X[row, feature] meets the threshold as the mode says, both being exact numbers; NaN goes where
// nodes_missing_value_tracks_true says.
bool Forest::is_true(const TreeNode& node, const Elements& X, std::int64_t at) const {
  exact::WholeParts x{0, 0};  // nearest + rest
  if (X.is_floating())
    x.nearest = in_float32_ ? static_cast<float>(X.number(at)) : X.number(at);
  else if (in_float32_)
    x.nearest = static_cast<float>(X.integer(at));
  else
    x = exact::parts_of_whole(X.integer(at));
  const double threshold = in_float32_ ? static_cast<float>(node.threshold) : node.threshold;
  if (std::isnan(x.nearest)) return (node.decision == Decision::neq && nan_is_neq_) || node.nan_is_true;
  const bool is_below = x.nearest < threshold || (x.nearest == threshold && x.rest < 0),
             is_above = x.nearest > threshold || (x.nearest == threshold && x.rest > 0),
             is_equal = x.nearest == threshold && x.rest == 0;
  switch (node.decision) {
    case Decision::leq:
      return is_below || is_equal;
    case Decision::lt:
      return is_below;
    case Decision::gte:
      return is_above || is_equal;
    case Decision::gt:
      return is_above;
    case Decision::eq:
      return is_equal;
    case Decision::neq:
      return !is_equal;
    case Decision::member:
      return std::ranges::binary_search(members_[static_cast<size_t>(node.members)], x.nearest);
  }
  return false;
}

/// A row that comes to the node cannot go on.
void Forest::fail_at(const TreeNode& node, std::int64_t features) const {
  const std::string name =
      has_tree_ids_ ? format("node {} of tree {}", node.id, node.tree) : format("node {}", node.id);
  require(node.feature >= 0 && node.feature < features, "{} asks for feature {}, but X has {}", name, node.feature,
          counted(features, "feature"));
  fail(Fault::invalid, "a row goes round from {} to itself: the tree has a cycle", name);
}

std::int64_t Forest::leaf_of(std::int64_t at, const Elements& X, std::int64_t first, std::int64_t features,
                             const Heard* heard) const {
  for (std::int64_t steps = 0; at >= 0; ++steps) {
    const TreeNode& node = nodes_[static_cast<size_t>(at)];
    if (node.feature < 0 || node.feature >= features || steps == std::ssize(nodes_)) fail_at(node, features);
    const bool is_true_there = is_true(node, X, first + node.feature);
    if (heard != nullptr) (*heard)(node, first + node.feature, is_true_there);
    at = node.child[is_true_there ? 1 : 0];
  }
  return ~at;
}

std::string Forest::condition(const TreeNode& node, const Tensor& X, std::int64_t at) const {
  std::string other;
  if (node.decision == Decision::member) {
    const std::vector<double>& set = members_[static_cast<size_t>(node.members)];
    constexpr size_t kMost = 8;
    other = "{" + join_some(set, ", ", kMost, [](double member) { return format("{}", member); }) + "}";
  } else {
    other = format("{}", node.threshold);
  }
  return format("X{} = {} {} {}", coordinates(at, X.shape()), element_text(X, at),
                kSigns[static_cast<size_t>(node.decision)], other);
}

void Forest::tell(const Output& out, const Tensor& input, std::int64_t row, std::int64_t features,
                  bool tells_reads) const {
  if (out.sink() == nullptr) return;
  const Elements X(input);
  exact::SentenceSink* sink = exact::SentenceSink::of(out.sink());
  std::set<std::int64_t> read;
  for (size_t t = 0; t < roots_.size(); ++t) {
    require_time();
    std::string text;
    const Heard heard = [&](const TreeNode& node, std::int64_t at, bool is_true_there) {
      if (tells_reads && read.insert(at).second) out.sink()->reads(X.place(at));
      text += format("node {}: {}, {}; ", node.id, condition(node, input, at), is_true_there ? "true" : "false");
    };
    const TreeLeaf& leaf = leaves_[static_cast<size_t>(leaf_of(roots_[t], X, row * features, features, &heard))];
    if (sink == nullptr) continue;
    text = format("tree {}: {}leaf {} ", t, text, leaf.id);
    const std::span<const Vote> own(votes_.data() + leaf.first, static_cast<size_t>(leaf.count));
    constexpr size_t kMost = 8;
    text += own.empty() ? "without a vote" : "gives " + join_some(own, ", ", kMost, [](const Vote& vote) {
                                               return format("{} to {}", vote.weight, vote.target);
                                             });
    sink->decides(text);
  }
}

std::vector<schema::ShortName> tree_list_names(std::array<std::string_view, 5> votes) {
  std::vector<schema::ShortName> names{{"nodes_falsenodeids", ""},
                                       {"nodes_featureids", ""},
                                       {"nodes_nodeids", ""},
                                       {"nodes_treeids", ""},
                                       {"nodes_truenodeids", ""},
                                       {"nodes_modes", ""},
                                       {"nodes_values", ""},
                                       {"nodes_hitrates", "hitrates"},
                                       {"nodes_missing_value_tracks_true", "nan"},
                                       {"base_values", "base"},
                                       {"base_values_as_tensor", "bases"},
                                       {"nodes_values_as_tensor", "thresholds"},
                                       {"nodes_hitrates_as_tensor", "hits"}};
  for (const std::string_view name : votes) names.push_back({name, ""});
  return names;
}

TreeScores tree_scores(const Call& call, const Forest& forest, std::int64_t targets, Aggregate aggregate,
                       std::vector<double> base, DType type) {
  TreeScores scores{forest, call.input("X"), feature_rows(call).features, targets, aggregate, std::move(base)};
  std::vector<double> weights;
  for (const Vote& vote : forest.all_votes()) weights.push_back(vote.weight);
  scores.weights = Tensor::of<double>(DType::float64, {std::ssize(weights)}, weights);
  if (lists_reading(call, "tree.empty_target") && call.reads("tree.empty_target", "extreme")) {
    const auto finite = [&](Extreme extreme) {
      const Tensor end = neutral(type, extreme, Ends::finite);
      return Elements(end).number(0);
    };
    scores.empty_min = finite(Extreme::least), scores.empty_max = finite(Extreme::greatest);
  }
  return scores;
}
}  // namespace opref::ops
