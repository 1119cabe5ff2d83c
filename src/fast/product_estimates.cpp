// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "exact/storage.h"
#include "fast/fast.h"
#include "fast/tiled_product.h"

namespace opref::fast {
namespace {

template <class A, class B>
void estimate(const Factor<A>& a, const Factor<B>& b, std::int64_t K, const Slack& slack, double later,
              ProductEstimates& y) {
  static thread_local TiledProduct<A, B> product;
  const ProductBound bound = TiledProduct<A, B>::bound(K, slack, later);
  const std::int64_t tile = tile_of(y.columns, TiledProduct<A, B>::most_columns(K));
  product.compute(a, b, y.rows, y.columns, K, tile, bound,
                  [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns, const double* values,
                      const double* squares, const double* norms) {
                    std::copy_n(norms, columns, &y.norms[static_cast<size_t>(j)]);
                    for (std::int64_t r = 0; r < rows; ++r, values += columns) {
                      std::copy_n(values, columns, &y.values[static_cast<size_t>((i + r) * y.columns + j)]);
                      y.scales[static_cast<size_t>(i + r)] = bound.scale(squares[r]);
                    }
                  });
}

/// Room for the estimates; whether they are served.
bool prepare(std::int64_t rows, std::int64_t columns, std::int64_t K, DType dtype, ProductEstimates& y) {
  const DTypeInfo& type = info(dtype);
  if (type.kind != Kind::floating || type.bits < 16 || type.bits > 32 || rows == 0 || columns == 0 || K == 0)
    return false;
  y.rows = rows, y.columns = columns;
  y.values.resize(static_cast<size_t>(rows * columns));
  y.scales.resize(static_cast<size_t>(rows)), y.norms.resize(static_cast<size_t>(columns));
  return true;
}

template <class T>
Factor<T> factor_of(const ProductLines& lines) {
  return {lines.x.values<T>().data() + lines.first, lines.depth_step, lines.line_step};
}
template <class F>
void with_narrow(DType dtype, const F& f) {
  with_float(dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, double>) f(T{});
  });
}

}  // namespace

bool estimate_products(const ProductLines& a, const ProductLines& b, std::int64_t rows, std::int64_t columns,
                       std::int64_t K, ProductEstimates& y, const Slack& slack) {
  if (a.x.dtype() != b.x.dtype() || !prepare(rows, columns, K, b.x.dtype(), y)) return false;
  with_narrow(b.x.dtype(), [&]<class T>(T) { estimate(factor_of<T>(a), factor_of<T>(b), K, slack, 0, y); });
  return true;
}

// A term a·b has a rounding of its own. What the squares of small numbers lose is below 2^-530 of |b| for each term,
// and so is what an underflow of the products loses: |b| is 0 or at least 2^-149.
bool estimate_products(const EstimatedLines& a, const ProductLines& b, std::int64_t rows, std::int64_t columns,
                       std::int64_t K, ProductEstimates& y, const Slack& slack) {
  if (!prepare(rows, columns, K, b.x.dtype(), y)) return false;
  with_narrow(b.x.dtype(), [&]<class T>(T) {
    estimate(Factor<double>{a.values, 1, a.line_step}, factor_of<T>(b), K, slack, 1, y);
  });
  for (std::int64_t i = 0; i < rows; ++i) {
    double squares = 0;
    for (std::int64_t k = 0; k < K; ++k) squares += a.errors[i * a.line_step + k] * a.errors[i * a.line_step + k];
    y.scales[static_cast<size_t>(i)] += std::sqrt(squares) * slack.factor + static_cast<double>(K) * 0x1p-530;
  }
  return true;
}

}  // namespace opref::fast
