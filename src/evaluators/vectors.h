// SPDX-License-Identifier: Apache-2.0
// Vectors of numbers, for formulas of many elements at once: element by element, and times a matrix of weights. V is
//   Vector<Bounded>   doubles and how wrong they are
//   Vector<Paired>    pairs of doubles likewise
//   Traced            pairs, and how they move with a recurrence's last state: see traced.h
//   Vector<R>         of any other number, Interval or Faithful: each element is worked out where it is asked for
// A formula is written once, over V.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "evaluators/elements.h"
#include "exact/real/interval.h"
#include "exact/real/paired_functions.h"
#include "exact/rows.h"
#include "system/deadline.h"

namespace opref::evaluators {

/// Doubles with slack, which nobody changes once they are written: copies share them.
class Plane {
 public:
  Plane() = default;
  explicit Plane(std::size_t n) : size_(n), p_(std::make_shared_for_overwrite<double[]>(n + kRowSlack)) {}
  Plane(std::size_t n, double x) : Plane(n) { std::fill_n(data(), n, x); }
  double* data() const { return p_.get(); }
  double& operator[](std::size_t i) const { return p_[i]; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::shared_ptr<double[]> p_;
};

template <class R>
class Vector {
 public:
  using Number = R;
  using Of = std::function<R(std::size_t i)>;
  Vector(std::size_t n, Of of) : made_(std::make_shared<Made>(std::vector<std::optional<R>>(n), std::move(of))) {}
  std::size_t size() const { return made_->known.size(); }
  const R& operator[](std::size_t i) const {
    std::optional<R>& y = made_->known[i];
    if (!y) y = made_->of(i);
    return *y;
  }
  /// What reads it from now on reads this; copies too.
  void set(std::size_t i, const R& x) const { made_->known[i] = x; }
  /// Works out all, so that what it was to be made of can go.
  void complete() const {
    for (std::size_t i = 0; i < size(); ++i) (*this)[i];
    made_->of = nullptr;
  }

 private:
  struct Made {
    Made(std::vector<std::optional<R>> none, Of how) : known(std::move(none)), of(std::move(how)) {}
    std::vector<std::optional<R>> known;
    Of of;
  };
  std::shared_ptr<Made> made_;
};
template <>
class Vector<Bounded> {
 public:
  using Number = Bounded;
  Plane v, e;
  explicit Vector(std::size_t n) : v(n), e(n) {}
  std::size_t size() const { return v.size(); }
  /// For loops: its places, which do not change.
  struct At {
    double* __restrict v;
    double* __restrict e;
    OPREF_INLINE Bounded operator[](std::size_t i) const { return {v[i], e[i]}; }
    OPREF_INLINE void set(std::size_t i, const Bounded& x) const { v[i] = x.v, e[i] = x.e; }
  };
  At at() const { return {v.data(), e.data()}; }
};
template <>
class Vector<Paired> {
 public:
  using Number = Paired;
  Plane h, l, e;
  explicit Vector(std::size_t n) : h(n), l(n), e(n) {}
  std::size_t size() const { return h.size(); }
  struct At {
    double* __restrict h;
    double* __restrict l;
    double* __restrict e;
    OPREF_INLINE Paired operator[](std::size_t i) const { return {h[i], l[i], e[i]}; }
    OPREF_INLINE void set(std::size_t i, const Paired& x) const { h[i] = x.h, l[i] = x.l, e[i] = x.e; }
  };
  At at() const { return {h.data(), l.data(), e.data()}; }
};

/// Numbers that are planes of doubles: worked out at once.
template <class R>
concept InPlanes = std::same_as<R, Bounded> || std::same_as<R, Paired>;

template <class F, class At, class... X>
__attribute__((flatten)) OPREF_CLONES void map_loop(const F& f, std::size_t n, const At& y, const X&... x) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) y.set(i, f(x[i]...));
}
/// f of each element, or of each two; f is a formula of numbers.
template <InPlanes R, class F, class... X>
Vector<R> map(const F& f, const Vector<R>& x, const X&... others) {
  Vector<R> y(x.size());
  map_loop(f, x.size(), y.at(), x.at(), others.at()...);
  return y;
}
template <class R, class F, class... X>
Vector<R> map(const F& f, const Vector<R>& x, const X&... others) {
  return {x.size(), [=](std::size_t i) {
            return std::apply(f, std::tuple<const R&, const typename X::Number&...>{x[i], others[i]...});
          }};
}
/// Likewise of a function whose slope is known by its value, and whose second derivative is at most `curvature`: what
/// Traced asks for.
template <class R, class F, class Slope>
Vector<R> smooth(const F& f, const Vector<R>& x, const Slope&, double) {
  return map(f, x);
}

/// A function that is made of straight lines: slopes[k] is that between kink k - 1 and kink k.
struct Bends {
  std::vector<double> kinks;  ///< ascending; wrong by 2^-40 of themselves at most
  std::vector<double> slopes;
};
template <class R, class F>
Vector<R> bent(const F& f, const Vector<R>& x, const Bends&) {
  return map(f, x);
}

/// Each likewise; Bounded's and Paired's are in vectors.cpp.
template <class R>
Vector<R> operator-(const Vector<R>& a) {
  return map([](const R& x) { return -x; }, a);
}
template <class R>
Vector<R> operator+(const Vector<R>& a, const Vector<R>& b) {
  return map([](const R& x, const R& y) { return x + y; }, a, b);
}
template <class R>
Vector<R> operator-(const Vector<R>& a, const Vector<R>& b) {
  return map([](const R& x, const R& y) { return x - y; }, a, b);
}
template <class R>
Vector<R> operator*(const Vector<R>& a, const Vector<R>& b) {
  return map([](const R& x, const R& y) { return x * y; }, a, b);
}
/// a + b; an exact zero is +0.
template <class R>
Vector<R> sum(const Vector<R>& a, const Vector<R>& b) {
  return map([](const R& x, const R& y) { return R(0.0) + x + y; }, a, b);
}
extern template Vector<Bounded> operator-(const Vector<Bounded>&);
extern template Vector<Bounded> operator+(const Vector<Bounded>&, const Vector<Bounded>&);
extern template Vector<Bounded> operator-(const Vector<Bounded>&, const Vector<Bounded>&);
extern template Vector<Bounded> operator*(const Vector<Bounded>&, const Vector<Bounded>&);
extern template Vector<Bounded> sum(const Vector<Bounded>&, const Vector<Bounded>&);
extern template Vector<Paired> operator-(const Vector<Paired>&);
extern template Vector<Paired> operator+(const Vector<Paired>&, const Vector<Paired>&);
extern template Vector<Paired> operator-(const Vector<Paired>&, const Vector<Paired>&);
extern template Vector<Paired> operator*(const Vector<Paired>&, const Vector<Paired>&);
extern template Vector<Paired> sum(const Vector<Paired>&, const Vector<Paired>&);

/// Some rows and columns of a tensor, as a matrix that vectors are multiplied by.
class Weights {
 public:
  /// w[i][k] = x[first + i·row_step + k·column_step]
  Weights(const Elements& x, std::int64_t first, std::size_t rows, std::size_t columns, std::int64_t row_step,
          std::int64_t column_step);
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  const Elements& elements() const { return x_; }
  std::int64_t at(std::size_t i, std::size_t k) const {
    return first_ + static_cast<std::int64_t>(i) * row_step_ + static_cast<std::int64_t>(k) * column_step_;
  }

  /// Made where they are asked for, once. Neighbours are rows: [k][i], rows to a multiple of kLanes, zeros beyond.
  struct Columns {
    std::size_t stride = 0;
    std::vector<float> narrow;  ///< of types that float32 holds
    std::vector<double> wide;   ///< else
    bool has_tiny = false;      ///< a number below 2^-150 that is not zero
  };
  static constexpr std::size_t kLanes = 32;
  const Columns& by_columns() const;
  /// [i][k] as float32, rounded, rows and columns to a multiple of kLanes; empty where one is above 2^20.
  const std::vector<float>& by_rows() const;

 private:
  /// n numbers of row i from column k on
  void read_row(std::size_t i, std::size_t k, std::size_t n, double* to) const;

  Elements x_;
  std::int64_t first_, row_step_, column_step_;
  std::size_t rows_, columns_;
  struct Made {
    std::once_flag columns_once, rows_once;
    Columns columns;
    std::vector<float> rows;
  };
  std::shared_ptr<Made> made_ = std::make_shared<Made>();
};

/// w·x
Vector<Bounded> product(const Weights& w, const Vector<Bounded>& x);
Vector<Paired> product(const Weights& w, const Vector<Paired>& x);
/// Likewise; own[i]: what y[i] is wrong by without what x is.
Vector<Paired> product_of_errors(const Weights& w, const Vector<Paired>& x, Plane& own);

}  // namespace opref::evaluators
