// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/openvino_boxes.h"

namespace opref::ops {
void require_boxes_and_scores(const Call& call, std::int64_t numbers) {
  const Dims &boxes = call.type("boxes").shape, &scores = call.type("scores").shape;
  require(boxes.size() == 3 && boxes[2] == numbers, "boxes has shape {}, but must be (batches, boxes, {})", boxes,
          numbers);
  require(scores.size() == 3 && scores[0] == boxes[0] && scores[2] == boxes[1],
          "scores has shape {}, but boxes has shape {}: it must be ({}, classes, {})", scores, boxes, boxes[0],
          boxes[1]);
}

Tensor counts(const Output& out, const std::vector<std::int64_t>& numbers) {
  return places(
      out, zeros_of({DType::int64, Dims{1}}), [](std::int64_t) { return -1; },
      [&](std::int64_t i, std::int64_t) { return numbers[static_cast<size_t>(i)]; });
}

void add_nms_attributes(OpSchema& s) {
  s.attribute(with_default("sort_result_type", "none", one_of({"none", "classid", "score"})))
      .attribute(with_default("sort_result_across_batch", 0, flag()))
      .attribute(with_default("output_type", "i64", index_types()))
      .attribute(with_default("score_threshold", 0.0F))
      .attribute(with_default("nms_top_k", -1, at_least(-1)))
      .attribute(with_default("keep_top_k", -1, at_least(-1)))
      .attribute(with_default("background_class", -1, at_least(-1)))
      .attribute(with_default("normalized", 1, flag()));
}

std::vector<ValueType> nms_output_types(const Call& call, std::int64_t rows, std::int64_t images) {
  const DType index = index_type_of(call, "output_type");
  return {TensorType{call.type("boxes").dtype, Dims{rows, 6}}, TensorType{index, Dims{rows, 1}},
          TensorType{index, Dims{images}}};
}
}  // namespace opref::ops
