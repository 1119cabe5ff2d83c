// SPDX-License-Identifier: Apache-2.0
#include "fast/product.h"

#include <algorithm>
#include <type_traits>

#include "exact/lanes.h"
#include "exact/row_elements.h"
#include "exact/rows.h"
#include "system/deadline.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kPackedDepth = 32;  // of lines, read together: two cache lines of floats
constexpr int kTogether = 8;               // lines that are

using Eight = Floats<kTogether>;

OPREF_INLINE void put(const Eight& x, double* to) {
  put_vector<kTogether>(to, __builtin_convertvector(x, Doubles<kTogether>));
}
/// to[k*row + r] = from[r*step + k], for eight of both: neighbours change places, then pairs, then fours.
OPREF_INLINE void widen_square(const float* from, std::int64_t step, double* to, std::int64_t row) {
  Eight x[kTogether], y[kTogether];
#pragma GCC unroll 8
  for (int r = 0; r < kTogether; ++r) x[r] = vector_at<kTogether>(from + r * step);
#pragma GCC unroll 4
  for (int r = 0; r < kTogether; r += 2) {
    y[r] = __builtin_shufflevector(x[r], x[r + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    y[r + 1] = __builtin_shufflevector(x[r], x[r + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const int first = k / 2 + k % 2 * 4;  // x: elements 0 and 4, 1 and 5, … of the first four lines, then of the others
    const int to_first = k / 2 * 2 + k % 2 * 4;
    x[to_first] = __builtin_shufflevector(y[first], y[first + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    x[to_first + 1] = __builtin_shufflevector(y[first], y[first + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    put(__builtin_shufflevector(x[k], x[k + 4], 0, 1, 2, 3, 8, 9, 10, 11), to + k * row);
    put(__builtin_shufflevector(x[k], x[k + 4], 4, 5, 6, 7, 12, 13, 14, 15), to + (k + 4) * row);
  }
}

/// to[k*row + r] = element k of line r < kLines.
template <int kLines, class T>
OPREF_INLINE void widen_some(const Factor<T>& x, std::int64_t depth, double* __restrict to, std::int64_t row) {
  const T* __restrict from = x.from;
  std::int64_t k = 0;
  if constexpr (kLines == kTogether && std::is_same_v<T, float>)
    if (x.depth_step == 1)
      for (; k + kTogether <= depth; k += kTogether) widen_square(from + k, x.line_step, to + k * row, row);
  from += k * x.depth_step, to += k * row;
  for (; k < depth; ++k, from += x.depth_step, to += row)
    if (x.line_step == 1)
      for (int r = 0; r < kLines; ++r) to[r] = static_cast<double>(vector_widen(from[r]));
    else
      for (int r = 0; r < kLines; ++r) to[r] = static_cast<double>(vector_widen(from[r * x.line_step]));
}
/// Lines that are read next, and lie too far apart for the processor to expect them.
template <class T>
OPREF_INLINE void ask_for(const Factor<T>& x, std::int64_t depth) {
  constexpr std::int64_t kCacheLine = 64 / sizeof(T);
  for (int r = 0; r < kTogether; ++r)
    for (std::int64_t k = 0; k < depth; k += kCacheLine)
      __builtin_prefetch(x.from + r * x.line_step + k * x.depth_step);
}
template <class T>
OPREF_INLINE void widen_all(const Factor<T>& x, std::int64_t depth, std::int64_t lines, double* to, std::int64_t row) {
  for (std::int64_t first = 0; first < depth; first += kPackedDepth) {
    const std::int64_t size = std::min(kPackedDepth, depth - first);
    std::int64_t i = 0;
    for (; i + kTogether <= lines; i += kTogether) {
      ask_for(x.at_depth(first).at_line(i + kTogether), size);
      widen_some<kTogether>(x.at_depth(first).at_line(i), size, to + first * row + i, row);
    }
    for (; i < lines; ++i) widen_some<1>(x.at_depth(first).at_line(i), size, to + first * row + i, row);
  }
}

/// A summand of a panel: element k of line r at to[k*kPanel + r], its square times weights[k] added to squares[r].
template <int kPanel, class T>
OPREF_INLINE void pack_some(const Factor<T>& a, std::int64_t depth, const double* __restrict weights,
                            double* __restrict to, double* __restrict squares) {
  widen_some<kPanel>(a, depth, to, kPanel);
  Doubles<kPanel> sums = {};
  for (std::int64_t k = 0; k < depth; ++k, to += kPanel) {
    const Doubles<kPanel> x = vector_at<kPanel>(to);
    sums += weights[k] * (x * x);
  }
  for (int r = 0; r < kPanel; ++r) squares[r] += sums[r];
}
template <class T>
OPREF_INLINE void pack_panel(const Factor<T>& a, std::int64_t depth, const double* weights, std::size_t panel,
                             double* to, double* squares) {
  panel == 8 ? pack_some<8>(a, depth, weights, to, squares) : pack_some<4>(a, depth, weights, to, squares);
}

/// Likewise of fewer lines; the others are anything.
template <class T>
void pack_edge(const Factor<T>& a, std::int64_t depth, std::int64_t lines, const double* weights, std::int64_t panel,
               double* to, double* squares) {
  for (std::int64_t k = 0; k < depth; ++k)
    for (std::int64_t r = 0; r < lines; ++r) {
      const auto x = static_cast<double>(a.from[k * a.depth_step + r * a.line_step]);
      to[k * panel + r] = x, squares[r] += weights[k] * (x * x);
    }
}

#define OPREF_OF(T)                                                                                             \
  OPREF_CLONES void widen_loop(const Factor<T>& x, std::int64_t depth, std::int64_t lines, double* to,          \
                               std::int64_t row) {                                                              \
    widen_all(x, depth, lines, to, row);                                                                        \
  }                                                                                                             \
  OPREF_CLONES void pack_loop(const Factor<T>& a, std::int64_t depth, const double* weights, std::size_t panel, \
                              double* to, double* squares) {                                                    \
    pack_panel(a, depth, weights, panel, to, squares);                                                          \
  }
OPREF_OF(Half)
OPREF_OF(BFloat16)
OPREF_OF(float)
OPREF_OF(double)
#undef OPREF_OF

}  // namespace

template <class T>
void widen_lines(const Factor<T>& x, std::int64_t depth, std::int64_t lines, double* to, std::int64_t row) {
  if (x.line_step == 1) {
    for (std::int64_t k = 0; k < depth; ++k)
      row_widen(x.from + k * x.depth_step, static_cast<std::size_t>(lines), to + k * row);
    return;
  }
  widen_loop(x, depth, lines, to, row);
}

template <class T>
void Panels::pack(const Factor<T>& a, std::int64_t lines, std::int64_t each, std::int64_t first, std::int64_t depth,
                  const ProductBound& bound) {
  const auto panel = static_cast<std::int64_t>(gemm_panel());
  rows = lines, summands = each, terms = depth;
  const std::int64_t padded = rounded_up(lines, panel);
  if (first == 0) squares.assign(static_cast<std::size_t>(lines * each), 0.0);
  values.resize(static_cast<std::size_t>(padded * each * depth));
  std::vector<double> weights(static_cast<std::size_t>(depth));
  for (std::int64_t k = 0; k < depth; ++k) weights[static_cast<std::size_t>(k)] = bound.weight(k);
  for (std::int64_t i = 0; i < lines; i += panel)
    for (std::int64_t done = 0; done < depth; done += kPackedDepth) {
      const std::int64_t size = std::min(kPackedDepth, depth - done), count = std::min(panel, lines - i);
      const double* const weight = &weights[static_cast<std::size_t>(done)];
      for (std::int64_t t = 0; t < each; ++t) {
        const Factor<T> some{a.at_depth(first + done).at_line(i * each + t).from, a.depth_step, a.line_step * each};
        double* const to = values.data() + ((i / panel * each + t) * depth + done) * panel;
        double sums[kTogether] = {};
        if (count == panel)
          pack_loop(some, size, weight, gemm_panel(), to, sums);
        else
          pack_edge(some, size, count, weight, panel, to, sums);
        for (std::int64_t r = 0; r < count; ++r) squares[static_cast<std::size_t>((i + r) * each + t)] += sums[r];
      }
    }
}

template <class T>
void Columns::pack(std::span<const ColumnLines<T>> lines, std::int64_t columns, std::int64_t first,
                   std::int64_t depth) {
  row = padded_row(columns);
  if (first == 0) squares.assign(static_cast<std::size_t>(row), 0.0);
  values.resize(static_cast<std::size_t>(row * depth));
  for (std::int64_t done = 0; done < depth; done += kPackedDepth) {
    const std::int64_t size = std::min(kPackedDepth, depth - done);
    double* const to = values.data() + done * row;
    for (const ColumnLines<T>& some : lines)
      widen_lines(some.lines.at_depth(first + done), size, some.count, to + some.column, row);
    for (std::int64_t k = 0; k < size; ++k) {
      double *const x = to + k * row, *filled = x;
      for (const ColumnLines<T>& some : lines) {
        std::fill(filled, x + some.column, 0.0);
        filled = x + some.column + some.count;
      }
      std::fill(filled, x + row, 0.0);
      row_add_squares(1, x, static_cast<std::size_t>(row), squares.data());
    }
  }
}

GemmTerm product_term(const Panels& a, std::int64_t summand, const Columns& b, std::int64_t column, std::int64_t first,
                      std::int64_t last) {
  return {a.values.data() + summand * a.terms * static_cast<std::int64_t>(gemm_panel()), b.values.data() + column,
          static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

void multiply(std::span<const GemmTerm> terms, const Panels& a, const Columns& b, const ProductBound& bound,
              std::int64_t columns, const double* start, double* c, std::int64_t ldc) {
  require_time();
  const auto depth = static_cast<std::size_t>(a.terms);
  gemm(terms,
       {depth, static_cast<std::size_t>(a.rows), static_cast<std::size_t>(columns),
        static_cast<std::size_t>(a.summands) * depth * gemm_panel(), static_cast<std::size_t>(b.row),
        gemm_blocks(bound.count)},
       start, c, static_cast<std::size_t>(ldc));
}

void find_norms(std::span<const double* const> squares, double start, std::int64_t n, double* norms) {
  row_sum(squares.data(), squares.size(), start, static_cast<std::size_t>(n), norms);
  row_root(norms, static_cast<std::size_t>(n));
}

#define OPREF_OF(T)                                                                                       \
  template void widen_lines(const Factor<T>&, std::int64_t, std::int64_t, double*, std::int64_t);         \
  template void Columns::pack(std::span<const ColumnLines<T>>, std::int64_t, std::int64_t, std::int64_t); \
  template void Panels::pack(const Factor<T>&, std::int64_t, std::int64_t, std::int64_t, std::int64_t,    \
                             const ProductBound&);
OPREF_OF(Half)
OPREF_OF(BFloat16)
OPREF_OF(float)
#undef OPREF_OF
template void widen_lines(const Factor<double>&, std::int64_t, std::int64_t, double*, std::int64_t);
template void Columns::pack(std::span<const ColumnLines<double>>, std::int64_t, std::int64_t, std::int64_t);
template void Panels::pack(const Factor<double>&, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                           const ProductBound&);

}  // namespace opref::fast
