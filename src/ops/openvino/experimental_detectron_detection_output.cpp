// SPDX-License-Identifier: Apache-2.0
// openvino ExperimentalDetectronDetectionOutput, version 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/boxes.h"
#include "ops/shared/openvino_boxes.h"
#include "ops/shared/prior_boxes.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_experimental_detectron_detection_output {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, rois] = call.type("input0");
  const Dims &deltas = call.type("input1").shape, &scores = call.type("input2").shape,
             &info = call.type("input3").shape;
  const std::int64_t classes = call.integer("num_classes"), most = call.integer("max_detections_per_image");
  const size_t weights = numbers_of(call, "deltas_weights").size();
  require(weights == 4, "attribute 'deltas_weights' has {} values, but must have 4", weights);
  require(rois.size() == 2 && rois[1] == 4, "{} has shape {}, but must be (rois, 4)", call.name("input0"), rois);
  require(deltas == Dims{rois[0], checked_multiply(classes, 4)},
          "{} has shape {}, but must be {}: 4 for each of num_classes", call.name("input1"), deltas,
          Dims{rois[0], checked_multiply(classes, 4)});
  require(scores == Dims{rois[0], classes}, "{} has shape {}, but must be {}: one for each of num_classes",
          call.name("input2"), scores, Dims{rois[0], classes});
  require(info == Dims{1, 3}, "{} has shape {}, but must be [1, 3]: height, width, scale", call.name("input3"), info);
  return {TensorType{dtype, Dims{most, 4}}, TensorType{DType::int32, Dims{most}}, TensorType{dtype, Dims{most}}};
}

/// roi·classes + class of each detection: of each class the boxes whose score is above score_threshold, the best first,
/// without those whose overlap with one before is above nms_threshold; of all the best max_detections_per_image.
class Detections {
 public:
  explicit Detections(const Call& call)
      : rois_(call.input("input0")),
        deltas_(call.input("input1")),
        scores_(call.input("input2")),
        image_(call.input("input3")),
        weights_(numbers_of(call, "deltas_weights")),
        most_log_(call.number("max_delta_log_wh")),
        classes_(call.integer("num_classes")),
        clips_to_image_(call.reads("experimental_detectron.clip", "image")) {
    for (const std::string_view name : {"input0", "input1", "input3"}) require_finite(call, name);
    const std::int64_t rois = call.type("input0").shape[0];
    const bool has_background =
        !call.flag("class_agnostic_box_regression") && call.reads("experimental_detectron.background", "attribute");
    const Suppression by{
        .threshold = call.number("nms_threshold"), .sides = kSides, .most = call.integer("post_nms_count")};
    const auto score = [&](std::int64_t at) { return scores_.number(at); };
    for (std::int64_t c = has_background ? 0 : 1; c < classes_; ++c) {
      std::vector<std::int64_t> order;
      for (std::int64_t roi = 0; roi < rois; ++roi)
        if (score(roi * classes_ + c) > call.number("score_threshold") && has_sides(roi))
          order.push_back(roi * classes_ + c);
      sort_by_score(order, score);
      const auto kept = suppressed(
          order, [&](std::int64_t at, const auto& x) { return box(at, x); }, by);
      all_.insert(all_.end(), kept.begin(), kept.end());
    }
    const std::int64_t most = call.integer("max_detections_per_image");
    if (std::ssize(all_) <= most) return;
    std::ranges::sort(all_);
    sort_by_score(all_, score);
    keep_first(all_, most);
  }
  const std::vector<std::int64_t>& all() const { return all_; }
  std::int64_t class_of(std::int64_t at) const { return at % classes_; }
  // The roi, moved by deltas/deltas_weights, clipped to the image.
  template <class R>
  Box<R> box(std::int64_t at, const Reader<R>& x) const {
    const auto delta = [&](std::int64_t k) { return x(deltas_, at * 4 + k) / R(weights_[static_cast<size_t>(k)]); };
    const R one(1.0), zero(0.0), most(most_log_);
    const Box<R> box = moved(box_at(rois_, at / classes_ * 4, x),
                             {delta(0), delta(1), min(delta(2), most), min(delta(3), most)}, {.more = 1});
    if (clips_to_image_) return clipped(box, x(image_, 1) - one, x(image_, 0) - one);
    return {max(zero, box.x1), max(zero, box.y1), max(zero, box.x2), max(zero, box.y2)};
  }

 private:
  static constexpr Sides kSides{.more = 1, .is_apart = true};
  bool has_sides(std::int64_t roi) const {
    return rois_.number(roi * 4 + 2) > rois_.number(roi * 4) && rois_.number(roi * 4 + 3) > rois_.number(roi * 4 + 1);
  }

  Elements rois_, deltas_, scores_, image_;
  std::vector<double> weights_;
  double most_log_;
  std::int64_t classes_;
  bool clips_to_image_;
  std::vector<std::int64_t> all_;
};

// output0: boxes; output1: their classes; output2: their scores; then 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Detections found(call);
  const auto at = [&](std::int64_t row) {
    return row < std::ssize(found.all()) ? found.all()[static_cast<size_t>(row)] : -1;
  };
  std::vector<std::int64_t> classes;
  for (std::int64_t row = 0; row < call.integer("max_detections_per_image"); ++row)
    classes.push_back(at(row) < 0 ? 0 : found.class_of(at(row)));
  return {real(outs[0],
               [&]<class R>(std::int64_t i, const Reader<R>& x) {
                 return at(i / 4) < 0 ? R(0.0) : x.sum(found.box(at(i / 4), x)[static_cast<size_t>(i % 4)]);
               }),
          counts(outs[1], classes),
          move(outs[2], call.input("input2"), [&](std::int64_t i) { return at(i) < 0 ? Run::fill() : Run{at(i)}; })};
}

bool always(const Call&) { return true; }

void version_6(OpSchema& s) {
  s.attribute(required(FLOAT, "score_threshold", at_least(0)))
      .attribute(required(FLOAT, "nms_threshold", at_least(0)))
      .attribute(required(FLOAT, "max_delta_log_wh"))
      .attribute(required(INT, "num_classes", at_least(0)))
      .attribute(required(INT, "post_nms_count", at_least(0)))
      .attribute(required(INT, "max_detections_per_image", at_least(0)))
      .attribute(required(FLOATS, "deltas_weights", above(0)))
      .attribute(with_default("class_agnostic_box_regression", 0, flag()))
      .input("input0", "T", "regions, (rois, 4): x1, y1, x2, y2")
      .input("input1", "T", "deltas, (rois, 4·num_classes): dx, dy, dw, dh of each class")
      .input("input2", "T", "scores, (rois, num_classes)")
      .input("input3", "T", "the image, [1, 3]: height, width, scale")
      .output("output0", "T", "boxes, (max_detections_per_image, 4)")
      .output("output1", "T_IND", "their classes")
      .output("output2", "T", "their scores")
      .types("T", computed_floats)
      .types("T_IND", types::signed_wide);
}
}  // namespace
Operator experimental_detectron_detection_output() {
  return Operator("openvino", "ExperimentalDetectronDetectionOutput")
      .summary("regions that deltas of each class move, the best ones, without those that overlap a better one")
      .page("detection/experimental-detectron-detection-output-6")
      .category("category object detection")
      .version(6, version_6)
      .reading({.name = "experimental_detectron.clip",
                .alternatives = {"image: boxes are clipped to the image", "zero: coordinates below 0 become 0"},
                .defaults = {{6, "image"}},
                .reason = "the page: \"clips boxes to the image\"; both programs clip at 0 alone",
                .may_change_values = always})
      .reading({.name = "experimental_detectron.background",
                .alternatives = {"attribute: class 0 is left out with class_agnostic_box_regression",
                                 "never: it is always left out"},
                .defaults = {{6, "attribute"}},
                .reason = "the page; both programs leave class 0 out always",
                .may_change_values = always})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_experimental_detectron_detection_output
