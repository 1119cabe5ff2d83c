// SPDX-License-Identifier: Apache-2.0
// com.microsoft SkipLayerNormalization, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.SkipLayerNormalization
#include "ops/operator_file.h"
#include "ops/shared/summed_normalization.h"
namespace opref::ops::microsoft::file_skip_layer_normalization {
namespace {
std::vector<ValueType> output_types(const Call& call) { return skip_types(call, {"gamma", "beta", "bias"}); }

// Of each row s = input + skip + bias of n numbers: mean = Σs/n, inv_std_var = 1/√(Σ(s - mean)²/n + epsilon),
// output = (s - mean)·inv_std_var·gamma + beta; each from s, rounded once
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing rows = skip_slices(call);
  const auto beta = call.has("beta") ? std::optional(rows.broadcast(call.input("beta"))) : std::nullopt;
  const SummedNormalization formula{skip_addends(call, rows),
                                    {.slices = rows,
                                     .X = rows.operand(call.input("input")),
                                     .epsilon = call.number("epsilon"),
                                     .scale = rows.broadcast(call.input("gamma")),
                                     .bias = beta,
                                     .others = {Holds::mean, Holds::inverse_deviation}}};
  return slices(outs, rows, formula);
}

void version_1(OpSchema& s) {
  s.input("input", "T", "(batch, steps, n), or (steps, n)").input("skip", "T").input("gamma", "T", "(n)");
  s.input("beta", "T", Arity::optional, "(n)").input("bias", "T", Arity::optional, "(n)");
  with_skip_outputs(s);
}
}  // namespace
Operator skip_layer_normalization() {
  return Operator("com.microsoft", "SkipLayerNormalization")
      .summary("(s - mean)/√(variance + epsilon)·gamma + beta of s = input + skip + bias, along the last axis")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_skip_layer_normalization
