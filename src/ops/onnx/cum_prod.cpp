// SPDX-License-Identifier: Apache-2.0
// ai.onnx CumProd, version 26
// https://onnx.ai/onnx/operators/onnx__CumProd.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_cum_prod {
namespace {
// y[…, j, …] = Π x[…, k, …] over k <= j, with exclusive k < j, with reverse from the other end
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {running_products(outs[0], call.input("x"), running(call))};
}
}  // namespace
Operator cum_prod() {
  return Operator("ai.onnx", "CumProd")
      .summary("products of the elements up to each one along an axis")
      .version(26, [](OpSchema& s) { cumulative(s, types::wide | types::floats | DType::bfloat16); })
      .reading(scalar_shape_reading(26))
      .output_types(cumulative_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_cum_prod
