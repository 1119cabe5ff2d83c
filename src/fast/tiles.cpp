// SPDX-License-Identifier: Apache-2.0
#include "fast/tiles.h"

#include <algorithm>
#include <numeric>

namespace opref::fast {
namespace {

constexpr std::int64_t kMostCoordinate = std::int64_t{1} << 40, kMostTaps = std::int64_t{1} << 18;

std::int64_t reach(const TransposedAxis& a) { return (a.k - 1) * a.d + 1; }

bool is_usable(const TransposedAxis& a) {
  for (const std::int64_t number : {a.L, a.k, a.s, a.d, a.O, a.p})
    if (number < -kMostCoordinate || number > kMostCoordinate) return false;
  return a.L > 0 && a.k > 0 && a.O > 0 && a.k <= kMostCoordinate / a.d && a.L <= kMostCoordinate / a.s;
}

/// Inputs that reach outputs of the range.
Range reaching(const TransposedAxis& a, Range outputs) {
  const std::int64_t first = std::max<std::int64_t>(0, ceil_divide(outputs.first + a.p - reach(a) + 1, a.s));
  const std::int64_t last = std::min(a.L, floor_divide(outputs.last - 1 + a.p, a.s) + 1);
  return {first, std::max(first, last)};
}

/// So many inputs reach that many neighbouring outputs, at most.
std::int64_t most_reaching(const TransposedAxis& a, std::int64_t outputs) {
  return std::min(a.L, (outputs + reach(a) - 2) / a.s + 1);
}

/// Of one phase: every so manieth tap of the kernel. An output has one tap for each input that reaches it, at most.
double most_taps_of_a_row(const TransposedAxis& a) {
  const std::int64_t every = a.s / std::gcd(a.s, a.d);
  return static_cast<double>((a.k + every - 1) / every);
}

TapAxes with_a_leading_axis(TapAxes axes) {
  if (axes.size() == 1) axes.insert(axes.begin(), TapAxis{1, 1, 1, 1, -1, 0, 1, 1});
  return axes;
}

std::int64_t product_of_sizes(const std::vector<Range>& ranges) {
  std::int64_t product = 1;
  for (const Range& range : ranges) product *= range.size();
  return product;
}

/// The row-major positions of a box in an array of these sizes.
std::vector<std::int64_t> positions_in(const std::vector<Range>& box, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> positions;
  for (std::int64_t n = 0, count = product_of_sizes(box); n < count; ++n) {
    std::int64_t position = 0, scale = 1, rest = n;
    for (size_t axis = box.size(); axis-- > 0; rest /= box[axis].size()) {
      position += scale * (box[axis].first + rest % box[axis].size());
      scale *= sizes[axis];
    }
    positions.push_back(position);
  }
  return positions;
}

}  // namespace

TransposedAxis::TransposedAxis(const TapAxis& axis)
    : L(axis.input), k(axis.kernel), s(axis.divisor), d(-axis.kernel_step), p(axis.offset), O(axis.output) {}

TransposedTiles::TransposedTiles(const TapAxes& given) : last_(given.back()) {
  const TapAxes axes = with_a_leading_axis(given);
  for (size_t axis = 0; axis + 1 < axes.size(); ++axis) leading_.emplace_back(axes[axis]);
  usable_ = is_usable(last_) && last_.k <= kMostTaps && std::ranges::all_of(leading_, is_usable);
  if (!usable_) return;
  for (std::int64_t k = 0; k < last_.k; ++k) {
    const std::int64_t offset = k * last_.d - last_.p, shift = floor_divide(offset, last_.s);
    const RowTap tap{k, offset - shift * last_.s, shift};
    const bool meets = -shift < last_.L && tap.phase < last_.O && shift <= (last_.O - 1 - tap.phase) / last_.s;
    if (meets) last_taps_.push_back(tap);
  }
}

std::int64_t TransposedTiles::output_rows() const {
  std::int64_t rows = 1;
  for (const TransposedAxis& axis : leading_) rows *= axis.O;
  return rows;
}

std::int64_t TransposedTiles::input_rows() const {
  std::int64_t rows = 1;
  for (const TransposedAxis& axis : leading_) rows *= axis.L;
  return rows;
}

TapCount TransposedTiles::taps() const {
  double leading = 1;
  for (const TransposedAxis& axis : leading_)
    leading *= std::min(most_taps_of_a_row(axis), static_cast<double>(axis.L));
  const double last = most_taps_of_a_row(last_);
  return {last * leading, std::min(last, static_cast<double>(last_.L)) * leading};
}

TileSize TransposedTiles::size() const {
  TileSize size{1, 1, extent_j_, 0};
  for (size_t axis = 0; axis < leading_.size(); ++axis) {
    size.output_rows *= extent_[axis];
    size.input_rows *= most_reaching(leading_[axis], extent_[axis]);
  }
  std::int64_t least = 0, most = 0;
  for (const RowTap& tap : last_taps_) least = std::min(least, tap.shift), most = std::max(most, tap.shift);
  size.padded = std::min(extent_j_ + most - least, last_.L + 2 * extent_j_);
  return size;
}

/// The outermost axis first; one whose tiles would mostly hold what their neighbours hold too comes last.
bool TransposedTiles::halve(std::int64_t reaches) {
  for (size_t axis = 0; axis < leading_.size(); ++axis) {
    const std::int64_t s = leading_[axis].s;
    if (extent_[axis] <= std::max<std::int64_t>(1, reaches * std::max(s, reach(leading_[axis])))) continue;
    const std::int64_t half = (extent_[axis] + 1) / 2;
    extent_[axis] = half > s ? std::min(extent_[axis] - 1, (half + s - 1) / s * s) : half;
    return true;
  }
  if (extent_j_ <= std::max({std::int64_t{16}, reaches * 64, reaches * reach(last_) / last_.s})) return false;
  extent_j_ = (extent_j_ + 1) / 2;
  return true;
}

bool TransposedTiles::cut(const std::function<bool(const TileSize&)>& fits, std::int64_t wanted) {
  extent_.clear();
  for (const TransposedAxis& axis : leading_) extent_.push_back(axis.O);
  extent_j_ = ceil_divide(last_.O, last_.s);
  while (!fits(size()))
    if (!halve(1) && !halve(0)) return false;
  while (count() < wanted && halve(2)) {
  }
  return true;
}

std::int64_t TransposedTiles::count() const {
  std::int64_t count = ceil_divide(ceil_divide(last_.O, last_.s), extent_j_);
  for (size_t axis = 0; axis < leading_.size(); ++axis) count *= ceil_divide(leading_[axis].O, extent_[axis]);
  return count;
}

Tile TransposedTiles::tile(std::int64_t index) const {
  Tile tile;
  const std::int64_t all_j = ceil_divide(last_.O, last_.s), along = ceil_divide(all_j, extent_j_);
  tile.j.first = index % along * extent_j_;
  tile.j.last = std::min(all_j, tile.j.first + extent_j_);
  tile.columns = reaching(last_, {tile.j.first * last_.s, std::min(last_.O, tile.j.last * last_.s)});
  index /= along;
  tile.outputs.resize(leading_.size());
  tile.inputs.resize(leading_.size());
  for (size_t axis = leading_.size(); axis-- > 0;) {
    const std::int64_t tiles = ceil_divide(leading_[axis].O, extent_[axis]), first = index % tiles * extent_[axis];
    tile.outputs[axis] = {first, std::min(leading_[axis].O, first + extent_[axis])};
    tile.inputs[axis] = reaching(leading_[axis], tile.outputs[axis]);
    index /= tiles;
  }
  tile.output_rows = product_of_sizes(tile.outputs);
  tile.input_rows = product_of_sizes(tile.inputs);
  return tile;
}

Taps TransposedTiles::row_taps(const Tile& tile) const {
  TapAxes axes;
  for (size_t i = 0; i < leading_.size(); ++i) {
    const TransposedAxis& a = leading_[i];
    const Range &o = tile.outputs[i], &in = tile.inputs[i];
    axes.push_back({in.size(), a.k, o.size(), 1, -a.d, a.p + o.first - in.first * a.s, a.s, o.size()});
  }
  return Taps(axes);
}

std::vector<std::int64_t> TransposedTiles::output_rows(const Tile& tile) const {
  std::vector<std::int64_t> sizes;
  for (const TransposedAxis& axis : leading_) sizes.push_back(axis.O);
  return positions_in(tile.outputs, sizes);
}

std::vector<std::int64_t> TransposedTiles::input_rows(const Tile& tile) const {
  std::vector<std::int64_t> sizes;
  for (const TransposedAxis& axis : leading_) sizes.push_back(axis.L);
  return positions_in(tile.inputs, sizes);
}

}  // namespace opref::fast
