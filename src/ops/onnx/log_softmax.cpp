// SPDX-License-Identifier: Apache-2.0
// ai.onnx LogSoftmax, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_log_softmax {
namespace {
// output = log(exp(input) / Σ exp(input)) over the elements of a slice = input - log Σ exp(input)
struct LogSoftmax {
  SliceOperand input;
  bool lessens_by_infinity;
  template <class R>
  void operator()(const Slices<R>& s) const {
    const auto x = s.row(input);
    const LogSum<R> sum = log_sum(s, x, lessens_by_infinity);
    s.put(0, x - sum.most - sum.rest);
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing lines = softmax_slices(call);
  return slices(outs, lines, LogSoftmax{lines.operand(call.input("input")), has_nan_rows(call)});
}
}  // namespace
Operator log_softmax() {
  return softmax_operator("LogSoftmax")
      .summary("x - ln(sum of e^x along an axis), the logarithm of Softmax")
      .reading(plus_infinity_reading(1, "per_element: NaN at +Inf, -Inf elsewhere",
                                     "the formula gives NaN at +Inf and log(0) elsewhere; the function's body, which "
                                     "lessens by the greatest element, gives NaN everywhere"))
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_log_softmax
