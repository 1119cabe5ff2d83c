// SPDX-License-Identifier: Apache-2.0
// com.microsoft SkipSimplifiedLayerNormalization, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.SkipSimplifiedLayerNormalization
#include "ops/operator_file.h"
#include "ops/shared/summed_normalization.h"
namespace opref::ops::microsoft::file_skip_simplified_layer_normalization {
namespace {
// Of each row s = input + skip + bias of n numbers: inv_std_var = 1/√(Σs²/n + epsilon), output = s·inv_std_var·gamma,
// mean = 0; each from s, rounded once
struct ByRootMeanSquare {
  std::vector<Addend> addends;
  SliceOperand gamma;
  double epsilon;
  bool gives_mean;

  template <class R>
  void operator()(const Slices<R>& s) const {
    with_sum(s, addends, [&](const auto& sum) {
      const R root = normalize_by_squares(s, sum, gamma, epsilon);
      if (s.wants(1)) s.put(1, gives_mean ? R(mean(sum)) : R(0.0));
      if (s.wants(2)) s.put(2, R(1.0) / root);
      if (s.wants(3)) s.put(3, sum);
    });
  }
};

std::vector<ValueType> output_types(const Call& call) { return skip_types(call, {"gamma", "bias"}); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing rows = skip_slices(call);
  return slices(outs, rows,
                ByRootMeanSquare{skip_addends(call, rows), rows.broadcast(call.input("gamma")), call.number("epsilon"),
                                 call.reads("skip_simplified_layer_normalization.mean", "of_sum")});
}

void version_1(OpSchema& s) {
  s.input("input", "T", "(batch, steps, n), or (steps, n)").input("skip", "T").input("gamma", "T", "(n)");
  s.input("bias", "T", Arity::optional, "(n)");
  with_skip_outputs(s);
}
}  // namespace
Operator skip_simplified_layer_normalization() {
  return Operator("com.microsoft", "SkipSimplifiedLayerNormalization")
      .summary("s/√(mean of squares + epsilon)·gamma of s = input + skip + bias, along the last axis")
      .version(1, version_1)
      .reading({.name = "skip_simplified_layer_normalization.mean",
                .alternatives = {"zero: mean is 0", "of_sum: mean is that of input + skip + bias"},
                .defaults = {{1, "zero"}},
                .reason = "nothing takes a mean from the sum here; onnxruntime gives 0",
                .may_change_values = [](const Call& call) { return call.wants("mean"); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_skip_simplified_layer_normalization
