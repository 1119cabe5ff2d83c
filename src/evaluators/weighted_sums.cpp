// SPDX-License-Identifier: Apache-2.0
#include "evaluators/weighted_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/index.h"
#include "evaluators/parts.h"
#include "evaluators/real.h"
#include "evaluators/strided.h"
#include "evaluators/weighted_table.h"
#include "exact/rows.h"
#include "exact/sum_rows.h"
#include "exact/weighted_rows.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

/// What a thread works with; it writes rows of Y, and gives what they leave to the definition.
class RowSums {
 public:
  explicit RowSums(const RowTarget& y) : y_(y) {}
  RowSums(const RowSums&) = delete;
  RowSums& operator=(const RowSums&) = delete;

  /// n elements of Y from `first` on, `step` apart; the k-th ones of `left` are the definition's.
  template <class X>
  void write(std::span<const WeightedTerm<X>> terms, double divisor, std::int64_t first, std::size_t n,
             std::span<const std::int64_t> left = {}, std::int64_t step = 1) {
    value_.resize(n + kRowSlack), error_.resize(n + kRowSlack), open_.resize(n + kRowSlack);
    row_weighted_sums(terms, n, value_.data(), error_.data());
    row_divide(value_.data(), error_.data(), kWeightedLost, divisor, n);
    for (const std::int64_t k : left) error_[static_cast<std::size_t>(k)] = kInfinity;
    const std::size_t doubts = settle(first, n, step);
    for (std::size_t k = 0; doubts > 0 && k < n; ++k)
      if (open_[k] != 0) leave(first + static_cast<std::int64_t>(k) * step);
    decided_ += static_cast<std::int64_t>(n - doubts);
  }
  void leave(std::int64_t i) { positions_.push_back(i); }
  void leave(std::int64_t first, std::int64_t n) {
    for (std::int64_t i = first; i < first + n; ++i) leave(i);
  }
  void finish() {
    count_elements(y_.numerics, decided_, 0);
    y_.by_definition(positions_);
  }

 private:
  std::size_t settle(std::int64_t first, std::size_t n, std::int64_t step) {
    std::size_t doubts = 0;
    with_elements_in_float32(y_.type.dtype, y_.y.data(), [&]<class T>(const T*) {
      if constexpr (!std::is_integral_v<T>) {
        out_.resize((n + kRowSlack) * sizeof(T));
        T* out = reinterpret_cast<T*>(out_.data());
        doubts = settle_row(value_.data(), error_.data(), 1, n, out, open_.data());
        T* y = reinterpret_cast<T*>(y_.y.data()) + first;
        if (step == 1)
          std::copy_n(out, n, y);
        else
          for (std::size_t k = 0; k < n; ++k) y[static_cast<std::int64_t>(k) * step] = out[k];
      }
    });
    return doubts;
  }

  const RowTarget& y_;
  std::vector<double> value_, error_;
  std::vector<std::uint64_t> open_;
  std::vector<std::byte> out_;
  std::vector<std::int64_t> positions_;
  std::int64_t decided_ = 0;
};

/// The two as one axis: elements along the outer one, and of each those along the inner one.
WeightedAxis joined(const WeightedAxis& outer, const WeightedAxis& inner) {
  WeightedAxis both{outer.size * inner.size, {}};
  for (std::size_t o = 0; o < outer.places.size(); ++o)
    for (std::size_t i = 0; i < inner.places.size(); ++i) {
      require_time();
      for (const auto& [row, of_row] : outer.places[o])
        for (const auto& [at, weight] : inner.places[i]) both.places.add(row * inner.size + at, of_row * weight);
      both.places.next();
    }
  return both;
}
std::size_t most_terms(const WeightedPlaces& places) {
  std::size_t most = 0;
  for (std::size_t k = 0; k < places.size(); ++k) most = std::max(most, places[k].size());
  return most;
}

/// Of products of weights that have so many together, doubles lose nothing.
int most_bits(const WeightedPlaces& places) {
  int most = 0;
  for (std::size_t k = 0; k < places.size(); ++k)
    for (const WeightedPlace& place : places[k])
      if (const double v = place.weight.v; v != 0) {
        int exponent = 0;
        const auto digits = static_cast<std::uint64_t>(std::ldexp(std::abs(std::frexp(v, &exponent)), 53));
        most = std::max(most, 53 - std::countr_zero(digits));
      }
  return most;
}

/// The rows of elements along the last axis: of each the combinations of terms along the others.
class AxisRows {
 public:
  AxisRows(const RowTarget& y, const Tensor& x, std::span<const WeightedAxis> outer, const WeightedAxis& inner,
           double divisor)
      : y_(y), x_(x), outer_(outer), inner_size_(inner.size), divisor_(divisor), table_(inner.places) {
    Dims sizes_of_x;
    for (const WeightedAxis& axis : outer) sizes_.push_back(std::ssize(axis.places)), sizes_of_x.push_back(axis.size);
    strides_ = strides_of(sizes_of_x);
    bool are_exact = table_.are_exact();
    int bits = most_bits(inner.places);
    for (const WeightedAxis& axis : outer) {
      bits += most_bits(axis.places);
      for (std::size_t o = 0; o < axis.places.size(); ++o)
        for (const auto& [at, weight] : axis.places[o]) {
          are_exact = are_exact && weight.e == 0;
          serves_ = serves_ && weight.e <= std::abs(weight.v) * kMostOffWeight;
        }
    }
    if (!are_exact || bits > 53) table_.take_errors();
    // Of several rows, each of which would be read anywhere for several terms, one is made first.
    adds_rows_first_ = table_.are_exact() && table_.terms() > 1 &&
                       inner.size <= static_cast<std::int64_t>(table_.size() * table_.terms());
    serves_ = serves_ && table_.serves();
  }
  bool serves() const { return serves_; }

  void compute() const {
    for_each_part(element_count(sizes_), 1, y_.numerics, [&](std::int64_t first, std::int64_t last) {
      Work work(y_);
      for (std::int64_t r = first; r < last; ++r) {
        require_time();
        compute(r, work);
      }
      work.sums.finish();
    });
  }

 private:
  /// Of a thread.
  struct Work {
    explicit Work(const RowTarget& y) : sums(y) {}
    RowSums sums;
    std::vector<WeightedPlace> outer = {};
    std::vector<WeightedTerm<float>> terms = {};
    std::vector<WeightedTerm<double>> row_terms = {};
    std::vector<WeightedRow> rows = {};
    std::vector<double> row = {}, lost = {};
  };

  void compute(std::int64_t r, Work& work) const {
    const auto n = std::ssize(table_);
    list_outer(r, work.outer);
    if (work.outer.empty() || work.outer.size() > kMostWeightedTerms) return work.sums.leave(r * n, n);
    if (adds_rows_first_ && work.outer.size() > 1) return compute_of_rows(r, work);
    work.terms.clear();
    for (const auto& [at, weight] : work.outer)
      for (std::size_t t = 0; t < table_.terms(); ++t)
        work.terms.push_back(table_.term(t, x_.data() + at * inner_size_, weight.v));
    work.sums.write<float>(work.terms, divisor_, r * n, static_cast<std::size_t>(n), table_.left());
  }
  void compute_of_rows(std::int64_t r, Work& work) const {
    const auto n = std::ssize(table_);
    const auto size = static_cast<std::size_t>(inner_size_);
    work.row.resize(size), work.lost.resize(size);
    work.rows.clear(), work.row_terms.clear();
    for (const auto& [at, weight] : work.outer) work.rows.push_back({x_.data() + at * inner_size_, weight.v});
    const bool is_exact = row_weighted_rows(work.rows, size, work.row.data(), work.lost.data());
    for (std::size_t t = 0; t < table_.terms(); ++t)
      work.row_terms.push_back(table_.term(t, work.row.data(), is_exact ? nullptr : work.lost.data()));
    work.sums.write<double>(work.row_terms, divisor_, r * n, static_cast<std::size_t>(n), table_.left());
  }
  /// Which rows of X a row of Y adds up.
  void list_outer(std::int64_t r, std::vector<WeightedPlace>& outer) const {
    outer.assign(1, {0, 1.0});
    for (std::size_t a = outer_.size(); a-- > 0;) {
      const auto along = outer_[a].places[static_cast<std::size_t>(r % sizes_[a])];
      r /= sizes_[a];
      if (along.empty()) return outer.clear();
      const std::size_t inner = outer.size();
      for (std::size_t k = along.size(); k-- > 0;)
        for (std::size_t i = 0; i < inner; ++i) {
          const WeightedPlace both{along[k].at * strides_[a] + outer[i].at, along[k].weight * outer[i].weight};
          if (k == 0)
            outer[i] = both;
          else
            outer.push_back(both);
        }
    }
  }

  const RowTarget& y_;
  FloatNumbers x_;
  std::span<const WeightedAxis> outer_;
  Dims sizes_, strides_;  ///< of the outer axes of Y, of X
  std::int64_t inner_size_;
  double divisor_;
  WeightedTable table_;
  bool serves_ = true, adds_rows_first_ = false;
};

/// Blocks of places, and in each the rows of all channels.
class ChannelRows {
 public:
  ChannelRows(const RowTarget& y, const Tensor& x, const ChannelSums& sums)
      : y_(y),
        x_(x),
        sums_(sums),
        channels_(x.shape()[1]),
        plane_(element_count(x.shape().without_first(2))),
        blocks_((sums.per_image + kBlock - 1) / kBlock) {}

  void compute() const {
    for_each_part(y_.type.shape[0] * blocks_, 1, y_.numerics, [&](std::int64_t first, std::int64_t last) {
      RowSums sums(y_);
      std::vector<WeightedTerm<float>> terms;
      for (std::int64_t b = first; b < last; ++b) {
        require_time();
        const std::int64_t n = b / blocks_, from = b % blocks_ * kBlock;
        compute(n, from, std::min(kBlock, sums_.per_image - from), sums, terms);
      }
      sums.finish();
    });
  }

 private:
  static constexpr std::int64_t kBlock = 256;

  void compute(std::int64_t n, std::int64_t from, std::int64_t count, RowSums& sums,
               std::vector<WeightedTerm<float>>& terms) const {
    const WeightedTable table(sums_.places(n, from, count));
    const bool serves = table.serves() && table.terms() <= kMostWeightedTerms;
    for (std::int64_t c = 0; c < channels_; ++c) {
      require_time();
      const std::int64_t first = (n * channels_ + c) * sums_.per_image + from;
      if (!serves) {
        sums.leave(first, count);
        continue;
      }
      const float* x = x_.data() + (sums_.image(n) * channels_ + c) * plane_;
      terms.clear();
      for (std::size_t t = 0; t < table.terms(); ++t) terms.push_back(table.term(t, x));
      sums.write<float>(terms, 1, first, static_cast<std::size_t>(count), table.left());
    }
  }

  const RowTarget& y_;
  FloatNumbers x_;
  const ChannelSums& sums_;
  std::int64_t channels_, plane_, blocks_;
};

/// Rows along the last axis of places, each of one m.
class CoordinateRows {
 public:
  CoordinateRows(const RowTarget& y, const Tensor& x, const Dims& places, std::span<const CoordinateTerm> terms)
      : y_(y),
        x_(x),
        N_(x.shape()[0]),
        M_(x.shape()[1]),
        outer_(places.first(places.size() - 1)),
        inner_(places[places.size() - 1]),
        terms_(terms),
        at_(static_cast<std::size_t>(inner_), 0),
        ones_(static_cast<std::size_t>(inner_), 1.0),
        off_(static_cast<std::size_t>(inner_), kMostOffWeight) {
    for (const CoordinateTerm& term : terms) {
      std::vector<double>& weights = weights_.emplace_back();
      std::vector<double>& errors = errors_.emplace_back();
      for (const Bounded& weight : term.weights) {
        weights.push_back(weight.v), errors.push_back(weight.e);
        serves_ = serves_ && weight.e <= std::abs(weight.v) * kMostOffWeight &&
                  (weight.v == 0 || std::abs(weight.v) >= kLeastWeight);
        are_exact_ = are_exact_ && weight.e == 0;
      }
    }
  }
  bool serves() const { return serves_; }

  void compute() const {
    const std::int64_t rows = element_count(outer_);
    for_each_part(N_ * rows, 1, y_.numerics, [&](std::int64_t first, std::int64_t last) {
      RowSums sums(y_);
      std::vector<WeightedTerm<float>> terms;
      for (std::int64_t r = first; r < last; ++r)
        for (std::int64_t m = 0; m < M_; ++m) {
          require_time();
          list(r % rows, (r / rows * M_ + m) * std::ssize(terms_), terms);
          sums.write<float>(terms, 1, r * inner_ * M_ + m, static_cast<std::size_t>(inner_), {}, M_);
        }
      sums.finish();
    });
  }

 private:
  /// Weights along the last axis are a row, others a factor.
  void list(std::int64_t place, std::int64_t from, std::vector<WeightedTerm<float>>& terms) const {
    const Dims at = coordinates(place, outer_);
    terms.clear();
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const std::size_t axis = terms_[t].axis;
      const float* x = x_.data() + from + static_cast<std::int64_t>(t);
      if (axis == outer_.size())
        terms.push_back({x, at_.data(), weights_[t].data(), 1, are_exact_ ? nullptr : errors_[t].data()});
      else
        terms.push_back({x, at_.data(), ones_.data(), weights_[t][static_cast<std::size_t>(at[axis])],
                         are_exact_ ? nullptr : off_.data()});
    }
  }

  const RowTarget& y_;
  FloatNumbers x_;
  std::int64_t N_, M_;
  Dims outer_;
  std::int64_t inner_;
  std::span<const CoordinateTerm> terms_;
  std::vector<std::int32_t> at_;
  std::vector<double> ones_, off_;
  std::vector<std::vector<double>> weights_, errors_;
  bool serves_ = true, are_exact_ = true;
};

constexpr std::int64_t kMostPlaces = INT32_MAX;  // of a table

}  // namespace

Rows rows_of_axes(const Tensor& x, std::vector<WeightedAxis> axes, double divisor) {
  return [&x, axes = std::move(axes), divisor](RowTarget& y) {
    if (!serves_weighted(y.type, x)) return false;
    // Rows that are not short.
    constexpr std::int64_t kLong = 128, kMostJoined = 4096;
    WeightedAxis inner{1, {}};
    inner.places.add(0, 1.0);
    inner.places.next();
    std::size_t rank = axes.size();
    for (; rank > 0 && std::ssize(inner.places) < kLong; --rank) {
      const WeightedAxis& axis = axes[rank - 1];
      const bool is_small = std::ssize(axis.places) * std::ssize(inner.places) <= kMostJoined &&
                            axis.size <= kMostPlaces / inner.size &&
                            most_terms(axis.places) * most_terms(inner.places) <= kMostWeightedTerms;
      if (rank < axes.size() && !is_small) break;
      inner = joined(axis, inner);
    }
    if (inner.size > kMostPlaces || most_terms(inner.places) > kMostWeightedTerms) return false;
    const AxisRows rows(y, x, std::span(axes).first(rank), inner, divisor);
    if (rows.serves()) rows.compute();
    return rows.serves();
  };
}

Rows rows_of_coordinates(const Tensor& x, const Dims& places, std::vector<CoordinateTerm> terms) {
  return [&x, places, terms = std::move(terms)](RowTarget& y) {
    if (!serves_weighted(y.type, x)) return false;
    const CoordinateRows rows(y, x, places, terms);
    if (rows.serves()) rows.compute();
    return rows.serves();
  };
}

Rows rows_of_channels(const Tensor& x, ChannelSums sums) {
  return [&x, sums = std::move(sums)](RowTarget& y) {
    if (!serves_weighted(y.type, x) || element_count(x.shape().without_first(2)) > kMostPlaces) return false;
    ChannelRows(y, x, sums).compute();
    return true;
  };
}

}  // namespace opref::evaluators
