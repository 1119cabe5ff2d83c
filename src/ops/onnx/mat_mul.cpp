// SPDX-License-Identifier: Apache-2.0
// ai.onnx MatMul, versions 1, 9, 13
// https://onnx.ai/onnx/operators/onnx__MatMul.html
#include "ops/operator_file.h"
#include "ops/shared/products.h"
namespace opref::ops::onnx::file_mat_mul {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("A").dtype, product(call, "A", "B").shape}};
}

// Y[batch, m, n] = Σ over k of A[batch, m, k] · B[batch, k, n];  of integers modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Product p = product(call, "A", "B");
  const Elements A(call.input("A")), B(call.input("B"));
  const auto definition = [&](std::int64_t i, auto& sum) { sum.add(A[p.row(i)], B[p.column(i)]); };
  const auto rows = [&](const RowTarget& y) { return fast::matrix_product(y, p.of(call.input("A"), call.input("B"))); };
  return {sum(outs[0], A.dtype(), definition, {}, rows)};
}

void version_1(OpSchema& s) {
  s.input("A", "T").input("B", "T").output("Y", "T").types("T", types::floats,
                                                           "Constrain input and output types to float tensors.");
}
}  // namespace
Operator mat_mul() {
  return Operator("ai.onnx", "MatMul")
      .summary("the matrix product, as numpy.matmul has it")
      .version(1, version_1)
      .version(9, adds("T", types::wide))
      .version(13, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_mat_mul
