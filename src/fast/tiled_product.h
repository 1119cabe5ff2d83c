// SPDX-License-Identifier: Apache-2.0
// The certified product of two matrices, tile by tile.
#pragma once

#include <algorithm>
#include <vector>

#include "exact/rows.h"
#include "fast/product.h"

namespace opref::fast {

// A tile's columns: what is added up in, of kTileRows rows, stays in a cache.
constexpr std::int64_t kGoodTile = std::int64_t{1} << 16;  // elements of B
constexpr std::int64_t kLeastTileColumns = 72, kMostTileColumns = 256;
constexpr std::int64_t kMostDepth = 8192, kTileRows = 128;
constexpr std::int64_t kWholeTiles = 24;  // columns: whole vectors of all machines

/// Tiles of about the same size, of whole vectors.
inline std::int64_t tile_of(std::int64_t columns, std::int64_t most) {
  const std::int64_t tiles = (columns - 1) / std::max(most, kWholeTiles) + 1;
  return rounded_up((columns - 1) / tiles + 1, kWholeTiles);
}

/// Products of a's lines and b's, tile by tile.
template <class A, class B>
class TiledProduct {
 public:
  static std::int64_t most_columns(std::int64_t K) {
    return std::clamp(kGoodTile / K, kLeastTileColumns, kMostTileColumns);
  }
  /// `later`: roundings of an element after its sum.
  static ProductBound bound(std::int64_t K, const Slack& slack, double later) {
    const std::int64_t depth = std::min(K, kMostDepth), parts = (K - 1) / depth + 1;
    return {{static_cast<size_t>(depth), 1, 1, static_cast<double>(parts), false}, slack, later};
  }
  /// finish(i, j, rows, columns, values, squares, norms) for each tile: from row i and column j on, so many rows of so
  /// many values; the weighted squares of its rows of a, the norms of its columns.
  template <class Finish>
  void compute(const Factor<A>& a, const Factor<B>& b, std::int64_t rows, std::int64_t columns, std::int64_t K,
               std::int64_t tile, const ProductBound& bound, const Finish& finish) {
    const std::int64_t depth = bound.depth(), blocks = (rows - 1) / kTileRows + 1;
    const bool in_parts = depth < K;
    panels_.resize(static_cast<size_t>(blocks));
    starts_.assign(static_cast<size_t>(kTileRows), 0.0);
    const auto pack = [&](std::int64_t block, std::int64_t k) {
      panels_[static_cast<size_t>(block)].pack(a.at_line(block * kTileRows),
                                               std::min(kTileRows, rows - block * kTileRows), 1, k,
                                               std::min(depth, K - k), bound);
    };
    for (std::int64_t block = 0; !in_parts && block < blocks; ++block) pack(block, 0);
    for (std::int64_t n = 0; n < columns; n += tile) {
      const std::int64_t width = std::min(tile, columns - n);
      const ColumnLines<B> lines{b.at_line(n), width, 0};
      values_.resize(static_cast<size_t>(kTileRows * width));
      norms_.resize(static_cast<size_t>(width) + kRowSlack);
      for (std::int64_t block = 0; block < blocks; ++block) {
        const Panels& panels = panels_[static_cast<size_t>(block)];
        for (std::int64_t k = 0; k < K; k += depth) {
          if (in_parts) pack(block, k);
          if (in_parts || block == 0) columns_.pack(std::span(&lines, 1), width, k, std::min(depth, K - k));
          const GemmTerm term = product_term(panels, 0, columns_, 0, 0, width);
          multiply({&term, 1}, panels, columns_, bound, width, k == 0 ? starts_.data() : nullptr, values_.data(),
                   width);
        }
        const double* const squares = columns_.squares.data();
        if (in_parts || block == 0) find_norms({&squares, 1}, 0, width, norms_.data());
        finish(block * kTileRows, n, panels.rows, width, values_.data(), panels.squares.data(), norms_.data());
      }
    }
  }

 private:
  std::vector<Panels> panels_;
  Columns columns_;
  Scratch<double> values_, norms_;
  std::vector<double> starts_;  ///< zeros
};

}  // namespace opref::fast
