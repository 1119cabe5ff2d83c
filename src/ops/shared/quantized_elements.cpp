// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/quantized_elements.h"

#include "core/error.h"
#include "evaluators/strided.h"
namespace opref::ops {
namespace {
std::vector<ValueType> pair_types(const Call& call) {
  require_single_numbers(call, {"A_scale", "A_zero_point", "B_scale", "B_zero_point", "C_scale", "C_zero_point"});
  const TensorType& A = call.type("A");
  return {TensorType{A.dtype, broadcast(A.shape, call.type("B").shape)}};
}

void pair_version_1(OpSchema& s) {
  s.input("A", "T").input("A_scale", "float32").input("A_zero_point", "T", Arity::optional).input("B", "T");
  s.input("B_scale", "float32").input("B_zero_point", "T", Arity::optional).input("C_scale", "float32");
  s.input("C_zero_point", "T", Arity::optional).output("C", "T").types("T", {DType::int8, DType::uint8});
}
}  // namespace
Operator quantized_pair_operator(std::string_view op_type) {
  return Operator("com.microsoft", op_type)
      .version(1, pair_version_1)
      .reading(zero_point_reading("inside",
                                  "the page's formula has the zero point inside; so does onnxruntime, at every size"))
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale))
      .output_types(pair_types);
}

namespace {
std::vector<ValueType> function_types(const Call& call) {
  require_single_numbers(call, {"X_scale", "X_zero_point", "Y_scale", "Y_zero_point"});
  return {call.type("X")};
}
}  // namespace
Operator quantized_function_operator(std::string_view op_type) {
  return Operator("com.microsoft", op_type)
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale))
      .output_types(function_types);
}

void quantized_function_version_1(OpSchema& s) {
  s.input("X", "T").input("X_scale", "float32").input("X_zero_point", "T", Arity::optional);
  s.input("Y_scale", "float32").input("Y_zero_point", "T", Arity::optional).output("Y", "T");
  s.types("T", {DType::int8, DType::uint8});
}
}  // namespace opref::ops
