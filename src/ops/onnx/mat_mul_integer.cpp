// SPDX-License-Identifier: Apache-2.0
// ai.onnx MatMulInteger, version 10
// https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
#include "ops/operator_file.h"
#include "ops/shared/products.h"
namespace opref::ops::onnx::file_mat_mul_integer {
namespace {
struct Places {
  Product product;
  ParameterPlace a, b;  ///< of the zero points; null where there are none
};
Places places(const Call& call) {
  const Product p = product(call, "A", "B");
  return {p, call.has("a_zero_point") ? row_parameter(call, p, "A", "a_zero_point") : nullptr,
          call.has("b_zero_point") ? column_parameter(call, p, "B", "b_zero_point") : nullptr};
}

std::vector<ValueType> output_types(const Call& call) { return {TensorType{DType::int32, places(call).product.shape}}; }

// Y[batch, m, n] = Σ over k of (A[batch, m, k] - a_zero_point[m]) · (B[batch, k, n] - b_zero_point[n]), modulo 2^32
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Places p = places(call);
  const Elements A(call.input("A")), B(call.input("B"));
  const auto a_zero_point = integer_at(call.input(p.a ? "a_zero_point" : "A"), p.a),
             b_zero_point = integer_at(call.input(p.b ? "b_zero_point" : "B"), p.b);
  const auto definition = [&](std::int64_t i, auto& sum) {
    const Elements a = A.less(a_zero_point(i)), b = B.less(b_zero_point(i));
    sum.add(a[p.product.row(i)], b[p.product.column(i)]);
  };
  const auto rows = [&](const RowTarget& y) {
    const auto product = p.product.of(call.input("A"), call.input("B"));
    return fast::quantized_product(y, {product, a_zero_point, b_zero_point});
  };
  return {sum(outs[0], DType::int32, definition, {}, rows)};
}

void version_10(OpSchema& s) {
  s.input("A", "T1").input("B", "T2");
  s.input("a_zero_point", "T1", Arity::optional, "a scalar, or one for each row of A");
  s.input("b_zero_point", "T2", Arity::optional, "a scalar, or one for each column of B");
  s.output("Y", "T3");
  for (const char* variable : {"T1", "T2"}) s.types(variable, Types(DType::int8) | DType::uint8);
  s.types("T3", DType::int32);
}
}  // namespace
Operator mat_mul_integer() {
  return Operator("ai.onnx", "MatMulInteger")
      .summary("the matrix product of quantized numbers, less their zero points")
      .version(10, version_10)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_mat_mul_integer
