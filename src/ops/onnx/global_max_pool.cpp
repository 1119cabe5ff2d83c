// SPDX-License-Identifier: Apache-2.0
// ai.onnx GlobalMaxPool, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
#include "ops/operator_file.h"
#include "ops/shared/pooling.h"
namespace opref::ops::onnx::file_global_max_pool {
namespace {
// Y[n,c] = the greatest of X[n,c,…];  NaN wins, +0 is greater than -0; of an empty plane -Inf
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& X = call.input("X");
  const std::int64_t count = plane_size(call);
  const auto candidates = [&](std::int64_t i, Best& best) { best.consider(Run{i * count, count}); };
  const Selection greatest(outs[0], X, Zeros::ordered, Extreme::greatest, Tie::first, candidates, planes(call));
  return {greatest.values(outs[0], neutral(X.dtype(), Extreme::greatest))};
}
}  // namespace
Operator global_max_pool() {
  return Operator("ai.onnx", "GlobalMaxPool")
      .summary("the greatest element of each channel")
      .version(1, [](OpSchema& s) { global_pool_version_1(s, "the greatest elements, (N, C, 1, …)"); })
      .version(22, adds("T", DType::bfloat16))
      .output_types(global_pool_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_global_max_pool
