#include "exact/double_rows.h"

#include <cmath>

#include "exact/vector.h"

namespace opref {
namespace {

constexpr std::size_t kBlock = 16;
static_assert(kBlock <= kRowSlack);

OPREF_CLONES void sum_products_loop(const RowTerm<double>* __restrict terms, std::size_t count, double start,
                                    std::size_t n, double* __restrict hi, double* __restrict lo,
                                    double* __restrict magnitude) {
  for (std::size_t i = 0; i < n; i += kBlock) {
    double h[kBlock], l[kBlock], m[kBlock];
    for (std::size_t j = 0; j < kBlock; ++j) h[j] = start, l[j] = 0, m[j] = std::abs(start);
    for (std::size_t t = 0; t < count; ++t) {
      const double* __restrict x = terms[t].x + i;
      const double w = terms[t].weight;
      for (std::size_t j = 0; j < kBlock; ++j) {
        const double product = w * x[j], product_error = __builtin_fma(w, x[j], -product);
        const double sum = h[j] + product, added = sum - h[j];
        const double sum_error = (h[j] - (sum - added)) + (product - added);
        h[j] = sum;
        l[j] += sum_error + product_error;
        m[j] += std::abs(product);
      }
    }
    for (std::size_t j = 0; j < kBlock; ++j) hi[i + j] = h[j], lo[i + j] = l[j], magnitude[i + j] = m[j];
  }
}

/// Products below 2^-968 have errors that double cannot hold: 2^-1074 each, and as much again for each sum of errors.
OPREF_CLONES std::size_t settle_loop(const double* __restrict hi, const double* __restrict lo,
                                     const double* __restrict magnitude, double terms, std::size_t n,
                                     double* __restrict out, std::uint64_t* __restrict undecided) {
  const double scale = terms * terms * 0x1p-105 * 1.01, tiny = terms * 0x1p-1070;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double e = scale * magnitude[i] + tiny + std::abs(lo[i]) * 0x1p-51;
    const double below = hi[i] + (lo[i] - e) + 0.0, above = hi[i] + (lo[i] + e) + 0.0;
    const bool differ = std::bit_cast<std::uint64_t>(below) != std::bit_cast<std::uint64_t>(above);
    const std::uint64_t doubt = (differ | !(std::abs(above) <= 0x1p1020) | !(magnitude[i] <= 0x1p1020)) ? 1 : 0;
    count += doubt;
    undecided[i] = doubt;
    out[i] = below;
  }
  return count;
}

}  // namespace

void row_sum_products(const RowTerm<double>* terms, std::size_t count, double start, std::size_t n, double* hi,
                      double* lo, double* magnitude) {
  sum_products_loop(terms, count, start, n, hi, lo, magnitude);
}

std::size_t settle_double_row(const double* hi, const double* lo, const double* magnitude, double terms, std::size_t n,
                              double* out, std::uint64_t* undecided) {
  return settle_loop(hi, lo, magnitude, terms, n, out, undecided);
}

}  // namespace opref
