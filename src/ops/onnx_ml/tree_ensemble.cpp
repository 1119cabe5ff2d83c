// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml TreeEnsemble, version 5
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
#include "ops/operator_file.h"
#include "ops/shared/tree_lists.h"
#include "ops/shared/trees.h"
namespace opref::ops::onnx_ml::file_tree_ensemble {
namespace {
std::int64_t targets_of(const Call& call) {
  require(call.has("n_targets"), "n_targets is missing, but the size of Y follows from it");
  return call.integer("n_targets");
}

/// 0 AVERAGE, 1 SUM, 2 MIN, 3 MAX.
Aggregate aggregate_of(const Call& call) {
  using enum Aggregate;
  return std::array{average, sum, min, max}[static_cast<size_t>(call.integer("aggregate_function"))];
}
/// 0 NONE, 1 SOFTMAX, 2 LOGISTIC, 3 SOFTMAX_ZERO, 4 PROBIT.
PostTransform transform_kind(const Call& call) {
  using enum PostTransform;
  const auto number = static_cast<size_t>(call.integer("post_transform"));
  const bool by_program = call.reads("tree_ensemble.post_transform", "onnxruntime");
  return by_program ? std::array{none, logistic, softmax, softmax_zero, probit}[number]
                    : std::array{none, softmax, logistic, softmax_zero, probit}[number];
}

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& X = call.type("X");
  require(X.rank() == 2, "X has shape {}, but must be [N,F]", X.shape);
  Forest::of_tensors(call, targets_of(call));
  return {TensorType{X.dtype, Dims{X.shape[0], targets_of(call)}}};
}

// s[t] = the average over the trees, sum, least or greatest of the weights of the leaves of target t that the row
// reaches, 0 where there is none; Y of each row = post_transform(s)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Forest forest = Forest::of_tensors(call, targets_of(call));
  const TreeScores s = tree_scores(call, forest, targets_of(call), aggregate_of(call), {}, outs[0].type().dtype);
  const Transform transform = transform_of(call, transform_kind(call));
  tell_path(outs[0], s, targets_of(call), transform.kind == PostTransform::none && s.has_terms());
  return {score_rows(outs[0], s, targets_of(call), transform)};
}

bool takes_extreme(const Call& call) { return call.integer("aggregate_function") >= 2; }
bool is_single(const Call& call) {
  return targets_of(call) == 1 && transform_kind(call) != PostTransform::none &&
         transform_kind(call) != PostTransform::probit;
}
bool has_exchanged_number(const Call& call) {
  return call.integer("post_transform") == 1 || call.integer("post_transform") == 2;
}

void version_5(OpSchema& s) {
  s.input("X", "T", "[N, F]").output("Y", "T", "[N, n_targets]");
  s.types("T", {DType::float32, DType::float64, DType::float16});
  s.attribute(with_default("aggregate_function", 1, between(0, 3)));
  for (const char* name : {"leaf_targetids", "nodes_falseleafs", "nodes_falsenodeids", "nodes_featureids",
                           "nodes_trueleafs", "nodes_truenodeids", "tree_roots"})
    s.attribute(required(INTS, name));
  for (const char* name : {"leaf_weights", "nodes_modes", "nodes_splits"}) s.attribute(required(TENSOR, name));
  s.attribute(optional(TENSOR, "membership_values")).attribute(optional(TENSOR, "nodes_hitrates"));
  s.attribute(optional(INT, "n_targets", at_least(1))).attribute(optional(INTS, "nodes_missing_value_tracks_true"));
  s.attribute(with_default("post_transform", 0, between(0, 4)));
}
}  // namespace
Operator tree_ensemble() {
  return Operator("ai.onnx.ml", "TreeEnsemble")
      .summary("the sum, average, least or greatest leaf of decision trees for each target, perhaps transformed")
      .version(5, version_5)
      .readings(tree_readings(5))
      .reading(empty_target_reading(5, takes_extreme))
      .reading({.name = "tree_ensemble.post_transform",
                .alternatives = {"page: 1 is SOFTMAX, 2 LOGISTIC", "onnxruntime: 1 is LOGISTIC, 2 SOFTMAX"},
                .defaults = {{5, "page"}},
                .reason = "the page numbers them so",
                .may_change_values = has_exchanged_number})
      .readings(transform_readings(5))
      .reading(single_score_reading(5, is_single))
      .short_names({{"leaf_targetids", ""},
                    {"nodes_falseleafs", ""},
                    {"nodes_falsenodeids", ""},
                    {"nodes_featureids", ""},
                    {"nodes_trueleafs", ""},
                    {"nodes_truenodeids", ""},
                    {"tree_roots", ""},
                    {"leaf_weights", ""},
                    {"nodes_splits", ""},
                    {"nodes_modes", "modes"},
                    {"membership_values", "members"},
                    {"nodes_hitrates", "hitrates"},
                    {"nodes_missing_value_tracks_true", "nan"}})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_tree_ensemble
