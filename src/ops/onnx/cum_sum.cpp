// SPDX-License-Identifier: Apache-2.0
// ai.onnx CumSum, versions 11, 14
// https://onnx.ai/onnx/operators/onnx__CumSum.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_cum_sum {
namespace {
// y[…, j, …] = Σ x[…, k, …] over k <= j, with exclusive k < j, with reverse from the other end; an exact zero is +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  Running how = running(call);
  how.copies_first = call.reads("cum_sum.first", "copied");
  return {running_sums(outs[0], call.input("x"), how)};
}

bool is_of_floats(const Call& call) { return is_floating(call.type("x").dtype); }
}  // namespace
Operator cum_sum() {
  return Operator("ai.onnx", "CumSum")
      .summary("sums of the elements up to each one along an axis")
      .version(11,
               [](OpSchema& s) {
                 cumulative(s, types::wide | Types{DType::float32, DType::float64});
               })
      .version(14, adds("T", {DType::bfloat16, DType::float16}))
      .reading({.name = "cum_sum.first",
                .alternatives = {"sum: it is a sum of one, which is +0 of -0", "copied: its bits, -0 too"},
                .defaults = {{11, "sum"}},
                .reason = "a sum that is exactly zero is +0; the page says that \"the first element is copied as is\"",
                .may_change_values = is_of_floats})
      .reading(scalar_shape_reading(11))
      .output_types(cumulative_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_cum_sum
