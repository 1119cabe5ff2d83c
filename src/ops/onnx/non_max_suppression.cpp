// SPDX-License-Identifier: Apache-2.0
// ai.onnx NonMaxSuppression, versions 10, 11
// https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
#include "ops/operator_file.h"
#include "ops/shared/boxes.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_non_max_suppression {
namespace {
/// Of each chosen box its place in scores: per batch, then class, boxes by score, the best first, of equals the first.
std::vector<std::int64_t> chosen(const Call& call) {
  const Dims &boxes = call.type("boxes").shape, &scores = call.type("scores").shape;
  require(boxes.size() == 3 && boxes[2] == 4, "boxes has shape {}, but must be (batches, boxes, 4)", boxes);
  require(scores.size() == 3 && scores[0] == boxes[0] && scores[2] == boxes[1],
          "scores has shape {}, but boxes has shape {}: it must be ({}, classes, {})", scores, boxes, boxes[0],
          boxes[1]);
  for (const std::string_view name : {"max_output_boxes_per_class", "iou_threshold", "score_threshold"})
    require_scalar_or_one(call, name);
  const double iou = call.has("iou_threshold") ? call.number("iou_threshold") : 0;
  require(iou >= 0 && iou <= 1, "iou_threshold is {}, but must be from 0 to 1", iou);
  const double least = call.has("score_threshold") ? call.number("score_threshold") : -INFINITY;
  require(!std::isnan(least), "score_threshold is {}, but must be a number", least);
  const std::int64_t most = call.has("max_output_boxes_per_class") ? call.integer("max_output_boxes_per_class") : 0;
  require_finite(call, "boxes");
  const Elements score(call.input("scores")), box(call.input("boxes"));
  for (std::int64_t i = 0; i < call.input("scores").count(); ++i)
    if (std::isnan(score.number(i)))
      fail(Fault::invalid, "scores{} is nan, but must be a number", coordinates(i, scores));

  const bool by_center = call.flag("center_point_box");
  const bool removes_equal = call.reads("non_max_suppression.score_equal", "remove");
  const Suppression by{.threshold = iou, .most = most};
  std::vector<std::int64_t> all;
  if (most <= 0 || element_count(scores) == 0) return all;
  for (std::int64_t row = 0; row < scores[0] * scores[1]; ++row) {
    const auto score_of = [&](std::int64_t i) { return score.number(row * scores[2] + i); };
    std::vector<std::int64_t> candidates;
    for (std::int64_t i = 0; i < scores[2]; ++i)
      if (removes_equal ? score_of(i) > least : score_of(i) >= least) candidates.push_back(i);
    sort_by_score(candidates, score_of);
    const auto box_of = [&](std::int64_t i, const auto& x) {
      return box_by_corners_or_center(box, row / scores[1] * scores[2] + i, by_center, x);
    };
    for (const std::int64_t i : suppressed(candidates, box_of, by)) all.push_back(row * scores[2] + i);
  }
  return all;
}

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{DType::int64, Dims{std::ssize(chosen(call)), 3}}};
}

// selected_indices[k] = [batch, class, box] of the k-th chosen box
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<std::int64_t> all = chosen(call);
  const Dims& scores = call.type("scores").shape;
  return {places(
      outs[0], call.input("scores"), [&](std::int64_t i) { return all[static_cast<size_t>(i / 3)]; },
      [&](std::int64_t i, std::int64_t at) { return coordinates(at, scores)[static_cast<size_t>(i % 3)]; })};
}

bool has_threshold(const Call& call) { return call.has("score_threshold"); }

void version_10(OpSchema& s) {
  s.attribute(with_default("center_point_box", 0, flag()))
      .input("boxes", "float32",
             "(batches, boxes, 4): two corners, y before x, or x and y of the center, width, height")
      .input("scores", "float32", "(batches, classes, boxes)")
      .input("max_output_boxes_per_class", "int64", Arity::optional, "no box where it is absent or 0")
      .input("iou_threshold", "float32", Arity::optional, "a box that shares more with a chosen one is dropped")
      .input("score_threshold", "float32", Arity::optional, "a box with a lower score is dropped")
      .output("selected_indices", "int64", "batch, class and box of each chosen one");
}
}  // namespace
Operator non_max_suppression() {
  return Operator("ai.onnx", "NonMaxSuppression")
      .summary("the boxes with the best scores, without those that overlap a better one")
      .version(10, version_10)
      .version(11, words("boxes may be given by their centers"))
      .reading(
          {.name = "non_max_suppression.score_equal",
           .alternatives = {"keep: a score equal to the threshold is enough", "remove: it is not"},
           .defaults = {{10, "keep"}},
           .reason = "the text removes scores less than the threshold; onnx.reference and onnxruntime equal ones too",
           .may_change_values = has_threshold})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_non_max_suppression
