// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/quantized_pairs.h"

#include "core/error.h"
#include "evaluators/strided.h"
namespace opref::ops {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_single_numbers(call, {"A_scale", "A_zero_point", "B_scale", "B_zero_point", "C_scale", "C_zero_point"});
  const TensorType& A = call.type("A");
  return {TensorType{A.dtype, broadcast(A.shape, call.type("B").shape)}};
}

void version_1(OpSchema& s) {
  s.input("A", "T").input("A_scale", "float32").input("A_zero_point", "T", Arity::optional).input("B", "T");
  s.input("B_scale", "float32").input("B_zero_point", "T", Arity::optional).input("C_scale", "float32");
  s.input("C_zero_point", "T", Arity::optional).output("C", "T").types("T", {DType::int8, DType::uint8});
}
}  // namespace
Operator quantized_pair_operator(std::string_view op_type) {
  return Operator("com.microsoft", op_type)
      .version(1, version_1)
      .reading(zero_point_reading("inside",
                                  "the page's formula has the zero point inside; so does onnxruntime, at every size"))
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale))
      .output_types(output_types);
}
}  // namespace opref::ops
