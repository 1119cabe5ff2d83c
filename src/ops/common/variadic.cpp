// SPDX-License-Identifier: Apache-2.0
#include "ops/common/variadic.h"

#include "core/error.h"
#include "core/text.h"
#include "ops/common/unary.h"

namespace opref::ops {
namespace {

/// "All inputs must be of the same shape" before version 8, which broadcasts.
std::vector<ValueType> output_types(const Call& call) {
  const std::span<const Input> inputs = call.inputs("data_0");
  auto [dtype, shape] = inputs[0].type.tensor;
  for (const Input& input : inputs) {
    const Dims& other = input.type.tensor.shape;
    require(call.version() >= 8 || other == shape,
            "'{}' has shape {}, but '{}' has {}; before opset 8 they must be the same", printable(input.name), other,
            printable(inputs[0].name), shape);
    shape = evaluators::broadcast(shape, other);
  }
  return {TensorType{dtype, shape}};
}

}  // namespace

Operator variadic(std::string_view op_type, std::string_view output, Integers12 integers) {
  Operator op = Operator("ai.onnx", op_type)
                    .version(1,
                             [=](OpSchema& s) {
                               s.input("data_0", "T", Arity::variadic).output(output, "T").types("T", types::floats);
                               with_consumed_inputs(s);
                             })
                    .version(6, without_consumed_inputs)
                    .version(8, words("the inputs broadcast to each other, as in NumPy"));
  if (integers == Integers12::yes) op = std::move(op).version(12, allows("T", types::numbers));
  return std::move(op).version(13, adds("T", DType::bfloat16)).output_types(output_types);
}

std::vector<Strided> input_places(std::span<const Tensor> inputs, const Dims& output) {
  std::vector<Strided> places;
  for (const Tensor& input : inputs) places.emplace_back(output, evaluators::broadcast_strides(input.shape(), output));
  return places;
}

}  // namespace opref::ops
