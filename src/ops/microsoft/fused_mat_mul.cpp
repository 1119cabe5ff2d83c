// SPDX-License-Identifier: Apache-2.0
// com.microsoft FusedMatMul, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedMatMul
#include "ops/operator_file.h"
#include "ops/shared/products.h"
namespace opref::ops::microsoft::file_fused_mat_mul {
namespace {
// transBatch: axes d0, d1, …, d(r-2), d(r-1) are read as d1, …, d(r-2), d0, d(r-1); then trans: the last two exchanged,
// which says nothing of a vector
Factor arranged(const Call& call, std::string_view input, std::string_view trans, std::string_view trans_batch) {
  Factor f = factor(call, input);
  const size_t rank = f.shape.size();
  const bool moves_first = call.flag(trans_batch), is_transposed = call.flag(trans) && rank >= 2;
  require(!moves_first || rank >= 3, "attribute '{}' is 1, but {} has shape {}: it needs at least 3 axes", trans_batch,
          input, f.shape);
  for (Dims* axes : {&f.shape, &f.strides}) {
    if (moves_first)
      std::rotate(axes->begin(), axes->begin() + 1, axes->begin() + static_cast<std::ptrdiff_t>(rank) - 1);
    if (is_transposed) std::swap((*axes)[rank - 1], (*axes)[rank - 2]);
  }
  if (moves_first || is_transposed) f.name += " transposed";
  return f;
}
Product product_of(const Call& call) {
  return product(arranged(call, "A", "transA", "transBatchA"), arranged(call, "B", "transB", "transBatchB"));
}

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("A").dtype, product_of(call).shape}};
}

// Y[batch, m, n] = alpha·Σ over k of A'[batch, m, k] · B'[batch, k, n]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Product p = product_of(call);
  const Elements A(call.input("A")), B(call.input("B"));
  const double alpha = call.number("alpha");
  const auto definition = [&](std::int64_t i, auto& sum) {
    sum.add(A[p.row(i)], B[p.column(i)]);
    sum.scale({alpha, 1.0});
  };
  const auto rows = [&](const RowTarget& y) {
    fast::MatrixProduct product = p.of(call.input("A"), call.input("B"));
    product.scale = alpha;
    return fast::matrix_product(y, product);
  };
  return {sum(outs[0], A.dtype(), definition, {}, rows)};
}

void version_1(OpSchema& s) {
  s.input("A", "T").input("B", "T").output("Y", "T").types("T", types::floats | DType::bfloat16);
  s.attribute(with_default("alpha", 1.0F))
      .attribute(with_default("transA", 0, flag()))
      .attribute(with_default("transB", 0, flag()))
      .attribute(with_default("transBatchA", 0, flag()));
  s.attribute(with_default("transBatchB", 0, flag()));
}
}  // namespace
Operator fused_mat_mul() {
  return Operator("com.microsoft", "FusedMatMul")
      .summary("alpha times the matrix product, as numpy.matmul has it, of matrices transposed first if asked")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_fused_mat_mul
