// SPDX-License-Identifier: Apache-2.0
// Sums of products of elements that labelled indices choose, as Einstein's convention has them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "evaluators/strided.h"

namespace opref::evaluators {

/// An index, by any number.
using Label = int;
using Labels = std::vector<Label>;

/// Matrix products: element (m, n) of product number b is at y(b) + m*y_row + n, and is the sum over k < K of the
/// elements of the two operands at a(b) + m*a_line + k*a_depth and b(b) + n*b_line + k*b_depth.
struct MatrixForm {
  std::size_t first;  ///< which operand is a
  Strided y, a, b;
  std::int64_t M, N, K, y_row, a_line, a_depth, b_line, b_depth;
};

/// Y[the output's indices] = the sum over all other indices of the product of the operands' elements.
struct Contraction {
  std::vector<Labels> terms;              ///< of each operand, a label for each axis
  std::vector<Dims> shapes;               ///< of each operand: an axis of size 1 is repeated
  Labels output;                          ///< each label once
  std::map<Label, std::int64_t> sizes{};  ///< of all labels

  Labels summed() const;
  Dims sizes_of(const Labels& labels) const;
  /// How far operand k moves with each of the labels: of one that is there twice, along the diagonal.
  Dims strides(std::size_t k, const Labels& labels) const;
  /// Of two operands, where their sums are such products.
  std::optional<MatrixForm> matrix_form() const;
};

}  // namespace opref::evaluators
