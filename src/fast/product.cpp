// SPDX-License-Identifier: Apache-2.0
#include "fast/product.h"

#include <algorithm>

#include "exact/rows.h"
#include "system/deadline.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kPackedDepth = 8;  // of a panel, written together: some cache lines

}  // namespace

template <class T>
void widen_lines(const Factor<T>& x, std::int64_t depth, std::int64_t lines, double* to, std::int64_t row) {
  if (x.line_step == 1) {
    for (std::int64_t k = 0; k < depth; ++k)
      row_widen(x.from + k * x.depth_step, static_cast<std::size_t>(lines), to + k * row);
    return;
  }
  for (std::int64_t first = 0; first < depth; first += kPackedDepth) {  // of each line what is in a cache together
    const std::int64_t last = std::min(depth, first + kPackedDepth);
    for (std::int64_t i = 0; i < lines; ++i)
      for (std::int64_t k = first; k < last; ++k)
        to[k * row + i] = static_cast<double>(x.from[k * x.depth_step + i * x.line_step]);
  }
}

template <class T>
void Panels::pack(const Factor<T>& a, std::int64_t lines, std::int64_t each, std::int64_t first, std::int64_t depth,
                  const ProductBound& bound, std::vector<double>& buffer) {
  const auto panel = static_cast<std::int64_t>(gemm_panel());
  rows = lines, summands = each, terms = depth;
  const std::int64_t width = lines * each, row = rounded_up(lines, panel) * each;  // beyond the lines: anything
  if (first == 0) squares.assign(static_cast<std::size_t>(width), 0.0);
  buffer.resize(static_cast<std::size_t>(kPackedDepth * row));
  values.resize(static_cast<std::size_t>(row * depth));
  for (std::int64_t done = 0; done < depth; done += kPackedDepth) {
    const std::int64_t size = std::min(kPackedDepth, depth - done);
    widen_lines(a.at_depth(first + done), size, width, buffer.data(), row);
    for (std::int64_t k = 0; k < size; ++k)
      row_add_squares(bound.weight(done + k), &buffer[static_cast<std::size_t>(k * row)],
                      static_cast<std::size_t>(width), squares.data());
    for (std::int64_t i = 0; i < lines; i += panel)
      for (std::int64_t t = 0; t < each; ++t) {
        double* out = values.data() + ((i / panel * each + t) * depth + done) * panel;
        const double* from = buffer.data() + i * each + t;
        for (std::int64_t k = 0; k < size; ++k, from += row)
          for (std::int64_t r = 0; r < panel; ++r) *out++ = from[r * each];
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
                             const ProductBound&, std::vector<double>&);
OPREF_OF(Half)
OPREF_OF(BFloat16)
OPREF_OF(float)
#undef OPREF_OF
template void widen_lines(const Factor<double>&, std::int64_t, std::int64_t, double*, std::int64_t);
template void Panels::pack(const Factor<double>&, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                           const ProductBound&, std::vector<double>&);

}  // namespace opref::fast
