// SPDX-License-Identifier: Apache-2.0
// Matrix products in tiles of Y. A job has some rows of Y and some tiles of its columns: it packs the rows of A once,
// and of B tile after tile.
#include <algorithm>
#include <cmath>

#include "exact/grid.h"
#include "exact/storage.h"
#include "fast/double_rows.h"
#include "fast/fast.h"
#include "fast/pool.h"
#include "fast/row_product.h"
#include "fast/row_writer.h"
#include "fast/tiled_product.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kLeastTerms = 4, kMostTerms = std::int64_t{1} << 16, kLeastColumns = 8;
constexpr std::int64_t kMostA = std::int64_t{1} << 20;  // elements of 8 bytes
constexpr std::int64_t kJobsPerThread = 4;

/// One call. The elements are T.
template <class T>
struct ProductCall {
  const RowTarget* y;
  const MatrixProduct* p;
  LazyCertificate* exact_sums = nullptr;  ///< no sum in double rounds; for float and narrower

  Factor<T> factor(const MatrixFactor& of, std::int64_t batch, std::int64_t line) const {
    return Factor<T>{of.x.values<T>().data() + of.batch(batch), of.depth_step, of.line_step}.at_line(line);
  }
  PhasedRow row(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t columns) const {
    const std::int64_t first = p->y ? p->y->batch(batch) + m * p->y->row_step : (batch * p->M + m) * p->N;
    return {first + n, columns, 1, columns};
  }
  /// Of c, beginning at row m and column n.
  Factor<T> addend(std::int64_t m, std::int64_t n) const {
    return Factor<T>{p->c->x.values<T>().data(), p->c->row_step, p->c->column_step}.at_depth(m).at_line(n);
  }
};

/// Some rows and columns of a matrix of Y.
struct Part {
  std::int64_t batch, m, rows, n, columns;
};

/// How a call is cut into jobs, and those into tiles of so many columns.
struct Cut {
  std::int64_t rows, columns, tile;
};

/// Rows for a job so that A's fit, then parts of rows and columns until all threads have enough to do.
Cut cut_of(const MatrixProduct& p, std::int64_t batches, std::int64_t most_columns, int threads) {
  Cut cut{p.M, p.N, tile_of(p.N, most_columns)};
  while (cut.rows > kTileRows && cut.rows * p.K > kMostA) cut.rows = rounded_up((cut.rows + 1) / 2, kTileRows);
  const std::int64_t wanted = threads == 1 ? 1 : kJobsPerThread * threads;
  const auto jobs = [&] { return batches * ((p.M - 1) / cut.rows + 1) * ((p.N - 1) / cut.columns + 1); };
  while (jobs() < wanted) {
    const bool halves_rows = cut.rows >= cut.columns && cut.rows > kTileRows / 4;
    if (!halves_rows && cut.columns <= cut.tile) break;
    std::int64_t& size = halves_rows ? cut.rows : cut.columns;
    size = rounded_up((size + 1) / 2, halves_rows ? kTileRows / 4 : cut.tile);
  }
  return cut;
}

/// Sums of f16, bf16 and f32 products as elements of Y.
template <class T>
class FloatRow {
 public:
  /// Row m of Y from column `first` on: n values within scale·sizes of the sums, times p.scale, and what is added,
  /// where one more rounding costs `error`.
  size_t settle(const ProductCall<T>& call, std::int64_t m, std::int64_t first, double* values, const double* sizes,
                double scale, double error, size_t n, T* out, std::uint64_t* undecided) {
    const MatrixProduct& p = *call.p;
    scale *= std::abs(p.scale);
    if (p.scale != 1) std::transform(values, values + n, values, [&](double x) { return x * p.scale; });
    if (!p.c) return settle_certified(*call.exact_sums, values, sizes, scale, n, out, undecided);
    addend_.resize(n + kRowSlack), errors_.resize(n + kRowSlack);
    widen_lines(call.addend(m, first), 1, static_cast<std::int64_t>(n), addend_.data(), 0);
    for (size_t j = 0; j < n; ++j) {  // the last term of each sum
      const double c = p.c->scale * addend_[j];
      values[j] += c;
      errors_[j] = scale * sizes[j] + error * std::abs(c);
    }
    return settle_certified(*call.exact_sums, values, errors_.data(), 1, n, out, undecided);
  }
  /// Roundings of a sum after its last addition.
  static double later(const MatrixProduct& p) { return (p.scale == 1 ? 0 : 1) + (p.c ? 1 : 0); }

 private:
  Scratch<double> addend_, errors_;
};

/// By certified products in tiles.
template <class T>
class FloatProducts {
 public:
  static std::int64_t most_columns(std::int64_t K) { return TiledProduct<T, T>::most_columns(K); }
  void compute(const ProductCall<T>& call, const Part& part, std::int64_t tile, RowWriter<T>& writer) {
    const MatrixProduct& p = *call.p;
    const ProductBound bound = TiledProduct<T, T>::bound(p.K, call.y->numerics.slack, FloatRow<T>::later(p));
    product_.compute(call.factor(p.a, part.batch, part.m), call.factor(p.b, part.batch, part.n), part.rows,
                     part.columns, p.K, tile, bound,
                     [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns, double* values,
                         const double* squares, const double* norms) {
                       const std::int64_t m = part.m + i, n = part.n + j;
                       for (std::int64_t r = 0; r < rows; ++r, values += columns)
                         writer.write(call.row(part.batch, m + r, n, columns), [&](T* out, std::uint64_t* undecided) {
                           return row_.settle(call, m + r, n, values, norms, bound.scale(squares[r]), bound.most,
                                              static_cast<size_t>(columns), out, undecided);
                         });
                     });
  }

 private:
  TiledProduct<T, T> product_;
  FloatRow<T> row_;
};

/// Few rows times a matrix that is read once for each, where it lies.
class FewRows {
 public:
  static bool serves(const MatrixProduct& p) {
    constexpr std::int64_t kMostRows = 3;
    return p.M <= kMostRows && (p.b.line_step == 1 || p.b.depth_step == 1);
  }
  static std::int64_t most_columns(std::int64_t) { return 4096; }
  void compute(const ProductCall<float>& call, const Part& part, std::int64_t tile, RowWriter<float>& writer) {
    const MatrixProduct& p = *call.p;
    const bool by_rows = p.b.line_step == 1;
    const auto K = static_cast<size_t>(p.K);
    const double error = call.y->numerics.slack.bound(row_product_additions(K, by_rows) + FloatRow<float>::later(p));
    a_.resize(K + kRowSlack);
    for (std::int64_t m = part.m; m < part.m + part.rows; ++m) {
      widen_lines(call.factor(p.a, part.batch, m), p.K, 1, a_.data(), 1);
      for (std::int64_t n = part.n; n < part.n + part.columns; n += tile) {
        require_time();
        const std::int64_t columns = std::min(tile, part.n + part.columns - n);
        const auto count = static_cast<size_t>(columns);
        const float* const b = call.factor(p.b, part.batch, n).from;
        for (auto* row : {&values_, &sizes_}) row->resize(count + kRowSlack);
        if (by_rows)
          row_times_rows(a_.data(), K, b, p.b.depth_step, count, values_.data(), sizes_.data());
        else
          row_times_lines(a_.data(), K, b, p.b.line_step, count, values_.data(), sizes_.data());
        writer.write(call.row(part.batch, m, n, columns), [&](float* out, std::uint64_t* undecided) {
          return row_.settle(call, m, n, values_.data(), sizes_.data(), error, error, count, out, undecided);
        });
      }
    }
  }

 private:
  Scratch<double> a_, values_, sizes_;
  FloatRow<float> row_;
};

/// Rows of Y as sums of B's rows, each times one element of A: Number is double, for pairs, or an unsigned integer.
template <class T, class Number>
class DirectProducts {
 public:
  static std::int64_t most_columns(std::int64_t K) {
    constexpr std::int64_t kMostColumns = 1024, kMostElements = std::int64_t{1} << 17;
    return std::min(kMostColumns, kMostElements / K);
  }
  void compute(const ProductCall<T>& call, const Part& part, std::int64_t tile, RowWriter<T>& writer) {
    const std::int64_t K = call.p->K;
    for (std::int64_t n = 0; n < part.columns; n += tile) {
      const std::int64_t columns = std::min(tile, part.columns - n);
      const std::int64_t row = rounded_up(columns, 8) + static_cast<std::int64_t>(kRowSlack);
      b_.resize(static_cast<size_t>((K + 1) * row));
      pack(call.factor(call.p->b, part.batch, part.n + n), K, columns, row, 0);
      terms_.resize(static_cast<size_t>(K + (call.p->c ? 1 : 0)));
      for (std::int64_t m = part.m; m < part.m + part.rows; ++m) {
        require_time();
        const Factor<T> a = call.factor(call.p->a, part.batch, m);
        for (std::int64_t k = 0; k < K; ++k)
          terms_[static_cast<size_t>(k)] = {b_.data() + k * row, static_cast<Number>(a.from[k * a.depth_step])};
        if (call.p->c) {
          pack(call.addend(m, part.n + n), 1, columns, row, K);
          terms_.back() = {b_.data() + K * row, Number{1}};
        }
        writer.write(call.row(part.batch, m, part.n + n, columns), [&](T* out, std::uint64_t* undecided) {
          return settle(call.y->numerics.slack, static_cast<size_t>(columns), out, undecided);
        });
      }
    }
  }

 private:
  /// K elements of each line into rows of their own, from row `at` on.
  void pack(const Factor<T>& b, std::int64_t K, std::int64_t columns, std::int64_t row, std::int64_t at) {
    Number* to = b_.data() + at * row;
    if constexpr (std::is_same_v<T, double>) widen_lines(b, K, columns, to, row);
    for (std::int64_t k = 0; k < K; ++k, to += row) {
      for (std::int64_t j = 0; std::is_integral_v<T> && j < columns; ++j)
        to[j] = static_cast<Number>(b.from[k * b.depth_step + j * b.line_step]);
      std::fill_n(to + columns, row - columns, Number{});
    }
  }
  size_t settle(const Slack& slack, size_t n, T* out, std::uint64_t* undecided) {
    for (auto* values : {&sum_, &low_, &lost_}) values->resize(n + kRowSlack);
    if constexpr (std::is_same_v<T, double>) {
      const auto products = static_cast<double>(terms_.size());
      row_sum_products(terms_.data(), terms_.size(), 0, n, sum_.data(), low_.data(), lost_.data());
      return settle_double_row(sum_.data(), low_.data(), lost_.data(), slack.bound(products), products * kTinyProduct,
                               n, out, undecided);
    } else {
      row_sum_products(terms_.data(), terms_.size(), Number{}, n, sum_.data());
      std::transform(sum_.data(), sum_.data() + n, out, [](Number sum) { return static_cast<T>(sum); });
      return 0;
    }
  }

  Scratch<Number> b_;
  std::vector<RowTerm<Number>> terms_;
  Scratch<Number> sum_, low_, lost_;
};

template <class T, class Rows>
void product_by(const ProductCall<T>& call) {
  const MatrixProduct& p = *call.p;
  const Numerics& numerics = call.y->numerics;
  const std::int64_t batches = p.a.batch.count();
  const Cut cut = cut_of(p, batches, Rows::most_columns(p.K), numerics.threads);
  const std::int64_t along = (p.M - 1) / cut.rows + 1, across = (p.N - 1) / cut.columns + 1;
  Pool<Rows> pool;
  for_each_job_in_shares(static_cast<size_t>(batches * along * across), numerics.threads, [&](size_t job) {
    const auto [batch, i, j] = evaluators::split(static_cast<std::int64_t>(job), along, across);
    const std::int64_t m = i * cut.rows, n = j * cut.columns;
    const Part part{batch, m, std::min(cut.rows, p.M - m), n, std::min(cut.columns, p.N - n)};
    RowWriter<T> writer(call.y->y, call.y->by_definition);
    pool.with([&](Rows& rows) { rows.compute(call, part, cut.tile, writer); });
    if (numerics.stats == nullptr) return;
    (std::is_integral_v<T> ? numerics.stats->exact : numerics.stats->estimated) += writer.estimated();
  });
}

/// Of the numbers times one that float holds.
Grid scaled(const Grid& grid, double by) {
  const auto factor = static_cast<float>(by);
  const Grid own = grid_of(&factor, 1);
  return {grid.most * own.most, grid.step * own.step};
}

/// Whether no sum in double can round, which random numbers show soon.
template <class T>
bool has_exact_sums(const MatrixProduct& p) {
  const std::span<const T> a = p.a.x.values<T>(), b = p.b.x.values<T>();
  const std::span<const T> c = p.c ? p.c->x.values<T>() : std::span<const T>();
  for (const size_t most : {size_t{1000}, SIZE_MAX})
    if (!sums_are_exact(static_cast<double>(p.K), scaled(grid_of(a.data(), std::min(a.size(), most)), p.scale),
                        grid_of(b.data(), std::min(b.size(), most)),
                        scaled(grid_of(c.data(), c.size()), p.c ? p.c->scale : 1)))
      return false;
  return true;
}

template <class T>
void product_of(ProductCall<T> call) {
  if constexpr (std::is_integral_v<T>) {
    product_by<T, DirectProducts<T, std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>>(call);
  } else if constexpr (std::is_same_v<T, double>) {
    product_by<T, DirectProducts<T, double>>(call);
  } else {
    const MatrixProduct& p = *call.p;
    LazyCertificate exact_sums([&p] { return has_exact_sums<T>(p); },
                               static_cast<double>(p.a.x.count() + p.b.x.count()), static_cast<double>(p.K));
    call.exact_sums = &exact_sums;
    if constexpr (std::is_same_v<T, float>)
      if (FewRows::serves(p)) return product_by<T, FewRows>(call);
    product_by<T, FloatProducts<T>>(call);
  }
}

/// Batches whose rows follow each other are rows of one product, if they all meet the same b.
MatrixProduct merged(MatrixProduct p) {
  const std::int64_t batches = p.a.batch.count();
  if (p.y || (p.c && p.c->row_step != 0)) return p;
  for (std::int64_t i = 1; i < batches; ++i)
    if (p.b.batch(i) != p.b.batch(0) || p.a.batch(i) != p.a.batch(0) + i * p.M * p.a.line_step) return p;
  p.M *= batches;
  for (MatrixFactor* factor : {&p.a, &p.b}) factor->batch = evaluators::Strided({}, {}, factor->batch(0));
  return p;
}

}  // namespace

bool matrix_product(const RowTarget& y, const MatrixProduct& given) {
  if (given.M == 0 || given.a.batch.count() == 0) return false;
  const MatrixProduct p = merged(given);
  if (p.K < kLeastTerms || p.K > kMostTerms || p.N < kLeastColumns) return false;
  const bool is_scaled = p.scale != 1 || (p.c && p.c->scale != 1);
  if (is_scaled && (info(y.type.dtype).kind != Kind::floating || y.type.dtype == DType::float64)) return false;
  with_storage(y.type.dtype, [&]<class S>(S) {
    with_element<S>(y.type.dtype, [&]<class T>(T) { product_of(ProductCall<T>{&y, &p}); });
  });
  return true;
}

}  // namespace opref::fast
