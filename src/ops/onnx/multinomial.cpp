// SPDX-License-Identifier: Apache-2.0
// ai.onnx Multinomial, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Multinomial.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx::file_multinomial {
namespace {
// output[b, k], for k < sample_size, is c with a probability proportional to e^input[b, c]
std::vector<ValueType> output_types(const Call& call) {
  const Dims& input = call.type("input").shape;
  require(input.size() == 2, "input has shape {}, but must be [batch_size,class_size]", input);
  require(input[1] > 0 || input[0] == 0, "input has shape {}, but there must be an outcome to draw", input);
  return {TensorType{drawn_dtype(call, ""), {input[0], call.integer("sample_size")}}};
}

// what was drawn: classes, each about as often as its probability says
std::vector<Value> drawn(const Call& call, std::span<const Output>, std::span<const Tensor* const> given) {
  if (given[0] == nullptr) return {Value{}};
  const Elements input(call.input("input"));
  const std::int64_t classes = call.type("input").shape[1];
  require_likely_classes(*given[0], classes, Replacement::yes,
                         [&](std::int64_t b) { return exponentials(input, b, classes); });
  return {*given[0]};
}

void version_7(OpSchema& s) {
  s.input("input", "T1").output("output", "T2").types("T1", types::floats).types("T2", types::signed_wide);
  s.attribute(with_default("dtype", 6, element_types())).attribute(with_default("sample_size", 1, at_least(1)));
  s.attribute(optional(FLOAT, "seed"));
}
}  // namespace
Operator multinomial() {
  return Operator("ai.onnx", "Multinomial")
      .summary("outcomes drawn by their unnormalized log-probabilities")
      .version(7, version_7)
      .version(22, adds("T1", DType::bfloat16))
      .output_types(output_types)
      .undetermined(kUndetermined)
      .drawn(drawn);
}
}  // namespace opref::ops::onnx::file_multinomial
