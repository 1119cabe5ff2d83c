// SPDX-License-Identifier: Apache-2.0
// com.microsoft DynamicQuantizeMatMul, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeMatMul
#include "ops/operator_file.h"
#include "ops/shared/dynamic_quantization.h"
#include "ops/shared/scaled_products.h"
namespace opref::ops::microsoft::file_dynamic_quantize_mat_mul {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Product p = product(call, "A", "B");
  const Dims& a = call.type("A").shape;
  require(element_count(a) > 0, "A has shape {}, but must have elements: their range gives its scale", a);
  for (const char* parameter : {"b_scale", "b_zero_point"}) of_columns(call, parameter, p.N);
  require_column_bias(call, p.N);
  return {TensorType{DType::float32, p.shape}};
}

// Y[batch, m, n] = scale·b_scale[n]·Σ over k of (a[batch, m, k] - zero_point)·(B[batch, k, n] - b_zero_point[n]) +
// bias[n], rounded once; a, scale and zero_point are what DynamicQuantizeLinear makes of all of A
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& A = call.input("A");
  const DynamicQuantization quantized(outs[0], A.values<float>(), "A");
  const ScaledFactor a{Tensor::of<std::uint8_t>(DType::uint8, A.shape(), quantized.integers),
                       Tensor::of<float>(DType::float32, {}, std::span(&quantized.scale, 1)),
                       [](std::int64_t) { return 0; }, [zero = quantized.zero_point](std::int64_t) { return zero; }, A};
  return {scaled_product(call, outs[0], product(call, "A", "B"), a)};
}

void version_1(OpSchema& s) {
  s.input("A", "T1").input("B", "T2").input("b_scale", "T1").input("b_zero_point", "T2", Arity::optional);
  s.input("bias", "T1", Arity::optional).output("Y", "T1");
  s.types("T1", DType::float32).types("T2", {DType::int8, DType::uint8});
}
}  // namespace
Operator dynamic_quantize_mat_mul() {
  return Operator("com.microsoft", "DynamicQuantizeMatMul")
      .summary("the matrix product of A, quantized by its range, and quantized numbers, as floats")
      .version(1, version_1)
      .reading(overflow_reading([](const Call& call) { return may_overflow(product(call, "A", "B").K); }))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_dynamic_quantize_mat_mul
