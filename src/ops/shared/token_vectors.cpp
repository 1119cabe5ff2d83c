// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_vectors.h"

#include <cmath>

#include "exact/row_sums.h"
namespace opref::ops {
Bounded estimated_dot(const Elements& a, std::int64_t i, const Elements& b, std::int64_t j, std::int64_t n,
                      std::int64_t step) {
  constexpr std::int64_t kPart = 256;
  double x[kPart], y[kPart];
  exact::BoundedSum sum(static_cast<std::size_t>(n));
  for (std::int64_t k = 0, m; k < n; k += m) {
    m = std::min(kPart, n - k);
    a.numbers({i + k, m, 1}, x);
    b.numbers({j + k * step, m, step}, y);
    for (std::int64_t at = 0; at < m; ++at) x[at] = x[at] * y[at];  // exact
    sum.add(x, nullptr, static_cast<std::size_t>(m));
  }
  const Bounded total = sum.total();
  if (total.e < kInfinity) return total;
  const Reader<Bounded> number;
  SumOf<Bounded> one_by_one;
  for (std::int64_t k = 0; k < n; ++k) one_by_one.add(number(a, i + k) * number(b, j + k * step));
  return one_by_one.total();
}

std::optional<Interval> exact_dot(const Elements& a, std::int64_t i, const Elements& b, std::int64_t j, std::int64_t n,
                                  std::int64_t step) {
  // Numbers that do not overlap, whose sum is that of all products so far (Shewchuk, "Adaptive precision floating-point
  // arithmetic", 1997, GROW-EXPANSION).
  std::vector<double> parts;
  for (std::int64_t k = 0; k < n; ++k) {
    double sum = a.number(i + k) * b.number(j + k * step);  // exact
    if (!std::isfinite(sum)) return std::nullopt;
    std::size_t kept = 0;
    for (const double part : parts) {
      const double more = sum + part, of_part = more - sum, lost = (sum - (more - of_part)) + (part - of_part);
      if (lost != 0) parts[kept++] = lost;
      sum = more;
    }
    parts.resize(kept);
    if (sum != 0) parts.push_back(sum);
  }
  Interval total(0.0);
  for (const double part : parts) total = total + Interval(part);
  return total;
}

TokenVectors::Places TokenVectors::flat(std::int64_t n, std::int64_t heads, std::int64_t size) {
  return {0, n * heads * size, size, heads * size};
}
TokenVectors::Places TokenVectors::by_head(std::int64_t n, std::int64_t heads, std::int64_t size) {
  return {0, heads * n * size, n * size, size};
}

TokenVectors TokenVectors::with_bias(const Tensor& bias, std::int64_t first) const {
  TokenVectors other = *this;
  other.bias_.emplace(bias), other.first_ = first;
  return other;
}

TokenVectors TokenVectors::turned(const Rotation& rotation, std::vector<std::int64_t> rows, std::int64_t n) const {
  TokenVectors other = *this;
  other.rotation_ = rotation, other.rows_ = std::move(rows), other.tokens_ = n;
  return other;
}

TokenVectors TokenVectors::projected(std::shared_ptr<const Projection> projection, std::int64_t first,
                                     std::int64_t x_zero_point) const {
  TokenVectors other = *this;
  other.elements_ = elements_.less(x_zero_point);
  other.projection_ = std::move(projection), other.first_ = first;
  return other;
}
}  // namespace opref::ops
