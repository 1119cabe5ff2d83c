// SPDX-License-Identifier: Apache-2.0
// ai.onnx ConstantOfShape, versions 9, 20, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_constant_of_shape {
namespace {
/// "If attribute 'value' is not specified, then type is assumed to be float, and default value is 0."
std::vector<ValueType> output_types(const Call& call) {
  DType dtype = DType::float32;
  if (call.has("value")) {
    const Tensor& value = call.tensor("value");
    dtype = value.dtype();
    require(value.count() == 1, "attribute 'value' has shape {}, but must have one element", value.shape());
    require(call.schema().types_of("T2").contains(dtype), "attribute 'value' is {}, which {} does not give", dtype,
            call.title());
  }
  return {TensorType{dtype, sizes_of(call, "input")}};
}

// output[i] = value
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const TensorType& output = outs[0].type();
  const Tensor value = call.has("value") ? call.tensor("value") : zeros_of({output.dtype, {}});
  return {move(outs[0].inner(output), value, [&](std::int64_t i) {
    return Run{0, element_count(output.shape) - i, 0};
  })};
}

void version_9(OpSchema& s) {
  s.input("input", "T1").output("output", "T2").types("T1", DType::int64);
  s.types("T2", types::numbers | DType::boolean).attribute(optional(TENSOR, "value"));
}
}  // namespace
Operator constant_of_shape() {
  constexpr Types kMade = types::numbers | DType::boolean | DType::bfloat16;
  return Operator("ai.onnx", "ConstantOfShape")
      .summary("one value, in a given shape")
      .version(9, version_9)
      .version(20, allows("T2", kMade | types::float8))
      .version(21, adds("T2", types::int4s))
      .version(23, adds("T2", DType::float4_e2m1fn))
      .version(24, adds("T2", DType::float8_e8m0fnu))
      .version(25, adds("T2", types::int2s))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_constant_of_shape
