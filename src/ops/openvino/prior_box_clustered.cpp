// SPDX-License-Identifier: Apache-2.0
// openvino PriorBoxClustered, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/prior_boxes.h"
namespace opref::ops::openvino::file_prior_box_clustered {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const size_t widths = numbers_of(call, "width").size(), heights = numbers_of(call, "height").size();
  require(widths == heights, "attribute 'height' has {} values, but 'width' has {}: as many", heights, widths);
  return prior_types(call, std::ssize(numbers_of(call, "width")));
}

// center = ((w + offset)·step_w, (h + offset)·step_h); x1, y1 = (center - (width, height)/2)/(IW, IH), x2, y2 with +
// Both steps 0: both are `step`. One that is still 0 is IW/W or IH/H.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<double> width = numbers_of(call, "width"), height = numbers_of(call, "height");
  double step_w = call.number("step_w"), step_h = call.number("step_h");
  if (call.reads("prior_box_clustered.step", "each")) {
    if (step_w == 0) step_w = call.number("step");
    if (step_h == 0) step_h = call.number("step");
  } else if (step_w == 0 && step_h == 0) {
    step_w = step_h = call.number("step");
  }
  const bool fits_image = call.reads("prior_box_clustered.step", "page") || (step_w == 0 && step_h == 0);
  return prior_boxes(call, outs, std::ssize(width), [&]<class R>(const PriorPlace& at, const Reader<R>&) {
    const double step = at.is_x ? step_w : step_h;
    const R apart = step == 0 && fits_image ? R::whole(at.image) / R::whole(at.cells) : R(step),
            center = (R::whole(at.cell) + R(call.number("offset"))) * apart,
            half = R((at.is_x ? width : height)[static_cast<size_t>(at.box)]) * R(0.5);
    return (at.is_end ? center + half : center - half) / R::whole(at.image);
  });
}

bool has_zero_step(const Call& call) { return call.number("step_w") == 0 || call.number("step_h") == 0; }

void version_1(OpSchema& s) {
  s.attribute(optional(FLOATS, "width", above(0)))
      .attribute(optional(FLOATS, "height", above(0)))
      .attribute(with_default("clip", 1, flag()))
      .attribute(with_default("step", 0.0F, at_least(0)))
      .attribute(with_default("step_w", 0.0F, at_least(0)))
      .attribute(with_default("step_h", 0.0F, at_least(0)))
      .attribute(required(FLOAT, "offset", at_least(0)));
  add_prior_parameters(s);
  s.input("image_size", "T_INT", Arity::optional, "height and width");
}
}  // namespace
Operator prior_box_clustered() {
  return Operator("openvino", "PriorBoxClustered")
      .summary("boxes of given widths and heights around a place in each cell of an image")
      .page("detection/prior-box-clustered-1")
      .category("category object detection")
      .version(1, version_1)
      .reading({.name = "prior_box_clustered.step",
                .alternatives = {"page: both steps 0 are `step`, then one that is 0 is image/cells",
                                 "each: a step of 0 is `step`, image/cells only where both are 0 then"},
                .defaults = {{1, "page"}},
                .reason = "the page; both programs do otherwise",
                .may_change_values = has_zero_step})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_prior_box_clustered
