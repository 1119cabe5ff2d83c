// SPDX-License-Identifier: Apache-2.0
// The matrix product of numpy.matmul: which elements meet, and which scale or zero point each operand has there. And
// Gemm's: alpha·A'·B' + beta·C.
#pragma once

#include <optional>
#include <string>

#include "evaluators/programs.h"
#include "evaluators/strided.h"
#include "fast/fast.h"
#include "ops/shared/terms.h"
#include "schema/operator.h"
namespace opref::ops {
/// A is (batch, M, K) and B (batch, K, N), batches being broadcast. One of rank 1 is (K): its M or N is no axis of the
/// output. Element i of the output is the product of the runs row(i) of A and column(i) of B.
struct Product {
  Dims shape;  ///< of the output
  std::int64_t M, K, N;
  Strided a_batch, b_batch;                       ///< which matrix, by the batch of the output
  Strided a_matrix, b_matrix;                     ///< where it begins
  std::int64_t a_line, a_depth, b_line, b_depth;  ///< from a row or column to the next, and from a term to the next

  Run row(std::int64_t i) const {
    const auto [batch, m, n] = split(i, M, N);
    return {a_matrix(batch) + m * a_line, K, a_depth};
  }
  Run column(std::int64_t i) const {
    const auto [batch, m, n] = split(i, M, N);
    return {b_matrix(batch) + n * b_line, K, b_depth};
  }
  /// The row of A and the column of B, counted over all batches.
  std::int64_t a_row(std::int64_t i) const {
    const auto [batch, m, n] = split(i, M, N);
    return a_batch(batch) * M + m;
  }
  std::int64_t b_column(std::int64_t i) const {
    const auto [batch, m, n] = split(i, M, N);
    return b_batch(batch) * N + n;
  }
  fast::MatrixProduct of(const Tensor& a, const Tensor& b) const {
    return {{a, a_matrix, a_line, a_depth}, {b, b_matrix, b_line, b_depth}, M, N, K};
  }
};
/// An operand with its axes as the product takes them: `strides` says where their elements lie.
struct Factor {
  std::string name;  ///< for messages
  Dims shape, strides;
};
Factor factor(const Call& call, std::string_view input);
/// Each rule of their shapes.
Product product(const Factor& a, const Factor& b);
inline Product product(const Call& call, std::string_view a, std::string_view b) {
  return product(factor(call, a), factor(call, b));
}

/// Which element of a scale or zero point an operand has in the output's element i.
using ParameterPlace = std::function<std::int64_t(std::int64_t i)>;
/// "A scalar (per tensor), an N-D tensor (per row of a [D1, D2, M, 1], per column of b [D1, D2, 1, N])", or a vector of
/// M or N numbers; of an operand of rank 1 a scalar alone. Other shapes are `invalid`.
ParameterPlace row_parameter(const Call& call, const Product& product, std::string_view a, std::string_view parameter);
ParameterPlace column_parameter(const Call& call, const Product& product, std::string_view b,
                                std::string_view parameter);
/// The integer that an operand has there: 0 where there is no place.
std::function<std::int64_t(std::int64_t i)> integer_at(const Tensor& parameter, const ParameterPlace& place);

/// A' is A, or with transA its transpose, of shape (M, K), B' likewise (K, N). Their elements' places:
struct Matrices {
  std::int64_t M, K, N;
  bool transA, transB;
  Dims shape() const { return {M, N}; }
  Run row(std::int64_t m) const { return transA ? Run{m, K, M} : Run{m * K, K, 1}; }
  Run column(std::int64_t n) const { return transB ? Run{n * K, K, 1} : Run{n, K, N}; }
  fast::MatrixProduct of(const Tensor& a, const Tensor& b) const;
};
/// Of the inputs A and B; each rule of their shapes, and that C, where it is given, broadcasts to (M, N).
Matrices matrices(const Call& call);

/// Element i of alpha·A'·B' + beta·C, the attributes of these names.
struct ScaledProduct {
  Matrices p;
  double alpha, beta;
  Elements A, B;
  std::optional<Elements> C;
  Strided c_place;

  /// Without C where it does not count.
  ScaledProduct(const Call& call, bool counts_c);
  template <class R>
  R of(std::int64_t i, const Reader<R>& x) const {
    const Run row = p.row(i / p.N), column = p.column(i % p.N);
    TermsOf<R> products(x);
    for (std::int64_t k = 0; k < p.K; ++k) products.add(A[row.from + k * row.step], B[column.from + k * column.step]);
    const R first = x.sum(R(alpha) * x.named("the sum of products", products.total()));
    return C ? first + R(beta) * x(*C, c_place(i)) : first;
  }
};
}  // namespace opref::ops
