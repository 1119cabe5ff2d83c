// SPDX-License-Identifier: Apache-2.0
// Products of integers of 8 bits: differences as int16, the numbers of a line side by side, lines by fours.
#include <algorithm>

#include "exact/rows.h"
#include "fast/fast.h"
#include "fast/integer_dots.h"
#include "fast/pool.h"
#include "fast/scratch.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kTileLines = 32;                      // of B, which stay in a cache
constexpr std::int64_t kTogether = 8192;                     // numbers of a line that are summed at once
constexpr std::int64_t kMostPacked = std::int64_t{1} << 22;  // numbers of A, or a few lines
constexpr std::int64_t kDots = kDotLines;                    // lines that are

/// Lines of differences, in fours, those beyond the last one zeros.
struct Lines {
  Scratch<std::int16_t> numbers;
  std::int64_t step = 0;  ///< from one to the next
  void resize(std::int64_t lines, std::int64_t depth) {
    constexpr std::int64_t kApart = 32;  // lines that are a power of two apart compete for places in a cache
    step = depth + kApart;
    numbers.resize(static_cast<size_t>((lines + kDots - 1) / kDots * kDots * step));
    for (std::int64_t i = lines; i % kDots != 0; ++i) std::fill_n(line(i), depth, std::int16_t{0});
  }
  std::int16_t* line(std::int64_t i) { return numbers.data() + i * step; }
};

template <class F>
void with_byte(DType dtype, const F& f) {
  dtype == DType::int8 ? f(std::int8_t{}) : f(std::uint8_t{});
}
bool is_byte(DType dtype) { return dtype == DType::int8 || dtype == DType::uint8; }

/// Where sums go: element (m, n) of a matrix of Y is at first + m·N + n.
struct Target {
  const RowTarget* y;
  const std::optional<Requantization>* requantized;
  const std::function<std::int64_t(std::int64_t m)>* bias;  ///< of rows, or an empty function
};

/// For one thread: rows of A times some columns of B.
class Tile {
 public:
  /// Rows of `a`, and as many columns as are in `b`; `at` is the place in Y of the first of both, rows being N apart,
  /// and `first` the row that has the first bias.
  void multiply(Lines& a, std::int64_t rows, std::int64_t columns, std::int64_t depth, const Target& target,
                std::int64_t at, std::int64_t N, std::int64_t first) {
    require_time();
    const std::optional<Requantization>& requantized = *target.requantized;
    for (std::int64_t j = 0; requantized && j < columns; ++j)
      scales_[j] = requantized->column ? requantized->column(at + j) : 1;
    for (std::int64_t i = 0; i < rows; i += kDots) {
      const std::int64_t some = std::min(kDots, rows - i), place = at + i * N;
      for (std::int64_t k = 0; k < depth; k += kTogether) {
        const auto size = static_cast<size_t>(std::min(kTogether, depth - k));
        for (std::int64_t j = 0; j < columns; j += kDots)
          integer_dots(a.line(i) + k, b.line(j) + k, size, static_cast<size_t>(b.step), dots_ + j, kTileLines);
        if (requantized)
          for (size_t e = 0; e < std::size(sums_); ++e) sums_[e] = dots_[e] + (k == 0 ? 0 : sums_[e]);
        else
          add(target, some, columns, place, N, k == 0);
      }
      for (std::int64_t r = 0; requantized && r < some; ++r)
        requantize(target, sums_ + r * kTileLines, columns, place + r * N, first + i + r);
    }
  }
  Lines b;

 private:
  /// Modulo 2^32.
  void add(const Target& target, std::int64_t rows, std::int64_t columns, std::int64_t at, std::int64_t N,
           bool is_first) const {
    auto* const y = reinterpret_cast<std::uint32_t*>(target.y->y.data()) + at;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t j = 0; j < columns; ++j)
        y[r * N + j] = (is_first ? 0 : y[r * N + j]) + static_cast<std::uint32_t>(dots_[r * kTileLines + j]);
  }
  void requantize(const Target& target, double* sums, std::int64_t columns, std::int64_t at, std::int64_t row) const {
    const Requantization& by = **target.requantized;
    const double bias = *target.bias ? static_cast<double>((*target.bias)(row)) : 0;
    for (std::int64_t j = 0; j < columns; ++j) sums[j] += bias;
    with_byte(target.y->type.dtype, [&]<class T>(T) {
      requantize_row(sums, {by.row(at), scales_, by.divisor, by.how}, static_cast<size_t>(columns),
                     reinterpret_cast<T*>(target.y->y.data()) + at);
    });
  }

  std::int32_t dots_[kDots * kTileLines] = {};
  double sums_[kDots * kTileLines] = {};
  double scales_[kTileLines] = {};
};

/// f(matrix, n, columns, tile) for parts of N columns of each matrix, on threads.
template <class F>
void for_each_tile(std::int64_t matrices, std::int64_t N, int threads, const F& f) {
  const std::int64_t tiles = (N - 1) / kTileLines + 1;
  Pool<Tile> pool;
  for_each_job_in_shares(static_cast<size_t>(matrices * tiles), threads, [&](size_t job) {
    const auto [matrix, t] = evaluators::split(static_cast<std::int64_t>(job), tiles);
    const std::int64_t n = t * kTileLines;
    pool.with([&, matrix = matrix](Tile& tile) { f(matrix, n, std::min(kTileLines, N - n), tile); });
  });
}

void count(const RowTarget& y) {
  if (y.numerics.stats != nullptr) y.numerics.stats->exact += element_count(y.type.shape);
}

/// Whether the sums' elements are of a type that is served, and requantized by doubles that hold them.
bool serves(const RowTarget& y, const Tensor& a, const Tensor& b, std::int64_t depth, bool is_requantized) {
  constexpr std::int64_t kMostTerms = std::int64_t{1} << 36;  // of 2^16, and a bias
  return is_byte(a.dtype()) && is_byte(b.dtype()) && depth > 0 && depth < kMostTerms &&
         (is_requantized ? is_byte(y.type.dtype) : y.type.dtype == DType::int32) && element_count(y.type.shape) > 0;
}

/// Columns' numbers, side by side in x, into lines: some rows at a time, which stay in a cache until all lines have
/// them.
template <class T>
void pack_columns(const T* x, std::int64_t columns, std::int64_t depth, std::int64_t depth_step,
                  const std::int64_t* zeros, Lines& to) {
  constexpr std::int64_t kRows = 64;
  for (std::int64_t k = 0; k < depth; k += kRows, x += kRows * depth_step)
    for (std::int64_t j = 0; j < columns; ++j)
      row_less(x + j, depth_step, zeros[j], static_cast<size_t>(std::min(kRows, depth - k)), to.line(j) + k);
}

}  // namespace

bool quantized_product(const RowTarget& y, const QuantizedProduct& quantized) {
  const MatrixProduct& p = quantized.of;
  if (!serves(y, p.a.x, p.b.x, p.K, quantized.requantized.has_value())) return false;
  const std::int64_t matrices = p.a.batch.count(), most_rows = std::max(kDots, kMostPacked / p.K);
  const std::function<std::int64_t(std::int64_t)> no_bias;
  const Target target{&y, &quantized.requantized, &no_bias};
  Lines a;
  for (std::int64_t row = 0, rows = 0; row < matrices * p.M; row += rows) {
    const auto [matrix, m] = evaluators::split(row, p.M);
    const std::int64_t first = row * p.N, a_at = p.a.batch(matrix) + m * p.a.line_step, b_at = p.b.batch(matrix);
    rows = std::min(most_rows, p.M - m);
    a.resize(rows, p.K);
    with_byte(p.a.x.dtype(), [&]<class T>(T) {
      const T* const x = p.a.x.values<T>().data() + a_at;
      for (std::int64_t i = 0; i < rows; ++i)
        row_less(x + i * p.a.line_step, p.a.depth_step, quantized.a_zero(first + i * p.N), static_cast<size_t>(p.K),
                 a.line(i));
    });
    for_each_tile(1, p.N, y.numerics.threads, [&](std::int64_t, std::int64_t n, std::int64_t columns, Tile& tile) {
      tile.b.resize(columns, p.K);
      std::int64_t zeros[kTileLines];
      for (std::int64_t j = 0; j < columns; ++j) zeros[j] = quantized.b_zero(first + n + j);
      with_byte(p.b.x.dtype(), [&]<class T>(T) {
        const T* const x = p.b.x.values<T>().data() + b_at + n * p.b.line_step;
        if (p.b.line_step == 1) return pack_columns(x, columns, p.K, p.b.depth_step, zeros, tile.b);
        for (std::int64_t j = 0; j < columns; ++j)
          row_less(x + j * p.b.line_step, p.b.depth_step, zeros[j], static_cast<size_t>(p.K), tile.b.line(j));
      });
      tile.multiply(a, rows, columns, p.K, target, first + n, p.N, 0);
    });
  }
  count(y);
  return true;
}

// A line of B is what a position of Y reads: for each tap all channels, which lie side by side in `x`.
bool quantized_convolution(const RowTarget& y, const QuantizedConvolution& c) {
  const std::int64_t N = c.x.shape()[0], M = c.w.shape()[0] / c.groups, C = c.w.shape()[1];
  const std::int64_t L = element_count(c.x.shape().without_first(2)), K = element_count(c.w.shape().without_first(2)),
                     O = element_count(y.type.shape.without_first(2));
  if (!serves(y, c.x, c.w, C * K, c.requantized.has_value())) return false;
  Scratch<std::int16_t> x;  // (N*groups, L, C)
  x.resize(static_cast<size_t>(c.x.count()));
  with_byte(c.x.dtype(), [&]<class T>(T) {
    const T* from = c.x.values<T>().data();
    for (std::int64_t n = 0; n < N * c.groups; ++n)
      for (std::int64_t i = 0; i < L; ++i)
        row_less(from + n * C * L + i, L, c.x_zero, static_cast<size_t>(C), x.data() + (n * L + i) * C);
  });
  std::vector<Lines> kernels(static_cast<size_t>(c.groups));
  with_byte(c.w.dtype(), [&]<class T>(T) {
    const T* from = c.w.values<T>().data();
    for (std::int64_t g = 0; g < c.groups; ++g) {
      Lines& lines = kernels[static_cast<size_t>(g)];
      lines.resize(M, C * K);
      for (std::int64_t m = 0; m < M; ++m)
        for (std::int64_t k = 0; k < K; ++k)
          row_less(from + (g * M + m) * C * K + k, K, c.w_zero(g * M + m), static_cast<size_t>(C),
                   lines.line(m) + k * C);
    }
  });
  const Taps taps(c.axes);
  const Target target{&y, &c.requantized, &c.bias};
  for_each_tile(
      N * c.groups, O, y.numerics.threads, [&](std::int64_t matrix, std::int64_t o, std::int64_t columns, Tile& tile) {
        const std::int64_t g = matrix % c.groups;
        tile.b.resize(columns, C * K);
        for (std::int64_t j = 0; j < columns; ++j) {
          const TapList list = taps.of(o + j);
          std::int16_t* const to = tile.b.line(j);
          if (std::ssize(list) < K) std::fill_n(to, C * K, std::int16_t{0});
          for (const Tap& tap : list) std::copy_n(x.data() + (matrix * L + tap.x) * C, C, to + tap.w * C);
        }
        tile.multiply(kernels[static_cast<size_t>(g)], M, columns, C * K, target, matrix * M * O + o, O, g * M);
      });
  count(y);
  return true;
}

}  // namespace opref::fast
