// SPDX-License-Identifier: Apache-2.0
// The certified product of two factors, of which matrix products, attentions and transposed convolutions are forms: the
// factors in double, their norms, their product, and how wrong each element of it can be. What a form adds is which
// elements meet: tiles, taps, batches.
//
// If term t takes part in h(t) additions, the sum is wrong by at most 2^-53·Σ h(t)·|a(t)·b(t)| (and a higher-order
// term), which by Cauchy-Schwarz is at most 2^-53·|the row of A, weighted by h|·|what the element meets of B|, both
// Euclidean norms. A bias is a term with b = 1.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/slack.h"
#include "fast/gemm.h"
#include "fast/scratch.h"

namespace opref::fast {

/// How wrong an element of a product is, as a part of the norms' product: what its terms take part in is `count`.
struct ProductBound {
  GemmCount count{};
  Slack slack;
  double later = 0;  ///< roundings of the element after its sum
  double most = 0;   ///< error(0)
  ProductBound() = default;
  ProductBound(const GemmCount& of, const Slack& allowed, double after = 0)
      : count(of), slack(allowed), later(after), most(error(0)) {}

  std::int64_t depth() const { return static_cast<std::int64_t>(count.depth); }
  /// By what row k of a summand takes part in. Most for k = 0.
  double error(std::int64_t k) const { return slack.bound(gemm_additions(static_cast<std::size_t>(k), count) + later); }
  /// For the squares of A, whose root is then to be multiplied with error(0).
  double weight(std::int64_t k) const {
    const double relative = error(k) / most;
    return relative * relative;
  }
  /// Of a line of A whose weighted squares have this sum: to be multiplied with the norm of what it meets of B.
  double scale(double squares) const { return most * std::sqrt(squares); }
};

/// Some lines of a factor, each of `depth` elements: element k of line i is at from[k*depth_step + i*line_step].
template <class T>
struct Factor {
  const T* from;
  std::int64_t depth_step, line_step;
  Factor at_depth(std::int64_t k) const { return {from + k * depth_step, depth_step, line_step}; }
  Factor at_line(std::int64_t i) const { return {from + i * line_step, depth_step, line_step}; }
};

/// to[k*row + i] = element k of line i, and perhaps some elements more in each row.
template <class T>
void widen_lines(const Factor<T>& x, std::int64_t depth, std::int64_t lines, double* to, std::int64_t row);

/// Factor A of gemm.h: its lines are rows of C. Of several summands, summand t of line i is line i*summands + t of the
/// factor that is packed.
struct Panels {
  Scratch<double> values;                          ///< panels, in them summand after summand
  std::vector<double> squares;                     ///< Σa² of each line and summand, weighted
  std::int64_t rows = 0, summands = 1, terms = 0;  ///< terms: of each line and summand, packed now

  /// Elements [first, first + depth) of the lines, `each` summands a line; with first > 0 the squares go on from those
  /// before.
  template <class T>
  void pack(const Factor<T>& a, std::int64_t lines, std::int64_t each, std::int64_t first, std::int64_t depth,
            const ProductBound& bound);
};

/// So many lines of a factor, which are columns of B from `column` on.
template <class T>
struct ColumnLines {
  Factor<T> lines;
  std::int64_t count, column;
};

/// Factor B of gemm.h. Columns that no lines fill are zeros.
struct Columns {
  Scratch<double> values;
  std::vector<double> squares;  ///< Σb² of each column, and zeros up to `row`
  std::int64_t row = 0;         ///< from one element of a column to the next

  /// Elements [first, first + depth) of the lines, whose columns ascend; with first > 0 the squares go on from those
  /// before.
  template <class T>
  void pack(std::span<const ColumnLines<T>> lines, std::int64_t columns, std::int64_t first, std::int64_t depth);
};

/// A summand of A times the columns of B from `column` on, of which those in [first, last) count.
GemmTerm product_term(const Panels& a, std::int64_t summand, const Columns& b, std::int64_t column, std::int64_t first,
                      std::int64_t last);
/// c[i*ldc + j] = start[i] + Σ of the terms for the rows of A and so many columns; += without a start.
void multiply(std::span<const GemmTerm> terms, const Panels& a, const Columns& b, const ProductBound& bound,
              std::int64_t columns, const double* start, double* c, std::int64_t ldc);
/// norms[j] = √(start + Σ of the rows' element j): what column j meets of B, and a bias.
void find_norms(std::span<const double* const> squares, double start, std::int64_t n, double* norms);

constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
/// Elements of a row of B with what may be read beyond it: an odd number of cache lines, so that the rows' elements do
/// not compete for the same places in a cache.
constexpr std::int64_t padded_row(std::int64_t elements) {
  return rounded_up(elements + static_cast<std::int64_t>(kGemmSlack), 16) + 8;
}

}  // namespace opref::fast
