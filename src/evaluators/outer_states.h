// SPDX-License-Identifier: Apache-2.0
// The state of a linear attention: a matrix that outer products of keys and values are added to. Formulas of it are
// `recurrences`, and V is Vector<Bounded>, Vector<Paired> or Vector<Interval>.
//
// Of doubles and pairs, what a column is wrong by has one bound, of its length: |the column's error| <= e. Elements'
// own bounds would forget signs: what S + b·k (x) (v - S^T·k) makes of a column's error d is (I - b·k·k^T)·d, which is
// at most max(1, |1 - b·k^T·k|) times as long, but sums of magnitudes grow up to 1 + |b|·k^T·k times.
#pragma once

#include "evaluators/recurrences.h"

namespace opref::evaluators {

/// Neighbours of a tensor, beginning at an element.
struct Stretch {
  const Elements& x;
  std::int64_t at;
};

template <class V>
class OuterState {
 public:
  using R = typename V::Number;
  /// n rows of m numbers, one after another in `start` from `at` on, or zeros.
  OuterState(const VectorReader<V>& x, const std::optional<Elements>& start, std::int64_t at, std::size_t n,
             std::size_t m);
  /// S = exp(g)·S: a logarithm for each row, or one for all.
  void fade(const Stretch& logarithms, bool has_one);
  /// S = S + k (x) v; an exact zero is +0. It ends a step.
  void add(const Stretch& key, const Stretch& value);
  /// S = S + b·k (x) (v - S^T·k), likewise.
  void learn(const Stretch& key, const Stretch& value, const Stretch& rate);
  /// S^T·q, as long as the state does not change.
  V times(const Stretch& query) const;
  V row(std::size_t i) const;

 private:
  void add_values(const Stretch& key, const V& values);
  V dots(const Stretch& query) const;

  Tier* tier_;
  std::vector<V> rows_;           ///< without errors
  std::vector<char> is_touched_;  ///< rows that are not still exact
  Plane e_;                       ///< of each column
};
extern template class OuterState<Vector<Bounded>>;
extern template class OuterState<Vector<Paired>>;

template <class Number>
  requires(!InPlanes<Number>)
class OuterState<Vector<Number>> {
 public:
  using R = Number;
  using V = Vector<R>;
  OuterState(const VectorReader<V>& x, const std::optional<Elements>& start, std::int64_t at, std::size_t n,
             std::size_t m)
      : x_(x.reader()), columns_(m) {
    for (std::size_t i = 0; i < n * m; ++i)
      columns_[i % m].push_back(start ? x_(*start, at + static_cast<std::int64_t>(i)) : x_.zero());
  }
  void fade(const Stretch& logarithms, bool has_one) {
    std::vector<R> factors;
    for (std::size_t i = 0; i < (has_one ? 1 : rows()); ++i) factors.push_back(exp(number(logarithms, i)));
    for (std::vector<R>& s : columns_)
      for (std::size_t i = 0; i < s.size(); ++i) s[i] = factors[has_one ? 0 : i] * s[i];
  }
  void add(const Stretch& key, const Stretch& value) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const R v = number(value, j);
      for (std::size_t i = 0; i < rows(); ++i) columns_[j][i] = x_.sum(columns_[j][i], number(key, i) * v);
    }
  }
  void learn(const Stretch& key, const Stretch& value, const Stretch& rate) {
    std::vector<R> k, rates;  // `explain` tells operands in this order: a value, keys, the rate, other values
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const R given = number(value, j);
      if (k.empty()) k = numbers(key);
      const R v = given - x_.dot(columns_[j], k);
      if (rates.empty())
        for (const R& of_key : k) rates.push_back(number(rate, 0) * of_key);
      for (std::size_t i = 0; i < rows(); ++i) columns_[j][i] = x_.sum(columns_[j][i], rates[i] * v);
    }
  }
  V times(const Stretch& query) const {
    const auto q = std::make_shared<std::vector<R>>();
    return {columns_.size(), [this, query, q](std::size_t j) {
              if (q->empty()) *q = numbers(query);
              return x_.dot(columns_[j], *q);
            }};
  }
  V row(std::size_t i) const {
    return {columns_.size(), [this, i](std::size_t j) { return columns_[j][i]; }};
  }

 private:
  std::size_t rows() const { return columns_.empty() ? 0 : columns_[0].size(); }
  R number(const Stretch& s, std::size_t i) const { return x_(s.x, s.at + static_cast<std::int64_t>(i)); }
  std::vector<R> numbers(const Stretch& s) const {
    std::vector<R> all;
    for (std::size_t i = 0; i < rows(); ++i) all.push_back(number(s, i));
    return all;
  }

  const Reader<R>& x_;
  std::vector<std::vector<R>> columns_;
};

}  // namespace opref::evaluators
