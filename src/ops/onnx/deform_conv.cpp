// SPDX-License-Identifier: Apache-2.0
// ai.onnx DeformConv, versions 19, 22
// https://onnx.ai/onnx/operators/onnx__DeformConv.html
#include "ops/operator_file.h"
#include "ops/shared/convolutions.h"
#include "ops/shared/deformed_convolution.h"
namespace opref::ops::onnx::file_deform_conv {
namespace {
bool has_mask_per_axis(const Call& call) { return call.reads("deform_conv.mask_channels", "taps_times_axes"); }

void require_shape(const Call& call, std::string_view input, const Dims& shape, std::string_view rule) {
  const Dims& stated = call.type(input).shape;
  require(stated == shape, "{} has shape {}, but must have {}: {}", input, stated, shape, rule);
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims y = convolution_shape(call), O = spatial(y);
  const std::int64_t groups = call.integer("offset_group"), r = static_cast<std::int64_t>(O.size());
  require(x[1] % groups == 0, "attribute 'offset_group' is {}, but must divide C of X, {}", groups, x[1]);
  const std::int64_t taps = checked_multiply(groups, element_count(spatial(call.type("W").shape)));
  require_shape(call, "offset", join(Dims{x[0], checked_multiply(taps, r)}, O),
                "N, offset_group * taps * spatial axes, and Y's spatial sizes");
  if (call.has("mask"))
    require_shape(call, "mask", join(Dims{x[0], checked_multiply(taps, has_mask_per_axis(call) ? r : 1)}, O),
                  "N, offset_group * taps, and Y's spatial sizes");
  return {TensorType{dtype, y}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "offset");
  return deformed_convolution(outs,
                              {.X = call.input("X"),
                               .W = call.input("W"),
                               .offset = call.input("offset"),
                               .B = call.has("B") ? &call.input("B") : nullptr,
                               .mask = call.has("mask") ? &call.input("mask") : nullptr,
                               .windows = convolution_windows(call),
                               .groups = call.integer("group"),
                               .offset_groups = call.integer("offset_group"),
                               .mask_step = has_mask_per_axis(call) ? std::ssize(spatial(call.type("X").shape)) : 1,
                               .zeros = zero_weights(call)});
}

bool has_mask(const Call& call) { return call.has("mask"); }

void version_19(OpSchema& s) {
  convolution_attributes(s);
  s.attribute(with_default("offset_group", 1, at_least(1)))
      .input("X", "T", "the data, (N, C, D1, …)")
      .input("W", "T", "the kernels, (M, C/group, k1, …)")
      .input("offset", "T", "how far each tap is moved, (N, offset_group * taps * axes, O1, …)")
      .input("B", "T", Arity::optional, "the bias, (M)")
      .input("mask", "T", Arity::optional, "what each tap is multiplied by, (N, offset_group * taps, O1, …)")
      .output("Y", "T", "the result, (N, M, O1, …)")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}
}  // namespace
Operator deform_conv() {
  return convolution_operator("DeformConv")
      .summary("convolution whose taps are moved by offsets and interpolated")
      .version(19, version_19)
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "deform_conv.mask_channels",
                .alternatives = {"taps: mask has offset_group * taps channels",
                                 "taps_times_axes: as many as offset has; the first of each tap's is read"},
                .defaults = {{19, "taps"}},
                .reason = "published data and the text's 2-D case have one mask element per tap; its N-D shape has the "
                          "number of axes as a factor",
                .may_change_values = has_mask})
      .reading(zero_weight_reading(19))
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"offset_group", "og"}});
}
}  // namespace opref::ops::onnx::file_deform_conv
