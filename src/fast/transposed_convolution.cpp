// SPDX-License-Identifier: Apache-2.0
#include "fast/fast.h"

#include <algorithm>

#include "exact/grid.h"
#include "exact/storage.h"
#include "fast/double_rows.h"
#include "fast/transposed_estimate.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kMostRun = 4096;  // elements: what is formed at once stays in the first cache
constexpr std::int64_t kMostTileBytes = std::int64_t{1} << 20, kJobsPerThread = 4;
constexpr std::int64_t kFewChannels = 8;  // a matrix product of fewer does not pay

/// Sums of f16, bf16 and f32 products: values and magnitudes, phase by phase.
template <class T>
class FloatArithmetic {
 public:
  using Number = double;
  static void widen(const T* x, std::int64_t n, double* to) { row_widen(x, static_cast<size_t>(n), to); }
  static double widened(T x) { return static_cast<double>(x); }
  void reset(const TransposedCall<T>& call, size_t n) {
    call_ = &call;
    scale_ = call.slack.bound(call.additions());
    value_.resize(n + kRowSlack);
    magnitude_.resize(n + kRowSlack);
  }
  /// No element's Σ|terms| is above sums.most: that decides most of them; the others get their own. They are multiples
  /// of sums.step.
  size_t settle(std::span<const RowTerm<double>> terms, double start, const Grid& sums, size_t n, T* out,
                std::uint64_t* undecided) {
    const bool exact = call_->exact_sums->is_known() || additions_are_exact(sums);
    const double scale = exact ? 0 : scale_, error = scale * sums.most;
    const bool one_for_all = sums.most <= 0x1p900;  // so that all is finite
    size_t doubts = 0;
    for (size_t first = 0, size = 0; first < n; first += size) {
      if (one_for_all) first = settle_sum_products(terms.data(), terms.size(), start, error, first, n, out);
      if (first == n) break;
      size = one_for_all ? std::min(kRowSlack, n - first) : n;
      own_ = {terms.begin(), terms.end()};
      for (RowTerm<double>& term : own_) term.x += first;
      row_sum_products(own_.data(), own_.size(), start, size, value_.data(), magnitude_.data());
      doubts += settle_certified(*call_->exact_sums, value_.data(), magnitude_.data(), scale, size, out + first,
                                 undecided + first);
    }
    return doubts;
  }
  /// The most is known, and infinite where a term of weight zero could be NaN.
  static constexpr bool skips_zeros = true;
  /// Of float, whose sums are rarely exact, no step is looked for.
  static constexpr bool has_steps = !std::is_same_v<T, float>;
  static Grid grid(const T* x, std::int64_t n) {
    if constexpr (!has_steps) return {row_most(x, static_cast<size_t>(n)), 0};
    return grid_of(x, static_cast<size_t>(n));
  }

 private:
  const TransposedCall<T>* call_ = nullptr;
  double scale_ = 0;
  std::vector<double> value_, magnitude_;
  std::vector<RowTerm<double>> own_;
};

/// Sums of f64 products, twice as precise.
class DoubleArithmetic {
 public:
  using Number = double;
  static void widen(const double* x, std::int64_t n, double* to) { std::copy(x, x + n, to); }
  static double widened(double x) { return x; }
  void reset(const TransposedCall<double>& call, size_t n) {
    scale_ = call.slack.bound(call.products());
    least_ = call.products() * kTinyProduct;
    for (auto* row : {&hi_, &lo_, &lost_}) row->resize(n + kRowSlack);
  }
  size_t settle(std::span<const RowTerm<double>> terms, double start, const Grid&, size_t n, double* out,
                std::uint64_t* undecided) {
    row_sum_products(terms.data(), terms.size(), start, n, hi_.data(), lo_.data(), lost_.data());
    return settle_double_row(hi_.data(), lo_.data(), lost_.data(), scale_, least_, n, out, undecided);
  }
  static constexpr bool has_steps = false, skips_zeros = false;
  static Grid grid(const double*, std::int64_t) { return {}; }

 private:
  double scale_ = 0, least_ = 0;
  std::vector<double> hi_, lo_, lost_;
};

/// Sums of integers modulo 2^32 or 2^64, whose low bits are the element's.
template <class T>
class IntegerArithmetic {
 public:
  using Number = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static void widen(const T* x, std::int64_t n, Number* to) {
    std::transform(x, x + n, to, [](T element) { return widened(element); });
  }
  static Number widened(T x) { return static_cast<Number>(x); }
  void reset(const TransposedCall<T>&, size_t n) { sum_.resize(n); }
  size_t settle(std::span<const RowTerm<Number>> terms, Number start, const Grid&, size_t n, T* out, std::uint64_t*) {
    row_sum_products(terms.data(), terms.size(), start, n, sum_.data());
    std::transform(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(n), out,
                   [](Number sum) { return static_cast<T>(sum); });
    return 0;
  }
  static constexpr bool has_steps = false, skips_zeros = true;
  static Grid grid(const T*, std::int64_t) { return {}; }

 private:
  std::vector<Number> sum_;
};

/// Rows as sums of shifted input rows. The input rows of a tile are copied once, between zeros, so that no tap needs a
/// range of its own. (Zero times infinity is NaN and hence left to the definition, which takes no such product.) Output
/// rows whose taps move by one input row from each to the next are one long row, a run. Of its elements those that
/// stand between two output rows are dropped: their sums take from the end of one input row and the beginning of the
/// next.
template <class T, class Arithmetic>
class DirectRows {
 public:
  using Number = typename Arithmetic::Number;

  /// Tile `index` of group g of batch n.
  void compute(const TransposedCall<T>& call, std::int64_t n, std::int64_t g, std::int64_t index) {
    if (index != index_) find_places(call, index);
    pad(call, call.x_group(n, g));
    RowWriter<T> writer(call.y, *call.by_definition);
    for (std::int64_t m = 0; m < call.Mg; ++m) {
      require_time();
      widen_filters(call, g, m);
      const T* bias = call.b == nullptr ? nullptr : call.b + g * call.Mg + m;
      const Number start = bias == nullptr ? Number{} : Arithmetic::widened(*bias);
      const Grid start_grid = bias == nullptr ? Grid{} : Arithmetic::grid(bias, 1);
      auto places = places_.cbegin();
      auto end = ends_.cbegin();
      const auto settle = [&](std::int64_t elements, T* out, std::uint64_t* undecided) {
        const Grid sums = find_terms(call, start_grid, std::span(places, places_.cbegin() + *end));
        places = places_.cbegin() + *end++;
        return arithmetic_.settle(terms_, start, sums, static_cast<size_t>(elements), out, undecided);
      };
      auto output_row = rows_.cbegin();
      for (const std::int64_t rows : runs_) {
        const std::int64_t span = tile_.j.size();
        size_t doubts = 0;
        if (rows > 1) doubts = settle((rows - 1) * width_ + span, run_.data(), undecided_.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          const PhasedRow row = call.row(tile_, n, g * call.Mg + m, *output_row++);
          writer.write(row, [&](T* out, std::uint64_t* undecided) {
            if (rows > 1) return copy_of_run(i * width_, span, doubts, out, undecided);
            size_t own_doubts = 0;
            for (std::int64_t r = 0; r < row.phases; ++r)
              own_doubts += settle(span, out + r * span, undecided + r * span);
            return own_doubts;
          });
        }
        if (doubts != 0) std::ranges::fill(undecided_, std::uint64_t{0});
      }
    }
    if (call.stats == nullptr) return;
    (std::is_integral_v<T> ? call.stats->exact : call.stats->estimated) += writer.estimated();
  }

 private:
  /// What a tap reads for the tile's first j, in a channel's padded rows and in its filter.
  struct Place {
    std::int64_t x, w;
  };

  /// What all planes share.
  void find_places(const TransposedCall<T>& call, std::int64_t index) {
    index_ = index;
    tile_ = call.tiles->tile(index);
    rows_ = call.tiles->output_rows(tile_);
    find_width(call);
    const auto longest = static_cast<size_t>(std::max(kMostRun, tile_.j.size()));
    arithmetic_.reset(call, longest);
    run_.resize(longest);
    undecided_.resize(longest);
    const Taps row_taps = call.tiles->row_taps(tile_);
    places_.clear();
    ends_.clear();
    runs_.clear();
    size_t run = 0;
    for (std::int64_t i = 0; i < tile_.output_rows; ++i) {
      const TapList taps = row_taps.of(i);
      const size_t row = places_.size();
      for (std::int64_t r = 0; r < call.tiles->phases(); ++r) {
        for (const Tap& tap : taps)
          for (const RowTap& last : used_)
            if (last.phase == r)
              places_.push_back(
                  {tap.x * width_ + tile_.j.first - last.shift - first_, tap.w * call.tiles->last().k + last.k});
        ends_.push_back(static_cast<std::ptrdiff_t>(places_.size()));
      }
      if (i > 0 && call.tiles->phases() == 1 && goes_on(run, row)) {
        places_.resize(row);
        ends_.pop_back();
        ++runs_.back();
      } else {
        run = row;
        runs_.push_back(1);
      }
    }
  }
  /// Whether the row whose places begin at `row` belongs to the last run, whose first row's places are those before.
  bool goes_on(size_t run, size_t row) const {
    const std::int64_t rows = runs_.back();
    if (rows * width_ + tile_.j.size() > kMostRun || places_.size() - row != row - run) return false;
    for (size_t i = 0; row + i < places_.size(); ++i)
      if (places_[row + i].x != places_[run + i].x + rows * width_ || places_[row + i].w != places_[run + i].w)
        return false;
    return true;
  }

  /// Of the run's elements from `first`; returns how many of these are undecided. The run has `doubts`.
  size_t copy_of_run(std::int64_t first, std::int64_t n, size_t doubts, T* out, std::uint64_t* undecided) const {
    std::copy_n(run_.data() + first, n, out);
    if (doubts == 0) return 0;
    std::copy_n(undecided_.data() + first, n, undecided);
    return static_cast<size_t>(std::count(undecided, undecided + n, std::uint64_t{1}));
  }

  void find_width(const TransposedCall<T>& call) {
    first_ = tile_.columns.first;
    std::int64_t end = tile_.columns.last;
    used_.clear();
    for (const RowTap& tap : call.tiles->last_taps()) {
      const std::int64_t from = tile_.j.first - tap.shift, to = tile_.j.last - tap.shift;
      if (to <= tile_.columns.first || from >= tile_.columns.last) continue;
      used_.push_back(tap);
      first_ = std::min(first_, from);
      end = std::max(end, to);
    }
    width_ = end - first_;
    padded_.assign(static_cast<size_t>(call.Cg * tile_.input_rows * width_) + kRowSlack, Number{});
    grids_.resize(static_cast<size_t>(call.Cg));
  }

  void pad(const TransposedCall<T>& call, const T* x) {
    const std::vector<std::int64_t> rows = call.tiles->input_rows(tile_);
    Number* to = padded_.data() + tile_.columns.first - first_;
    for (std::int64_t c = 0; c < call.Cg; ++c, x += call.x_plane) {
      Grid grid;
      for (const std::int64_t row : rows) {
        const T* from = x + row * call.tiles->last().L + tile_.columns.first;
        Arithmetic::widen(from, tile_.columns.size(), to);
        grid = grid.with(Arithmetic::grid(from, tile_.columns.size()));
        to += width_;
      }
      grids_[static_cast<size_t>(c)] = grid;
    }
  }

  void widen_filters(const TransposedCall<T>& call, std::int64_t g, std::int64_t m) {
    weights_.resize(static_cast<size_t>(call.Cg * call.K));
    filter_steps_.resize(static_cast<size_t>(call.Cg));
    for (std::int64_t c = 0; c < call.Cg; ++c) {
      const T* filter = call.w + ((g * call.Cg + c) * call.Mg + m) * call.K;
      Number* const to = &weights_[static_cast<size_t>(c * call.K)];
      Arithmetic::widen(filter, call.K, to);
      if constexpr (Arithmetic::has_steps)
        filter_steps_[static_cast<size_t>(c)] = Arithmetic::grid(filter, call.K).step;
    }
  }

  /// Also returns a bound of Σ|terms| for the whole run, of which all terms are multiples.
  Grid find_terms(const TransposedCall<T>& call, const Grid& start, std::span<const Place> places) {
    terms_.resize(places.size() * static_cast<size_t>(call.Cg));
    auto term = terms_.begin();
    Grid sums = start;
    if (!Arithmetic::has_steps) sums.step = 0;
    for (const Place& place : places)
      for (std::int64_t c = 0; c < call.Cg; ++c) {
        const Number weight = weights_[static_cast<size_t>(c * call.K + place.w)];
        const Grid& x = grids_[static_cast<size_t>(c)];
        if (Arithmetic::skips_zeros && weight == 0 && x.most < kInfinity) continue;
        *term++ = {&padded_[static_cast<size_t>(c * tile_.input_rows * width_ + place.x)], weight};
        sums.most += std::abs(static_cast<double>(weight)) * x.most;
        if constexpr (Arithmetic::has_steps)
          sums.step = std::min(sums.step, filter_steps_[static_cast<size_t>(c)] * x.step);
      }
    terms_.resize(static_cast<size_t>(term - terms_.begin()));
    return sums;
  }

  std::int64_t index_ = -1;
  Tile tile_;
  std::vector<std::int64_t> rows_;      ///< output rows
  std::vector<std::int64_t> runs_;      ///< how many output rows each has
  std::vector<Place> places_;           ///< of the first row of each run, and each phase
  std::vector<std::ptrdiff_t> ends_;    ///< where each of these ends
  std::vector<Grid> grids_;             ///< of each input channel
  std::vector<double> filter_steps_;    ///< of an output channel's filters
  std::vector<Number> weights_;         ///< of an output channel
  std::int64_t first_ = 0, width_ = 0;  ///< of the padded rows: the column that they begin with
  std::vector<Number> padded_;
  std::vector<RowTap> used_;  ///< of the last axis, those that matter in this tile
  std::vector<RowTerm<Number>> terms_;
  std::vector<T> run_;                    ///< the elements of a run of several rows
  std::vector<std::uint64_t> undecided_;  ///< of these; 0 from run to run
  Arithmetic arithmetic_;
};

template <class T, class Arithmetic>
bool conv_transpose_directly(const TransposedCall<T>& call, TransposedTiles& tiles) {
  const double Cg = static_cast<double>(call.Cg), phases = static_cast<double>(tiles.phases());
  const double filters = Cg * static_cast<double>(call.K) * 8;
  const auto fits = [&](const TileSize& size) {
    const double inputs =
        (Cg * static_cast<double>(size.input_rows) * static_cast<double>(size.padded) + kRowSlack) * 8;
    const double places = static_cast<double>(size.output_rows) * phases * (tiles.taps().listed * 24 + 8);
    const double terms = Cg * tiles.taps().listed * 32, outputs = phases * static_cast<double>(size.j) * 24;
    const double bytes = inputs + places + terms + outputs;
    return bytes <= static_cast<double>(kMostTileBytes) ||
           (size.output_rows == 1 && size.j <= 16 && bytes + filters <= 16.0 * kMostTileBytes);
  };
  if (filters > 16.0 * kMostTileBytes) return false;
  const std::int64_t wanted = call.threads == 1 ? 1 : kJobsPerThread * call.threads;
  if (!tiles.cut(fits, (wanted - 1) / (call.N * call.groups) + 1)) return false;
  Pool<DirectRows<T, Arithmetic>> pool;
  const std::int64_t planes = call.N * call.groups;
  for_each_job_in_shares(static_cast<size_t>(planes * tiles.count()), call.threads, [&](size_t job) {
    const auto index = static_cast<std::int64_t>(job), plane = index % planes;  // neighbours share a tile
    pool.with([&](auto& rows) { rows.compute(call, plane / call.groups, plane % call.groups, index / planes); });
  });
  return true;
}

/// Whether no sum in double can round, which random numbers show soon.
template <class T>
bool has_exact_sums(const TransposedCall<T>& call) {
  const auto x = static_cast<size_t>(call.N * call.groups * call.Cg * call.x_plane);
  const auto w = static_cast<size_t>(call.groups * call.Cg * call.Mg * call.K);
  const Grid start = call.b == nullptr ? Grid{} : grid_of(call.b, static_cast<size_t>(call.groups * call.Mg));
  for (const size_t part : {size_t{1000}, SIZE_MAX})
    if (!sums_are_exact(call.products(), grid_of(call.x, std::min(x, part)), grid_of(call.w, std::min(w, part)), start))
      return false;
  return true;
}

template <class T>
bool conv_transpose_of(TransposedCall<T> call, TransposedTiles& tiles) {
  if constexpr (std::is_integral_v<T>) {
    return conv_transpose_directly<T, IntegerArithmetic<T>>(call, tiles);
  } else if constexpr (std::is_same_v<T, double>) {
    return conv_transpose_directly<T, DoubleArithmetic>(call, tiles);
  } else {
    const double x = static_cast<double>(call.N * call.groups * call.Cg) * static_cast<double>(call.x_plane);
    const double w = static_cast<double>(call.groups * call.Cg * call.Mg) * static_cast<double>(call.K);
    LazyCertificate exact_sums([call] { return has_exact_sums(call); }, x + w, call.products());
    call.exact_sums = &exact_sums;
    if (call.Cg >= kFewChannels && conv_transpose_by_gemm(call, tiles)) return true;
    return conv_transpose_directly<T, FloatArithmetic<T>>(call, tiles);
  }
}

}  // namespace

bool transposed_convolution(const RowTarget& y, const TransposedConvolution& c) {
  TransposedTiles tiles(c.axes);
  const bool some_read_nothing = std::ranges::any_of(c.axes, [](const TapAxis& a) { return a.computed < a.output; });
  if (some_read_nothing || !tiles.usable() || c.x.count() == 0 || c.w.count() == 0) return false;
  return with_storage(y.type.dtype, [&]<class S>(S) {
    return with_element<S>(y.type.dtype, [&]<class T>(T) {
      const std::int64_t N = y.type.shape[0], C = c.x.shape()[1], M = y.type.shape[1];
      TransposedCall<T> call{N,
                             c.groups,
                             C / c.groups,
                             M / c.groups,
                             c.w.count() / (C * (M / c.groups)),
                             c.x.count() / (N * C),
                             tiles.output_rows(),
                             c.x.values<T>().data(),
                             c.w.values<T>().data(),
                             c.b ? c.b->values<T>().data() : nullptr,
                             y.y,
                             y.numerics.threads,
                             y.numerics.stats,
                             &y.by_definition,
                             &tiles,
                             y.numerics.slack};
      return conv_transpose_of(call, tiles);
    });
  });
}

}  // namespace opref::fast
