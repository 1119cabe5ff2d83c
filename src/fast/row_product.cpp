// SPDX-License-Identifier: Apache-2.0
#include "fast/row_product.h"

#include <algorithm>
#include <cmath>

#include "exact/vector.h"

namespace opref::fast {
namespace {

constexpr std::size_t kRows = 4, kLanes = 16;

OPREF_CLONES void rows_loop(const double* a, std::size_t K, const float* __restrict b, std::int64_t step, std::size_t n,
                            double* __restrict v, double* __restrict m) {
  for (std::size_t j = 0; j < n; ++j) v[j] = 0, m[j] = 0;
  std::size_t k = 0;
  for (; k + kRows <= K; k += kRows, b += 4 * step) {
    const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    const float *b0 = b, *b1 = b + step, *b2 = b + 2 * step, *b3 = b + 3 * step;
    for (std::size_t j = 0; j < n; ++j) {
      const double p0 = a0 * b0[j], p1 = a1 * b1[j], p2 = a2 * b2[j], p3 = a3 * b3[j];
      v[j] += (p0 + p1) + (p2 + p3);
      m[j] += (std::abs(p0) + std::abs(p1)) + (std::abs(p2) + std::abs(p3));
    }
  }
  for (; k < K; ++k, b += step)
    for (std::size_t j = 0; j < n; ++j) {
      const double p = a[k] * b[j];
      v[j] += p, m[j] += std::abs(p);
    }
}
OPREF_CLONES void lines_loop(const double* __restrict a, std::size_t K, const float* b, std::int64_t step,
                             std::size_t n, double* __restrict v, double* __restrict m) {
  for (std::size_t j = 0; j < n; ++j, b += step) {
    const float* __restrict line = b;
    double sums[kLanes] = {}, sizes[kLanes] = {};
    std::size_t k = 0;
    for (; k + kLanes <= K; k += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double p = a[k + lane] * line[k + lane];
        sums[lane] += p, sizes[lane] += std::abs(p);
      }
    double sum = 0, size = 0;
    for (; k < K; ++k) sum += a[k] * line[k], size += std::abs(a[k] * line[k]);
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
      for (std::size_t lane = 0; lane < half; ++lane)
        sums[lane] += sums[lane + half], sizes[lane] += sizes[lane + half];
    v[j] = sums[0] + sum, m[j] = sizes[0] + size;
  }
}
}  // namespace

void row_times_rows(const double* a, std::size_t K, const float* b, std::int64_t step, std::size_t n, double* v,
                    double* m) {
  rows_loop(a, K, b, step, n, v, m);
}
void row_times_lines(const double* a, std::size_t K, const float* b, std::int64_t step, std::size_t n, double* v,
                     double* m) {
  lines_loop(a, K, b, step, n, v, m);
}

double row_product_additions(std::size_t K, bool by_rows) {
  if (by_rows) return static_cast<double>(K / kRows + K % kRows - 1 + (K < kRows ? 0 : 2));
  const std::size_t q = K / kLanes, rest = K % kLanes;
  constexpr std::size_t kHalvings = 4;
  return static_cast<double>(q == 0 ? rest - 1 : std::max(q - 1 + kHalvings + (rest > 0 ? 1 : 0), rest));
}

}  // namespace opref::fast
