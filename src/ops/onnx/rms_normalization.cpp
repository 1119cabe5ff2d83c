// SPDX-License-Identifier: Apache-2.0
// ai.onnx RMSNormalization, version 23
// https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_rms_normalization {
namespace {
// Over the axes from `axis` on, of n elements: Y = X / √(ΣX²/n + epsilon) · scale
struct RmsNormalization {
  SliceOperand X, scale;
  double epsilon;

  template <class R>
  void operator()(const Slices<R>& s) const {
    normalize_by_squares(s, s.row(X), scale, epsilon);
  }
};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType &x = call.type("X"), scale = call.type("scale");
  call.axis("axis", x.rank());
  floating_type_of(call, "stash_type");
  require(scale.rank() <= x.rank() && broadcast(scale.shape, x.shape) == x.shape,
          "scale has shape {}, which does not broadcast to that of X, {}", scale.shape, x.shape);
  return {TensorType{call.reads("rms_normalization.output_type", "x") ? x.dtype : scale.dtype, x.shape}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing rows = Slicing::from(call.type("X").shape, call.axis("axis", call.type("X").rank()));
  return slices(
      outs, rows,
      RmsNormalization{rows.operand(call.input("X")), rows.broadcast(call.input("scale")), call.number("epsilon")});
}

void version_23(OpSchema& s) {
  s.attribute(with_default("axis", -1))
      .attribute(with_default("epsilon", 1e-05F))
      .attribute(with_default("stash_type", 1, element_types()));
  s.input("X", "T").input("scale", "V").output("Y", "V");
  for (const char* variable : {"T", "V"}) s.types(variable, types::floats | DType::bfloat16);
}
}  // namespace
Operator rms_normalization() {
  return Operator("ai.onnx", "RMSNormalization")
      .summary("x/√(mean of squares + epsilon)·scale, the mean of the last axes")
      .version(23, version_23)
      .reading({.name = "rms_normalization.output_type",
                .alternatives = {"scale: Y has the type of scale", "x: that of X"},
                .defaults = {{23, "scale"}},
                .reason = "Y and scale have one type variable, V; ONNX's inference gives Y the type of X"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_rms_normalization
