// SPDX-License-Identifier: Apache-2.0
// openvino ExperimentalDetectronTopKROIs, version 6 (opset6)
#include "evaluators/stretches.h"
#include "ops/operator_file.h"
#include "ops/shared/boxes.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_experimental_detectron_top_krois {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, rois] = call.type("input_rois");
  const Dims& probabilities = call.type("rois_probs").shape;
  require(rois.size() == 2 && rois[1] == 4, "input_rois has shape {}, but must be (rois, 4)", rois);
  require(probabilities == rois.first(1), "rois_probs has shape {}, but input_rois has shape {}: it must be {}",
          probabilities, rois, rois.first(1));
  return {TensorType{dtype, Dims{call.integer("max_rois"), 4}}};
}

// The max_rois rows with the greatest probabilities, of equal ones the first; then rows of 0.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_no_nan(call, "rois_probs");
  const Elements probability(call.input("rois_probs"));
  std::vector<std::int64_t> order(static_cast<size_t>(call.type("rois_probs").shape[0]));
  std::iota(order.begin(), order.end(), 0);
  sort_by_score(order, [&](std::int64_t i) { return probability.number(i); });
  return {move(outs[0], call.input("input_rois"), [&](std::int64_t i) {
    return i / 4 < std::ssize(order) ? Run{order[static_cast<size_t>(i / 4)] * 4 + i % 4} : Run::fill();
  })};
}

void version_6(OpSchema& s) {
  s.attribute(with_default("max_rois", 0, at_least(0)))
      .input("input_rois", "T", "(rois, 4)")
      .input("rois_probs", "T", "of each its probability")
      .output("output0", "T", "the most probable ones")
      .types("T", computed_floats);
}
}  // namespace
Operator experimental_detectron_top_krois() {
  return Operator("openvino", "ExperimentalDetectronTopKROIs")
      .summary("the regions with the greatest probabilities")
      .page("sort/experimental-detectron-top-krois-6")
      .category("category sorting and maximization")
      .version(6, version_6)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_experimental_detectron_top_krois
