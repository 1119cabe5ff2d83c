// SPDX-License-Identifier: Apache-2.0
#include "exact/weighted_rows.h"

#include <cmath>
#include <utility>

#include "exact/vector.h"

namespace opref::exact {
namespace {

struct Sum {
  double value, lost;
};
/// Adds weight·x: what the product loses by an FMA, what the addition loses by TwoSum, and `lacks`, what x and the
/// weight lack of it.
OPREF_INLINE void add(Sum& sum, double x, double weight, double lacks) {
  const double product = x * weight, of_product = __builtin_fma(x, weight, -product);
  const double total = sum.value + product, part = total - sum.value;
  const double of_sum = (sum.value - (total - part)) + (product - part);
  sum.value = total;
  sum.lost += std::abs(of_sum) + std::abs(of_product) + lacks;
}

/// What is not known exactly.
enum class Wrong : std::uint8_t { nothing, weights, numbers };

template <Wrong wrong, class X>
OPREF_INLINE void add(Sum& sum, const WeightedTerm<X>& term, std::size_t k) {
  const std::int32_t at = term.at[k];
  const auto x = static_cast<double>(term.x[at]);
  const double weight = term.factor * term.weights[k];
  double lacks = 0;
  if constexpr (wrong == Wrong::weights) lacks = std::abs(x) * std::abs(term.factor) * term.errors[k];
  if constexpr (wrong == Wrong::numbers) lacks = std::abs(weight) * term.lost[at];
  add(sum, x, weight, lacks);
}
template <Wrong wrong, bool begun, class... Terms>
OPREF_INLINE void add_terms(std::size_t n, double* __restrict value, double* __restrict lost, Terms... terms) {
  for (std::size_t k = 0; k < n; ++k) {
    Sum sum{begun ? value[k] : 0.0, begun ? lost[k] : 0.0};
    (add<wrong>(sum, terms, k), ...);
    value[k] = sum.value, lost[k] = sum.lost;
  }
}
template <Wrong wrong, bool begun, class X>
OPREF_INLINE void add_some(const WeightedTerm<X>* t, std::size_t count, std::size_t n, double* value, double* lost) {
  switch (count) {
    case 1:
      return add_terms<wrong, begun>(n, value, lost, t[0]);
    case 2:
      return add_terms<wrong, begun>(n, value, lost, t[0], t[1]);
    case 3:
      return add_terms<wrong, begun>(n, value, lost, t[0], t[1], t[2]);
    default:
      return add_terms<wrong, begun>(n, value, lost, t[0], t[1], t[2], t[3]);
  }
}
constexpr std::size_t kAtOnce = 4;

template <Wrong wrong, class X>
OPREF_INLINE void add_all(const WeightedTerm<X>* terms, std::size_t count, std::size_t n, double* value, double* lost) {
  if (count == 0)
    for (std::size_t k = 0; k < n; ++k) value[k] = lost[k] = 0;
  for (std::size_t t = 0; t < count; t += kAtOnce)
    if (t == 0)
      add_some<wrong, false>(terms, count, n, value, lost);
    else
      add_some<wrong, true>(terms + t, count - t, n, value, lost);
}
OPREF_CLONES void exact_loop(const WeightedTerm<float>* terms, std::size_t count, std::size_t n, double* value,
                             double* lost) {
  add_all<Wrong::nothing>(terms, count, n, value, lost);
}
OPREF_CLONES void weights_loop(const WeightedTerm<float>* terms, std::size_t count, std::size_t n, double* value,
                               double* lost) {
  add_all<Wrong::weights>(terms, count, n, value, lost);
}
OPREF_CLONES void exact_loop(const WeightedTerm<double>* terms, std::size_t count, std::size_t n, double* value,
                             double* lost) {
  add_all<Wrong::nothing>(terms, count, n, value, lost);
}
OPREF_CLONES void numbers_loop(const WeightedTerm<double>* terms, std::size_t count, std::size_t n, double* value,
                               double* lost) {
  add_all<Wrong::numbers>(terms, count, n, value, lost);
}

template <bool begun, class... Rows>
OPREF_INLINE void add_rows(std::size_t n, double* __restrict value, double* __restrict lost, Rows... rows) {
  for (std::size_t i = 0; i < n; ++i) {
    Sum sum{begun ? value[i] : 0.0, begun ? lost[i] : 0.0};
    (add(sum, static_cast<double>(rows.x[i]), rows.weight, 0), ...);
    value[i] = sum.value, lost[i] = sum.lost;
  }
}
OPREF_CLONES void rows_loop(const WeightedRow* rows, std::size_t count, std::size_t n, double* value, double* lost) {
  std::size_t r = 0;
  if (count % 2 == 0)
    add_rows<false>(n, value, lost, rows[0], rows[1]), r = 2;
  else
    add_rows<false>(n, value, lost, rows[0]), r = 1;
  for (; r < count; r += 2) add_rows<true>(n, value, lost, rows[r], rows[r + 1]);
}
OPREF_CLONES double sum_loop(const double* x, std::size_t n) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += x[i + lane];
  for (; i < n; ++i) sums[0] += x[i];
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

}  // namespace

void row_weighted_sums(std::span<const WeightedTerm<float>> terms, std::size_t n, double* value, double* error) {
  if (terms.empty() || terms[0].errors == nullptr)
    exact_loop(terms.data(), terms.size(), n, value, error);
  else
    weights_loop(terms.data(), terms.size(), n, value, error);
}
void row_weighted_sums(std::span<const WeightedTerm<double>> terms, std::size_t n, double* value, double* error) {
  if (terms.empty() || terms[0].lost == nullptr)
    exact_loop(terms.data(), terms.size(), n, value, error);
  else
    numbers_loop(terms.data(), terms.size(), n, value, error);
}

bool row_weighted_rows(std::span<const WeightedRow> rows, std::size_t n, double* value, double* lost) {
  rows_loop(rows.data(), rows.size(), n, value, lost);
  return sum_loop(lost, n) == 0;
}

}  // namespace opref::exact
