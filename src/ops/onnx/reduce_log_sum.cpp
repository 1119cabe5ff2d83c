// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceLogSum, versions 1, 11, 13, 18, 28
// https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
#include "ops/shared/numbers.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_log_sum {
namespace {
// The sum of integers, of which "log" has no integer unless it is above 0.
void require_positive_sums(const Reduction& r, const Elements& data) {
  for (std::int64_t i = 0; i < element_count(r.shape); ++i) {
    Elements::Wide sum = 0;
    r.each(i, [&](std::int64_t at) { sum += data.wide(at); });
    if (sum <= 0)
      fail(Fault::invalid, "the sum of the integers of reduced{} is {}, but must be > 0", coordinates(i, r.shape),
           Rational::of_wide(sum));
  }
}

// reduced[i] = log Σ data over the reduced axes;  of integers truncated
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  if (reduces_integers(call)) require_positive_sums(r, Elements(call.input("data")));
  const Slicing reduced(call.type("data").shape, r.is_reduced);
  const SliceOperand data = reduced.operand(call.input("data"));
  return {reduced_slices(outs[0], reduced,
                         [&]<class R>(const Slices<R>& s) { return log(s.named("the sum", sum(s.row(data)))); })};
}

std::vector<ValueType> output_types(const Call& call) {
  require_transcendental(call);
  return reduced_types_of_some(call);
}
}  // namespace
Operator reduce_log_sum() {
  return reduction_operator("ReduceLogSum")
      .summary("the logarithm of the sum of the elements along some axes")
      .version(28, allows("T", types::floats | DType::bfloat16))
      .reading(integer_transcendental_reading(28))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_log_sum
