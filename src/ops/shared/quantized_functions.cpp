// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/quantized_functions.h"
namespace opref::ops {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_single_numbers(call, {"X_scale", "X_zero_point", "Y_scale", "Y_zero_point"});
  return {call.type("X")};
}
}  // namespace
Operator quantized_function_operator(std::string_view op_type) {
  return Operator("com.microsoft", op_type)
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale))
      .output_types(output_types);
}

void quantized_function_version_1(OpSchema& s) {
  s.input("X", "T").input("X_scale", "float32").input("X_zero_point", "T", Arity::optional);
  s.input("Y_scale", "float32").input("Y_zero_point", "T", Arity::optional).output("Y", "T");
  s.types("T", {DType::int8, DType::uint8});
}
}  // namespace opref::ops
