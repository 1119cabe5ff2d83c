// col = WᵀX for a tile of X and some output channels: each tap's products at each input position. Then the rows of col
// are added where they belong.
//
// With Cauchy-Schwarz, Σ|terms| of an output element is at most |what it reads of X|·|its filter|, both Euclidean
// norms, a bias being a tap with x = 1. The norms of X are computed once per tile and serve all output channels.
#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "exact/gemm.h"
#include "exact/rows.h"
#include "ops/common/conv_transpose_estimate.h"

namespace opref::ops {
namespace {

// Elements of 8 bytes. X and W are packed by parts of so many channels.
constexpr std::int64_t kMostPackedX = std::int64_t{1} << 19, kMostPackedW = std::int64_t{1} << 18,
                       kMostCol = std::int64_t{1} << 19, kCachedCol = std::int64_t{1} << 17,
                       kMostDepth = 8 * std::int64_t{kGemmBlock};
constexpr std::int64_t kGoodRows = 48;  // of a product: in fewer, the register tiles at the edge weigh
constexpr std::int64_t kMostKeptW = std::int64_t{1} << 20;  // of all groups, for all tiles and threads
constexpr std::int64_t kMostTaps = 4096;
constexpr double kLeastUseful = 0.3;  // of the products

/// Some output channels' filters, ready for the product, and the filters' Σw².
struct Filters {
  Panels panels;
  std::vector<double> squares;  ///< of each column of the panels: output channel and tap
};

/// Packed rows of `width` elements, `depth` of them, and each column's sum of squares, which goes on from what there
/// is.
template <class T, class Row>
void pack(Panels& panels, std::size_t panel, std::int64_t depth, std::int64_t width, std::vector<double>& buffer,
          std::vector<double>& squares, const Row& row) {
  panels.reset(panel, static_cast<size_t>(depth), static_cast<size_t>(width));
  buffer.resize(static_cast<size_t>(width));
  for (std::int64_t k = 0; k < depth; ++k) {
    row(k, buffer.data());
    panels.set_row(static_cast<size_t>(k), buffer.data());
    row_add_square(squares.data(), buffer.data(), buffer.size());
  }
}

/// What a thread works with.
template <class T>
class GemmRows {
 public:
  struct Plan {
    std::int64_t channels;  ///< output channels per product
    std::int64_t depth;     ///< channels of X per product
    double scale;           ///< of the error
  };

  static void pack_filters(const TransposedCall<T>& call, std::int64_t g, Range m, Range c, std::vector<double>& buffer,
                           Filters& to) {
    const std::int64_t width = m.size() * call.K;
    if (c.first == 0) to.squares.assign(static_cast<size_t>(width), 0.0);
    pack<T>(to.panels, gemm_shape().rows, c.size(), width, buffer, to.squares, [&](std::int64_t k, double* row) {
      const T* w = call.w + ((g * call.Cg + c.first + k) * call.Mg + m.first) * call.K;
      row_widen(w, static_cast<size_t>(width), row);
    });
  }

  /// Output channels [m.first, m.last) of group g of batch n in a tile. `kept`: all filters of the group, one for each
  /// plan.channels output channels, or null.
  void compute(const TransposedCall<T>& call, const Plan& plan, std::int64_t n, std::int64_t g, std::int64_t index,
               Range m, const Filters* kept) {
    tile_ = call.tiles->tile(index);
    pixels_ = tile_.input_rows * tile_.columns.size();
    TapBlocks row_taps = call.tiles->row_taps(tile_);
    row_taps.rewind();
    row_taps.next();
    output_rows_ = call.tiles->output_rows(tile_);
    input_rows_ = call.tiles->input_rows(tile_);
    squares_.assign(static_cast<size_t>(pixels_), 0.0);
    RowWriter<T> writer(call.y, *call.by_definition);
    bool packed = false;
    for (std::int64_t first = m.first; first < m.last; first += plan.channels) {
      const Range block{first, std::min(m.last, first + plan.channels)};
      const Filters* filters = kept == nullptr ? &filters_ : kept + first / plan.channels;
      col_.resize(static_cast<size_t>(block.size() * call.K * pixels_));
      for (std::int64_t c = 0; c < call.Cg; c += plan.depth) {
        const Range part{c, std::min(call.Cg, c + plan.depth)};
        if (!packed || plan.depth < call.Cg) pack_tile(call, n, g, part, packed);
        if (kept == nullptr) pack_filters(call, g, block, part, buffer_, filters_);
        gemm(filters->panels, x_, c == 0 ? GemmStart::zero : GemmStart::c, col_.data(), static_cast<size_t>(pixels_));
      }
      if (!packed) find_norms(call, row_taps);
      packed = true;
      for (std::int64_t channel = 0; channel < block.size(); ++channel)
        write_channel(call, plan, n, g * call.Mg + first + channel, channel, *filters, row_taps, writer);
    }
    if (call.stats != nullptr) call.stats->estimated += writer.estimated();
  }

 private:
  void pack_tile(const TransposedCall<T>& call, std::int64_t n, std::int64_t g, Range c, bool again) {
    const std::int64_t columns = tile_.columns.size(), L = call.tiles->last().L;
    if (again) unused_.assign(static_cast<size_t>(pixels_), 0.0);
    pack<T>(x_, gemm_shape().columns, c.size(), pixels_, buffer_, again ? unused_ : squares_,
            [&](std::int64_t k, double* to) {
              const T* plane = call.x_group(n, g) + (c.first + k) * call.x_plane + tile_.columns.first;
              for (const std::int64_t row : input_rows_) {
                row_widen(plane + row * L, static_cast<size_t>(columns), to);
                to += columns;
              }
            });
  }

  /// sum[r*span + j] = start + what the taps of an output row bring to j of phase r. `col` has the elements of a tap's
  /// input positions, the next tap's `stride` further on.
  void add_taps(const TransposedCall<T>& call, std::span<const Tap> taps, const double* col, std::int64_t stride,
                double start, double* sum) {
    const std::int64_t span = tile_.j.size(), columns = tile_.columns.size();
    for (std::int64_t r = 0; r < call.tiles->phases(); ++r, sum += span) {
      // Between `inner` every tap of the phase has an input; j counts from the tile's first.
      Range inner{0, span};
      rows_.clear();
      shifts_.clear();
      for (const RowTap& last : call.tiles->last_taps()) {
        if (last.phase != r) continue;
        const std::int64_t shift = tile_.j.first - last.shift - tile_.columns.first;  // j + shift is a column
        inner.first = std::max(inner.first, -shift);
        inner.last = std::min(inner.last, columns - shift);
        for (const Tap& tap : taps) {
          rows_.push_back(col + (tap.w * call.tiles->last().k + last.k) * stride + tap.x * columns);
          shifts_.push_back(shift);
        }
      }
      inner.first = std::min(inner.first, span);
      inner.last = std::max(inner.first, inner.last);
      add_rows(inner, start, std::span(sum, static_cast<size_t>(span)));
    }
  }

  /// sum[j] = start + Σ rows_[t][j + shifts_[t]], as far as those are columns; all are for j in `inner`.
  void add_rows(Range inner, double start, std::span<double> sum) {
    const auto span = static_cast<std::int64_t>(sum.size()), columns = tile_.columns.size();
    if (2 * inner.size() < span) inner = {0, 0};
    const auto size = static_cast<size_t>(inner.size());
    std::fill(sum.begin(), sum.begin() + inner.first, start);
    std::fill(sum.begin() + inner.last, sum.end(), start);
    for (size_t t = 0; t < rows_.size(); ++t) {
      const Range j{std::max<std::int64_t>(0, -shifts_[t]), std::min(span, columns - shifts_[t])};
      for (const Range part :
           {Range{j.first, std::min(j.last, inner.first)}, Range{std::max(j.first, inner.last), j.last}})
        if (part.first < part.last)
          row_add(&sum[static_cast<size_t>(part.first)], rows_[t] + part.first + shifts_[t],
                  static_cast<size_t>(part.size()));
      rows_[t] += inner.first + shifts_[t];
    }
    if (size > 0) row_sum(rows_.data(), rows_.size(), start, size, &sum[static_cast<size_t>(inner.first)]);
  }

  void find_norms(const TransposedCall<T>& call, const TapBlocks& row_taps) {
    row_ = call.tiles->phases() * tile_.j.size();
    norms_.resize(static_cast<size_t>(row_) * output_rows_.size());
    value_.resize(static_cast<size_t>(row_));
    for (size_t i = 0; i < output_rows_.size(); ++i)
      add_taps(call, row_taps.taps(static_cast<std::int64_t>(i)), squares_.data(), 0, call.b == nullptr ? 0.0 : 1.0,
               &norms_[i * static_cast<size_t>(row_)]);
    row_root(norms_.data(), norms_.size());
  }

  /// Output channel m, the `channel`-th in col.
  void write_channel(const TransposedCall<T>& call, const Plan& plan, std::int64_t n, std::int64_t m,
                     std::int64_t channel, const Filters& filters, const TapBlocks& row_taps, RowWriter<T>& writer) {
    const double bias = call.bias(m);
    double square = bias * bias;
    for (std::int64_t k = 0; k < call.K; ++k) square += filters.squares[static_cast<size_t>(channel * call.K + k)];
    const double scale = plan.scale * std::sqrt(square);
    const double* col = col_.data() + channel * call.K * pixels_;
    for (size_t i = 0; i < output_rows_.size(); ++i) {
      add_taps(call, row_taps.taps(static_cast<std::int64_t>(i)), col, pixels_, bias, value_.data());
      const double* norms = &norms_[i * static_cast<size_t>(row_)];
      writer.write(call.row(tile_, n, m, output_rows_[i]), [&](T* out, std::uint64_t* undecided) {
        return settle_certified(call, value_.data(), norms, scale, static_cast<size_t>(row_), out, undecided);
      });
    }
  }

  Tile tile_;
  std::int64_t pixels_ = 0, row_ = 0;  ///< input positions of the tile, elements of an output row with all its phases
  std::vector<std::int64_t> output_rows_, input_rows_;
  Panels x_;
  Filters filters_;
  std::vector<double> buffer_, squares_, unused_, value_;
  Scratch<double> norms_, col_;
  std::vector<const double*> rows_;
  std::vector<std::int64_t> shifts_;
};

}  // namespace

template <class T>
bool conv_transpose_by_gemm(const TransposedCall<T>& call, TransposedTiles& tiles) {
  if (call.K > kMostTaps || tiles.useful() < kLeastUseful) return false;
  const std::int64_t depth = std::min(call.Cg, kMostDepth);
  std::int64_t pixels = 1;
  double useful = 1;  // in a tile
  const auto fits = [&](const TileSize& size) {
    pixels = size.input_rows * size.columns;
    const std::int64_t outputs = size.output_rows * size.j * tiles.phases();
    useful = static_cast<double>(outputs) * tiles.most_taps() / static_cast<double>(pixels * call.K);
    const double taps = static_cast<double>(size.output_rows) * tiles.most_taps() * 2;
    return depth * pixels <= kMostPackedX && call.K * pixels <= kMostCol && taps <= static_cast<double>(kMostCol) &&
           outputs <= kMostCol;
  };
  if (!tiles.cut(fits, 1)) return false;
  if (useful < kLeastUseful) return false;
  // Of output channels as many as col may have in a cache, or some more where those are few rows.
  const std::int64_t col = call.K * pixels, good = std::min((kGoodRows - 1) / call.K + 1, kMostCol / col);
  const std::int64_t channels =
      std::clamp<std::int64_t>(std::min(std::max(kCachedCol / col, good), kMostPackedW / (call.K * depth)), 1, call.Mg);
  const double additions = gemm_additions(static_cast<size_t>(call.Cg)) + tiles.most_taps() + 1;
  const typename GemmRows<T>::Plan plan{channels, depth, AdditionBound::relative(additions)};

  const std::int64_t blocks = (call.Mg - 1) / channels + 1, count = tiles.count();
  std::vector<Filters> kept;
  if (call.N * count > 1 && depth == call.Cg && call.groups * call.Cg * call.Mg * call.K <= kMostKeptW) {
    kept.resize(static_cast<size_t>(call.groups * blocks));
    for_each_job(kept.size(), call.threads, [&](size_t job) {
      std::vector<double> buffer;
      const std::int64_t g = static_cast<std::int64_t>(job) / blocks,
                         m = static_cast<std::int64_t>(job) % blocks * channels;
      GemmRows<T>::pack_filters(call, g, {m, std::min(call.Mg, m + channels)}, {0, call.Cg}, buffer, kept[job]);
    });
  }

  // Enough jobs for all threads: whole tiles, or else parts of the output channels too.
  const std::int64_t planes = call.N * call.groups;
  const std::int64_t wanted = call.threads == 1 ? 1 : 4 * call.threads;
  const std::int64_t splits = std::clamp<std::int64_t>((wanted - 1) / (planes * count) + 1, 1, blocks);
  Pool<GemmRows<T>> pool;
  for_each_job(static_cast<size_t>(planes * count * splits), call.threads, [&](size_t job) {
    const auto index = static_cast<std::int64_t>(job);
    const std::int64_t split = index % splits, tile = index / splits % count, plane = index / splits / count;
    const std::int64_t n = plane / call.groups, g = plane % call.groups;
    const Range m{blocks * split / splits * channels, std::min(call.Mg, blocks * (split + 1) / splits * channels)};
    const Filters* filters = kept.empty() ? nullptr : &kept[static_cast<size_t>(g * blocks)];
    pool.with([&](GemmRows<T>& rows) { rows.compute(call, plan, n, g, tile, m, filters); });
  });
  return true;
}

template bool conv_transpose_by_gemm(const TransposedCall<Half>&, TransposedTiles&);
template bool conv_transpose_by_gemm(const TransposedCall<BFloat16>&, TransposedTiles&);
template bool conv_transpose_by_gemm(const TransposedCall<float>&, TransposedTiles&);

}  // namespace opref::ops
