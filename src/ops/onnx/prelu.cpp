// SPDX-License-Identifier: Apache-2.0
// ai.onnx PRelu, versions 1, 6, 7, 9, 16
// https://onnx.ai/onnx/operators/onnx__PRelu.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_prelu {
namespace {
// slope·X for X < 0, X for X >= 0;  integers modulo 2^bits
struct PRelu : RealFormula<2> {
  static constexpr bool one_operation = true, is_told = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& slope) const {
    return leaky_relu(x, slope);
  }
};

/// The first axis of X on which the slope's axes can lie, where a reading lets them; nothing where there is none.
std::optional<size_t> old_axis(const Call& call, const Dims& x, const Dims& slope) {
  if (call.reads("prelu.old_slope", "equal")) return slope == x ? std::optional<size_t>(0) : std::nullopt;
  const bool anywhere = call.reads("prelu.old_slope", "anywhere");
  for (size_t axis = anywhere ? 0 : 1; axis + slope.size() <= x.size() && (anywhere || axis == 1); ++axis)
    if (x.without_first(axis).first(slope.size()) == slope && (anywhere || slope.size() == 1)) return axis;
  return {};
}

/// What a slope of more than one element may be before version 7.
std::string_view old_rule(const Call& call) {
  if (call.reads("prelu.old_slope", "channel")) return "one per channel";
  return call.reads("prelu.old_slope", "anywhere") ? "have the sizes of some axes" : "have the shape";
}

/// Before version 7, "if `Slope` is of size 1, the value is shared across different channels".
Dims old_slope_shape(const Call& call) {
  const Dims &x = call.type("X").shape, &slope = call.type("slope").shape;
  Dims shape;
  if (element_count(slope) != 1) {
    const std::optional<size_t> axis = old_axis(call, x, slope);
    if (!axis)
      fail(Fault::invalid, "{} has shape {}, but must be one number, or {} of {} of shape {}", call.name("slope"),
           slope, old_rule(call), call.name("X"), x);
    shape = slope;
    while (*axis + shape.size() < x.size()) shape.push_back(1);
  }
  return shape;
}

/// From version 7 on, "slope should be unidirectional broadcastable to first input X".
Dims new_slope_shape(const Call& call) {
  const Dims &x = call.type("X").shape, &slope = call.type("slope").shape;
  const Dims both = broadcast(x, slope);
  require(both == x, "{} of shape {} does not broadcast to {}, which has shape {}", call.name("slope"), slope,
          call.name("X"), x);
  return slope;
}

/// The slope's shape, so that it broadcasts to X.
Dims slope_shape(const Call& call) { return call.version() < 7 ? old_slope_shape(call) : new_slope_shape(call); }

std::vector<ValueType> output_types(const Call& call) {
  slope_shape(call);
  return {call.type("X")};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::array operands{call.input("X"), call.input("slope").reshaped(slope_shape(call))};
  return {elementwise(outs[0], operands, PRelu{})};
}

void version_1(OpSchema& s) {
  s.input("X", "T").input("slope", "T").output("Y", "T").types("T", types::floats);
  with_consumed_inputs(s);
}
}  // namespace
Operator prelu() {
  return Operator("ai.onnx", "PRelu")
      .summary("X, but slope·X where that is below 0")
      .version(1, version_1)
      .version(6, without_consumed_inputs)
      .version(7, rules("slope broadcasts to X; before, it is one number, or one per channel"))
      .version(9, adds("T", types::wide))
      .version(16, adds("T", DType::bfloat16))
      .reading({.name = "prelu.old_slope",
                .alternatives = {"channel: one number, or one per channel",
                                 "anywhere: one number, or of the sizes of some axes of X in a row, of the first such",
                                 "equal: one number, or of the shape of X"},
                .defaults = {{1, "channel"}, {7, ""}},
                .reason = "the text speaks of channels alone; the published PReLU_*_multiparam have one per channel"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_prelu
