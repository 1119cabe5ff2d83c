// SPDX-License-Identifier: Apache-2.0
// A plane of Y is cut into blocks of tiles, its channels into blocks of kernels. For each point of the form the
// transformed kernels times the transformed X of all channels are a matrix product.
//
// The bound. With u = 2^-53, an element is Σ over points p and channels c of A_p·U_pc·V_pc, U = S·(G·w), V = B·x. As
// computed, U has roundings that count against |U| itself, its last addition and S's, and K_G before, that count
// against |S|·(|G|·|w|); V likewise. The product, the additions over channels, those of A and of the bias count against
// |U·V|. So with H and K the numbers of both kinds, the element is wrong by at most
//   u·Σ over p of |A_p|·Σ over c of (H_c·|U_pc|·|V_pc| + K·|S_p|·(|G|·|w_c|)_p·(|B|·|x_c|)_p)
// and terms of higher order. By Cauchy-Schwarz, over channels and then over all, and with the bias as one term more,
// that is at most u·H_0 times the root of
//   Σ over p of |A_p|·(λ_p·Σ V² + (K/H_0)·μ_p·|B|_p·(|B|·Σ x²)_p) + 1,            which all kernels share, and of
//   Σ over p of |A_p|·(Σ (H_c/H_0)²·U²/λ_p + (K/H_0)/μ_p·S_p²·|G|_p·(|G|·Σ w²)_p) + bias²,   which all tiles share,
// for any λ, μ > 0; |B|_p is the sum of a row's magnitudes. A NaN or an infinity makes all of it NaN or infinite, for
// each output reads each of its elements and taps by some point. Numbers of 32 bits neither overflow nor underflow.
#include "fast/winograd.h"

#include <algorithm>
#include <cmath>

#include "exact/grid.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "fast/pool.h"
#include "fast/product.h"
#include "fast/row_product.h"
#include "fast/scratch.h"
#include "fast/winograd_transforms.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

using namespace winograd;

// Elements of 8 bytes: what is worked on together has room in a core's own cache.
constexpr std::int64_t kGoodInput = std::int64_t{1} << 17, kMostProducts = std::int64_t{1} << 16,
                       kMostTogether = 3 * kMostProducts;
constexpr std::int64_t kMostKept = std::int64_t{1} << 20;  // transformed kernels, for all tiles and threads
constexpr std::int64_t kGoodTiles = 64;                    // of a block: fewer do not pay for the kernels' transform
constexpr std::int64_t kLeastShare = 32, kManyJobs = 4;    // kernels; jobs a thread, of which one more does not matter
constexpr std::size_t kApart = 40;  // points that are a multiple of 4 KiB apart compete for places in a cache

/// Factors of the norms of a form, for each point.
template <class F>
struct Factors {
  ProductBound bound;
  double of_input[F::points], of_elements[F::points];  ///< of Σ V², of |B|·Σ x²
  double of_filters[F::points], of_taps[F::points];    ///< of Σ U², of |G|·Σ w²

  Factors(std::int64_t channels, const Slack& slack)
      : bound({static_cast<std::size_t>(channels), 1, 1, 1, false}, slack, kLater) {
    using B1 = MatrixB<typename F::Down>;
    using B2 = MatrixB<typename F::Across>;
    using G1 = MatrixG<typename F::Down>;
    using G2 = MatrixG<typename F::Across>;
    const double coarse = kEarlier * 0x1p-53 * slack.factor / bound.most;
    for (int p = 0; p < F::points; ++p) {
      const int i = p / F::Across::N, j = p % F::Across::N;
      const double S = magnitude(scaling<F>(p)), B = row_sum<B1>(i) * row_sum<B2>(j),
                   G = row_sum<G1>(i) * row_sum<G2>(j);
      const double lambda =
          S * std::sqrt(row_squares<G1>(i) * row_squares<G2>(j) / (row_squares<B1>(i) * row_squares<B2>(j)));
      const double mu = S * G / B;
      of_input[p] = lambda, of_filters[p] = 1 / lambda;
      of_elements[p] = coarse * mu * B, of_taps[p] = coarse / mu * S * S * G;
    }
  }

 private:
  /// The last roundings of U and V, S's, a product's, A's, and the bias'; additions over channels are the bound's.
  static constexpr double kLater = 2 + roundings_of_scaling<F>() + 1 +
                                   roundings_of_both<MatrixA<typename F::Down>, MatrixA<typename F::Across>>() + 1;
  /// Those before the last one, of V and of U.
  static constexpr double kEarlier = roundings_of_both<MatrixB<typename F::Down>, MatrixB<typename F::Across>>() - 1 +
                                     roundings_of_both<MatrixG<typename F::Down>, MatrixG<typename F::Across>>() - 1;
};

/// One call. The elements are T.
template <class T>
struct WinogradCall {
  const RowTarget* y;
  const Convolution* c;
  std::int64_t groups, C, M;  ///< channels and kernels of a group
  std::int64_t H, W, OH, OW;
  std::int64_t top, left;  ///< of the first output's first element: minus the padding
  const T *x, *w, *b;

  WinogradCall(const RowTarget& target, const Convolution& of)
      : y(&target),
        c(&of),
        groups(of.groups),
        C(of.w.shape()[1]),
        M(of.w.shape()[0] / of.groups),
        W(of.axes.back().input),
        OW(of.axes.back().output),
        left(of.axes.back().offset),
        x(of.x.values<T>().data()),
        w(of.w.values<T>().data()),
        b(of.b ? of.b->values<T>().data() : nullptr) {
    const bool is_line = of.axes.size() == 1;
    H = is_line ? 1 : of.axes[0].input, OH = is_line ? 1 : of.axes[0].output, top = is_line ? 0 : of.axes[0].offset;
  }
  double bias(std::int64_t m) const { return b == nullptr ? 0.0 : static_cast<double>(b[m]); }
};

/// How a plane of tiles is cut into blocks; and kernels into shares, which are jobs of their own, and these into
/// blocks.
struct Plan {
  std::int64_t down, across;    ///< tiles
  std::int64_t rows, columns;   ///< of a block
  std::int64_t share, kernels;  ///< of a share, of a block
  std::int64_t blocks_across() const { return (across - 1) / columns + 1; }
  std::int64_t blocks() const { return ((down - 1) / rows + 1) * blocks_across(); }
  std::int64_t kernel_blocks() const { return (share - 1) / kernels + 1; }  ///< of a share
};
/// So many shares of a group's kernels give all threads as much to do. Each transforms X again, so a share is not
/// small.
inline std::int64_t shares_of(std::int64_t jobs, std::int64_t kernels, std::int64_t threads) {
  const std::int64_t most = std::min(threads, kernels / kLeastShare);
  std::int64_t shares = 1;
  while (shares < most && jobs * shares % threads != 0 && jobs * shares < kManyJobs * threads) ++shares;
  return shares;
}
template <class F, class T>
Plan plan_of(const WinogradCall<T>& call) {
  const auto panel = static_cast<std::int64_t>(gemm_panel());
  const auto parts = [](std::int64_t n, std::int64_t most) { return (n - 1) / ((n - 1) / most + 1) + 1; };  // equal
  Plan p{};
  p.down = (call.OH - 1) / F::Down::M + 1, p.across = (call.OW - 1) / F::Across::M + 1;
  const std::int64_t most = std::max(kGoodTiles, kGoodInput / (F::points * call.C));
  p.columns = parts(p.across, most);
  p.rows = parts(p.down, std::max<std::int64_t>(1, most / p.columns));
  const std::int64_t tiles = rounded_up(p.rows * p.columns, kWhole), of_a_row = F::Across::N * call.C;
  const std::int64_t of_a_kernel = of_a_row + F::points * tiles + F::taps * call.C / 2;
  const std::int64_t kernels =
      std::min((kMostTogether - of_a_row * tiles) / of_a_kernel, kMostProducts / (F::points * tiles));
  const std::int64_t jobs = p.blocks() * call.groups * call.c->x.shape()[0];
  p.share = rounded_up((call.M - 1) / shares_of(jobs, call.M, call.y->numerics.threads) + 1, panel);
  p.kernels = rounded_up(parts(p.share, std::max(panel, kernels)), panel);
  return p;
}

/// Kernels in panels for gemm, transformed, point by point; scales[o*row + m] for the norms of output o of a tile.
template <class T, class F>
class Filters {
 public:
  Scratch<double> values, scales;
  std::size_t point = 0;
  std::int64_t row = 0;

  void transform(const WinogradCall<T>& call, const Factors<F>& factors, std::int64_t g, std::int64_t first,
                 std::int64_t count) {
    start(call, factors, g, first, count);
    transform_rows(call, 0, F::Down::N);
    find_scales(call, factors, g, first, count);
  }
  /// Or: start, transform_rows of parts, of which the last one stays, find_scales.
  void start(const WinogradCall<T>& call, const Factors<F>& factors, std::int64_t g, std::int64_t first,
             std::int64_t count) {
    const auto panel = static_cast<std::int64_t>(gemm_panel());
    const std::int64_t C = call.C;
    row = rounded_up(count, panel);
    point = static_cast<std::size_t>(row * C) + kApart;
    scales.resize(static_cast<std::size_t>(F::outputs * row));
    squares_.assign(static_cast<std::size_t>(F::points * row), 0.0);
    tap_squares_.assign(static_cast<std::size_t>(F::taps * row), 0.0);
    taps_.resize(static_cast<std::size_t>(C * F::taps * row));
    weights_.resize(static_cast<std::size_t>(C));
    for (std::int64_t c = 0; c < C; ++c) weights_[static_cast<std::size_t>(c)] = factors.bound.weight(c);
    const std::int64_t terms = C * F::taps;
    const T* const kernels = call.w + (g * call.M + first) * terms;
    for (std::int64_t m = 0; m < row; m += panel)
      interleave(kernels + m * terms, std::clamp<std::int64_t>(count - m, 0, panel), terms, panel,
                 taps_.data() + m * terms);
    for (std::int64_t m = 0; m < count; ++m) {
      const T* from = kernels + m * terms;
      double squares[F::taps] = {};
      for (std::int64_t c = 0; c < C; ++c)
        for (int k = 0; k < F::taps; ++k, ++from) squares[k] += static_cast<double>(*from) * static_cast<double>(*from);
      std::copy_n(squares, F::taps, &tap_squares_[static_cast<std::size_t>(m * F::taps)]);
    }
  }
  void transform_rows(const WinogradCall<T>& call, int first_row, int rows) {
    const auto panel = static_cast<std::int64_t>(gemm_panel());
    values.resize(static_cast<std::size_t>(rows * F::Across::N) * point);
    for (std::int64_t m = 0; m < row; m += panel)
      transform_filters(FilterTask<F>{taps_.data() + m * call.C * F::taps, call.C, panel, first_row, rows,
                                      weights_.data(), values.data() + m * call.C, point,
                                      &squares_[static_cast<std::size_t>(m * F::points)]});
  }
  void find_scales(const WinogradCall<T>& call, const Factors<F>& factors, std::int64_t g, std::int64_t first,
                   std::int64_t count) {
    const auto panel = static_cast<std::int64_t>(gemm_panel());
    for (std::int64_t m = 0; m < count; ++m)
      find_scale(call.bias(g * call.M + first + m), factors, m,
                 &squares_[static_cast<std::size_t>(m / panel * panel * F::points + m % panel)],
                 &tap_squares_[static_cast<std::size_t>(m * F::taps)]);
  }

 private:
  /// to[i*panel + line] = from[line*terms + i]; 0 for lines of the panel that there are not.
  static void interleave(const T* __restrict from, std::int64_t lines, std::int64_t terms, std::int64_t panel,
                         float* __restrict to) {
    for (std::int64_t i = 0; i < terms; ++i, to += panel) {
      for (std::int64_t line = 0; line < lines; ++line) to[line] = static_cast<float>(from[line * terms + i]);
      for (std::int64_t line = lines; line < panel; ++line) to[line] = 0;
    }
  }
  void find_scale(double bias, const Factors<F>& factors, std::int64_t m, const double* squares,
                  const double* tap_squares) {
    double of_outputs[F::outputs];
    find_squares(KernelNormTask<F>{squares, gemm_panel(), tap_squares, factors.of_filters, factors.of_taps, bias * bias,
                                   of_outputs});
    for (int o = 0; o < F::outputs; ++o)
      scales[static_cast<std::size_t>(o * row + m)] = factors.bound.scale(of_outputs[o]);
  }

  std::vector<float> taps_;                              ///< panel by panel
  std::vector<double> weights_, squares_, tap_squares_;  ///< of channels; Σ U² panel by panel, Σ w² kernel by kernel
};

/// A thread's block of tiles and what it computes of it.
template <class T, class F>
class WinogradBlock {
 public:
  /// What a job computes: of group g of batch n a block of tiles for a share of the kernels.
  struct Job {
    std::int64_t n, g, block, share;
  };
  /// `kept`: all filters of the share, one for each block of kernels, or null.
  void compute(const WinogradCall<T>& call, const Plan& plan, const Factors<F>& factors, const Job& job,
               const Filters<T, F>* kept) {
    const auto [n, g, index, share] = job;
    const std::int64_t first = share * plan.share, last = std::min(first + plan.share, call.M);
    const std::int64_t i = index / plan.blocks_across() * plan.rows, j = index % plan.blocks_across() * plan.columns;
    row_ = i * F::Down::M, column_ = j * F::Across::M;
    tiles_ = Tiles::of(F{}, std::min(plan.rows, plan.down - i), std::min(plan.columns, plan.across - j));
    transform(call, call.x + (n * call.groups + g) * call.C * call.H * call.W);
    find_norms(factors);
    positions_.clear();
    std::int64_t elements = 0;
    for (std::int64_t m = first; m < last; m += plan.kernels) {
      const std::int64_t count = std::min(plan.kernels, last - m);
      const Filters<T, F>* filters = kept == nullptr ? &own_ : kept + (m - first) / plan.kernels;
      if (kept == nullptr) {
        own_.start(call, factors, g, m, count);
        start_products(own_);
        for (int row = 0; row < F::Down::N; ++row) {
          own_.transform_rows(call, row, 1);
          multiply(call, own_, count, factors, row, 1);
        }
        own_.find_scales(call, factors, g, m, count);
      } else {
        start_products(*filters);
        multiply(call, *filters, count, factors, 0, F::Down::N);
      }
      for (std::int64_t k = 0; k < count; ++k)
        elements += finish(call, *filters, k, g * call.M + m + k, (n * call.groups * call.M + g * call.M + m + k));
    }
    if constexpr (std::is_same_v<T, float>) settle_alone(call);
    if (call.y->numerics.stats != nullptr)
      call.y->numerics.stats->estimated += elements - static_cast<std::int64_t>(positions_.size());
    call.y->by_definition(positions_);
  }

 private:
  std::int64_t whole() const { return rounded_up(tiles_.count(), kWhole); }

  /// Of all channels of X, whose plane 0 is at x; and the squares.
  void transform(const WinogradCall<T>& call, const T* x) {
    const std::int64_t height = F::Down::M * (tiles_.down - 1) + F::Down::N, row = F::Across::M * tiles_.columns;
    const auto plane = static_cast<std::size_t>(height * row);
    const std::int64_t top = row_ + call.top, left = column_ + call.left;  // in X
    const std::int64_t first = std::clamp<std::int64_t>(-left, 0, row),
                       last = std::clamp<std::int64_t>(call.W - left, first, row);
    columns_ = padded_row(whole());
    point_ = static_cast<std::size_t>(call.C * columns_) + kApart;
    values_.resize(F::points * point_);
    const auto norms = static_cast<std::size_t>(F::points * tiles_.down * tiles_.wide);
    plane_.assign(plane + kRowSlack, 0.0);
    elements_.assign(plane + kRowSlack, 0.0);
    squares_.assign(norms, 0.0);
    line_.assign(static_cast<std::size_t>(row) + kRowSlack, 0.0);
    half_.assign(static_cast<std::size_t>(F::Down::N * row) + kRowSlack, 0.0);
    for (std::int64_t c = 0; c < call.C; ++c, x += call.H * call.W) {
      for (std::int64_t r = std::max<std::int64_t>(0, -top); r < std::min(height, call.H - top); ++r) {
        row_widen(x + (top + r) * call.W + left + first, static_cast<std::size_t>(last - first), line_.data() + first);
        split_line(line_.data(), F::Across::M, tiles_.columns, plane_.data() + r * row);
      }
      row_add_squares(1, plane_.data(), plane, elements_.data());
      double* const to = values_.data() + c * columns_;
      transform_input(InputTask<F>{tiles_, plane_.data(), half_.data(), to, point_, squares_.data()});
      for (std::size_t p = 0; p < F::points; ++p)
        std::fill(to + p * point_ + tiles_.count(), to + p * point_ + whole(), 0.0);
    }
  }

  void find_norms(const Factors<F>& factors) {
    norms_row_ = whole() + kWhole;
    norms_.assign(static_cast<std::size_t>(F::outputs * norms_row_), 0.0);
    find_squares(NormTask<F>{tiles_, squares_.data(), elements_.data(), factors.of_input, factors.of_elements, 1,
                             norms_.data(), static_cast<std::size_t>(norms_row_)});
    row_root(norms_.data(), norms_.size());
  }

  void start_products(const Filters<T, F>& filters) {
    products_point_ = static_cast<std::size_t>(filters.row * columns_) + kApart;
    products_.resize(F::points * products_point_);
    starts_.assign(static_cast<std::size_t>(filters.row), 0.0);
  }
  /// For the points of some rows of the form, which `filters` has.
  void multiply(const WinogradCall<T>& call, const Filters<T, F>& filters, std::int64_t count,
                const Factors<F>& factors, int first_row, int rows) {
    require_time();
    const auto C = static_cast<std::size_t>(call.C);
    const GemmSizes sizes{C,
                          static_cast<std::size_t>(count),
                          static_cast<std::size_t>(whole()),
                          C * gemm_panel(),
                          static_cast<std::size_t>(columns_),
                          gemm_blocks(factors.bound.count)};
    const auto first = static_cast<std::size_t>(first_row * F::Across::N),
               points = static_cast<std::size_t>(rows * F::Across::N);
    for (std::size_t p = 0; p < points; ++p) {
      const GemmTerm term{filters.values.data() + p * filters.point, values_.data() + (first + p) * point_, 0,
                          sizes.columns};
      gemm({&term, 1}, sizes, starts_.data(), products_.data() + (first + p) * products_point_, sizes.b_row);
    }
  }

  /// The elements of Y of kernel k of a block of filters, kernel m of all, for plane `plane` of Y: how many there are.
  std::int64_t finish(const WinogradCall<T>& call, const Filters<T, F>& filters, std::int64_t k, std::int64_t m,
                      std::int64_t plane) {
    const auto row = static_cast<std::size_t>(whole()), count = static_cast<std::size_t>(tiles_.count());
    sums_.resize(F::outputs * row + kRowSlack);
    out_.resize(F::outputs * row + kRowSlack);
    undecided_.resize(row + kRowSlack);
    transform_output(
        OutputTask<F>{products_.data() + k * columns_, products_point_, whole(), call.bias(m), sums_.data(), row});
    const std::int64_t first = plane * call.OH * call.OW, rows = std::min(tiles_.down * F::Down::M, call.OH - row_),
                       columns = std::min(tiles_.across * F::Across::M, call.OW - column_);
    for (std::size_t o = 0; o < F::outputs; ++o) {
      const double scale = filters.scales[o * static_cast<std::size_t>(filters.row) + static_cast<std::size_t>(k)];
      const std::size_t doubts =
          settle_row(sums_.data() + o * row, norms_.data() + o * static_cast<std::size_t>(norms_row_), scale, count,
                     out_.data() + o * row, undecided_.data());
      for (std::size_t t = 0; doubts != 0 && t < count; ++t) {
        if (undecided_[t] == 0) continue;
        const auto tile = static_cast<std::int64_t>(t), output = static_cast<std::int64_t>(o);
        const std::int64_t y = tile / tiles_.across * F::Down::M + output / F::Across::M,
                           x = tile % tiles_.across * F::Across::M + output % F::Across::M;
        if (y < rows && x < columns) positions_.push_back(first + (row_ + y) * call.OW + column_ + x);
      }
    }
    using Bits = std::conditional_t<sizeof(T) == 4, float, std::uint16_t>;
    Bits* const to = reinterpret_cast<Bits*>(call.y->y.data()) + first + row_ * call.OW + column_;
    const Bits* const from = reinterpret_cast<const Bits*>(out_.data());
    for (std::int64_t y = 0; y < rows; ++y)
      join_line(from + y % F::Down::M * F::Across::M * whole() + y / F::Down::M * tiles_.across, whole(), F::Across::M,
                columns, to + y * call.OW);
    return rows * columns;
  }

  /// Those of positions_ that a sum of their own products decides, whose bound is of their own magnitudes; the others
  /// stay.
  void settle_alone(const WinogradCall<T>& call) {
    const std::int64_t terms = call.C * F::taps;
    const double error = call.y->numerics.slack.bound(row_product_additions(static_cast<std::size_t>(terms), false) +
                                                      (call.b == nullptr ? 0 : 1));
    read_.resize(static_cast<std::size_t>(terms) + kRowSlack);
    std::size_t left = 0;
    for (const std::int64_t position : positions_) {
      const auto [n, g, m, y, x] = evaluators::split(position, call.groups, call.M, call.OH, call.OW);
      std::int64_t place[F::taps];  // in a plane of X
      bool is_inside[F::taps];
      for (int k = 0; k < F::taps; ++k) {
        const std::int64_t r = y + call.top + k / F::Across::R, i = x + call.left + k % F::Across::R;
        is_inside[k] = r >= 0 && r < call.H && i >= 0 && i < call.W;
        place[k] = is_inside[k] ? r * call.W + i : 0;
      }
      const T* from = call.x + (n * call.groups + g) * call.C * call.H * call.W;
      double* to = read_.data();
      for (std::int64_t c = 0; c < call.C; ++c, from += call.H * call.W, to += F::taps)
        for (int k = 0; k < F::taps; ++k) to[k] = is_inside[k] ? static_cast<double>(from[place[k]]) : 0;
      const std::int64_t kernel = g * call.M + m;
      double sum[1 + kRowSlack], size[1 + kRowSlack];
      row_times_lines(read_.data(), static_cast<std::size_t>(terms), call.w + kernel * terms, terms, 1, sum, size);
      sum[0] += call.bias(kernel), size[0] += std::abs(call.bias(kernel));
      std::uint64_t is_undecided[1 + kRowSlack];
      T element[1 + kRowSlack];
      if (settle_row(sum, size, error, 1, element, is_undecided) == 0)
        reinterpret_cast<T*>(call.y->y.data())[position] = element[0];
      else
        positions_[left++] = position;
    }
    positions_.resize(left);
  }

  Tiles tiles_;
  std::int64_t row_ = 0, column_ = 0;  ///< of Y: where the block begins
  std::int64_t columns_ = 0;           ///< from a channel to the next in values_, from a kernel in products_
  std::size_t point_ = 0, products_point_ = 0;
  std::int64_t norms_row_ = 0;
  Scratch<double> values_, products_, sums_, read_;
  std::vector<double> plane_, elements_, squares_, line_, half_, norms_, starts_;
  Scratch<T> out_;
  Scratch<std::uint64_t> undecided_;
  std::vector<std::int64_t> positions_;
  Filters<T, F> own_;
};

template <class T, class F>
void convolve(const WinogradCall<T>& call) {
  const Plan plan = plan_of<F>(call);
  const Numerics& numerics = call.y->numerics;
  const Factors<F> factors(call.C, numerics.slack);
  const std::int64_t N = call.c->x.shape()[0], blocks = plan.blocks();
  const std::int64_t shares = (call.M - 1) / plan.share + 1, parts = plan.kernel_blocks();
  std::vector<Filters<T, F>> kept;
  if (N * blocks > 1 && F::points * call.groups * call.C * call.M <= kMostKept) {
    kept.resize(static_cast<std::size_t>(call.groups * shares * parts));
    for_each_job_in_shares(kept.size(), numerics.threads, [&](std::size_t job) {
      const auto [g, share, part] = evaluators::split(static_cast<std::int64_t>(job), shares, parts);
      const std::int64_t first = share * plan.share + part * plan.kernels,
                         last = std::min((share + 1) * plan.share, call.M);
      if (first < last) kept[job].transform(call, factors, g, first, std::min(plan.kernels, last - first));
    });
  }
  Pool<WinogradBlock<T, F>> pool;
  for_each_job_in_shares(
      static_cast<std::size_t>(N * call.groups * blocks * shares), numerics.threads, [&](std::size_t job) {
        const auto [n, g, share, block] =
            evaluators::split(static_cast<std::int64_t>(job), call.groups, shares, blocks);
        const Filters<T, F>* filters =
            kept.empty() ? nullptr : &kept[static_cast<std::size_t>((g * shares + share) * parts)];
        const typename WinogradBlock<T, F>::Job of{n, g, block, share};
        pool.with([&](WinogradBlock<T, F>& some) { some.compute(call, plan, factors, of, filters); });
      });
}

/// Whether no sum of products in double can round, which random numbers show soon: then no element is in doubt without
/// these forms, and ties are with them.
template <class T>
bool has_exact_sums(const Convolution& c) {
  const std::span<const T> x = c.x.values<T>(), w = c.w.values<T>();
  const Grid start = c.b ? grid_of(c.b->values<T>().data(), static_cast<std::size_t>(c.b->count())) : Grid{};
  const auto terms = static_cast<double>(element_count(c.w.shape().without_first(1)));
  for (const std::size_t most : {std::size_t{1000}, SIZE_MAX})
    if (!sums_are_exact(terms, grid_of(x.data(), std::min(x.size(), most)), grid_of(w.data(), std::min(w.size(), most)),
                        start))
      return false;
  return true;
}

template <class F>
void with_narrow(DType dtype, const F& f) {
  with_float(dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, double>) f(T{});
  });
}

}  // namespace

WinogradForm winograd_form(const Convolution& c) {
  constexpr std::int64_t kLeastChannels = 32, kLeastKernels = 32, kManyTiles = 49, kFewTiles = 16;
  const DType dtype = c.x.dtype();
  if (dtype != DType::float32 && dtype != DType::float16 && dtype != DType::bfloat16) return WinogradForm::none;
  const std::size_t axes = c.axes.size();
  std::int64_t outputs = 1;
  for (const TapAxis& a : c.axes) {
    if (a.kernel != 3 || a.output_step != 1 || a.kernel_step != 1 || a.divisor != 1 || a.computed < a.output)
      return WinogradForm::none;
    outputs *= a.output;
  }
  if (axes > 2 || c.w.shape()[1] < kLeastChannels || c.w.shape()[0] / c.groups < kLeastKernels)
    return WinogradForm::none;
  WinogradForm form = WinogradForm::none;
  if (axes == 1 && outputs >= 4 * kManyTiles)
    form = WinogradForm::line_of_four;
  else if (axes == 2 && outputs >= 16 * kManyTiles)
    form = WinogradForm::four;
  else if (axes == 2 && outputs >= 4 * kFewTiles - 15)
    form = WinogradForm::two;
  bool is_exact = false;
  if (form != WinogradForm::none) with_narrow(dtype, [&]<class T>(T) { is_exact = has_exact_sums<T>(c); });
  return is_exact ? WinogradForm::none : form;
}

bool winograd_convolution(const RowTarget& y, const Convolution& c, WinogradForm form) {
  with_narrow(y.type.dtype, [&]<class T>(T) {
    const WinogradCall<T> call(y, c);
    if (form == WinogradForm::two) convolve<T, Two>(call);
    if (form == WinogradForm::four) convolve<T, Four>(call);
    if (form == WinogradForm::line_of_four) convolve<T, LineOfFour>(call);
  });
  return true;
}

}  // namespace opref::fast
