// SPDX-License-Identifier: Apache-2.0
// com.microsoft FusedConv, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedConv
#include "ops/operator_file.h"
#include "ops/shared/activations.h"
#include "ops/shared/convolutions.h"
namespace opref::ops::microsoft::file_fused_conv {
namespace {
constexpr std::array<std::string_view, 6> kActivations = {"Relu",      "Tanh", "Sigmoid",
                                                          "LeakyRelu", "Clip", "HardSigmoid"};

// Absent or "": none. activation_params: alpha of LeakyRelu, min and max of Clip, alpha and beta of HardSigmoid.
FusedActivation activation(const Call& call) {
  if (!call.has("activation") || call.string("activation").empty()) return {};
  const std::string& name = call.string("activation");
  FusedActivation f{fused_function(name, kActivations, "activation")};
  const auto count = static_cast<size_t>(parameters_of(f.function));
  if (count == 0) return f;
  const std::vector<float> stated =
      call.has("activation_params") ? call.numbers("activation_params") : std::vector<float>{};
  require(stated.size() == count, "attribute 'activation_params' has {}, but {} has {}",
          counted(std::ssize(stated), "number"), name, count);
  f.a = widen(stated[0]);
  if (count == 2) f.b = widen(stated[1]);
  return f;
}

std::vector<ValueType> output_types(const Call& call) {
  const TensorType y{call.type("X").dtype, convolution_shape(call)};
  if (call.has("Z"))
    require(call.type("Z").shape == y.shape, "Z has shape {}, but must have that of Y, {}", call.type("Z").shape,
            y.shape);
  activation(call);
  return {y};
}

// Y[n, m, o] = activation(B[m] + Σ of Conv's products + Z[n, m, o])
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Convolution places(call, outs[0].sink());
  const Elements X(call.input("X")), W(call.input("W"));
  const std::optional<Elements> B = elements_if_given(call, "B"), Z = elements_if_given(call, "Z");
  const auto definition = [&](std::int64_t i, auto& sum) {
    if (B) sum.add((*B)[places.channel(i)]);
    places.add_products(i, X, W, sum);
    if (Z) sum.add((*Z)[i]);
  };
  const Rows rows = [&](const RowTarget& y) {
    const auto bias = B ? std::optional(call.input("B")) : std::nullopt;
    return !Z && fast::convolution(y, {call.input("X"), call.input("W"), bias, call.integer("group"), places.axes()});
  };
  return {activated_sum(outs[0], X.dtype(), definition, activation(call), rows)};
}

void version_1(OpSchema& s) {
  convolution_version_1(s, "the kernels, (M, C/group, k1, …)");
  s.input("Z", "T", Arity::optional, "what is added, of the shape of Y");
  s.attribute(optional(STRING, "activation")).attribute(optional(FLOATS, "activation_params"));
}
}  // namespace
Operator fused_conv() {
  return convolution_operator("FusedConv", "com.microsoft")
      .summary("a function of a convolution to which a tensor may be added")
      .version(1, version_1)
      .reading(pads_with_auto_pad_reading("fused_conv.pads_with_auto_pad", 1))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_fused_conv
