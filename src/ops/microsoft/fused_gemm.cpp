// SPDX-License-Identifier: Apache-2.0
// com.microsoft FusedGemm, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedGemm
#include "ops/operator_file.h"
#include "ops/shared/activations.h"
#include "ops/shared/products.h"
namespace opref::ops::microsoft::file_fused_gemm {
namespace {
using enum FusedActivation::Function;
constexpr std::array<std::string_view, 13> kActivations = {
    "Relu", "Tanh", "Sigmoid",     "Softplus",   "Softsign",          "LeakyRelu", "Elu", "ThresholdedRelu",
    "Celu", "Selu", "HardSigmoid", "ScaledTanh", "ParametricSoftplus"};

/// What ai.onnx's operator of this name has where a parameter is left out; NaN: nothing.
std::array<float, 2> onnx_defaults(FusedActivation::Function function) {
  switch (function) {
    case leaky_relu:
      return {0.01F, NAN};
    case hard_sigmoid:
      return {0.2F, 0.5F};
    case selu:
      return {1.67326319217681884765625F, 1.05070102214813232421875F};
    case elu:
    case thresholded_relu:
    case celu:
      return {1, NAN};
    default:
      return {NAN, NAN};
  }
}

FusedActivation activation(const Call& call) {
  const bool are_required = call.reads("fused_gemm.activation", "required");
  const std::string name = call.has("activation") ? call.string("activation") : "";
  if (name.empty() && !are_required) return {};
  require(!name.empty(), "attribute 'activation' is not given, but must be one of {}", join_text(kActivations, ", "));
  FusedActivation f{fused_function(name, kActivations, "activation")};
  require(is_floating(call.type("A").dtype) || f.function == relu, "activation is {}, but {} has Relu alone", name,
          call.type("A").dtype);
  const std::array<float, 2> defaults = onnx_defaults(f.function);
  const auto parameter = [&](std::string_view attribute, float by_default) {
    const bool has_default = !are_required && by_default == by_default;
    require(call.has(attribute) || has_default, "attribute '{}' is not given, but {} needs it", attribute, name);
    return call.has(attribute) ? call.number(attribute) : widen(by_default);
  };
  const int count = parameters_of(f.function);
  if (count >= 1) f.a = parameter("activation_alpha", defaults[0]);
  if (count == 2) f.b = parameter(f.function == selu ? "activation_gamma" : "activation_beta", defaults[1]);
  return f;
}

std::vector<ValueType> output_types(const Call& call) {
  activation(call);
  return {TensorType{call.type("A").dtype, matrices(call).shape()}};
}

// Y = activation(alpha·A'·B' + beta·C);  of integers truncated, modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const ScaledProduct product(call, true);
  const FusedActivation f = activation(call);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    return f.of(x.named("the sum", product.of(i, x)));
  })};
}

void version_1(OpSchema& s) {
  s.input("A", "T").input("B", "T").input("C", "T", Arity::optional).output("Y", "T");
  s.types("T", types::floats | types::wide);
  s.attribute(optional(STRING, "activation"))
      .attribute(optional(FLOAT, "activation_alpha"))
      .attribute(optional(FLOAT, "activation_beta"))
      .attribute(optional(FLOAT, "activation_gamma"));
  s.attribute(with_default("alpha", 1.0F))
      .attribute(with_default("beta", 1.0F))
      .attribute(with_default("transA", 0, flag()))
      .attribute(with_default("transB", 0, flag()));
}
}  // namespace
Operator fused_gemm() {
  return Operator("com.microsoft", "FusedGemm")
      .summary("a function of alpha times a matrix product plus beta times a matrix")
      .version(1, version_1)
      .reading({.name = "fused_gemm.activation",
                .alternatives = {"required: it is given, and each parameter that it has",
                                 "defaults: without it the sum itself; parameters have the defaults that ai.onnx's "
                                 "operators of its name have"},
                .defaults = {{1, "required"}},
                .reason = "the page states no defaults; onnxruntime refuses what is left out"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_fused_gemm
