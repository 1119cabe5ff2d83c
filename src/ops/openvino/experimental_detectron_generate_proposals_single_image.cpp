// SPDX-License-Identifier: Apache-2.0
// openvino ExperimentalDetectronGenerateProposalsSingleImage, version 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/proposals.h"
namespace opref::ops::openvino::file_experimental_detectron_generate_proposals_single_image {
namespace {
Proposals proposals(const Call& call) { return {call, {"input0", "input1", "input2", "input3"}, 1}; }

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, scores] = call.type("input3");
  const Dims &info = call.type("input0").shape, &anchors = call.type("input1").shape,
             &deltas = call.type("input2").shape;
  require(scores.size() == 3, "{} has rank {}, but must be (anchors, height, width): rank 3", call.name("input3"),
          scores.size());
  require(info == Dims{3}, "{} has shape {}, but must be [3]: height, width, scale", call.name("input0"), info);
  require(anchors == Dims{element_count(scores), 4}, "{} has shape {}, but {} has shape {}: it must be {}",
          call.name("input1"), anchors, call.name("input3"), scores, Dims{element_count(scores), 4});
  require(deltas == Dims{checked_multiply(scores[0], 4), scores[1], scores[2]},
          "{} has shape {}, but {} has shape {}: it must be {}", call.name("input2"), deltas, call.name("input3"),
          scores, Dims{checked_multiply(scores[0], 4), scores[1], scores[2]});
  const std::int64_t count = call.integer("post_nms_count");
  return {TensorType{dtype, Dims{count, 4}}, TensorType{dtype, Dims{count}}};
}

// Of the boxes without a side below min_size the pre_nms_count with the best scores, and of these the first
// post_nms_count whose overlap with none before is above nms_threshold; then 0. Sides are x2 - x1 + 1, but in overlaps
// x2 - x1.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Proposals all = proposals(call);
  const bool removes = call.reads("proposal.small", "removed");
  std::vector<std::int64_t> order;
  std::vector<char> is_small;
  for (std::int64_t at = 0; at < all.count(); ++at) {
    is_small.push_back(char{all.is_small(at, call.number("min_size"), false)});
    if (!removes || is_small.back() == 0) order.push_back(at);
  }
  sort_by_score(order, [&](std::int64_t at) { return is_small[static_cast<size_t>(at)] != 0 ? 0 : all.score(at); });
  keep_first(order, call.integer("pre_nms_count"));
  const std::vector<std::int64_t> rows =
      suppressed(order, [&](std::int64_t at, const auto& x) { return all.box(at, x); },
                 {.threshold = call.number("nms_threshold"), .most = call.integer("post_nms_count")});
  const auto is_there = [&](std::int64_t row) { return row < std::ssize(rows); };
  return {real(outs[0],
               [&]<class R>(std::int64_t i, const Reader<R>& x) {
                 return is_there(i / 4)
                            ? x.sum(all.box(rows[static_cast<size_t>(i / 4)], x)[static_cast<size_t>(i % 4)])
                            : R(0.0);
               }),
          move(outs[1], call.input("input3"), [&](std::int64_t i) {
            if (!is_there(i) || is_small[static_cast<size_t>(rows[static_cast<size_t>(i)])] != 0) return Run::fill();
            return Run{all.score_place(rows[static_cast<size_t>(i)])};
          })};
}

void version_6(OpSchema& s) {
  s.attribute(required(FLOAT, "min_size", at_least(0)))
      .attribute(required(FLOAT, "nms_threshold", at_least(0)))
      .attribute(required(INT, "pre_nms_count", at_least(0)))
      .attribute(required(INT, "post_nms_count", at_least(0)))
      .input("input0", "T", "the image, [3]: height, width, scale")
      .input("input1", "T", "anchors, (height·width·anchors, 4): x1, y1, x2, y2")
      .input("input2", "T", "deltas, (4·anchors, height, width): dx, dy, dw, dh of each anchor")
      .input("input3", "T", "scores, (anchors, height, width)")
      .output("output0", "T", "the boxes, (post_nms_count, 4)")
      .output("output1", "T", "their scores")
      .types("T", computed_floats);
}
}  // namespace
Operator experimental_detectron_generate_proposals_single_image() {
  return Operator("openvino", "ExperimentalDetectronGenerateProposalsSingleImage")
      .summary("anchors that deltas move, the best of an image, without those that overlap a better one")
      .page("detection/experimental-detectron-generate-proposals-single-image-6")
      .category("category object detection")
      .version(6, version_6)
      .reading(small_proposals_reading(6))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_experimental_detectron_generate_proposals_single_image
