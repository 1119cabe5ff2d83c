// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceLogSumExp, versions 1, 11, 13, 18, 28
// https://onnx.ai/onnx/operators/onnx__ReduceLogSumExp.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_log_sum_exp {
namespace {
// reduced[i] = log Σ exp(data) over the reduced axes;  of integers truncated
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing reduced(call.type("data").shape, reduction(call).is_reduced);
  const SliceOperand data = reduced.operand(call.input("data"));
  return {reduced_slices(outs[0], reduced, [&]<class R>(const Slices<R>& s) {
    const LogSum<R> sum = log_sum(s, s.row(data));
    return sum.most + sum.rest;
  })};
}

std::vector<ValueType> output_types(const Call& call) {
  require_transcendental(call);
  return reduced_types_of_some(call);
}
}  // namespace
Operator reduce_log_sum_exp() {
  return reduction_operator("ReduceLogSumExp")
      .summary("the logarithm of the sum of the exponentials along some axes")
      .version(28, allows("T", types::floats | DType::bfloat16))
      .reading(integer_transcendental_reading(28))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_log_sum_exp
