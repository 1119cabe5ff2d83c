// SPDX-License-Identifier: Apache-2.0
// Certified rows: what operators compute faster than by their definition, and without which (-DOPREF_FAST=OFF) no byte
// changes. Each function gives every element its definition's value, or leaves what it cannot prove to the definition;
// it returns false, having written nothing, where it does not serve.
#pragma once

#include <functional>
#include <optional>

#include "families/contraction.h"
#include "families/sum.h"
#include "families/taps.h"

#ifndef OPREF_WITHOUT_FAST
#define OPREF_ROWS(declaration) declaration
#else
#define OPREF_ROWS(declaration) \
  inline declaration { return false; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

namespace opref::fast {

/// The p-norms of windows (window_axes) of each plane of X (N, C, …), where Power can hold p; not scaled.
OPREF_ROWS(bool lp_norm(const RowTarget& y, const Tensor& x, const TapAxes& axes, double p));

/// Y (N, groups*M, …) from X (N, groups*C, …), filters W, whose elements have the order groups, C, M, kernel, and bias
/// B, all of Y's dtype.
struct TransposedConvolution {
  Tensor x, w;
  std::optional<Tensor> b;  ///< (groups*M)
  std::int64_t groups;
  TapAxes axes;  ///< transposed_axes, of the spatial axes
};

/// A transposed convolution, whose sums of integers wrap. Any number of spatial axes. Of few channels per group, of
/// float64 and of integers by direct rows, else by a matrix product; a few MiB per thread at any size.
OPREF_ROWS(bool transposed_convolution(const RowTarget& y, const TransposedConvolution& c));

/// Y (N, M, …) from X (N, groups*C, …), kernels W (M, C, …) and bias B, all of Y's dtype.
struct Convolution {
  Tensor x, w;
  std::optional<Tensor> b;  ///< (M)
  std::int64_t groups;
  TapAxes axes;  ///< window_axes, of the spatial axes
};

/// A convolution, whose sums of integers wrap, as the transposed one of turned kernels that moves by one. Of strides
/// beside dilations it serves none.
OPREF_ROWS(bool convolution(const RowTarget& y, const Convolution& c));

/// A factor of matrix products: element (i, k) of the matrix of batch n is at batch(n) + i*line_step + k*depth_step.
struct MatrixFactor {
  Tensor x;
  families::Strided batch;
  std::int64_t line_step, depth_step;
};
/// What is added to element (m, n) of each product: the one at m*row_step + n*column_step.
struct MatrixAddend {
  Tensor x;
  std::int64_t row_step, column_step;
};
/// Y (batch, M, N) = the sums over k < K of a's element (m, k) times b's element (n, k), all of Y's dtype.
struct MatrixProduct {
  MatrixFactor a, b;
  std::int64_t M, N, K;
  std::optional<MatrixAddend> c = std::nullopt;
  /// Where element (m, n) of batch `i` is, if not in that order: at batch(i) + m*row_step + n.
  struct Place {
    families::Strided batch;
    std::int64_t row_step;
  };
  std::optional<Place> y = std::nullopt;
};
inline MatrixProduct in_form(const families::MatrixForm& f, std::span<const Tensor> operands) {
  return {{operands[f.first], f.a, f.a_line, f.a_depth},
          {operands[1 - f.first], f.b, f.b_line, f.b_depth},
          f.M,
          f.N,
          f.K,
          std::nullopt,
          MatrixProduct::Place{f.y, f.y_row}};
}

/// Matrix products, whose sums of integers wrap: of float64 and of integers by direct rows, else by a product in
/// double. Of few or very many terms it serves none; a few MiB per thread at any size.
OPREF_ROWS(bool matrix_product(const RowTarget& y, const MatrixProduct& p));

/// As ScatterRows: y[at[e]] = x[e], zero elsewhere, `planes` planes in both. What has no place is given to
/// `refuse`, which throws.
OPREF_ROWS(bool scatter(const Tensor& x, const std::int64_t* at, TensorBuilder& y, std::int64_t planes, int threads,
                        const std::function<std::int64_t(std::int64_t)>& refuse));

}  // namespace opref::fast

#ifdef OPREF_WITHOUT_FAST
#pragma GCC diagnostic pop
#endif
