// SPDX-License-Identifier: Apache-2.0
// The tiles in which a transposed convolution's rows are estimated: what a tile needs of X fits into a cache.
//
// With stride s the output o = j*s + r has the phase r. Tap k of the last axis brings input i to the outputs with
// k*d - p = shift*s + r, r in [0, s), and there to j = i + shift. So the outputs of one phase are sums of shifted input
// rows, each with one weight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "evaluators/taps.h"

namespace opref::fast {

/// Input i meets tap k in output i*s + k*d - p.
struct TransposedAxis {
  std::int64_t L, k, s, d, p, O;
  explicit TransposedAxis(const TapAxis& axis);
};

/// first, …, last-1
struct Range {
  std::int64_t first, last;
  std::int64_t size() const { return last - first; }
};

/// A tap of the last axis.
struct RowTap {
  std::int64_t k, phase, shift;
};

/// The outputs at some leading coordinates with some j of the last axis, and the inputs that reach them: rows (one per
/// leading coordinates) times columns.
struct Tile {
  std::vector<Range> outputs, inputs;  ///< of the leading axes, of which there is at least one
  Range j, columns;
  std::int64_t output_rows, input_rows;
};

/// How large a tile is, to see whether it fits.
struct TileSize {
  std::int64_t output_rows, input_rows;
  std::int64_t j;       ///< of the last axis
  std::int64_t padded;  ///< columns of the last axis with the zeros that spare every tap a range of its own
};

/// How many taps there are at most.
struct TapCount {
  double listed;  ///< for the outputs of one phase in one output row
  double met;     ///< of these, that have an input for one output: other terms of its sum are zeros
};

class TransposedTiles {
 public:
  /// The axes of transposed_axes.
  explicit TransposedTiles(const TapAxes& axes);

  /// Whether all coordinates are small enough for plain arithmetic. If not, nothing else may be called.
  bool usable() const { return usable_; }
  /// Cuts the output into equal tiles that `fits`, as few as possible but at least `wanted` where that costs little.
  /// False if none is small enough.
  bool cut(const std::function<bool(const TileSize&)>& fits, std::int64_t wanted);

  std::int64_t count() const;
  Tile tile(std::int64_t index) const;
  /// Which input rows (counted within the tile) reach the tile's output rows, with which tap of the leading axes.
  Taps row_taps(const Tile& tile) const;
  /// Where each of the tile's rows is among all output rows of a plane of Y, all input rows of a plane of X.
  std::vector<std::int64_t> output_rows(const Tile& tile) const;
  std::vector<std::int64_t> input_rows(const Tile& tile) const;

  const TransposedAxis& last() const { return last_; }
  /// Those that reach any output.
  const std::vector<RowTap>& last_taps() const { return last_taps_; }
  /// Of the last axis that have outputs: min(s, O).
  std::int64_t phases() const { return std::min(last_.s, last_.O); }
  /// Of a plane of Y, of X.
  std::int64_t output_rows() const;
  std::int64_t input_rows() const;
  /// Of the last of the leading axes.
  std::int64_t row_stride() const { return leading_.back().s; }
  TapCount taps() const;

 private:
  TileSize size() const;
  /// One axis that is longer than so many times what one input reaches: neighbours compute little twice.
  bool halve(std::int64_t reaches);

  std::vector<TransposedAxis> leading_;
  TransposedAxis last_;
  std::vector<RowTap> last_taps_;
  std::vector<std::int64_t> extent_;  ///< of a tile: outputs of the leading axes
  std::int64_t extent_j_ = 0;
  bool usable_;
};

}  // namespace opref::fast
