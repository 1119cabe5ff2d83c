// SPDX-License-Identifier: Apache-2.0
// openvino GenerateProposals, version 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino_boxes.h"
#include "ops/shared/proposals.h"
namespace opref::ops::openvino::file_generate_proposals {
namespace {
Proposals proposals(const Call& call) {
  return {call, {"im_info", "anchors", "boxesdeltas", "scores"}, call.flag("normalized") ? 0 : 1};
}

// Of each image the pre_nms_count boxes with the best scores, of these those that have no side below min_size·scale,
// and of these the first post_nms_count whose overlap with none before is above nms_threshold.
std::vector<std::vector<std::int64_t>> chosen(const Call& call) {
  const Proposals all = proposals(call);
  const Suppression by{.threshold = call.number("nms_threshold"),
                       .sides = {.more = call.flag("normalized") ? 0 : 1, .is_apart = true},
                       .most = call.integer("post_nms_count"),
                       .eta = call.number("nms_eta")};
  std::vector<std::vector<std::int64_t>> images;
  for (std::int64_t image = 0; image < all.images(); ++image) {
    std::vector<std::int64_t> order(static_cast<size_t>(all.count()));
    std::iota(order.begin(), order.end(), image * all.count());
    sort_by_score(order, [&](std::int64_t at) { return all.score(at); });
    keep_first(order, call.integer("pre_nms_count"));
    std::erase_if(order, [&](std::int64_t at) {
      return all.is_small(at, call.number("min_size"), call.reads("proposal.min_size_scale", "scaled"));
    });
    images.push_back(suppressed(
        order, [&](std::int64_t at, const auto& x) { return all.box(at, x); }, by));
  }
  return images;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, scores] = call.type("scores");
  const Dims &info = call.type("im_info").shape, &anchors = call.type("anchors").shape,
             &deltas = call.type("boxesdeltas").shape;
  require(scores.size() == 4, "scores has rank {}, but must be (images, anchors, height, width): rank 4",
          scores.size());
  require(info.size() == 2 && info[0] == scores[0] && (info[1] == 3 || info[1] == 4),
          "im_info has shape {}, but must be ({}, 3 or 4): height, width, scales", info, scores[0]);
  require(anchors == Dims{scores[2], scores[3], scores[1], 4},
          "anchors has shape {}, but scores has shape {}: it must be {}", anchors, scores,
          Dims{scores[2], scores[3], scores[1], 4});
  require(deltas == Dims{scores[0], checked_multiply(scores[1], 4), scores[2], scores[3]},
          "boxesdeltas has shape {}, but scores has shape {}: it must be {}", deltas, scores,
          Dims{scores[0], checked_multiply(scores[1], 4), scores[2], scores[3]});
  std::int64_t rows = 0;
  for (const auto& image : chosen(call)) rows += std::ssize(image);
  return {TensorType{dtype, Dims{rows, 4}}, TensorType{dtype, Dims{rows}},
          TensorType{index_type_of(call, "roi_num_type"), Dims{scores[0]}}};
}

// rpnrois: the boxes, anchors that deltas moved, clipped to the image; rpnscores: their scores; rpnroisnum: how many
// each image has
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Proposals all = proposals(call);
  std::vector<std::int64_t> rows, sizes;
  for (const auto& image : chosen(call)) {
    rows.insert(rows.end(), image.begin(), image.end());
    sizes.push_back(std::ssize(image));
  }
  return {real(outs[0],
               [&](std::int64_t i, const auto& x) {
                 return x.sum(all.box(rows[static_cast<size_t>(i / 4)], x)[static_cast<size_t>(i % 4)]);
               }),
          move(outs[1], call.input("scores"),
               [&](std::int64_t i) { return Run{all.score_place(rows[static_cast<size_t>(i)])}; }),
          counts(outs[2], sizes)};
}

void version_9(OpSchema& s) {
  s.attribute(required(FLOAT, "min_size", at_least(0)))
      .attribute(required(FLOAT, "nms_threshold", at_least(0)))
      .attribute(required(INT, "pre_nms_count", at_least(0)))
      .attribute(required(INT, "post_nms_count", at_least(0)))
      .attribute(with_default("normalized", 1, flag()))
      .attribute(with_default("nms_eta", 1.0F, between(0, 1)))
      .attribute(with_default("roi_num_type", "i64", index_types()))
      .input("im_info", "T", "(images, 3 or 4): height, width, scale or scales of height and width")
      .input("anchors", "T", "(height, width, anchors, 4): x1, y1, x2, y2")
      .input("boxesdeltas", "T", "(images, 4·anchors, height, width): dx, dy, dw, dh of each anchor")
      .input("scores", "T", "(images, anchors, height, width)")
      .output("rpnrois", "T", "the boxes, (boxes, 4)")
      .output("rpnscores", "T", "their scores")
      .output("rpnroisnum", "T_IND", "how many each image has")
      .types("T", computed_floats)
      .types("T_IND", types::signed_wide);
}
}  // namespace
Operator generate_proposals() {
  return Operator("openvino", "GenerateProposals")
      .summary("anchors that deltas move, the best of each image, without those that overlap a better one")
      .page("detection/generate-proposals-9")
      .category("category object detection")
      .version(9, version_9)
      .reading(scaled_least_reading(9))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_generate_proposals
