// SPDX-License-Identifier: Apache-2.0
// openvino MulticlassNms, versions 8 (opset8), 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino_boxes.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_multiclass_nms {
namespace {
/// Boxes (images, boxes, 4) that all classes share; or with roisnum (classes, boxes, 4), each image having its part.
bool are_parted(const Call& call) { return call.has("roisnum"); }

// Of each class but the background's: boxes whose score is no less than score_threshold, the best nms_top_k of them,
// without those whose overlap with a kept one is above iou_threshold; of each image the best keep_top_k of all classes.
struct Selection {
  std::vector<SelectedBox> rows;
  std::vector<std::int64_t> sizes;

  explicit Selection(const Call& call) {
    require_finite(call, "boxes");
    const Elements boxes(call.input("boxes")), scores(call.input("scores"));
    const Dims& shape = call.type("scores").shape;
    const bool is_parted = are_parted(call);
    const std::int64_t classes = shape[is_parted ? 0 : 1], count = shape[is_parted ? 1 : 2],
                       background = call.integer("background_class"), top = call.integer("nms_top_k");
    const std::vector<std::int64_t> parts =
        is_parted ? call.integers("roisnum") : std::vector<std::int64_t>(static_cast<size_t>(shape[0]), count);
    const bool by_class = call.reads("multiclass_nms.index", "class");
    const Suppression by{.threshold = call.number("iou_threshold"),
                         .sides = {.more = call.flag("normalized") ? 0 : 1},
                         .eta = call.number("nms_eta"),
                         .by_newest = call.reads("multiclass_nms.eta", "newest"),
                         .counts_equal = call.reads("multiclass_nms.equal", "suppressed")};
    const double least = call.number("score_threshold");
    std::vector<std::vector<SelectedBox>> images;
    std::int64_t first = 0;
    for (const std::int64_t part : parts) {
      const std::int64_t image = std::ssize(images), begin = is_parted ? first : 0;
      images.emplace_back();
      for (std::int64_t c = 0; c < classes; ++c) {
        if (c == background) continue;
        const std::int64_t scores_at = is_parted ? c * count : (image * classes + c) * count,
                           boxes_at = is_parted ? c * count : image * count;
        const auto score = [&](std::int64_t i) { return scores.number(scores_at + i); };
        std::vector<std::int64_t> candidates;
        for (std::int64_t i = begin; i < begin + part; ++i)
          if (score(i) >= least) candidates.push_back(i);
        sort_by_score(candidates, score);
        keep_first(candidates, top);
        const auto box = [&](std::int64_t i, const auto& x) { return box_at(boxes, (boxes_at + i) * 4, x); };
        for (const std::int64_t i : suppressed(candidates, box, by))
          images.back().push_back({image, c, i, scores_at + i, (boxes_at + i) * 4,
                                   is_parted && !by_class ? i * classes + c : boxes_at + i});
      }
      first += part;
    }
    rows = in_order(call, std::move(images), sizes, [&](const SelectedBox& a, const SelectedBox& b) {
      return scores.number(a.score_at) < scores.number(b.score_at);
    });
  }
};

std::vector<ValueType> output_types(const Call& call) {
  if (!are_parted(call)) {
    require_boxes_and_scores(call, 4);
  } else {
    const Dims &boxes = call.type("boxes").shape, &scores = call.type("scores").shape;
    require(boxes.size() == 3 && boxes[2] == 4, "boxes has shape {}, but must be (classes, boxes, 4)", boxes);
    require(scores == boxes.first(2), "scores has shape {}, but boxes has shape {}: with roisnum it must be {}", scores,
            boxes, boxes.first(2));
    require_list("roisnum", call.type("roisnum").shape);
    std::int64_t sum = 0;
    for (const std::int64_t part : call.integers("roisnum")) {
      require(part >= 0, "roisnum has {}, but must be >= 0", part);
      sum = checked_add(sum, part);
    }
    require(sum == boxes[1], "the sum of roisnum is {}, but must be {}, the number of boxes", sum, boxes[1]);
  }
  const Selection selection(call);
  return nms_output_types(call, std::ssize(selection.rows), std::ssize(selection.sizes));
}

// selected_outputs = [class, score, x1, y1, x2, y2]; selected_indices: the place among all boxes; selected_num: how
// many each image has
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Selection selection(call);
  const Elements scores(call.input("scores"));
  return selected_rows(call, outs, selection.rows, selection.sizes,
                       [&](const SelectedBox& row, const auto& x) { return x(scores, row.score_at); });
}

bool lowers_threshold(const Call& call) { return call.number("nms_eta") < 1 && call.number("iou_threshold") > 0.5; }
bool always(const Call&) { return true; }

void version_8(OpSchema& s) {
  add_nms_attributes(s);
  s.attribute(with_default("iou_threshold", 0.0F, at_least(0)))
      .attribute(with_default("nms_eta", 1.0F, between(0, 1)))
      .input("boxes", "T", "(images, boxes, 4): x1, y1, x2, y2")
      .input("scores", "T", "(images, classes, boxes)")
      .output("selected_outputs", "T", "class, score and corners of each")
      .output("selected_indices", "T_IND", "image · boxes + box of each")
      .output("selected_num", "T_IND", "how many each image has")
      .types("T", computed_floats)
      .types("T_IND", types::signed_wide);
}
void version_9(OpSchema& s) {
  s.input("roisnum", "T_IND", Arity::optional, "how many of the boxes, (classes, boxes, 4), each image has");
}
}  // namespace
Operator multiclass_nms() {
  return Operator("openvino", "MulticlassNms")
      .summary("the best boxes of each class, without those that overlap a better one, and the best of each image")
      .page("sort/multiclass-non-max-suppression-9")
      .category("category sorting and maximization")
      .version(8, version_8)
      .version(9, version_9)
      .reading({.name = "multiclass_nms.equal",
                .alternatives = {"kept: a box whose overlap is equal to iou_threshold is kept",
                                 "suppressed: it is suppressed"},
                .defaults = {{8, "kept"}},
                .reason = "the page: \"larger than iou_threshold\"; the CPU plugin suppresses equality too",
                .may_change_values = always})
      .reading({.name = "multiclass_nms.eta",
                .alternatives = {"own: a box suppresses by the threshold in force when it was kept",
                                 "newest: by the one in force when it is compared"},
                .defaults = {{8, "own"}},
                .reason = "the page lowers the threshold, then suppresses; the CPU plugin compares later",
                .may_change_values = lowers_threshold})
      .reading({.name = "multiclass_nms.index",
                .alternatives = {"class: with roisnum an index is class·boxes + box", "box: it is box·classes + class"},
                .defaults = {{9, "class"}},
                .reason = "the page: in the flattened boxes, which are (classes, boxes); the programs transpose",
                .may_change_values = are_parted})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_multiclass_nms
