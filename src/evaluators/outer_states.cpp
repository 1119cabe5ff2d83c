// SPDX-License-Identifier: Apache-2.0
#include "evaluators/outer_states.h"

#include <algorithm>
#include <cmath>

namespace opref::evaluators {
namespace {

double magnitude(const Bounded& x) { return std::abs(x.v); }
double magnitude(const Paired& x) { return std::abs(x.h); }
/// Without its error; an exact zero becomes +0.
OPREF_INLINE Bounded bare(const Bounded& x) { return {x.v + 0.0, 0.0}; }
OPREF_INLINE Paired bare(const Paired& x) { return {x.h + 0.0, x.l, 0.0}; }
OPREF_INLINE Bounded with_error(const Bounded& x, double e) { return {x.v, e}; }
OPREF_INLINE Paired with_error(const Paired& x, double e) { return {x.h, x.l, e}; }

/// y += x·factor, and what that loses; neither y's nor x's errors count.
template <class At, class R>
OPREF_CLONES void add_scaled(std::size_t n, const At y, const At x, const R factor, double* __restrict lost) {
  OPREF_INDEPENDENT
  for (std::size_t j = 0; j < n; ++j) {
    const R s = bare(y[j]) + bare(x[j]) * factor;
    y.set(j, bare(s)), lost[j] += s.e;
  }
}
/// y = y·factor likewise
template <class At, class R>
OPREF_CLONES void scale(std::size_t n, const At y, const R factor, double* __restrict lost) {
  OPREF_INDEPENDENT
  for (std::size_t j = 0; j < n; ++j) {
    const R s = bare(y[j]) * factor;
    y.set(j, bare(s)), lost[j] += s.e;
  }
}
OPREF_CLONES void add_squares(std::size_t n, const double* __restrict x, double* __restrict sums) {
  for (std::size_t j = 0; j < n; ++j) sums[j] += x[j] * x[j];
}
const double* values_of(const Vector<Bounded>& x) { return x.v.data(); }
const double* values_of(const Vector<Paired>& x) { return x.h.data(); }
double number(const Stretch& s, std::size_t i) { return s.x.number(s.at + static_cast<std::int64_t>(i)); }
double squares(const Stretch& s, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += number(s, i) * number(s, i);
  return sum;
}
/// At least; squares of numbers that float32 holds neither overflow nor underflow.
double length(const Stretch& s, std::size_t n) {
  return std::sqrt(squares(s, n)) * (1 + static_cast<double>(n + 8) * 0x1p-52);
}

}  // namespace

template <class V>
OuterState<V>::OuterState(const VectorReader<V>& x, const std::optional<Elements>& start, std::int64_t at,
                          std::size_t n, std::size_t m)
    : tier_(&x.tier()), is_touched_(n, start ? 1 : 0), e_(m, 0.0) {
  for (std::size_t i = 0; i < n; ++i)
    rows_.push_back(start ? x(*start, at + static_cast<std::int64_t>(i * m), m) : x.zeros(m));
}

template <class V>
void OuterState<V>::fade(const Stretch& logarithms, bool has_one) {
  const std::size_t m = e_.size();
  Plane lost(m, 0.0);
  double greatest = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const R factor = exp(R(number(logarithms, has_one ? 0 : i)));
    greatest = std::max(greatest, magnitude(factor) + factor.e);
    scale(m, rows_[i].at(), factor, lost.data());
  }
  for (std::size_t j = 0; j < m; ++j) e_[j] = e_[j] * greatest + lost[j];
}

template <class V>
void OuterState<V>::add(const Stretch& key, const Stretch& value) {
  V values(e_.size());
  for (std::size_t j = 0; j < e_.size(); ++j) values.at().set(j, R(number(value, j)));
  add_values(key, values);
}

template <class V>
void OuterState<V>::learn(const Stretch& key, const Stretch& value, const Stretch& rate) {
  const double b = number(rate, 0), of_key = squares(key, rows_.size());
  // Sums of n squares lose less than n + 1 roundings, b·k^T·k and 1 - that one each.
  const double slack = (1 + std::abs(b) * of_key) * static_cast<double>(rows_.size() + 8) * 0x1p-52;
  const double grown = std::max(1.0, std::abs(1 - b * of_key) + slack);
  const V values = dots(key);
  for (std::size_t j = 0; j < e_.size(); ++j) {
    values.at().set(j, (R(number(value, j)) - values.at()[j]) * R(b));
    e_[j] *= grown;
  }
  add_values(key, values);
}

/// k (x) values; what these are wrong by moves a column by |k| of it.
template <class V>
void OuterState<V>::add_values(const Stretch& key, const V& values) {
  const std::size_t m = e_.size();
  const double of_key = length(key, rows_.size());
  Plane lost(m, 0.0), sizes(m, 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double k = number(key, i);
    if (k != 0) is_touched_[i] = 1;
    add_scaled(m, rows_[i].at(), values.at(), R(k), lost.data());
    add_squares(m, values_of(rows_[i]), sizes.data());
  }
  V usual(m);
  for (std::size_t j = 0; j < m; ++j) {
    e_[j] += of_key * values.e[j] + lost[j];
    usual.at().set(j, with_error(R(std::sqrt(sizes[j] / static_cast<double>(rows_.size()))), e_[j]));
  }
  count_step(*tier_, usual);
}

/// Whose errors are their own alone.
template <class V>
V OuterState<V>::dots(const Stretch& query) const {
  const std::size_t m = e_.size();
  V y(m);
  for (std::size_t j = 0; j < m; ++j) y.at().set(j, R(0.0));
  Plane lost(m, 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) add_scaled(m, y.at(), rows_[i].at(), R(number(query, i)), lost.data());
  y.e = lost;
  return y;
}

template <class V>
V OuterState<V>::times(const Stretch& query) const {
  const V y = dots(query);
  const double of_query = length(query, rows_.size());
  for (std::size_t j = 0; j < e_.size(); ++j) y.e[j] += of_query * e_[j];
  return y;
}

template <class V>
V OuterState<V>::row(std::size_t i) const {
  V y = rows_[i];
  y.e = Plane(e_.size());
  for (std::size_t j = 0; j < e_.size(); ++j) y.e[j] = is_touched_[i] != 0 || !(e_[j] < HUGE_VAL) ? e_[j] : 0;
  return y;
}

template class OuterState<Vector<Bounded>>;
template class OuterState<Vector<Paired>>;

}  // namespace opref::evaluators
