#include "ops/common/conv_transpose_rows.h"

#include <algorithm>

#include "core/parallel.h"
#include "exact/double_rows.h"
#include "exact/grid.h"
#include "ops/common/conv_transpose_estimate.h"

namespace opref::ops {
namespace {

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
    scale_ = AdditionBound::relative(static_cast<double>(call.Cg) * call.tiles->most_taps() + 1);
    value_.resize(n + kRowSlack);
    magnitude_.resize(n + kRowSlack);
  }
  void sum(std::span<const RowTerm<double>> terms, double start, size_t at, size_t n) {
    row_sum_products(terms.data(), terms.size(), start, n, &value_[at], &magnitude_[at]);
  }
  size_t settle(size_t n, T* out, std::uint64_t* undecided) const {
    return settle_certified(*call_, value_.data(), magnitude_.data(), scale_, n, out, undecided);
  }

 private:
  const TransposedCall<T>* call_ = nullptr;
  double scale_ = 0;
  std::vector<double> value_, magnitude_;
};

/// Sums of f64 products, twice as precise.
class DoubleArithmetic {
 public:
  using Number = double;
  static void widen(const double* x, std::int64_t n, double* to) { std::copy(x, x + n, to); }
  static double widened(double x) { return x; }
  void reset(const TransposedCall<double>& call, size_t n) {
    terms_ = static_cast<double>(call.Cg) * call.tiles->most_taps() + 1;
    for (auto* row : {&hi_, &lo_, &magnitude_}) row->resize(n + kRowSlack);
  }
  void sum(std::span<const RowTerm<double>> terms, double start, size_t at, size_t n) {
    row_sum_products(terms.data(), terms.size(), start, n, &hi_[at], &lo_[at], &magnitude_[at]);
  }
  size_t settle(size_t n, double* out, std::uint64_t* undecided) const {
    return settle_double_row(hi_.data(), lo_.data(), magnitude_.data(), terms_, n, out, undecided);
  }

 private:
  double terms_ = 0;
  std::vector<double> hi_, lo_, magnitude_;
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
  void sum(std::span<const RowTerm<Number>> terms, Number start, size_t at, size_t n) {
    row_sum_products(terms.data(), terms.size(), start, n, &sum_[at]);
  }
  size_t settle(size_t n, T* out, std::uint64_t*) const {
    std::transform(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(n), out,
                   [](Number sum) { return static_cast<T>(sum); });
    return 0;
  }

 private:
  std::vector<Number> sum_;
};

/// Rows as sums of shifted input rows. The input rows of a tile are copied once, between zeros, so that no tap needs a
/// range of its own. (Zero times infinity is NaN and hence left to the definition, which takes no such product.)
template <class T, class Arithmetic>
class DirectRows {
 public:
  using Number = typename Arithmetic::Number;

  /// Tile `index` of group g of batch n.
  void compute(const TransposedCall<T>& call, std::int64_t n, std::int64_t g, std::int64_t index) {
    const Tile tile = call.tiles->tile(index);
    TapBlocks row_taps = call.tiles->row_taps(tile);
    row_taps.rewind();
    row_taps.next();
    const std::vector<std::int64_t> rows = call.tiles->output_rows(tile);
    pad(call, tile, call.x_group(n, g));
    arithmetic_.reset(call, static_cast<size_t>(call.tiles->phases() * tile.j.size()));
    RowWriter<T> writer(call.y, *call.by_definition);
    for (std::int64_t m = 0; m < call.Mg; ++m) {
      const T* w = call.w + (g * call.Cg * call.Mg + m) * call.K;
      const Number start = call.b == nullptr ? Number{} : Arithmetic::widened(call.b[g * call.Mg + m]);
      for (size_t i = 0; i < rows.size(); ++i) {
        const PhasedRow row = call.row(tile, n, g * call.Mg + m, rows[i]);
        for (std::int64_t r = 0; r < row.phases; ++r) {
          find_terms(call, tile, row_taps.taps(static_cast<std::int64_t>(i)), w, r);
          arithmetic_.sum(terms_, start, static_cast<size_t>(r * row.span), static_cast<size_t>(row.span));
        }
        writer.write(row, [&](T* out, std::uint64_t* undecided) {
          return arithmetic_.settle(static_cast<size_t>(row.phases * row.span), out, undecided);
        });
      }
    }
    if (call.stats == nullptr) return;
    (std::is_integral_v<T> ? call.stats->exact : call.stats->estimated) += writer.estimated();
  }

 private:
  void pad(const TransposedCall<T>& call, const Tile& tile, const T* x) {
    first_ = tile.columns.first, width_ = tile.columns.size();
    std::int64_t end = tile.columns.last;
    used_.clear();
    for (const RowTap& tap : call.tiles->last_taps()) {
      const std::int64_t from = tile.j.first - tap.shift, to = tile.j.last - tap.shift;
      if (to <= tile.columns.first || from >= tile.columns.last) continue;
      used_.push_back(tap);
      first_ = std::min(first_, from);
      end = std::max(end, to);
    }
    width_ = end - first_ + static_cast<std::int64_t>(kRowSlack);
    input_rows_ = tile.input_rows;
    padded_.assign(static_cast<size_t>(call.Cg * input_rows_ * width_), Number{});
    const std::vector<std::int64_t> rows = call.tiles->input_rows(tile);
    const std::int64_t L = call.tiles->last().L;
    for (std::int64_t c = 0; c < call.Cg; ++c)
      for (std::int64_t i = 0; i < input_rows_; ++i)
        Arithmetic::widen(x + c * call.x_plane + rows[static_cast<size_t>(i)] * L + tile.columns.first,
                          tile.columns.size(),
                          &padded_[static_cast<size_t>((c * input_rows_ + i) * width_ + tile.columns.first - first_)]);
  }

  void find_terms(const TransposedCall<T>& call, const Tile& tile, std::span<const Tap> taps, const T* w,
                  std::int64_t phase) {
    terms_.clear();
    const std::int64_t kernel = call.tiles->last().k;
    for (const Tap& tap : taps)
      for (const RowTap& last : used_) {
        if (last.phase != phase) continue;
        const Number* x = &padded_[static_cast<size_t>(tap.x * width_ + tile.j.first - last.shift - first_)];
        const T* weight = w + tap.w * kernel + last.k;
        for (std::int64_t c = 0; c < call.Cg; ++c)
          terms_.push_back({x + c * input_rows_ * width_, Arithmetic::widened(weight[c * call.Mg * call.K])});
      }
  }

  std::int64_t first_ = 0, width_ = 0, input_rows_ = 0;  ///< of the padded rows: the column that they begin with
  std::vector<Number> padded_;
  std::vector<RowTap> used_;  ///< of the last axis, those that matter in this tile
  std::vector<RowTerm<Number>> terms_;
  Arithmetic arithmetic_;
};

template <class T, class Arithmetic>
bool conv_transpose_directly(const TransposedCall<T>& call, TransposedTiles& tiles) {
  const auto fits = [&](const TileSize& size) {
    const double bytes = static_cast<double>(call.Cg) * static_cast<double>(size.input_rows) *
                         static_cast<double>(size.padded + static_cast<std::int64_t>(kRowSlack)) * 8;
    const double taps = static_cast<double>(size.output_rows) * tiles.most_taps() * 16;
    return bytes + taps <= static_cast<double>(kMostTileBytes) ||
           (size.output_rows == 1 && size.j <= 16 && bytes + taps <= 16.0 * kMostTileBytes);
  };
  const std::int64_t wanted = call.threads == 1 ? 1 : kJobsPerThread * call.threads;
  if (!tiles.cut(fits, (wanted - 1) / (call.N * call.groups) + 1)) return false;
  Pool<DirectRows<T, Arithmetic>> pool;
  const std::int64_t count = tiles.count();
  for_each_job(static_cast<size_t>(call.N * call.groups * count), call.threads, [&](size_t job) {
    const auto index = static_cast<std::int64_t>(job), plane = index / count;
    pool.with([&](auto& rows) { rows.compute(call, plane / call.groups, plane % call.groups, index % count); });
  });
  return true;
}

/// Whether no sum in double can round, which random numbers show soon.
template <class T>
bool has_exact_sums(const TransposedCall<T>& call) {
  const double terms = static_cast<double>(call.Cg) * call.tiles->most_taps();
  const auto x = static_cast<size_t>(call.N * call.groups * call.Cg * call.x_plane);
  const auto w = static_cast<size_t>(call.groups * call.Cg * call.Mg * call.K);
  const Grid start = call.b == nullptr ? Grid{} : grid_of(call.b, static_cast<size_t>(call.groups * call.Mg));
  for (const size_t part : {size_t{1000}, SIZE_MAX})
    if (!sums_are_exact(terms, grid_of(call.x, std::min(x, part)), grid_of(call.w, std::min(w, part)), start))
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
    LazyCertificate exact_sums([call] { return has_exact_sums(call); }, x + w,
                               static_cast<double>(call.Cg) * tiles.most_taps());
    call.exact_sums = &exact_sums;
    if (call.Cg >= kFewChannels && conv_transpose_by_gemm(call, tiles)) return true;
    return conv_transpose_directly<T, FloatArithmetic<T>>(call, tiles);
  }
}

}  // namespace

bool conv_transpose_rows(const TensorType& type, const Convolution& c, const Numerics& numerics, std::span<std::byte> y,
                         const ByDefinition& by_definition) {
  TransposedTiles tiles(c.axes);
  const bool some_read_nothing = std::ranges::any_of(c.axes, [](const TapAxis& a) { return a.computed < a.output; });
  if (some_read_nothing || !tiles.usable() || c.x.count() == 0 || c.w.count() == 0 ||
      c.overflow != IntegerOverflow::wrap)
    return false;
  return with_storage(type.dtype, [&]<class S>(S) {
    return with_element<S>(type.dtype, [&]<class T>(T) {
      const std::int64_t N = type.shape[0], C = c.x.shape()[1], M = type.shape[1];
      TransposedCall<T> call{N,
                             c.groups,
                             C / c.groups,
                             M / c.groups,
                             c.w_output,
                             c.x.count() / (N * C),
                             tiles.output_rows(),
                             c.x.values<T>().data(),
                             c.w.values<T>().data(),
                             c.b ? c.b->values<T>().data() : nullptr,
                             y,
                             numerics.threads,
                             numerics.stats,
                             &by_definition,
                             &tiles};
      return conv_transpose_of(call, tiles);
    });
  });
}

}  // namespace opref::ops
