// SPDX-License-Identifier: Apache-2.0
// Queries, keys and values: a vector for each token of each head, of exact numbers. They are elements of a tensor,
// perhaps with a bias added, or turned by their position, or projections of what stands in the tensor.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "evaluators/programs.h"
#include "ops/shared/rotary.h"
namespace opref::ops {
/// Σ a[i + k]·b[j + k·step], k < n
Bounded estimated_dot(const Elements& a, std::int64_t i, const Elements& b, std::int64_t j, std::int64_t n,
                      std::int64_t step = 1);

/// The same, exactly: of finite narrow numbers by a sum of doubles that loses nothing; nothing of others.
std::optional<Interval> exact_dot(const Elements& a, std::int64_t i, const Elements& b, std::int64_t j, std::int64_t n,
                                  std::int64_t step = 1);

/// Of a token with the numbers x: Σ_i x_i·W[i, column] + bias[column]; where there are scales,
///   x_scale·W_scale[column]·Σ_i (x_i - x_zero_point)·(W[i, column] - W_zero_point[column]) + bias[column]
struct Projection {
  /// One of W's has one number, or one per column.
  struct Scales {
    Elements x, W;
    std::vector<std::int64_t> W_zero_points;
  };
  Elements W;
  std::int64_t inputs, columns;
  std::optional<Elements> bias;
  std::optional<Scales> scales = std::nullopt;
  bool has_one_scale = true;  ///< of W
  bool is_told = false;       ///< what is read is told one by one

  /// The token's numbers begin at X[at]; X is less its zero point.
  template <class R>
  R operator()(const Reader<R>& x, const Elements& X, std::int64_t at, std::int64_t column) const {
    require_time();
    SumOf<R> sum;
    if (scales) {
      const Elements weights = W.less(scales->W_zero_points[scales->W_zero_points.size() == 1 ? 0 : as_size(column)]);
      sum.add(x(scales->x, 0) * x(scales->W, has_one_scale ? 0 : column) * whole_sum(x, X, at, weights, column));
    } else if (const std::optional<R> known = known_sum<R>(X, at, column)) {
      sum.add(*known);
    } else {
      for (std::int64_t i = 0; i < inputs; ++i) sum.add(x(X, at + i) * x(W, i * columns + column));
    }
    if (bias) sum.add(x(*bias, column));
    return sum.total();
  }

 private:
  static std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }
  /// Σ of products of floats, where there is a faster way to it.
  template <class R>
  std::optional<R> known_sum(const Elements& X, std::int64_t at, std::int64_t column) const {
    if (!X.is_narrow() || !W.is_narrow()) return std::nullopt;
    if constexpr (std::is_same_v<R, Bounded>) return estimated_dot(X, at, W, column, inputs, columns);
    if constexpr (std::is_same_v<R, Interval>)
      if (!is_told) return exact_dot(X, at, W, column, inputs, columns);
    return std::nullopt;
  }
  /// Σ of products of integers, in which nothing is rounded.
  template <class R>
  R whole_sum(const Reader<R>& x, const Elements& X, std::int64_t at, const Elements& weights,
              std::int64_t column) const {
    std::int64_t sum = 0;  // of 8-bit integers: fewer than 2^45 terms
    for (std::int64_t i = 0; i < inputs; ++i) {
      if (is_told) x(X, at + i), x(weights, i * columns + column);
      sum += X.integer(at + i) * weights.integer(i * columns + column);
    }
    return R::whole(sum);
  }
};

class TokenVectors {
 public:
  /// The vector of token t of head h of batch row b begins at first + b·batch + h·head + t·token.
  struct Places {
    std::int64_t first, batch, head, token;
    std::int64_t operator()(std::int64_t b, std::int64_t h, std::int64_t t) const {
      return first + b * batch + h * head + t * token;
    }
  };
  /// Of shape (batch, n, heads·size), and (batch, heads, n, size).
  static Places flat(std::int64_t n, std::int64_t heads, std::int64_t size);
  static Places by_head(std::int64_t n, std::int64_t heads, std::int64_t size);

  TokenVectors(Tensor x, const Places& places, std::int64_t size)
      : tensor_(std::move(x)), elements_(tensor_), places_(places), size_(size) {}
  /// With bias[first + h·size + d] added to element d of head h.
  TokenVectors with_bias(const Tensor& bias, std::int64_t first) const;
  /// Turned, token t of batch row b by row rows[b·n + t] of the caches.
  TokenVectors turned(const Rotation& rotation, std::vector<std::int64_t> rows, std::int64_t n) const;
  /// In their place the projection of the token's numbers by columns first + h·size + d; x is less its zero point.
  TokenVectors projected(std::shared_ptr<const Projection> projection, std::int64_t first,
                         std::int64_t x_zero_point) const;

  const Tensor& tensor() const { return tensor_; }
  const Elements& elements() const { return elements_; }
  const Places& places() const { return places_; }
  std::int64_t size() const { return size_; }
  /// Whether they are elements of the tensor as they are.
  bool is_plain() const { return !bias_ && !rotation_ && !projection_; }
  bool is_projected() const { return projection_ != nullptr; }

  /// Element d of a vector.
  template <class R>
  R operator()(const Reader<R>& x, std::int64_t b, std::int64_t h, std::int64_t t, std::int64_t d) const {
    const std::int64_t at = places_(b, h, t), column = first_ + h * size_ + d;
    if (projection_) return (*projection_)(x, elements_, at, column);
    const R number = rotation_ ? (*rotation_)(x, elements_, at, d, rows_[static_cast<std::size_t>(b * tokens_ + t)])
                               : x(elements_, at + d);
    return bias_ ? number + x(*bias_, column) : number;
  }
  template <class R>
  std::vector<R> vector(const Reader<R>& x, std::int64_t b, std::int64_t h, std::int64_t t) const {
    std::vector<R> numbers;
    for (std::int64_t d = 0; d < size_; ++d) numbers.push_back((*this)(x, b, h, t, d));
    return numbers;
  }

 private:
  Tensor tensor_;
  Elements elements_;
  Places places_;
  std::int64_t size_;
  std::optional<Elements> bias_;
  std::int64_t first_ = 0;  ///< of bias_ or of the projection's columns
  std::optional<Rotation> rotation_;
  std::vector<std::int64_t> rows_;
  std::int64_t tokens_ = 0;  ///< of a batch row
  std::shared_ptr<const Projection> projection_;
};
}  // namespace opref::ops
