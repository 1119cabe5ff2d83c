// SPDX-License-Identifier: Apache-2.0
// What the two row estimates of the transposed convolution share.
#pragma once

#include <functional>

#include "exact/grid.h"
#include "fast/pool.h"
#include "fast/row_writer.h"
#include "fast/tiles.h"

namespace opref::fast {

/// One call: sizes, and what is derived once. The elements are T.
template <class T>
struct TransposedCall {
  std::int64_t N, groups, Cg, Mg, K, x_plane, output_rows;
  const T *x, *w, *b;  ///< b may be null
  std::span<std::byte> y;
  int threads;
  Stats* stats;
  const ByDefinition* by_definition;
  const TransposedTiles* tiles;
  Slack slack;
  LazyCertificate* exact_sums = nullptr;  ///< no sum in double rounds; for float and narrower

  const T* x_group(std::int64_t n, std::int64_t g) const { return x + (n * groups + g) * Cg * x_plane; }
  double bias(std::int64_t m) const { return b == nullptr ? 0.0 : static_cast<double>(b[m]); }
  /// Products other than zero of an element, at most, and additions that they and the bias take part in.
  double products() const { return static_cast<double>(Cg) * tiles->taps().met; }
  double additions() const { return products() - (b == nullptr ? 1 : 0); }
  /// Of output channel m in [0, groups*Mg) of batch n.
  PhasedRow row(const Tile& tile, std::int64_t n, std::int64_t m, std::int64_t output_row) const {
    const TransposedAxis& a = tiles->last();
    const std::int64_t first = tile.j.first * a.s;
    return {((n * groups * Mg + m) * output_rows + output_row) * a.O + first, std::min(a.O, tile.j.last * a.s) - first,
            tiles->phases(), tile.j.size()};
  }
};

/// The rows by a matrix product. False if it cannot serve the call, or not well: nothing was written.
template <class T>
bool conv_transpose_by_gemm(const TransposedCall<T>& call, TransposedTiles& tiles);

}  // namespace opref::fast
