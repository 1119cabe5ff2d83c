// SPDX-License-Identifier: Apache-2.0
// Certified products of two factors, what matrix products and transposed convolutions share: the factors in double,
// their norms, and how wrong an element can be.
//
// If term t takes part in h(t) additions, the sum is wrong by at most 2^-53·Σ h(t)·|a(t)·b(t)| (and a higher-order
// term), which by Cauchy-Schwarz is at most 2^-53·|the row of A, weighted by h|·|what the element meets of B|, both
// Euclidean norms. A bias is a term with b = 1.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/slack.h"
#include "fast/gemm.h"
#include "fast/scratch.h"

namespace opref::fast {

/// How wrong an element of a product is, as a part of the norms' product: what its terms take part in is `count`.
struct ProductBound {
  GemmCount count;
  Slack slack;
  double later = 0;  ///< roundings of the element after its sum

  std::int64_t depth() const { return static_cast<std::int64_t>(count.depth); }
  /// By what row k of a summand takes part in. Most for k = 0.
  double error(std::int64_t k) const { return slack.bound(gemm_additions(static_cast<std::size_t>(k), count) + later); }
  /// For the squares of A, whose root is then to be multiplied with error(0).
  double weight(std::int64_t k) const {
    const double relative = error(k) / error(0);
    return relative * relative;
  }
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
  Scratch<double> values;       ///< panels, in them summand after summand
  std::vector<double> squares;  ///< Σa² of each line and summand, weighted

  /// Elements [first, first + depth) of the lines; with first > 0 the squares go on from those before.
  template <class T>
  void pack(const Factor<T>& a, std::int64_t lines, std::int64_t summands, std::int64_t first, std::int64_t depth,
            const ProductBound& bound, std::vector<double>& buffer);
};

/// Factor B of gemm.h: its lines are columns of C.
struct Columns {
  Scratch<double> values;
  std::vector<double> squares;  ///< Σb² of each line
  std::int64_t row = 0;         ///< from one element of a line to the next

  template <class T>
  void pack(const Factor<T>& b, std::int64_t lines, std::int64_t first, std::int64_t depth);
};

constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
/// Elements of a row of B with what may be read beyond it: an odd number of cache lines, so that the rows' elements do
/// not compete for the same places in a cache.
constexpr std::int64_t padded_row(std::int64_t elements) {
  return rounded_up(elements + static_cast<std::int64_t>(kGemmSlack), 16) + 8;
}

}  // namespace opref::fast
