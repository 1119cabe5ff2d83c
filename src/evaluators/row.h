// SPDX-License-Identifier: Apache-2.0
// What formulas of slices are written with: rows of numbers that are worked out where they are asked for, so that a
// slice of any length takes hardly any memory. Of Bounded a part of a row at a time, of Interval a number.
#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include "evaluators/elements.h"
#include "exact/real/bounded_functions.h"
#include "exact/real/interval.h"
#include "exact/rows.h"

namespace opref::evaluators {

/// A slice of a tensor, for one thread, and memory for what a formula keeps of it.
class Slice {
 public:
  /// Numbers that are worked out in step: a multiple of the lanes of `sum`.
  static constexpr std::size_t kPart = 512;

  Slice(const Elements& x, std::int64_t n);
  /// To the slice whose elements are `step` apart from `first` on. What was kept is forgotten.
  void move_to(std::int64_t first, std::int64_t step);

  std::size_t size() const { return size_; }
  double number(std::size_t i) const { return x_.number(first_ + static_cast<std::int64_t>(i) * step_); }
  /// n numbers from the i-th on, n <= kPart; `room` is for as many, with slack.
  const double* numbers(std::size_t i, std::size_t n, double* room) const;
  /// Room for n doubles and slack until the next slice; null where there is none left.
  double* room(std::size_t n);
  /// Whether there is room for n of Interval::precision until the next slice; they take it.
  bool has_room_for_intervals(std::size_t n);

 private:
  Elements x_;
  std::int64_t first_ = 0, step_ = 1;
  std::size_t size_, capacity_, used_ = 0, interval_bytes_ = 0;
  std::unique_ptr<double[]> memory_;
  const double* widened_ = nullptr;  ///< all of it, where there is room
};

/// Some of a row's numbers: v ± e.
struct Part {
  const double *v, *e;
};
/// Where a part may be written, with slack.
struct PartRoom {
  double *v, *e;
};

/// The numbers of a slice.
template <class R>
class Row {
 public:
  using Number = R;
  static constexpr std::size_t kRooms = 1;  ///< that `part` takes
  explicit Row(Slice& slice) : slice_(&slice) {}
  std::size_t size() const { return slice_->size(); }
  Slice& slice() const { return *slice_; }
  OPREF_INLINE Part part(std::size_t i, std::size_t n, const PartRoom* rooms) const {
    return {slice_->numbers(i, n, rooms->v), kExact};
  }
  Interval operator[](std::size_t i) const { return {slice_->number(i)}; }

 private:
  static constexpr double kExact[Slice::kPart] = {};
  Slice* slice_;
};

/// f of each number of a row.
template <class X, class F>
class Mapped {
 public:
  using Number = typename X::Number;
  static constexpr std::size_t kRooms = X::kRooms + 1;
  Mapped(const X& x, const F& f) : x_(x), f_(f) {}
  std::size_t size() const { return x_.size(); }
  Slice& slice() const { return x_.slice(); }
  OPREF_INLINE Part part(std::size_t i, std::size_t n, const PartRoom* rooms) const {
    const Part from = x_.part(i, n, rooms + 1);
    const double *from_v = from.v, *from_e = from.e;
    double* __restrict v = rooms->v, * __restrict e = rooms->e;
    OPREF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
      const Bounded y = f_(Bounded(from_v[k], from_e[k]));
      v[k] = y.v, e[k] = y.e;
    }
    return {v, e};
  }
  Interval operator[](std::size_t i) const { return f_(x_[i]); }

 private:
  X x_;
  F f_;
};

/// The numbers of another row, worked out once where they are few, else whenever they are asked for.
template <class X>
class Kept {
 public:
  using Number = typename X::Number;
  static constexpr std::size_t kRooms = X::kRooms;
  OPREF_INLINE explicit Kept(const X& x) : x_(x) {
    if constexpr (std::same_as<Number, Bounded>)
      keep_bounded();
    else
      keep_intervals();
  }
  std::size_t size() const { return x_.size(); }
  Slice& slice() const { return x_.slice(); }
  OPREF_INLINE Part part(std::size_t i, std::size_t n, const PartRoom* rooms) const {
    return kept_.v != nullptr ? Part{kept_.v + i, kept_.e + i} : x_.part(i, n, rooms);
  }
  Interval operator[](std::size_t i) const { return kept_ != nullptr ? (*kept_)[i] : x_[i]; }

 private:
  OPREF_INLINE void keep_bounded();
  void keep_intervals() {
    if (!slice().has_room_for_intervals(size())) return;
    kept_ = std::make_shared<std::vector<Interval>>();
    kept_->reserve(size());
    for (std::size_t i = 0; i < size(); ++i) kept_->push_back(x_[i]);
  }

  X x_;
  std::conditional_t<std::same_as<Number, Bounded>, PartRoom, std::shared_ptr<std::vector<Interval>>> kept_ = {};
};

template <class X, class F>
OPREF_INLINE Mapped<X, F> map(const X& x, const F& f) {
  return {x, f};
}
/// For what is asked for twice, and costs more than to look it up.
template <class X, class F>
OPREF_INLINE Kept<Mapped<X, F>> keep(const Mapped<X, F>& x) {
  return Kept<Mapped<X, F>>(x);
}

/// f(part, n) for all parts of a row, in order.
template <class X, class F>
OPREF_INLINE void each_part(const X& x, const F& f) {
  alignas(64) double numbers[X::kRooms][2][Slice::kPart + kRowSlack];
  PartRoom rooms[X::kRooms];
  for (std::size_t k = 0; k < X::kRooms; ++k) rooms[k] = {numbers[k][0], numbers[k][1]};
  for (std::size_t i = 0, n; i < x.size(); i += n) {
    n = x.size() - i < Slice::kPart ? x.size() - i : Slice::kPart;
    f(x.part(i, n, rooms), n);
  }
}

template <class X>
OPREF_INLINE void Kept<X>::keep_bounded() {
  double* memory = slice().room(2 * size() + kRowSlack);
  if (memory == nullptr) return;
  kept_ = {memory, memory + size() + kRowSlack};
  alignas(64) double numbers[X::kRooms][2][Slice::kPart + kRowSlack];
  PartRoom rooms[X::kRooms];
  for (std::size_t k = 1; k < X::kRooms; ++k) rooms[k] = {numbers[k][0], numbers[k][1]};
  for (std::size_t i = 0, n; i < size(); i += n) {
    n = size() - i < Slice::kPart ? size() - i : Slice::kPart;
    rooms[0] = {kept_.v + i, kept_.e + i};
    x_.part(i, n, rooms);
  }
}

/// Σ x. In 16 lanes of compensated sums, which are then added likewise: what additions lose is added up apart, r of
/// each, and then added. A lost part meets at most n/16 roundings in its lane and 3·16 after it, so that what is added
/// up apart is wrong by at most (n/16 + 4·16)·2^-53·Σ|r|.
template <class X>
  requires std::same_as<typename X::Number, Bounded>
OPREF_INLINE Bounded sum(const X& x) {
  constexpr std::size_t kLanes = 16;
  static_assert(Slice::kPart % kLanes == 0);
  double high[kLanes] = {}, low[kLanes] = {}, e[kLanes] = {}, lost[kLanes] = {};
  const auto add = [&](std::size_t k, double b, double error) __attribute__((always_inline)) {
    const double a = high[k], s = a + b, t = s - a, r = (a - (s - t)) + (b - t);
    high[k] = s, low[k] += r, lost[k] += std::abs(r), e[k] += error;
  };
  each_part(
      x, [&](const Part& part, std::size_t n) __attribute__((always_inline)) {
        std::size_t i = 0;
        for (; i + kLanes <= n; i += kLanes)
          for (std::size_t k = 0; k < kLanes; ++k) add(k, part.v[i + k], part.e[i + k]);
        for (std::size_t k = 0; i < n; ++i, ++k) add(k, part.v[i], part.e[i]);
      });
  double total = 0, rest = 0, errors = 0, all_lost = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double s = total + high[k], t = s - total, r = (total - (s - t)) + (high[k] - t);
    total = s, rest += r + low[k], errors += e[k], all_lost += lost[k] + std::abs(r);
  }
  Bounded y = Bounded(total) + Bounded(rest);
  y.e += errors + all_lost * (static_cast<double>(x.size()) / kLanes + 4 * kLanes) * 0x1p-53;
  return y;
}
template <class X>
  requires std::same_as<typename X::Number, Interval>
Interval sum(const X& x) {
  Interval y(0.0);
  for (std::size_t i = 0; i < x.size(); ++i) y = y + x[i];
  return y;
}

/// The greatest number of a slice but for NaN; -Inf where there is no other.
template <class R>
OPREF_INLINE R greatest(const Row<R>& x) {
  constexpr std::size_t kLanes = 16;
  double most[kLanes];
  for (double& lane : most) lane = -bounded::kInfinity;
  each_part(
      x, [&](const Part& part, std::size_t n) __attribute__((always_inline)) {
        std::size_t i = 0;
        for (; i + kLanes <= n; i += kLanes)
          for (std::size_t k = 0; k < kLanes; ++k) most[k] = most[k] < part.v[i + k] ? part.v[i + k] : most[k];
        for (; i < n; ++i) most[0] = most[0] < part.v[i] ? part.v[i] : most[0];
      });
  for (std::size_t k = 1; k < kLanes; ++k) most[0] = most[0] < most[k] ? most[k] : most[0];
  return most[0];
}

}  // namespace opref::evaluators
