// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearAveragePool, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearAveragePool
#include "ops/operator_file.h"
#include "ops/shared/quantized_pools.h"
namespace opref::ops::microsoft::file_q_linear_average_pool {
namespace {
PoolingWindows windows(const Call& call) {
  const Dims L = spatial(quantized_image(call));
  return windows_over(call, L, per_axis(call, "kernel_shape", L.size(), 1));
}

std::vector<ValueType> output_types(const Call& call) {
  const Dims y = join(quantized_image(call).first(2), windows(call).O);
  return {TensorType{call.type("X").dtype, lying(y, channels_at(call))}};
}

// The numbers of a window by how many they are, with count_include_pad by how many taps lie inside X and its pads.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Counted counted = !call.flag("count_include_pad")                   ? Counted::elements
                          : call.reads("average_pool.overhang", "included") ? Counted::all
                                                                            : Counted::pads;
  return quantized_means(call, outs, {windows(call), counted});
}

bool rounds_up_and_counts_pads(const Call& call) { return call.flag("count_include_pad") && call.flag("ceil_mode"); }

void version_1(OpSchema& s) {
  quantized_mean_version_1(s, Arity::optional);
  s.attribute(auto_pad_attribute()).attribute(with_default("ceil_mode", 0, flag()));
  s.attribute(with_default("count_include_pad", 0, flag())).attribute(required(INTS, "kernel_shape", at_least(1)));
  s.attribute(pads_attribute()).attribute(per_axis_attribute("strides", 1));
}
}  // namespace
Operator q_linear_average_pool() {
  return quantized_mean_operator("QLinearAveragePool")
      .summary("the mean of each window of quantized numbers, quantized again")
      .version(1, version_1)
      .readings(average_window_readings())
      .reading(overhang_reading(1, "as ai.onnx's AveragePool, whose published data do so; onnxruntime counts it here",
                                rounds_up_and_counts_pads))
      .output_types(output_types)
      .placement([](const Call& call) {
        const PoolingWindows w = windows(call);
        return std::vector<Dims>{w.pads.begin, w.O};
      })
      .notes([](const Call& call) { return window_notes(call, windows(call)); })
      .short_names(spatial_short_names())
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_linear_average_pool
