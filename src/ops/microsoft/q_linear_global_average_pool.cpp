// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearGlobalAveragePool, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearGlobalAveragePool
#include "ops/operator_file.h"
#include "ops/shared/quantized_pools.h"
namespace opref::ops::microsoft::file_q_linear_global_average_pool {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims image = quantized_image(call);
  require_spatial_sizes(call, "X", spatial(image));
  const Dims y = join(image.first(2), Dims::filled(image.size() - 2, 1));
  return {TensorType{call.type("X").dtype, lying(y, channels_at(call))}};
}

// One window is a whole plane.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims L = spatial(quantized_image(call)), one = Dims::filled(L.size(), 1), none = Dims::filled(L.size(), 0);
  return quantized_means(call, outs, {{L, L, one, one, {none, none}, one}, Counted::elements});
}

void version_1(OpSchema& s) { quantized_mean_version_1(s, Arity::single); }
}  // namespace
Operator q_linear_global_average_pool() {
  return quantized_mean_operator("QLinearGlobalAveragePool")
      .summary("the mean of each channel of quantized numbers over all its places, quantized again")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_linear_global_average_pool
