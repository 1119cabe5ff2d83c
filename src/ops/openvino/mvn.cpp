// SPDX-License-Identifier: Apache-2.0
// openvino MVN, versions 2 (opset2), 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
#include "ops/shared/openvino.h"
#include "schema/double_attributes.h"
namespace opref::ops::openvino::file_mvn {
namespace {
/// MVN-2: reduction_axes, or the axes from 1 or 2 on; MVN-6: the input.
std::vector<std::int64_t> axes_of_means(const Call& call) {
  if (call.version() >= 6) return call.integers("axes");
  if (call.stated("reduction_axes") && !call.integers("reduction_axes").empty()) return call.integers("reduction_axes");
  std::vector<std::int64_t> axes;
  for (size_t axis = call.flag("across_channels") ? 1 : 2; axis < call.type("data").rank(); ++axis)
    axes.push_back(static_cast<std::int64_t>(axis));
  return axes;
}
Slicing slices_of(const Call& call) {
  const std::vector<std::int64_t> axes = axes_of_means(call);
  const Dims& data = call.type("data").shape;
  std::vector<bool> is_reduced(data.size(), false);
  for (const size_t axis : axes_among("axes", axes, data.size())) is_reduced[axis] = true;
  return Slicing(data, is_reduced);
}

std::vector<ValueType> output_types(const Call& call) {
  if (call.version() >= 6) int64_list(call, "axes");
  if (call.version() < 6)
    require(!call.stated("reduction_axes") || !call.stated("across_channels"),
            "the node states both reduction_axes and across_channels: either names the axes");
  if (call.version() < 6 || call.has_value("axes")) slices_of(call);
  return same_type(call);
}

// x - mean
struct Centred {
  SliceOperand data;
  template <class R>
  void operator()(const Slices<R>& s) const {
    const auto x = s.row(data);
    s.put(0, x - s.named("the mean", evaluators::mean(x)));
  }
};

// output0 = (x - mean)/√(variance + eps) over the axes, by OUTSIDE_SQRT (x - mean)/(√variance + eps)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing slicing = slices_of(call);
  const SliceOperand data = slicing.operand(call.input("data"));
  if (!call.flag("normalize_variance")) return slices(outs, slicing, Centred{data});
  const double eps = call.number("eps");
  const bool is_outside = call.has("eps_mode") && call.string("eps_mode") == "OUTSIDE_SQRT";
  return normalized(
      outs, {.slices = slicing, .X = data, .epsilon = is_outside ? 0 : eps, .after_root = is_outside ? eps : 0});
}

void version_2(OpSchema& s) {
  s.attribute(required(FLOAT, "eps"))
      .attribute(optional(INT, "across_channels", flag()))
      .attribute(required(INT, "normalize_variance", flag()))
      .attribute(optional(INTS, "reduction_axes"));
  s.input("data", "T").output("output0", "T").types("T", computed_floats);
}
void version_6(OpSchema& s) {
  s.remove("across_channels")
      .remove("reduction_axes")
      .attribute(required(STRING, "eps_mode", one_of({"INSIDE_SQRT", "OUTSIDE_SQRT"})));
  s.input("axes", "T_IND").types("T_IND", types::integers);
}
/// "eps … Type: double" on the page of 2, float on that of 6.
Reading attribute_double_only_in_2() {
  Reading reading = attribute_double_reading(2, "double");
  reading.defaults.emplace_back(6, "");
  return reading;
}
}  // namespace
Operator mvn() {
  return Operator("openvino", "MVN")
      .summary("(x - mean)/√variance, mean and variance of some axes")
      .page("normalization/mvn-6")
      .version(2, version_2)
      .version(6, version_6)
      .reading(attribute_double_only_in_2())
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_mvn
