#include "ops/common/pooling_rows.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "exact/grid.h"
#include "exact/rows.h"
#include "ops/common/row_writer.h"

namespace opref::ops {
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
  TapAxes leading;
  WindowAxis last;
  std::int64_t x_plane, planes, rows;  ///< rows of Y per plane
  std::int64_t tile;                   ///< windows of a row that are computed at once
  int p;
  double relative;              ///< the error of a sum
  LazyCertificate* exact_sums;  ///< no sum of |x| rounds
  const ByDefinition* by_definition;
  Stats* stats;
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
    columns_.assign(static_cast<size_t>(end - begin), 0.0);
    sums_.resize(static_cast<size_t>(n));
    RowWriter<T> writer(call.y, *call.by_definition);
    TapBlocks taps(call.leading);
    taps.seek(first_row, last_row);
    while (taps.next())
      for (std::int64_t i = 0; i < taps.size(); ++i) {
        rows_.clear();
        for (const Tap& tap : taps.taps(i)) rows_.push_back(call.x + plane * call.x_plane + tap.x * a.L + from);
        if (from < to)
          row_power_sum(rows_.data(), rows_.size(), call.p, static_cast<size_t>(to - from),
                        &columns_[static_cast<size_t>(from - begin)]);
        row_windows(columns_.data(), static_cast<size_t>(a.s), static_cast<size_t>(a.k), static_cast<size_t>(a.d),
                    sums_.size(), sums_.data());
        const std::int64_t row = plane * call.rows + taps.first() + i;
        writer.write({row * a.O + first, n, 1, n},
                     [&](T* out, std::uint64_t* undecided) { return settle(call, out, undecided); });
      }
    if (call.stats != nullptr) call.stats->estimated += writer.estimated();
  }

 private:
  size_t settle(const PoolingCall<T>& call, T* out, std::uint64_t* undecided) const {
    if (call.p == 1) {
      const size_t doubts = settle_row(sums_.data(), sums_.data(), call.relative, sums_.size(), out, undecided);
      if (doubts == 0 || !call.exact_sums->holds(doubts)) return doubts;
      return settle_row(sums_.data(), sums_.data(), 0, sums_.size(), out, undecided);
    }
    return settle_root_row(sums_.data(), call.p, call.relative, sums_.size(), out, undecided);
  }

  std::vector<double> columns_, sums_;
  std::vector<const T*> rows_;
};

/// Whether sums of |x| cannot round, which random numbers show soon.
template <class T>
bool has_exact_sums(const T* x, std::int64_t count, double terms) {
  for (const std::int64_t part : {std::int64_t{1000}, count})
    if (!sums_are_exact(terms, grid_of(x, static_cast<size_t>(std::min(count, part))), {1, 1}, {})) return false;
  return true;
}

TapAxes leading_axes(const TapAxes& axes) {
  if (axes.size() == 1) return {TapAxis{1, 1, 1, 1, 1, 0, 1, 1}};
  return {axes.begin(), axes.end() - 1};
}

template <class T>
void compute_norms(const PoolingCall<T>& call, int threads) {
  const std::int64_t rows_per_job = std::min(call.rows, kRowsPerJob), bands = (call.rows - 1) / rows_per_job + 1;
  const std::int64_t tiles = (call.last.O - 1) / call.tile + 1;
  Pool<NormRows<T>> pool;
  for_each_job(static_cast<size_t>(call.planes * bands * tiles), threads, [&](size_t job) {
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

bool lp_norm_rows(const TensorType& type, const Tensor& x, const TapAxes& axes, const PowerSum& finish,
                  const Numerics& numerics, std::span<std::byte> y, const ByDefinition& by_definition) {
  if (type.dtype == DType::float64 || finish.scale_to != 0 || finish.p != std::floor(finish.p) ||
      finish.p > kMostEstimatedPower)
    return false;
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
  return with_element<float>(type.dtype, [&]<class T>(T) {
    const auto p = static_cast<int>(finish.p);
    const std::int64_t planes = type.shape[0] * type.shape[1];
    const T* elements = x.values<T>().data();
    LazyCertificate exact_sums([&] { return has_exact_sums(elements, x.count(), terms); },
                               static_cast<double>(x.count()), terms);
    compute_norms<T>({elements, y, leading, last, x.count() / planes, planes, rows,
                      std::max<std::int64_t>(1, (kMostColumns - last.reach()) / last.s), p, root_bound(terms, p),
                      &exact_sums, &by_definition, numerics.stats},
                     numerics.threads);
    return true;
  });
}

}  // namespace opref::ops
