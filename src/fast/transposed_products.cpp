// SPDX-License-Identifier: Apache-2.0
// An output row's elements of one phase are sums of shifted input rows, each times one weight per output channel: a
// matrix product WᵀX per tap. Several rows whose taps agree are one longer row.
// The norms of X are computed once per tile and serve all output channels.
#include <algorithm>

#include "exact/rows.h"
#include "fast/product.h"
#include "fast/transposed_estimate.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

// Elements of 8 bytes.
constexpr std::int64_t kGoodX = std::int64_t{1} << 14, kGoodW = 2 * kGoodX;
constexpr std::int64_t kMostX = std::int64_t{1} << 19, kMostW = kMostX, kMostValues = kMostX;
constexpr std::int64_t kMostKeptW = std::int64_t{1} << 20;  // of all groups, for all tiles and threads
constexpr std::int64_t kMostDepth = 1024, kLeastDepth = 32;
constexpr std::int64_t kMostTaps = 4096;
constexpr std::int64_t kGoodBlock = 32, kMostBlock = 128;  // output channels
constexpr std::int64_t kGoodRun = 48;               // elements: in shorter rows, the register tiles at the edge weigh,
constexpr std::int64_t kWholeRun = 24, kWhole = 8;  // unless rows of at least so many are whole vectors

std::int64_t panel() { return static_cast<std::int64_t>(gemm_panel()); }

/// The channels of X are taken in parts of bound.depth(), the output channels in blocks.
struct GemmPlan {
  ProductBound bound;
  std::int64_t block;
};

/// A thread's tile and what it computes of it.
template <class T>
class GemmRows {
 public:
  /// The filters of output channels m for channels c of group g: the lines are output channels, the summands taps.
  static void pack_filters(const TransposedCall<T>& call, const GemmPlan& plan, std::int64_t g, Range m, Range c,
                           Panels& to) {
    const Factor<T> filters{call.w + (g * call.Cg * call.Mg + m.first) * call.K, call.Mg * call.K, 1};
    to.pack(filters, m.size(), call.K, c.first, c.size(), plan.bound);
  }

  /// Output channels m of group g of batch n in a tile. `kept`: all filters of the group, one for each block, or null.
  void compute(const TransposedCall<T>& call, const GemmPlan& plan, std::int64_t n, std::int64_t g, std::int64_t index,
               Range m, const Panels* kept) {
    call_ = &call, plan_ = plan, n_ = n, g_ = g;
    tile_ = call.tiles->tile(index);
    const Taps row_taps = call.tiles->row_taps(tile_);
    row_taps_ = &row_taps;
    output_rows_ = call.tiles->output_rows(tile_);
    row_ = call.tiles->phases() * tile_.j.size();
    find_layout();
    find_runs();
    RowWriter<T> writer(call.y, *call.by_definition);
    const bool in_parts = plan.bound.depth() < call.Cg;
    for (std::int64_t first = m.first; first < m.last; first += plan.block) {
      const Range block{first, std::min(m.last, first + plan.block)};
      const bool is_first = first == m.first;
      filters_ = kept == nullptr ? &own_ : kept + first / plan.block;
      find_starts(block);
      if (!in_parts) {
        if (is_first) pack_tile({0, call.Cg});
        if (is_first) find_tile_norms();
        if (kept == nullptr) pack_filters(call, plan, g, block, {0, call.Cg}, own_);
        for (const Run& run : runs_) {
          values_.resize(static_cast<size_t>(block.size() * run.columns * call.tiles->phases()));
          multiply(run, true, values_.data(), run.columns * call.tiles->phases());
          write(run, block, values_.data(), run.columns * call.tiles->phases(), writer);
        }
        continue;
      }
      values_.resize(static_cast<size_t>(block.size() * all_columns_));
      for (std::int64_t c = 0; c < call.Cg; c += plan.bound.depth()) {
        const Range part{c, std::min(call.Cg, c + plan.bound.depth())};
        pack_tile(part);
        pack_filters(call, plan, g, block, part, own_);
        for (const Run& run : runs_) multiply(run, c == 0, &values_[static_cast<size_t>(run.first)], all_columns_);
      }
      if (is_first) find_tile_norms();
      for (const Run& run : runs_) write(run, block, &values_[static_cast<size_t>(run.first)], all_columns_, writer);
    }
    if (call.stats != nullptr) call.stats->estimated += writer.estimated();
  }

 private:
  /// Output rows whose taps are those of the first one, each an input row further on: in X as in the values, the next
  /// one is width_ elements on.
  struct Run {
    std::vector<std::int64_t> rows;  ///< of the tile
    std::int64_t columns;            ///< of a phase
    std::int64_t first;              ///< column of all runs' values
  };

  /// X between zeros, as far as taps of the last axis reach.
  void find_layout() {
    first_ = tile_.columns.first;
    std::int64_t end = tile_.columns.last;
    for (const RowTap& tap : call_->tiles->last_taps()) {
      const std::int64_t from = tile_.j.first - tap.shift, to = tile_.j.last - tap.shift;
      if (to <= tile_.columns.first || from >= tile_.columns.last) continue;
      first_ = std::min(first_, from);
      end = std::max(end, to);
    }
    width_ = end - first_;
  }

  void find_runs() {
    runs_.clear();
    all_columns_ = 0;
    const std::int64_t along = tile_.outputs.back().size(), s = call_->tiles->row_stride(), span = tile_.j.size();
    const std::int64_t good = span % kWhole == 0 ? kWholeRun : kGoodRun;
    std::vector<bool> done(output_rows_.size());
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(done.size()); ++i) {
      if (done[static_cast<size_t>(i)]) continue;
      Run run{{i}, span, all_columns_};
      for (std::int64_t next = i + s; next % along >= s && run.columns < good && follows(next - s, next); next += s) {
        run.rows.push_back(next);
        run.columns += width_;
        done[static_cast<size_t>(next)] = true;
      }
      all_columns_ += run.columns * call_->tiles->phases();
      runs_.push_back(std::move(run));
    }
  }

  bool follows(std::int64_t row, std::int64_t next) const {
    if (next >= static_cast<std::int64_t>(output_rows_.size())) return false;
    return std::ranges::equal(row_taps_->of(row), row_taps_->of(next),
                              [](const Tap& a, const Tap& b) { return a.w == b.w && a.x + 1 == b.x; });
  }

  void pack_tile(Range c) {
    lines_.clear();
    std::int64_t column = tile_.columns.first - first_;
    for (const std::int64_t row : call_->tiles->input_rows(tile_)) {
      const T* from = call_->x_group(n_, g_) + row * call_->tiles->last().L + tile_.columns.first;
      lines_.push_back({{from, call_->x_plane, 1}, tile_.columns.size(), column});
      column += width_;
    }
    x_.pack(std::span<const ColumnLines<T>>(lines_), tile_.input_rows * width_, c.first, c.size());
  }

  /// The taps that outputs of phase r in the tile's output row i have: all that is summed, and no more.
  template <class F>
  void for_each_tap(std::int64_t i, std::int64_t r, const F& f) const {
    for (const Tap& tap : row_taps_->of(i))
      for (const RowTap& last : call_->tiles->last_taps())
        if (last.phase == r && reached(last).size() > 0) f(tap, last);
  }
  /// Where a tap's filters are among all.
  std::int64_t weight(const Tap& tap, const RowTap& last) const { return tap.w * call_->tiles->last().k + last.k; }

  void find_tile_norms() {
    const std::int64_t span = tile_.j.size();
    norms_.resize(static_cast<size_t>(row_) * output_rows_.size());
    for (size_t i = 0; i < output_rows_.size(); ++i)
      for (std::int64_t r = 0; r < call_->tiles->phases(); ++r) {
        rows_.clear();
        for_each_tap(static_cast<std::int64_t>(i), r, [&](const Tap& tap, const RowTap& last) {
          rows_.push_back(x_.squares.data() + position(tap, last));
        });
        find_norms(rows_, call_->b == nullptr ? 0.0 : 1.0, span,
                   &norms_[i * static_cast<size_t>(row_) + static_cast<size_t>(r * span)]);
      }
  }

  /// What an element's norm is multiplied with, for each phase of a run and output channel: the error of a unit, times
  /// the norm of the filters that the phase sees.
  void find_scales(const Run& run, Range block) {
    const std::int64_t phases = call_->tiles->phases();
    scales_.assign(static_cast<size_t>(block.size() * phases), 0.0);
    for (std::int64_t r = 0; r < phases; ++r) {
      weights_.clear();
      for_each_tap(run.rows[0], r, [&](const Tap& tap, const RowTap& last) { weights_.push_back(weight(tap, last)); });
      for (std::int64_t m = 0; m < block.size(); ++m) {
        const double* squares = &filters_->squares[static_cast<size_t>(m * call_->K)];
        double square = starts_[static_cast<size_t>(m)] * starts_[static_cast<size_t>(m)];
        for (const std::int64_t k : weights_) square += squares[k];
        scales_[static_cast<size_t>(m * phases + r)] = plan_.bound.scale(square);
      }
    }
  }

  /// The j, from the tile's first, that a tap of the last axis brings a column of X to.
  Range reached(const RowTap& tap) const {
    const std::int64_t shift = tile_.j.first - tap.shift, span = tile_.j.size();
    const std::int64_t first = std::clamp<std::int64_t>(tile_.columns.first - shift, 0, span);
    return {first, std::clamp(tile_.columns.last - shift, first, span)};
  }
  /// Of what a tap reads for the tile's first j, in a plane of X.
  std::int64_t position(const Tap& tap, const RowTap& last) const {
    return tap.x * width_ + tile_.j.first - last.shift - first_;
  }

  void find_starts(Range block) {
    starts_.assign(static_cast<size_t>(rounded_up(block.size(), panel())), 0.0);
    for (std::int64_t i = 0; i < block.size(); ++i)
      starts_[static_cast<size_t>(i)] = call_->bias(g_ * call_->Mg + block.first + i);
  }

  /// values[channel*stride + phase*run.columns + …] = the bias (+ part 0), += any other part.
  void multiply(const Run& run, bool is_first, double* values, std::int64_t stride) {
    const std::int64_t to_last_row = run.columns - tile_.j.size();
    for (std::int64_t r = 0; r < call_->tiles->phases(); ++r) {
      terms_.clear();
      for_each_tap(run.rows[0], r, [&](const Tap& tap, const RowTap& last) {
        const Range j = reached(last);
        terms_.push_back(
            product_term(*filters_, weight(tap, last), x_, position(tap, last), j.first, to_last_row + j.last));
      });
      fast::multiply(terms_, *filters_, x_, plan_.bound, run.columns, is_first ? starts_.data() : nullptr,
                     values + r * run.columns, stride);
    }
  }

  void write(const Run& run, Range block, const double* values, std::int64_t stride, RowWriter<T>& writer) {
    const std::int64_t span = tile_.j.size();
    find_scales(run, block);
    const double* scales = scales_.data();
    for (std::int64_t m = 0; m < block.size(); ++m, values += stride, scales += call_->tiles->phases()) {
      for (size_t i = 0; i < run.rows.size(); ++i) {
        const double* norms = &norms_[static_cast<size_t>(run.rows[i] * row_)];
        const PhasedRow row =
            call_->row(tile_, n_, g_ * call_->Mg + block.first + m, output_rows_[static_cast<size_t>(run.rows[i])]);
        writer.write(row, [&](T* out, std::uint64_t* undecided) {
          size_t doubts = 0;
          for (std::int64_t r = 0; r < row.phases; ++r)
            doubts += settle_certified(
                *call_->exact_sums, values + r * run.columns + static_cast<std::int64_t>(i) * width_, norms + r * span,
                scales[r], static_cast<size_t>(span), out + r * span, undecided + r * span);
          return doubts;
        });
      }
    }
  }

  const TransposedCall<T>* call_ = nullptr;
  GemmPlan plan_{};
  std::int64_t n_ = 0, g_ = 0;
  Tile tile_;
  const Taps* row_taps_ = nullptr;
  std::vector<std::int64_t> output_rows_;
  std::int64_t row_ = 0;                ///< elements of an output row with all its phases
  std::int64_t first_ = 0, width_ = 0;  ///< of the rows of X: the column that they begin with
  std::vector<Run> runs_;
  std::int64_t all_columns_ = 0;  ///< of all runs and phases
  Columns x_;
  std::vector<ColumnLines<T>> lines_;
  Scratch<double> norms_, values_;
  const Panels* filters_ = nullptr;
  Panels own_;
  std::vector<double> starts_;
  std::vector<const double*> rows_;
  std::vector<GemmTerm> terms_;
  std::vector<std::int64_t> weights_;
  std::vector<double> scales_;
};

}  // namespace

template <class T>
bool conv_transpose_by_gemm(const TransposedCall<T>& call, TransposedTiles& tiles) {
  if (call.K > kMostTaps) return false;
  const std::int64_t depth = std::min({call.Cg, kMostDepth, std::max(kLeastDepth, kMostW / (call.K * panel()))});
  const bool in_parts = depth < call.Cg;
  std::int64_t outputs = 1;
  const auto fits = [&](const TileSize& size) {
    outputs = size.output_rows * (size.j + size.padded) * tiles.phases();
    const double taps = static_cast<double>(size.output_rows) * tiles.taps().listed * 2;
    return depth * padded_row(size.input_rows * size.padded) <= kMostX && taps <= static_cast<double>(kMostValues) &&
           outputs <= (in_parts ? kMostValues / panel() : kMostValues);
  };
  // X for a core's own cache, if the filters stay there too.
  const std::int64_t good = call.Cg * call.Mg * call.K <= kGoodW ? depth * call.x_plane / kGoodX : 0;
  // Enough jobs for all threads: whole tiles, or else parts of the output channels too.
  const std::int64_t planes = call.N * call.groups;
  const std::int64_t wanted = call.threads == 1 ? 1 : 4 * call.threads;
  if (!tiles.cut(fits, std::max((wanted - 1) / planes, good) + 1)) return false;
  const std::int64_t count = tiles.count(), splits = (wanted - 1) / (planes * count) + 1;
  std::int64_t block = std::min(kMostBlock, kMostW / (call.K * depth));
  if (in_parts) block = std::min(block, kMostValues / outputs);
  block = std::min(block, std::max(kGoodBlock, (call.Mg - 1) / std::max<std::int64_t>(splits, call.threads) + panel()));
  block = std::clamp(block / panel() * panel(), panel(), rounded_up(call.Mg, panel()));
  const std::int64_t parts = (call.Cg - 1) / depth + 1;
  const TapCount taps = tiles.taps();
  const GemmPlan plan{
      {{static_cast<size_t>(depth), taps.listed, taps.met, static_cast<double>(parts), call.b != nullptr}, call.slack},
      block};

  const std::int64_t blocks = (call.Mg - 1) / block + 1;
  std::vector<Panels> kept;
  if (call.N * count > 1 && !in_parts && call.groups * call.Cg * call.Mg * call.K <= kMostKeptW) {
    kept.resize(static_cast<size_t>(call.groups * blocks));
    for_each_job_in_shares(kept.size(), call.threads, [&](size_t job) {
      const std::int64_t g = static_cast<std::int64_t>(job) / blocks,
                         m = static_cast<std::int64_t>(job) % blocks * block;
      GemmRows<T>::pack_filters(call, plan, g, {m, std::min(call.Mg, m + block)}, {0, call.Cg}, kept[job]);
    });
  }

  const std::int64_t jobs = std::min(splits, blocks);  // of a tile
  Pool<GemmRows<T>> pool;
  for_each_job_in_shares(static_cast<size_t>(planes * count * jobs), call.threads, [&](size_t job) {
    const auto index = static_cast<std::int64_t>(job);
    const std::int64_t part = index % jobs, tile = index / jobs % count, plane = index / jobs / count;
    const std::int64_t n = plane / call.groups, g = plane % call.groups;
    const Range m{blocks * part / jobs * block, std::min(call.Mg, blocks * (part + 1) / jobs * block)};
    const Panels* filters = kept.empty() ? nullptr : &kept[static_cast<size_t>(g * blocks)];
    pool.with([&](GemmRows<T>& rows) { rows.compute(call, plan, n, g, tile, m, filters); });
  });
  return true;
}

template bool conv_transpose_by_gemm(const TransposedCall<Half>&, TransposedTiles&);
template bool conv_transpose_by_gemm(const TransposedCall<BFloat16>&, TransposedTiles&);
template bool conv_transpose_by_gemm(const TransposedCall<float>&, TransposedTiles&);

}  // namespace opref::fast
