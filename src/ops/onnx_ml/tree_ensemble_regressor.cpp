// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml TreeEnsembleRegressor, versions 1, 3, 5
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html
#include "ops/operator_file.h"
#include "ops/shared/tree_lists.h"
#include "ops/shared/trees.h"
namespace opref::ops::onnx_ml::file_tree_ensemble_regressor {
namespace {
std::int64_t targets_of(const Call& call) {
  require(call.has("n_targets"), "n_targets is missing, but the size of Y follows from it");
  return call.integer("n_targets");
}

/// No base values, or one per target.
std::vector<double> base_of(const Call& call) {
  const std::vector<double> base = numbers_of(call, "base_values");
  require(base.empty() || std::ssize(base) == targets_of(call), "base_values has {}, but must have none or {}",
          counted(std::ssize(base), "value"), targets_of(call));
  return base;
}

std::vector<ValueType> output_types(const Call& call) {
  Forest::of_lists(call, "target", targets_of(call));
  base_of(call);
  return {TensorType{DType::float32, Dims{feature_rows(call).rows, targets_of(call)}}};
}

// s[t] = the sum, average over the trees, least or greatest of the votes for target t in the leaves that the row
// reaches, 0 where there is none, + base_values[t]; Y of each row = post_transform(s)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Forest forest = Forest::of_lists(call, "target", targets_of(call));
  const TreeScores s = tree_scores(call, forest, targets_of(call), call.choice<Aggregate>("aggregate_function"),
                                   base_of(call), DType::float32);
  const Transform transform = transform_of(call);
  tell_path(outs[0], s, targets_of(call), transform.kind == PostTransform::none && s.has_terms());
  return {score_rows(outs[0], s, targets_of(call), transform)};
}

bool takes_extreme(const Call& call) {
  const auto aggregate = call.choice<Aggregate>("aggregate_function");
  return aggregate == Aggregate::min || aggregate == Aggregate::max;
}
bool is_single(const Call& call) {
  const auto kind = call.choice<PostTransform>("post_transform");
  return targets_of(call) == 1 && kind != PostTransform::none && kind != PostTransform::probit;
}

void version_1(OpSchema& s) {
  s.shape_inference(ShapeInference::none);
  s.input("X", "T", "[N, C], or one row").output("Y", "float32", "[N, n_targets]");
  s.types("T", types::signed_wide | Types{DType::float32, DType::float64});
  s.attribute(with_default("aggregate_function", "SUM", one_of({"SUM", "AVERAGE", "MIN", "MAX"})));
  with_tree_lists(s);
  s.attribute(optional(INT, "n_targets", at_least(1)));
  s.attribute(optional(INTS, "target_ids")).attribute(optional(INTS, "target_nodeids"));
  s.attribute(optional(INTS, "target_treeids")).attribute(optional(FLOATS, "target_weights"));
}
void version_3(OpSchema& s) {
  s.shape_inference(ShapeInference::onnx);
  with_tree_tensors(s);
  s.attribute(optional(TENSOR, "target_weights_as_tensor"));
}
}  // namespace
Operator tree_ensemble_regressor() {
  return Operator("ai.onnx.ml", "TreeEnsembleRegressor")
      .summary("the sum, average, least or greatest vote of decision trees for each target, perhaps transformed")
      .version(1, version_1)
      .version(3, version_3)
      .version(5, [](OpSchema& s) { s.deprecate().shape_inference(ShapeInference::none); })
      .readings(tree_readings(1))
      .reading(empty_target_reading(1, takes_extreme))
      .readings(transform_readings(1))
      .reading(single_score_reading(1, is_single))
      .short_names(tree_list_names(
          {"target_ids", "target_nodeids", "target_treeids", "target_weights", "target_weights_as_tensor"}))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_tree_ensemble_regressor
