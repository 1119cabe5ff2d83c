// SPDX-License-Identifier: Apache-2.0
// Certified rows: what operators compute faster than by their definition, and without which (-DOPREF_FAST=OFF) no byte
// changes. Each function gives every element its definition's value, or leaves what it cannot prove to the definition;
// it returns false, having written nothing, where it does not serve.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "evaluators/contraction.h"
#include "evaluators/sum.h"
#include "evaluators/taps.h"
#include "exact/real/bounded.h"

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

/// A convolution, whose sums of integers wrap: of kernels of one tap as matrix products, else as the transposed one of
/// turned kernels that moves by one. Of strides beside dilations it serves none.
OPREF_ROWS(bool convolution(const RowTarget& y, const Convolution& c));

/// A factor of matrix products: element (i, k) of the matrix of batch n is at batch(n) + i*line_step + k*depth_step.
struct MatrixFactor {
  Tensor x;
  evaluators::Strided batch;
  std::int64_t line_step, depth_step;
};
/// What is added to element (m, n) of each product: the one at m*row_step + n*column_step, times `scale`.
struct MatrixAddend {
  Tensor x;
  std::int64_t row_step, column_step;
  double scale = 1;  ///< a float32
};
/// Y (batch, M, N) = `scale` times the sums over k < K of a's element (m, k) times b's element (n, k), all of Y's
/// dtype.
struct MatrixProduct {
  MatrixFactor a, b;
  std::int64_t M, N, K;
  std::optional<MatrixAddend> c = std::nullopt;
  /// Where element (m, n) of batch `i` is, if not in that order: at batch(i) + m*row_step + n.
  struct Place {
    evaluators::Strided batch;
    std::int64_t row_step;
  };
  std::optional<Place> y = std::nullopt;
  double scale = 1;  ///< a float32
};
inline MatrixProduct in_form(const evaluators::MatrixForm& f, std::span<const Tensor> operands) {
  return {{operands[f.first], f.a, f.a_line, f.a_depth},
          {operands[1 - f.first], f.b, f.b_line, f.b_depth},
          f.M,
          f.N,
          f.K,
          std::nullopt,
          MatrixProduct::Place{f.y, f.y_row}};
}

/// Matrix products, whose sums of integers wrap: of float64 and of integers by direct rows, else by a product in
/// double. Of few or very many terms it serves none, and of float64 and integers none that are scaled; a few MiB per
/// thread at any size.
OPREF_ROWS(bool matrix_product(const RowTarget& y, const MatrixProduct& p));

/// What sums of integers of 8 bits are multiplied by before they are integers of 8 bits again: row·column/divisor, of
/// the row and the column of element i of Y. Float32s > 0, but that row·column may be a product of three.
struct Requantization {
  std::function<double(std::int64_t i)> row, column;
  double divisor;
  Integers how;  ///< to the nearest
};
/// The product, its elements less the zero points of the row and the column of element i of Y: of int8 or uint8, and Y
/// int32, modulo 2^32, or requantized.
struct QuantizedProduct {
  MatrixProduct of;
  std::function<std::int64_t(std::int64_t i)> a_zero, b_zero;
  std::optional<Requantization> requantized = std::nullopt;
};
OPREF_ROWS(bool quantized_product(const RowTarget& y, const QuantizedProduct& p));

/// Y (N, M, …) from x (N, groups*C, …) less a zero point, kernels w (M, C, …) less one of each m, and a bias: likewise.
/// Padding adds nothing.
struct QuantizedConvolution {
  Tensor x, w;
  std::int64_t groups;
  TapAxes axes;  ///< window_axes, of the spatial axes
  std::int64_t x_zero;
  std::function<std::int64_t(std::int64_t m)> w_zero;
  std::function<std::int64_t(std::int64_t m)> bias = nullptr;
  std::optional<Requantization> requantized = std::nullopt;
};
OPREF_ROWS(bool quantized_convolution(const RowTarget& y, const QuantizedConvolution& c));

/// Lines of a tensor's elements: element k of line i is the one at first + i*line_step + k*depth_step.
struct ProductLines {
  const Tensor& x;
  std::int64_t first, line_step, depth_step;
};
/// Lines of numbers that are known by estimates: element k of line i is within errors[i*line_step + k] of the value
/// there.
struct EstimatedLines {
  const double *values, *errors;
  std::int64_t line_step;
};
/// A matrix of sums of products, for formulas that go on with them: element (i, j) is within scales[i]·norms[j] of the
/// value there. Nothing is known of those that are not finite.
struct ProductEstimates {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values, scales, norms;

  Bounded operator()(std::int64_t i, std::int64_t j) const {
    const double v = values[static_cast<std::size_t>(i * columns + j)];
    const double e = scales[static_cast<std::size_t>(i)] * norms[static_cast<std::size_t>(j)];
    return {v, std::abs(v) + e <= 0x1p1000 ? e : kInfinity};
  }
};
/// Element (i, j) of y = the sum over k < K of a's line i times b's line j, both of one dtype, and that a floating one
/// of 16 or 32 bits; others it does not serve.
OPREF_ROWS(bool estimate_products(const ProductLines& a, const ProductLines& b, std::int64_t rows, std::int64_t columns,
                                  std::int64_t K, ProductEstimates& y, const Slack& slack = {}));
OPREF_ROWS(bool estimate_products(const EstimatedLines& a, const ProductLines& b, std::int64_t rows,
                                  std::int64_t columns, std::int64_t K, ProductEstimates& y, const Slack& slack = {}));

/// Y (…, bins, inner, 1 or 2): the discrete Fourier transforms of lines, which Y has in the order of its other axes.
/// Bin k is the sum over n < N of x[n]·window[n]·e^(-2πi·kn/N); of an inverse of e^(+…), divided by N.
struct Spectra {
  Tensor x;                                     ///< of Y's dtype
  evaluators::Strided lines;                    ///< where a line begins
  std::int64_t step, used;                      ///< from a number to the next; those beyond `used` are zeros
  bool is_complex;                              ///< the imaginary part follows the real one
  std::optional<Tensor> window = std::nullopt;  ///< (N)
  std::int64_t N, bins, inner = 1;
  bool inverse = false;
  /// x[N - n] is the conjugate of x[n], of which those up to N/2 are there; of x[0] and x[N/2] the real parts count.
  /// The bins are real.
  bool is_half = false;
};
/// Spectra of 16 or 32 bits, of any length; a few MiB per thread, of long lines as much as a line and what all share.
OPREF_ROWS(bool spectra(const RowTarget& y, const Spectra& s));

/// Y[i] = start + i·delta, rounded once: of a floating type of at least 16 bits, which start and delta are of.
OPREF_ROWS(bool progression(const RowTarget& y, double start, double delta));

/// Y of X's shape. Of each line of X, `size` elements, the first `turned` are pairs x1, x2, neighbours or from both
/// halves, which become cos·x1 - sin·x2 and sin·x1 + cos·x2; the rest become 0.
struct Rotation {
  Tensor x, cos, sin;  ///< of Y's dtype
  std::int64_t size, turned;
  bool are_neighbours;
  std::function<std::int64_t(std::int64_t line)> row;  ///< of cos and sin, turned/2 of each
};
/// Of 16 or 32 bits.
OPREF_ROWS(bool rotation(const RowTarget& y, const Rotation& r));

/// As ScatterRows: y[at[e]] = x[e], zero elsewhere, `planes` planes in both. What has no place is given to
/// `refuse`, which throws.
OPREF_ROWS(bool scatter(const Tensor& x, const std::int64_t* at, TensorBuilder& y, std::int64_t planes, int threads,
                        const std::function<std::int64_t(std::int64_t)>& refuse));

}  // namespace opref::fast

#ifdef OPREF_WITHOUT_FAST
#pragma GCC diagnostic pop
#endif
