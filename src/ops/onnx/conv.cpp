// SPDX-License-Identifier: Apache-2.0
// ai.onnx Conv, versions 1, 11, 22
// https://onnx.ai/onnx/operators/onnx__Conv.html
#include "fast/fast.h"
#include "ops/operator_file.h"
#include "ops/shared/convolutions.h"
namespace opref::ops::onnx::file_conv {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("X").dtype, convolution_shape(call)}};
}

// Y[n, g*Mg+m, o] = B[g*Mg+m] + Σ over c in [0, Cg) and the taps k inside X
//                   of X[n, g*Cg+c, o*s + k*d - pb]·W[g*Mg+m, c, k],   Cg = C/group, Mg = M/group
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Convolution places(call, outs[0].sink());
  const bool has_bias = call.has("B");
  const auto bias = has_bias ? std::optional(call.input("B")) : std::nullopt;
  const Elements X(call.input("X")), W(call.input("W")), B(bias ? *bias : call.input("W"));
  const auto definition = [&](std::int64_t i, auto& sum) {
    if (has_bias) sum.add(B[places.channel(i)]);
    places.add_products(i, X, W, sum);
  };
  const auto rows = [&](const RowTarget& y) {
    return fast::convolution(y, {call.input("X"), call.input("W"), bias, call.integer("group"), places.axes()});
  };
  return {sum(outs[0], X.dtype(), definition, {}, rows)};
}

void version_11(OpSchema& s) {
  for (const char* name : {"dilations", "pads", "strides"}) s.change(name).default_stated = DefaultStated::yes;
  s.other_rule("SAME_* of auto_pad gives ceil(input / strides); before, the output \"matches the input\"");
}
}  // namespace
Operator conv() {
  return convolution_operator("Conv")
      .summary("convolution: the sums of products of the kernels and the windows of the data")
      .version(1, [](OpSchema& s) { convolution_version_1(s, "the kernels, (M, C/group, k1, …)"); })
      .version(11, version_11)
      .version(22, adds("T", DType::bfloat16))
      .reading(pads_with_auto_pad_reading("conv.pads_with_auto_pad", 1))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_conv
