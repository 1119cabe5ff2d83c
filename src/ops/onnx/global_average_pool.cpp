// SPDX-License-Identifier: Apache-2.0
// ai.onnx GlobalAveragePool, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html
#include "ops/operator_file.h"
#include "ops/shared/pooling.h"
namespace opref::ops::onnx::file_global_average_pool {
namespace {
// Y[n,c] = Σ X[n,c,…] / count;  0/0, of an empty plane, is NaN
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Elements X(call.input("X"));
  const std::int64_t count = plane_size(call);
  const auto mean = [&](std::int64_t i, auto& sum) { sum.add(X[Run{i * count, count}]), sum.scale({1, count}); };
  return {sum(outs[0], X.dtype(), mean, planes(call))};
}
}  // namespace
Operator global_average_pool() {
  return Operator("ai.onnx", "GlobalAveragePool")
      .summary("the mean of each channel over all its places")
      .version(1, [](OpSchema& s) { global_pool_version_1(s, "the means, (N, C, 1, …)"); })
      .version(22, adds("T", DType::bfloat16))
      .output_types(global_pool_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_global_average_pool
