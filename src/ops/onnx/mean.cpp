// SPDX-License-Identifier: Apache-2.0
// ai.onnx Mean, versions 1, 6, 8, 13
// https://onnx.ai/onnx/operators/onnx__Mean.html
#include "evaluators/term_rows.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_mean {
namespace {
// mean = (Σ of the n inputs' elements)/n, rounded once; an exact zero is +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Tensor> inputs = call.tensors();
  const std::vector<Elements> x(inputs.begin(), inputs.end());
  const std::vector<Strided> places = input_places(inputs, outs[0].type().shape);
  const auto terms = [&](std::int64_t i, auto& sum) {
    for (size_t k = 0; k < x.size(); ++k) sum.add(x[k][places[k](i)]);
    sum.scale({1, x.size()});
  };
  const Rows rows = rows_of_terms(inputs, nearly(x.size()));
  return {evaluators::sum(outs[0], outs[0].type().dtype, terms, {}, rows)};
}
}  // namespace
Operator mean() {
  return variadic("Mean", "mean", Integers12::no).summary("the mean of the inputs, element by element").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_mean
