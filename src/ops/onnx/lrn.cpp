// SPDX-License-Identifier: Apache-2.0
// ai.onnx LRN, versions 1, 13
// https://onnx.ai/onnx/operators/onnx__LRN.html
#include "evaluators/slices.h"
#include "ops/operator_file.h"
#include "ops/shared/powers.h"
namespace opref::ops::onnx::file_lrn {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& x = call.type("X");
  require(x.rank() >= 2, "X has shape {}, but must have at least 2 axes: (N, C, D1, …)", x.shape);
  return {x};
}

// Y[n, c, d] = X[n, c, d] / (bias + alpha/size·Σ X[n, i, d]²)^beta over the channels i from c - floor((size - 1)/2) to
// c + ceil((size - 1)/2)
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& x = call.type("X").shape;
  const Slicing channels = Slicing::from({x[0], x[1], element_count(x.without_first(2))}, 2);
  const SliceOperand X = channels.operand(call.input("X"));
  const std::int64_t C = x[1], size = call.integer("size");
  const double alpha = call.number("alpha"), beta = call.number("beta"), bias = call.number("bias");
  return slices(outs, channels, [&]<class R>(const Slices<R>& s) {
    const std::int64_t n = s.slice() / C, c = s.slice() % C, first = std::max<std::int64_t>(0, c - (size - 1) / 2),
                       last = size / 2 < C - 1 - c ? c + size / 2 : C - 1;
    const auto squares = total(first, last, [&](std::int64_t i) { return square(s.row(X, n * C + i)); });
    const auto base = s.named("the sum of squares", squares) * (R(alpha) / R::whole(size)) + R(bias);
    const auto to_power = map([&](const auto& b) { return powers::power(b, beta); }, s.named("its base", base));
    s.put(0, s.row(X) / s.named("the power", to_power));
  });
}

void version_1(OpSchema& s) {
  s.attribute(with_default("alpha", 0.0001F))
      .attribute(with_default("beta", 0.75F))
      .attribute(with_default("bias", 1.0F))
      .attribute(required(INT, "size", at_least(1)));
  s.input("X", "T").output("Y", "T").types("T", types::floats, "Constrain input and output types to float tensors.");
}
}  // namespace
Operator lrn() {
  return Operator("ai.onnx", "LRN")
      .summary("x/(bias + alpha/size·(sum of squares))^beta, the squares around it in other channels")
      .version(1, version_1)
      .version(13, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_lrn
