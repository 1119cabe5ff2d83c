// SPDX-License-Identifier: Apache-2.0
// Ensembles of decision trees.
#include <algorithm>

#include "exact/storage.h"
#include "mistakes/tools.h"
#include "ops/shared/trees.h"

namespace opref::mistakes {
namespace {

// How nodes compare, by words, or as numbers: each of the first mode taken as the second.
Made mode_taken_as(const std::string& mode, std::uint8_t number, const std::string& other, std::uint8_t other_number) {
  return [=](const Call& call) -> std::optional<Call> {
    if (!call.has("nodes_modes")) return std::nullopt;
    if (call.schema().find_attribute("nodes_modes")->type == AttributeType::STRINGS) {
      std::vector<std::string> modes = call.strings("nodes_modes");
      std::ranges::replace(modes, mode, other);
      return call.with_attribute("nodes_modes", AttributeValue::of(std::move(modes)));
    }
    const Tensor& modes = call.tensor("nodes_modes");
    const Tensor taken = tensor_of_bits(modes.type(), [&](std::int64_t i) -> std::uint64_t {
      const std::uint64_t here = element_bits(modes, i);
      return here == number ? other_number : here;
    });
    return call.with_attribute("nodes_modes", {AttributeType::TENSOR, taken});
  };
}

// Thresholds of float64 rounded to float32, and the features not.
std::optional<Call> narrow_thresholds(const Call& call) {
  for (const std::string_view name : {"nodes_values_as_tensor", "nodes_splits"}) {
    if (call.schema().find_attribute(name) == nullptr || !call.has(name)) continue;
    if (call.tensor(name).dtype() != DType::float64) continue;
    const Tensor taken =
        of_each(call.tensor(name), [](double x) { return static_cast<double>(static_cast<float>(x)); });
    return call.with_attribute(name, {AttributeType::TENSOR, taken});
  }
  return std::nullopt;
}

// The true child where the condition does not hold, and the other way round.
std::optional<Call> children_exchanged(const Call& call) {
  const auto exchanged = [](const Call& of, std::string_view a, std::string_view b) {
    const std::vector<std::int64_t> first = of.integers(a), second = of.integers(b);
    return with_list(with_list(of, a, second), b, first);
  };
  if (!call.has("nodes_truenodeids") || !call.has("nodes_falsenodeids")) return std::nullopt;
  Call taken = exchanged(call, "nodes_truenodeids", "nodes_falsenodeids");
  if (call.schema().find_attribute("nodes_trueleafs") != nullptr)
    taken = exchanged(taken, "nodes_trueleafs", "nodes_falseleafs");
  return taken;
}

// Base values are added to votes alone: a target without one stays 0.
std::vector<Value> base_beside_votes_alone(const Call& call, std::span<const Output>) {
  const Tensor y = *computed_rightly(call)[0].tensor();
  Call bare = call.without_attribute("base_values");
  if (bare.has_here("base_values_as_tensor")) bare = bare.without_attribute("base_values_as_tensor");
  const Tensor without = *computed_rightly(bare)[0].tensor();
  const std::int64_t targets = call.integer("n_targets");
  const ops::Forest forest = ops::Forest::of_lists(call, "target", targets);
  const evaluators::Elements X(call.input("X"));
  std::vector<bool> has_vote(static_cast<size_t>(y.count()));
  for (std::int64_t row = 0; row < y.shape()[0]; ++row)
    forest.votes(X, row, ops::feature_rows(call).features,
                 [&](const ops::Vote& vote) { has_vote[static_cast<size_t>(row * targets + vote.target)] = true; });
  return {tensor_of_bits(
      y.type(), [&](std::int64_t i) { return element_bits(has_vote[static_cast<size_t>(i)] ? y : without, i); })};
}
bool has_base_values(const Call& call) { return !ops::numbers_of(call, "base_values").empty(); }

}  // namespace

const Table& trees() {
  static const std::vector<std::string_view> all{"ai.onnx.ml.TreeEnsemble", "ai.onnx.ml.TreeEnsembleClassifier",
                                                 "ai.onnx.ml.TreeEnsembleRegressor"};
  static const Table table{
      {all, "BRANCH_LEQ taken as BRANCH_LT", mode_taken_as("BRANCH_LEQ", 0, "BRANCH_LT", 1)},
      {all, "BRANCH_LT taken as BRANCH_LEQ", mode_taken_as("BRANCH_LT", 1, "BRANCH_LEQ", 0)},
      {all, "BRANCH_GTE taken as BRANCH_GT", mode_taken_as("BRANCH_GTE", 2, "BRANCH_GT", 3)},
      {all, "BRANCH_GT taken as BRANCH_GTE", mode_taken_as("BRANCH_GT", 3, "BRANCH_GTE", 2)},
      {all, "thresholds rounded to float32", narrow_thresholds},
      {{"ai.onnx.ml.TreeEnsembleRegressor"},
       "base_values forgotten where no vote came",
       computed_by(has_base_values, base_beside_votes_alone)},
      {all, "true and false children exchanged", children_exchanged},
  };
  return table;
}

}  // namespace opref::mistakes
