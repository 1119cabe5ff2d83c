// SPDX-License-Identifier: Apache-2.0
// com.microsoft MatMulIntegerToFloat, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulIntegerToFloat
#include "ops/operator_file.h"
#include "ops/shared/requantized.h"
#include "ops/shared/scaled_products.h"
namespace opref::ops::microsoft::file_mat_mul_integer_to_float {
namespace {
/// Of a_scale or a_zero_point.
ParameterPlace a_place(const Call& call, const Product& p, std::string_view parameter) {
  if (call.reads("matmul_integer_to_float.a_scale", "per_row")) return row_parameter(call, p, "A", parameter);
  require_single_numbers(call, {parameter});
  return [](std::int64_t) { return 0; };
}

std::vector<ValueType> output_types(const Call& call) {
  const Product p = product(call, "A", "B");
  for (const char* parameter : {"a_scale", "a_zero_point"})
    if (call.has(parameter)) a_place(call, p, parameter);
  for (const char* parameter : {"b_scale", "b_zero_point"}) of_columns(call, parameter, p.N);
  require_column_bias(call, p.N);
  return {TensorType{call.type("a_scale").dtype, p.shape}};
}

// Y[batch, m, n] = a_scale·b_scale[n]·Σ over k of (A[batch, m, k] - a_zero_point)·(B[batch, k, n] - b_zero_point[n]) +
// bias[n], rounded once
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Product p = product(call, "A", "B");
  const bool has_zero = call.has("a_zero_point");
  const auto zero_point =
      integer_at(call.input(has_zero ? "a_zero_point" : "A"), has_zero ? a_place(call, p, "a_zero_point") : nullptr);
  return {scaled_product(call, outs[0], p,
                         {call.input("A"), call.input("a_scale"), a_place(call, p, "a_scale"), zero_point})};
}

void version_1(OpSchema& s) {
  s.input("A", "T1").input("B", "T2").input("a_scale", "T3").input("b_scale", "T3");
  s.input("a_zero_point", "T1", Arity::optional).input("b_zero_point", "T2", Arity::optional);
  s.input("bias", "T3", Arity::optional).output("Y", "T3").types("T3", types::floats - DType::float64);
  for (const char* variable : {"T1", "T2"}) s.types(variable, {DType::int8, DType::uint8});
}
}  // namespace
Operator mat_mul_integer_to_float() {
  return Operator("com.microsoft", "MatMulIntegerToFloat")
      .summary("the matrix product of quantized numbers, as floats")
      .version(1, version_1)
      .reading(row_scale_reading())
      .reading(overflow_reading([](const Call& call) { return may_overflow(product(call, "A", "B").K); }))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_mat_mul_integer_to_float
