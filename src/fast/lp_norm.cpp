// SPDX-License-Identifier: Apache-2.0
#include "fast/fast.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "exact/grid.h"
#include "exact/root.h"
#include "exact/storage.h"
#include "fast/double_rows.h"
#include "fast/pool.h"
#include "fast/power_rows.h"
#include "fast/row_writer.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kMostColumns = std::int64_t{1} << 15;  // of a tile
constexpr std::int64_t kMostCoordinate = std::int64_t{1} << 40, kRowsPerJob = 64;

/// Window o reads o*s + k*d - p.
struct WindowAxis {
  std::int64_t L, k, s, d, p, O;
  explicit WindowAxis(const TapAxis& a)
      : L(a.input), k(a.kernel), s(a.output_step), d(a.kernel_step), p(-a.offset), O(a.output) {}
  std::int64_t reach() const { return (k - 1) * d + 1; }
  bool usable() const {
    for (const std::int64_t number : {L, k, s, d, O, p})
      if (number < -kMostCoordinate || number > kMostCoordinate) return false;
    return L > 0 && k <= kMostCoordinate / d && O <= kMostCoordinate / s;
  }
};

template <class T>
struct PoolingCall {
  const T* x;
  std::span<std::byte> y;
  const Taps* leading;
  WindowAxis last;
  std::int64_t x_plane, planes, rows;  ///< rows of Y per plane
  std::int64_t tile;                   ///< windows of a row that are computed at once
  Power p;
  double terms;  ///< of a window
  const ByDefinition* by_definition;
  Stats* stats;
  Slack slack;
};

/// Sums of powers of f16, bf16 and f32: first down the window's columns, then along the row.
template <class T>
class FloatSums {
 public:
  void reset(size_t columns, size_t windows) {
    rows_ = {};
    columns_.assign(columns, 0.0);
    sums_.resize(windows);
  }
  void add_columns(const PoolingCall<T>& call, std::span<const T* const> rows, size_t at, size_t n) {
    rows_ = rows;
    read_ = n;
    row_power_sum(rows.data(), rows.size(), call.p, n, &columns_[at]);
  }
  void add_windows(size_t s, size_t k, size_t d) { row_windows(columns_.data(), s, k, d, sums_.size(), sums_.data()); }
  size_t settle(const PoolingCall<T>& call, T* out, std::uint64_t* undecided) {
    const auto settled = [&](double scale) {
      return settle_row(sums_.data(), sums_.data(), scale, sums_.size(), out, undecided);
    };
    if (call.p.is_one()) {
      const size_t doubts = settled(call.slack.bound(call.terms - 1));
      return doubts > 0 && are_exact(call.terms) ? settled(0) : doubts;
    }
    if (call.p.is_two()) {  // squares are exact; the root has half the sum's relative error and one rounding
      row_root(sums_.data(), sums_.size());
      return settled(call.slack.bound((call.terms - 1) / 2 + 1));
    }
    return settle_root_row(sums_.data(), call.p, root_bound(call.terms, call.p, call.slack), sums_.size(), out,
                           undecided);
  }

 private:
  /// Whether no sum of these |x| can round.
  bool are_exact(double terms) const {
    Grid x;
    for (const T* row : rows_) x = x.with(grid_of(row, read_));
    return sums_are_exact(terms, x, {1, 1}, {});
  }

  std::span<const T* const> rows_;  ///< that the columns were added of, each of
  size_t read_ = 0;                 ///< so many elements
  OwnVector<double> columns_, sums_;
};

/// Of f64, twice as precise.
class DoubleSums {
 public:
  void reset(size_t columns, size_t windows) {
    columns_hi_.assign(columns, 0.0);
    columns_lo_.assign(columns, 0.0);
    hi_.resize(windows);
    lo_.resize(windows);
  }
  void add_columns(const PoolingCall<double>& call, std::span<const double* const> rows, size_t at, size_t n) {
    row_power_sum(rows.data(), rows.size(), call.p, n, &columns_hi_[at], &columns_lo_[at]);
  }
  void add_windows(size_t s, size_t k, size_t d) {
    row_windows(columns_hi_.data(), columns_lo_.data(), s, k, d, hi_.size(), hi_.data(), lo_.data());
  }
  size_t settle(const PoolingCall<double>& call, double* out, std::uint64_t* undecided) const {
    const double relative = pair_bound(call.terms, call.p, call.slack);
    if (call.p.is_one())
      return settle_double_row(hi_.data(), lo_.data(), hi_.data(), relative, 0, hi_.size(), out, undecided);
    return settle_double_root_row(hi_.data(), lo_.data(), call.p, relative, hi_.size(), out, undecided);
  }

 private:
  OwnVector<double> columns_hi_, columns_lo_, hi_, lo_;
};

/// What a thread works with.
template <class T>
class NormRows {
 public:
  /// Windows [o.first, o.last) of rows [rows.first, rows.last) of a plane.
  void compute(const PoolingCall<T>& call, std::int64_t plane, std::int64_t first_row, std::int64_t last_row,
               std::int64_t first, std::int64_t last) {
    const WindowAxis& a = call.last;
    const std::int64_t n = last - first, begin = first * a.s - a.p, end = (last - 1) * a.s - a.p + a.reach();
    // Columns of X from `begin`, with zeros where there is no X.
    const std::int64_t from = std::clamp<std::int64_t>(begin, 0, a.L), to = std::clamp<std::int64_t>(end, from, a.L);
    sums_.reset(static_cast<size_t>(end - begin), static_cast<size_t>(n));
    RowWriter<T> writer(call.y, *call.by_definition);
    for (std::int64_t row = first_row; row < last_row; ++row) {
      require_time();
      rows_.clear();
      for (const Tap& tap : call.leading->of(row)) rows_.push_back(call.x + plane * call.x_plane + tap.x * a.L + from);
      if (from < to) sums_.add_columns(call, rows_, static_cast<size_t>(from - begin), static_cast<size_t>(to - from));
      sums_.add_windows(static_cast<size_t>(a.s), static_cast<size_t>(a.k), static_cast<size_t>(a.d));
      writer.write({(plane * call.rows + row) * a.O + first, n, 1, n},
                   [&](T* out, std::uint64_t* undecided) { return sums_.settle(call, out, undecided); });
    }
    if (call.stats != nullptr) call.stats->estimated += writer.estimated();
  }

 private:
  std::conditional_t<std::is_same_v<T, double>, DoubleSums, FloatSums<T>> sums_;
  OwnVector<const T*> rows_;
};

/// Calls f with a zero of a floating type.
template <class F>
bool with_float_element(DType dtype, const F& f) {
  return dtype == DType::float64 ? f(double{}) : with_element<float>(dtype, f);
}

TapAxes leading_axes(const TapAxes& axes) {
  if (axes.size() == 1) return {TapAxis{1, 1, 1, 1, 1, 0, 1, 1}};
  return {axes.begin(), axes.end() - 1};
}

template <class T>
void compute_norms(const PoolingCall<T>& call, int threads) {
  const std::int64_t rows_per_job = std::min(call.rows, kRowsPerJob), bands = (call.rows - 1) / rows_per_job + 1;
  const std::int64_t tiles = (call.last.O - 1) / call.tile + 1;
  // Less work than a thread costs to start.
  constexpr std::int64_t kLeastForThreads = 1 << 12;
  const bool alone = call.planes * call.rows * call.last.O < kLeastForThreads;
  Pool<NormRows<T>> pool;
  for_each_job_in_shares(static_cast<size_t>(call.planes * bands * tiles), alone ? 1 : threads, [&](size_t job) {
    const auto index = static_cast<std::int64_t>(job);
    const std::int64_t tile = index % tiles, band = index / tiles % bands, plane = index / tiles / bands;
    const std::int64_t row = band * rows_per_job, first = tile * call.tile;
    pool.with([&](NormRows<T>& norms) {
      norms.compute(call, plane, row, std::min(call.rows, row + rows_per_job), first,
                    std::min(call.last.O, first + call.tile));
    });
  });
}

}  // namespace

bool lp_norm(const RowTarget& y, const Tensor& x, const TapAxes& axes, double power) {
  const std::optional<Power> p = Power::of(power);
  if (!p) return false;
  const TapAxes leading = leading_axes(axes);
  const WindowAxis last(axes.back());
  const auto usable = [](const TapAxis& axis) { return WindowAxis(axis).usable(); };
  if (!usable(axes.back()) || !std::ranges::all_of(leading, usable) || last.reach() > kMostColumns) return false;
  // All columns from the first window to the last are summed: of far windows or taps that would be work for nothing.
  const double columns = static_cast<double>((last.O - 1) * last.s + last.reach());
  if (columns > 8 * static_cast<double>(last.O) * static_cast<double>(last.k)) return false;
  double terms = static_cast<double>(last.k);
  std::int64_t rows = 1;
  for (const TapAxis& axis : leading) terms *= static_cast<double>(axis.kernel), rows *= axis.output;
  const Taps leading_taps(leading);
  return with_float_element(y.type.dtype, [&]<class T>(T) {
    const std::int64_t planes = y.type.shape[0] * y.type.shape[1];
    const T* elements = x.values<T>().data();
    compute_norms<T>({elements, y.y, &leading_taps, last, x.count() / planes, planes, rows,
                      std::max<std::int64_t>(1, (kMostColumns - last.reach()) / last.s), *p, terms, &y.by_definition,
                      y.numerics.stats, y.numerics.slack},
                     y.numerics.threads);
    return true;
  });
}

}  // namespace opref::fast
