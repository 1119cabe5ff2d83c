// SPDX-License-Identifier: Apache-2.0
// ai.onnx Sum, versions 1, 6, 8, 13
// https://onnx.ai/onnx/operators/onnx__Sum.html
#include "evaluators/term_rows.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_sum {
namespace {
// sum = Σ of the inputs' elements, rounded once; an exact zero is +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Tensor> inputs = call.tensors();
  const std::vector<Elements> x(inputs.begin(), inputs.end());
  const std::vector<Strided> places = input_places(inputs, outs[0].type().shape);
  const auto terms = [&](std::int64_t i, auto& sum) {
    for (size_t k = 0; k < x.size(); ++k) sum.add(x[k][places[k](i)]);
  };
  return {evaluators::sum(outs[0], outs[0].type().dtype, terms, {}, rows_of_terms(inputs))};
}
}  // namespace
Operator sum() {
  return variadic("Sum", "sum", Integers12::no).summary("the sum of the inputs, element by element").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_sum
