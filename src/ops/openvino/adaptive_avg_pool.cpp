// SPDX-License-Identifier: Apache-2.0
// openvino AdaptiveAvgPool, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/pooling.h"
namespace opref::ops::openvino::file_adaptive_avg_pool {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("data").dtype, AdaptiveWindows(call).shape()}};
}

// output0[n, c, o] = Σ data[n, c, i] / count over the elements i of window o
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const AdaptiveWindows windows(call);
  const Elements data(call.input("data"));
  return {sum(outs[0], data.dtype(), [&](std::int64_t i, auto& sum) {
    const AdaptiveWindows::Window window = windows.window(i);
    windows.each(window, [&](const Run& run) { sum.add(data[run]); });
    sum.scale({1, element_count(window.count)});
  })};
}
}  // namespace
Operator adaptive_avg_pool() {
  return Operator("openvino", "AdaptiveAvgPool")
      .summary("the means of windows that divide the data into a given number of parts")
      .page("pooling/adaptive-avg-pool-8")
      .version(8,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("output_shape", "T_SHAPE")
                     .output("output0", "T")
                     .types("T", computed_floats)
                     .types("T_SHAPE", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_adaptive_avg_pool
