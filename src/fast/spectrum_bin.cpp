// SPDX-License-Identifier: Apache-2.0
#include "fast/spectrum_bin.h"

#include <algorithm>
#include <cmath>

#include "exact/vector.h"

namespace opref::fast {
namespace {

using exact::Pair, exact::TurnTable;

constexpr std::size_t kLanes = 8, kChunk = 64;

/// Sums of products of doubles and pairs, x·(w + l), and what all operations lose, as in CompensatedSum.
struct Sums {
  double high[kLanes] = {}, low[kLanes] = {};
  OPREF_INLINE void add(std::size_t lane, double x, double w, double l) {
    const double p = x * w, of_p = __builtin_fma(x, w, -p), s = high[lane] + p, t = s - high[lane];
    low[lane] += __builtin_fma(x, l, of_p + ((high[lane] - (s - t)) + (p - t)));
    high[lane] = s;
  }
  Pair sum() const {
    Pair all{0, 0};
    for (std::size_t lane = 0; lane < kLanes; ++lane) all = all + exact::two_sum(high[lane], low[lane]);
    return all;
  }
};

// With u = 2^-53, A = Σ|x·w| and m products in a lane: an item, what a product and an addition lose and x·l, is at most
// u·(|x·w| + (what the lane has) + |x·w|), and all of a lane's at most (m + 2)·u times its part of A. Each takes part
// in at most m + 2 additions to low that round: (m + 2)²·u²·A. The sum of 8 lanes: 8·3u²·A. Together less than
// (m + 6)²·u²·A; and the table: 2^-102·A.
template <bool kIsReal>
OPREF_INLINE SpectrumBin bin_of(const TurnTable& table, std::int64_t N, std::int64_t k, const double* re,
                                const double* im) {
  Sums real, imaginary;
  double size[kLanes] = {};
  const std::int64_t M = table.M(), step = M / N * k;
  std::int64_t at = 0;
  double x[kChunk] = {}, y[kChunk] = {}, c[kChunk], c_low[kChunk], s[kChunk], s_low[kChunk];
  for (std::int64_t n = 0; n < N; n += kChunk) {
    const auto count = static_cast<std::size_t>(N - n < std::int64_t{kChunk} ? N - n : std::int64_t{kChunk});
    for (std::size_t j = 0; j < count; ++j) {
      const Pair &cosine = table.cosine(at), &sine = table.sine(at);
      c[j] = cosine.h, c_low[j] = cosine.l, s[j] = sine.h, s_low[j] = sine.l;
      at += step;
      at -= at >= M ? M : 0;
    }
    std::size_t rest = count;
    for (; rest % kLanes != 0; ++rest) c[rest] = c_low[rest] = s[rest] = s_low[rest] = x[rest] = y[rest] = 0;
    std::copy_n(re + n, count, x);
    if constexpr (!kIsReal) std::copy_n(im + n, count, y);
    for (std::size_t first = 0; first < rest; first += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t j = first + lane;
        real.add(lane, x[j], c[j], c_low[j]);
        imaginary.add(lane, x[j], -s[j], -s_low[j]);
        if constexpr (!kIsReal) {
          real.add(lane, y[j], s[j], s_low[j]);
          imaginary.add(lane, y[j], c[j], c_low[j]);
        }
        size[lane] += std::abs(x[j]) + std::abs(y[j]);
      }
  }
  double A = 0;
  for (const double part : size) A += part;
  const double m =
      static_cast<double>((N + static_cast<std::int64_t>(kLanes) - 1) / static_cast<std::int64_t>(kLanes)) *
      (kIsReal ? 1 : 2);
  return {real.sum(), imaginary.sum(), A * 1.01 * ((m + 6) * (m + 6) * 0x1p-106 + 0x1p-102)};
}
OPREF_CLONES SpectrumBin bin_loop(const TurnTable& table, std::int64_t N, std::int64_t k, const double* re,
                                  const double* im) {
  return im == nullptr ? bin_of<true>(table, N, k, re, im) : bin_of<false>(table, N, k, re, im);
}

}  // namespace

SpectrumBin spectrum_bin(const TurnTable& table, std::int64_t N, std::int64_t k, const double* re, const double* im) {
  return bin_loop(table, N, k, re, im);
}

}  // namespace opref::fast
