// SPDX-License-Identifier: Apache-2.0
// openvino MatMul, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_mat_mul {
namespace {
// transpose_a, transpose_b: the last two axes exchanged; a vector stays as it is
void transposed(const Call& call, Restated& product) {
  if (call.flag("transpose_a")) transpose_matrices(product.inputs[0]);
  if (call.flag("transpose_b")) transpose_matrices(product.inputs[1]);
}
}  // namespace
Operator mat_mul() {
  return Operator("openvino", "MatMul")
      .summary("the matrix product, as numpy.matmul has it, of matrices transposed first if asked")
      .page("matrix/matmul-1")
      .category("category matrix multiplication")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("transpose_a", 0, flag()))
                     .attribute(with_default("transpose_b", 0, flag()))
                     .input("A", "T")
                     .input("B", "T")
                     .output("output0", "T")
                     .types("T", computed_numbers);
               })
      .as("ai.onnx", "MatMul", 13, {{"output0", "Y"}, {"transpose_a", ""}, {"transpose_b", ""}})
      .restated(transposed);
}
}  // namespace opref::ops::openvino::file_mat_mul
