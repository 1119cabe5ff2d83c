// SPDX-License-Identifier: Apache-2.0
// ai.onnx GlobalLpPool, versions 1, 2, 22
// https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html
#include "ops/operator_file.h"
#include "ops/shared/pooling.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_global_lp_pool {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  power_of_norm(call);
  return global_pool_types(call);
}

// Y[n,c] = (Σ |X[n,c,…]|^p)^(1/p);  of an empty plane +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Elements X(call.input("X"));
  const std::int64_t count = plane_size(call);
  const auto terms = [&](std::int64_t i, auto& sum) { sum.add(X[Run{i * count, count}]); };
  return {norm(outs[0], power_of_norm(call), terms, planes(call))};
}

void version_1(OpSchema& s) {
  global_pool_version_1(s, "the norms, (N, C, 1, …)");
  s.attribute(with_default("p", 2.0F, above(0))).shape_inference(ShapeInference::none);
}

void version_2(OpSchema& s) {
  s.change("p") = with_default("p", 2, above(0));
  s.shape_inference(ShapeInference::onnx);
}
}  // namespace
Operator global_lp_pool() {
  return Operator("ai.onnx", "GlobalLpPool")
      .summary("the p-norm of each channel: the p-th root of the sum of its elements' p-th powers")
      .version(1, version_1)
      .version(2, version_2)
      .version(22, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_global_lp_pool
