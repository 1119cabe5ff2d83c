// SPDX-License-Identifier: Apache-2.0
// The matrix product of numpy.matmul: which elements meet, and which scale or zero point each operand has there.
#pragma once

#include "evaluators/strided.h"
#include "fast/fast.h"
#include "schema/operator.h"
namespace opref::ops {
/// A is (batch, M, K) and B (batch, K, N), batches being broadcast. One of rank 1 is (K): its M or N is no axis of the
/// output. Element i of the output is the product of the runs row(i) of A and column(i) of B.
struct Product {
  Dims shape;  ///< of the output
  std::int64_t M, K, N;
  Strided a_batch, b_batch;    ///< which matrix, by the batch of the output
  Strided a_matrix, b_matrix;  ///< where it begins

  Run row(std::int64_t i) const { return {a_row(i) * K, K, 1}; }
  Run column(std::int64_t i) const {
    const auto [batch, m, n] = split(i, M, N);
    return {b_matrix(batch) + n, K, N};
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
    return {{a, a_matrix, K, 1}, {b, b_matrix, 1, N}, M, N, K};
  }
};
/// Of two inputs; each rule of their shapes.
Product product(const Call& call, std::string_view a, std::string_view b);

/// Which element of a scale or zero point an operand has in the output's element i.
using ParameterPlace = std::function<std::int64_t(std::int64_t i)>;
/// "A scalar (per tensor), an N-D tensor (per row of a [D1, D2, M, 1], per column of b [D1, D2, 1, N])", or a vector of
/// M or N numbers; of an operand of rank 1 a scalar alone. Other shapes are `invalid`.
ParameterPlace row_parameter(const Call& call, const Product& product, std::string_view a, std::string_view parameter);
ParameterPlace column_parameter(const Call& call, const Product& product, std::string_view b,
                                std::string_view parameter);
/// The integer that an operand has there: 0 where there is no place.
std::function<std::int64_t(std::int64_t i)> integer_at(const Tensor& parameter, const ParameterPlace& place);
}  // namespace opref::ops
