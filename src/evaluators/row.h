// SPDX-License-Identifier: Apache-2.0
// What formulas of slices are written with: rows, the numbers of a slice. A row is an expression, such as x - mean(x).
// Its numbers are worked out where they are added up, kept or put, a part at a time, so that a slice of any length
// takes hardly any memory.
//
// A formula is one of any kind R of numbers. Evaluators try these, in this order:
// - Near: of a row doubles that share one bound, which is known before any of them is; of scalars Bounded
// - Bounded: each with a bound of its own
// - Paired: likewise, of float64 in place of both
// - Special: what NaN, infinities and zeros decide
// - Interval: of rising precision
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "evaluators/programs.h"
#include "evaluators/strided.h"
#include "exact/real/faithful.h"
#include "exact/real/interval.h"
#include "exact/real/paired_functions.h"
#include "exact/real/special.h"
#include "exact/row_sums.h"

namespace opref::evaluators {

/// The quick tier of a slice: rows of Quick, and scalars whose errors are known.
struct Near : Bounded {
  using Bounded::Bounded;
  OPREF_INLINE Near(const Bounded& scalar) : Bounded(scalar) {}
  template <std::integral N>
  OPREF_INLINE static Near whole(N n) {
    return Bounded::whole(n);
  }
  OPREF_INLINE const Bounded& bounded() const { return *this; }
};
OPREF_INLINE Near operator-(const Near& a) { return -a.bounded(); }
OPREF_INLINE Near operator+(const Near& a, const Near& b) { return a.bounded() + b.bounded(); }
OPREF_INLINE Near operator-(const Near& a, const Near& b) { return a.bounded() - b.bounded(); }
OPREF_INLINE Near operator*(const Near& a, const Near& b) { return a.bounded() * b.bounded(); }
OPREF_INLINE Near operator/(const Near& a, const Near& b) { return a.bounded() / b.bounded(); }
struct NearLess : BoundedLess {};
OPREF_INLINE NearLess operator<(const Near& a, const Near& b) { return {a.bounded() < b.bounded()}; }
template <class F, class G>
OPREF_INLINE Near choose(NearLess condition, const F& f, const G& g) {
  return choose(static_cast<const BoundedLess&>(condition), f, g);
}
OPREF_INLINE Near sqrt(const Near& a) { return sqrt(a.bounded()); }
OPREF_INLINE Near log(const Near& a) { return log(a.bounded()); }
OPREF_INLINE Near log1p(const Near& a) { return log1p(a.bounded()); }
/// Whether the numbers of a row are worked out in step; else one after the other.
template <class R>
inline constexpr bool kInStep = std::same_as<R, Near> || std::same_as<R, Bounded> || std::same_as<R, Paired>;
/// Of Near all numbers are finite, or nothing is known of them.
inline bool is_finite(const Quick&) { return true; }
inline bool is_finite(const StaticBound&) { return true; }
/// What the numbers of a row are.
template <class R>
struct NumberOf {
  using Type = R;
};
template <>
struct NumberOf<Near> {
  using Type = Quick;
};

/// An operand of a formula: the numbers of slice s lie at of_slice(s) + within(k).
struct SliceOperand {
  Elements numbers;
  Strided of_slice, within;
  bool is_shared;    ///< by all slices
  bool is_repeated;  ///< along a slice, perhaps some axes of it alone
  bool is_constant;  ///< all along a slice
};

/// An array that is cut into slices. The elements of a slice differ in some axes alone.
class Slicing {
 public:
  /// Along the axes for which is_within is true.
  Slicing(const Dims& shape, const std::vector<bool>& is_within);
  /// Along `axes`, or along all axes from one on.
  static Slicing along(const Dims& shape, const std::vector<std::size_t>& axes);
  static Slicing from(const Dims& shape, std::size_t axis);

  std::int64_t count() const { return of_slice_.count(); }
  std::int64_t size() const { return within_.count(); }
  /// Another array, seen as this one by a stride for each axis: 0 where it repeats.
  SliceOperand operand(const Tensor& x, const Dims& strides) const;
  /// One of the same shape.
  SliceOperand operand(const Tensor& x) const { return operand(x, strides_of(shape_)); }
  /// One that broadcasts to it.
  SliceOperand broadcast(const Tensor& x) const { return operand(x, broadcast_strides(x.shape(), shape_)); }

  /// Where the elements of a slice lie.
  const Strided& of_slice() const { return of_slice_; }
  const Strided& within() const { return within_; }
  /// Of the element at this position: its slice, and its place there.
  std::int64_t slice_of(std::int64_t at) const { return slice_of_(at); }
  std::int64_t place_of(std::int64_t at) const { return place_of_(at); }

 private:
  Dims shape_;
  std::vector<bool> is_within_;
  Strided of_slice_, within_, slice_of_, place_of_;
};

class SliceMemory;

/// The numbers of an operand in one slice.
class SliceNumbers {
 public:
  explicit SliceNumbers(SliceMemory& memory) : memory_(memory) {}
  void move_to(const SliceOperand& x, std::int64_t slice);
  bool is_of(const SliceOperand& x, std::int64_t slice) const { return x_ == &x && (slice_ == slice || x.is_shared); }

  SliceMemory& memory() const { return memory_; }
  std::size_t size() const { return size_; }
  double number(std::size_t i) const { return x_->numbers.number(place(i)); }
  /// The i-th, however wide, told to whoever listens.
  Interval interval(std::size_t i) const;
  Special special(std::size_t i) const;
  std::optional<std::size_t> greatest() const;
  /// n numbers from the i-th on, n <= SliceMemory::kPart.
  const double* part(std::size_t i, std::size_t n);
  /// Keeps all of them there, if there is room.
  void keep_whole(double* room);
  const RowRange& range();
  /// Between which numbers they are; unknown where one is NaN or +Inf.
  const StaticBound& bound();

 private:
  std::int64_t place(std::size_t i) const { return base_ + x_->within(static_cast<std::int64_t>(i)); }
  void load(std::size_t i, std::size_t n, double* to) const;
  const double* among_neighbours();
  void tell(std::size_t i) const;

  SliceMemory& memory_;
  const SliceOperand* x_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t slice_ = 0, base_ = 0;
  const double* whole_ = nullptr;  ///< all of them
  double* room_ = nullptr;         ///< of a part
  std::size_t first_ = 0, loaded_ = 0;
  // Slices that were read together, from this one on.
  const SliceOperand* block_of_ = nullptr;
  std::int64_t block_first_ = 0, block_count_ = 0;
  std::vector<double> block_;
  std::optional<RowRange> range_;
  std::optional<StaticBound> bound_;
};

/// Some of a row's numbers, v ± e, of Paired v + l ± e; of Near, and where all are exact, l and e are null.
struct Part {
  const double *v, *e, *l = nullptr;
};
/// Where they are worked out. What a kind of numbers has not is like v.
struct Planes {
  double *v, *e, *l;
  Planes from(std::size_t i) const { return {v + i, e + i, l + i}; }
};

/// What a thread keeps of the slice at hand.
class SliceMemory {
 public:
  /// Numbers that are worked out in step.
  static constexpr std::size_t kPart = 1024;

  /// Of slices of n numbers. `heard`: who listens to what is read, or null.
  explicit SliceMemory(std::int64_t n, Heard* heard = nullptr);
  SliceMemory(const SliceMemory&) = delete;
  SliceMemory& operator=(const SliceMemory&) = delete;
  /// What was kept of another slice is forgotten, but for what all slices share.
  void move_to(std::int64_t slice);

  /// An operand, which is in force as long as this memory, in the slice at hand or in another one.
  SliceNumbers& numbers(const SliceOperand& x) { return numbers(x, slice_); }
  SliceNumbers& numbers(const SliceOperand& x, std::int64_t slice);
  /// Room for n doubles until the next slice; null where there is none left.
  double* room(std::size_t n);
  /// Likewise for a part, always.
  double* part_room();
  /// For what is worked out and taken at once.
  Planes scratch() {
    constexpr std::size_t kSize = kPart + kRowSlack;
    return {scratch_.get(), scratch_.get() + kSize, scratch_.get() + 2 * kSize};
  }
  /// Whether all numbers that were asked for are doubles.
  bool are_doubles() const { return are_doubles_; }
  /// Whether there is room for n of Interval::precision until the next slice; they take it.
  bool has_room_for_intervals(std::size_t n);
  void forget_intervals() { interval_bytes_ = 0; }
  Heard* heard() const { return heard_; }
  std::int64_t slice() const { return slice_; }

 private:
  friend class SliceNumbers;
  double* lasting_room(std::size_t n);

  Heard* heard_;
  std::int64_t slice_ = 0;
  bool are_doubles_ = true;
  std::size_t capacity_, used_ = 0, interval_bytes_ = 0, rooms_used_ = 0, numbers_used_ = 0;
  std::unique_ptr<double[]> memory_, scratch_;
  std::vector<std::unique_ptr<double[]>> rooms_;
  std::vector<std::unique_ptr<SliceNumbers>> numbers_, shared_;
};

/// The numbers of an operand.
template <class R>
class Row {
 public:
  using Number = R;
  explicit Row(SliceNumbers& numbers) : numbers_(&numbers) {}
  std::size_t size() const { return numbers_->size(); }
  SliceMemory& memory() const { return numbers_->memory(); }
  R operator[](std::size_t i) const {
    if constexpr (std::same_as<R, Interval>)
      return numbers_->interval(i);
    else if constexpr (std::same_as<R, Special>)
      return numbers_->special(i);
    else if constexpr (std::same_as<R, Faithful>)
      return Faithful::input(numbers_->number(i));
    else
      return numbers_->number(i);
  }
  double number(std::size_t i) const { return numbers_->number(i); }
  /// Where the greatest is, the first NaN if there is one; all are told.
  std::optional<std::size_t> greatest() const { return numbers_->greatest(); }
  const RowRange& range() const { return numbers_->range(); }

  // Of every row. Before its numbers are asked for, prepare(i, n) says which part of them: at(k) is number i + k. Only
  // of Interval n may be more than SliceMemory::kPart.
  void prepare(std::size_t i, std::size_t n) {
    if constexpr (kInStep<R>)
      v_ = numbers_->part(i, n);
    else
      first_ = i;
  }
  OPREF_INLINE typename NumberOf<R>::Type at(std::size_t k) const {
    if constexpr (kInStep<R>)
      return v_[k];
    else
      return (*this)[first_ + k];
  }
  /// Of Near: of all its numbers.
  StaticBound bound() const { return numbers_->bound(); }
  /// Those that were prepared, where they lie somewhere.
  Part stored() const { return {v_, nullptr}; }

 private:
  SliceNumbers* numbers_;
  const double* v_ = nullptr;
  std::size_t first_ = 0;
};

template <class X>
concept IsRow = requires(X x) {
                  typename X::Number;
                  x.prepare(std::size_t{}, std::size_t{});
                };
template <class X>
concept IsStored = requires(const X& x) { x.stored(); };
template <class X, class R>
concept IsRowOf = IsRow<X> && std::same_as<typename X::Number, R>;

/// f of the numbers of rows, one of each.
template <class F, IsRow X, IsRow... Others>
class Mapped {
 public:
  using Number = typename X::Number;
  Mapped(const F& f, const X& x, const Others&... others) : f_(f), rows_(x, others...) {}
  std::size_t size() const { return std::get<0>(rows_).size(); }
  SliceMemory& memory() const { return std::get<0>(rows_).memory(); }
  void prepare(std::size_t i, std::size_t n) {
    std::apply([&](auto&... row) { (row.prepare(i, n), ...); }, rows_);
  }
  OPREF_INLINE typename NumberOf<Number>::Type at(std::size_t k) const {
    return at(k, std::index_sequence_for<X, Others...>());
  }
  StaticBound bound() const {
    return std::apply([&](const auto&... row) { return StaticBound(f_(row.bound()...)); }, rows_);
  }

 private:
  template <std::size_t... I>
  OPREF_INLINE typename NumberOf<Number>::Type at(std::size_t k, std::index_sequence<I...>) const {
    using Y = typename NumberOf<Number>::Type;
    if constexpr (kInStep<Number>)
      return Y(f_(std::get<I>(rows_).at(k)...));
    else  // in braces they are read from left to right
      return Y(std::apply(f_, std::tuple{std::get<I>(rows_).at(k)...}));
  }

  F f_;
  std::tuple<X, Others...> rows_;
};
template <class F, IsRow... X>
Mapped<F, X...> map(const F& f, const X&... x) {
  return {f, x...};
}

template <IsRow X, IsRow Y>
auto operator+(const X& x, const Y& y) {
  return map(
      [](const auto& a, const auto& b) __attribute__((always_inline)) { return a + b; }, x, y);
}
template <IsRow X, IsRow Y>
auto operator-(const X& x, const Y& y) {
  return map(
      [](const auto& a, const auto& b) __attribute__((always_inline)) { return a - b; }, x, y);
}
template <IsRow X, IsRow Y>
auto operator*(const X& x, const Y& y) {
  return map(
      [](const auto& a, const auto& b) __attribute__((always_inline)) { return a * b; }, x, y);
}
template <IsRow X, IsRow Y>
auto operator/(const X& x, const Y& y) {
  return map(
      [](const auto& a, const auto& b) __attribute__((always_inline)) { return a / b; }, x, y);
}
// And a scalar of the slice.
template <IsRow X>
auto operator+(const X& x, const typename X::Number& s) {
  return map(
      [s](const auto& a) __attribute__((always_inline)) { return a + s; }, x);
}
template <IsRow X>
auto operator-(const X& x, const typename X::Number& s) {
  return map(
      [s](const auto& a) __attribute__((always_inline)) { return a - s; }, x);
}
template <IsRow X>
auto operator*(const X& x, const typename X::Number& s) {
  return map(
      [s](const auto& a) __attribute__((always_inline)) { return a * s; }, x);
}
/// By one reciprocal where that is an estimate anyway.
template <class R>
struct DividedBy {
  R s;
  template <class A>
  OPREF_INLINE auto operator()(const A& a) const {
    return a / s;
  }
};
template <>
struct DividedBy<Near> {
  Near s;
  double reciprocal = 1 / s.v;
  OPREF_INLINE Quick operator()(const Quick& a) const { return a.v * reciprocal; }
  StaticBound operator()(const StaticBound& a) const { return a / s.bounded(); }
};
template <IsRow X>
auto operator/(const X& x, const typename X::Number& s) {
  return map(DividedBy<typename X::Number>{s}, x);
}
template <IsRow X>
auto square(const X& x) {
  return map(
      [](const auto& a) __attribute__((always_inline)) { return square(a); }, x);
}
template <IsRow X>
auto abs(const X& x) {
  return map(
      [](const auto& a) __attribute__((always_inline)) { return abs(a); }, x);
}
template <IsRow X>
auto exp(const X& x) {
  return map(
      [](const auto& a) __attribute__((always_inline)) { return exp(a); }, x);
}

/// The n numbers that a row has prepared.
template <IsRow X>
__attribute__((flatten)) OPREF_CLONES void work_out_near(const X& row, std::size_t n, double* __restrict v) {
  const X x = row;
  OPREF_INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) v[k] = x.at(k).v;
}
template <IsRow X>
__attribute__((flatten)) OPREF_CLONES void work_out_bounded(const X& row, std::size_t n, double* __restrict v,
                                                            double* __restrict e) {
  const X x = row;
  OPREF_INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) {
    const Bounded y = x.at(k);
    v[k] = y.v, e[k] = y.e;
  }
}
template <IsRow X>
__attribute__((flatten)) OPREF_CLONES void work_out_pairs(const X& row, std::size_t n, double* __restrict v,
                                                          double* __restrict l, double* __restrict e) {
  const X x = row;
  OPREF_INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) {
    const Paired y = x.at(k);
    v[k] = y.h, l[k] = y.l, e[k] = y.e;
  }
}
/// n numbers of a row from the i-th on, where they lie or in this room.
template <IsRow X>
Part worked_out(X& x, std::size_t i, std::size_t n, const Planes& room) {
  x.prepare(i, n);
  if constexpr (IsStored<X>) {
    return x.stored();
  } else if constexpr (std::same_as<typename X::Number, Near>) {
    work_out_near(x, n, room.v);
    return {room.v, nullptr};
  } else if constexpr (std::same_as<typename X::Number, Bounded>) {
    work_out_bounded(x, n, room.v, room.e);
    return {room.v, room.e};
  } else {
    work_out_pairs(x, n, room.v, room.l, room.e);
    return {room.v, room.e, room.l};
  }
}
/// Of what a number is made of.
template <class R>
inline constexpr std::size_t kPlanes = std::same_as<R, Near>      ? 1
                                       : std::same_as<R, Bounded> ? 2
                                                                  : 3;
/// f(k) is the k-th plane.
template <class R, class F>
Planes planes(const F& f) {
  double* v = f();
  double* e = kPlanes<R> > 1 ? f() : v;
  return {v, e, kPlanes<R> > 2 ? f() : v};
}
/// f(i, n, part) for the parts of a row that is worked out in step, in order.
template <IsRow X, class F>
void each_part(const X& row, const F& f) {
  X x = row;
  SliceMemory& memory = x.memory();
  for (std::size_t i = 0, n; i < x.size(); i += n) {
    n = std::min(x.size() - i, SliceMemory::kPart);
    f(i, n, worked_out(x, i, n, memory.scratch()));
  }
}

/// The numbers of another row, worked out once where there is room, else whenever they are asked for.
template <IsRow X>
class Kept {
 public:
  using Number = typename X::Number;
  explicit Kept(const X& x) : x_(x) {
    if constexpr (kInStep<Number>)
      keep();
    else
      keep_one_by_one();
  }
  std::size_t size() const { return x_.size(); }
  SliceMemory& memory() const { return x_.memory(); }
  void prepare(std::size_t i, std::size_t n) {
    if constexpr (!kInStep<Number>)
      x_.prepare(first_ = i, n);
    else if (is_kept_)
      part_ = {planes_.v + i, planes_.e + i, planes_.l + i};
    else
      part_ = worked_out(x_, i, n, planes_);
  }
  OPREF_INLINE typename NumberOf<Number>::Type at(std::size_t k) const {
    if constexpr (!kInStep<Number>)
      return kept_ != nullptr ? (*kept_)[first_ + k] : x_.at(k);
    else if constexpr (std::same_as<Number, Near>)
      return part_.v[k];
    else if constexpr (std::same_as<Number, Bounded>)
      return {part_.v[k], part_.e[k]};
    else
      return {part_.v[k], part_.l[k], part_.e[k]};
  }
  StaticBound bound() const { return x_.bound(); }
  Part stored() const { return part_; }

 private:
  void keep() {
    const std::size_t n = size(), plane = n + kRowSlack;
    double* free = memory().room(kPlanes<Number> * plane - kRowSlack);
    is_kept_ = free != nullptr;
    planes_ = planes<Number>([&] { return is_kept_ ? std::exchange(free, free + plane) : memory().part_room(); });
    if (!is_kept_) return;
    for (std::size_t i = 0, m; i < n; i += m) {
      m = std::min(n - i, SliceMemory::kPart);
      worked_out(x_, i, m, planes_.from(i));
    }
  }
  void keep_one_by_one() {
    if (!memory().has_room_for_intervals(size())) return;
    kept_ = std::make_shared<std::vector<Number>>();
    kept_->reserve(size());
    x_.prepare(0, size());
    for (std::size_t i = 0; i < size(); ++i) kept_->push_back(x_.at(i));
  }

  X x_;
  Planes planes_ = {};
  Part part_ = {};
  bool is_kept_ = false;
  std::size_t first_ = 0;
  std::shared_ptr<std::vector<Number>> kept_;
};
/// For what is asked for twice, and costs more than to look it up.
template <class F, IsRow... X>
Kept<Mapped<F, X...>> keep(const Mapped<F, X...>& x) {
  return Kept<Mapped<F, X...>>(x);
}

/// Of numbers that are not worked out in step; of Faithful in any order.
template <class R>
class SumOneByOne {
 public:
  explicit SumOneByOne(const R& first) : total_(first) {}
  void add(const R& x) { total_ = total_ + x; }
  const R& total() const { return total_; }

 private:
  R total_;
};
template <>
class SumOneByOne<Faithful> : public FaithfulSum {
 public:
  explicit SumOneByOne(const Faithful& first) { add(first); }
};

/// The sum of some rows, number by number.
template <IsRow X>
class Total {
 public:
  using Number = typename X::Number;
  explicit Total(std::vector<X> rows) : rows_(std::move(rows)) {
    if constexpr (kInStep<Number>) planes_ = planes<Number>([&] { return memory().part_room(); });
  }
  std::size_t size() const { return rows_[0].size(); }
  SliceMemory& memory() const { return rows_[0].memory(); }
  void prepare(std::size_t i, std::size_t n) {
    if constexpr (kInStep<Number>)
      for (double* plane : {planes_.v, planes_.e, planes_.l}) std::fill_n(plane, n, 0.0);
    for (X& row : rows_)
      if constexpr (!kInStep<Number>) {
        row.prepare(i, n);
      } else {
        const Part part = worked_out(row, i, n, memory().scratch());
        if constexpr (std::same_as<Number, Near>)
          row_add(part.v, n, planes_.v);
        else if constexpr (std::same_as<Number, Bounded>)
          row_add(part.v, part.e, n, planes_.v, planes_.e);
        else
          row_add(part.v, part.l, part.e, n, planes_.v, planes_.l, planes_.e);
      }
  }
  OPREF_INLINE typename NumberOf<Number>::Type at(std::size_t k) const {
    if constexpr (std::same_as<Number, Near>) {
      return planes_.v[k];
    } else if constexpr (std::same_as<Number, Bounded>) {
      return {planes_.v[k], planes_.e[k]};
    } else if constexpr (std::same_as<Number, Paired>) {
      return {planes_.v[k], planes_.l[k], planes_.e[k]};
    } else {
      SumOneByOne<Number> y(rows_[0].at(k));
      for (std::size_t r = 1; r < rows_.size(); ++r) y.add(rows_[r].at(k));
      return y.total();
    }
  }
  StaticBound bound() const {
    StaticBound y = rows_[0].bound();
    for (std::size_t r = 1; r < rows_.size(); ++r) y = y + rows_[r].bound();
    return y;
  }

 private:
  std::vector<X> rows_;
  Planes planes_ = {};
};
/// Of f(k) for k from `first` to `last`, of which there is one.
template <class F>
auto total(std::int64_t first, std::int64_t last, const F& f) {
  std::vector<decltype(f(first))> rows;
  for (std::int64_t k = first; k <= last; ++k) rows.push_back(f(k));
  return Total<decltype(f(first))>(std::move(rows));
}

/// Σ x
template <IsRow X>
typename X::Number sum(const X& row) {
  if constexpr (!kInStep<typename X::Number>) {
    X x = row;
    x.prepare(0, x.size());
    SumOneByOne<typename X::Number> y(0.0);
    for (std::size_t i = 0; i < x.size(); ++i) y.add(x.at(i));
    return y.total();
  } else if constexpr (std::same_as<typename X::Number, Near>) {
    QuickSum sum(row.bound(), row.size());
    if (sum.is_known()) each_part(row, [&](std::size_t, std::size_t n, const Part& part) { sum.add(part.v, n); });
    return sum.total();
  } else if constexpr (std::same_as<typename X::Number, Paired>) {
    PairedSum sum;
    each_part(row, [&](std::size_t, std::size_t n, const Part& part) { sum.add(part.v, part.l, part.e, n); });
    return sum.total();
  } else {
    BoundedSum sum(row.size());
    each_part(row, [&](std::size_t, std::size_t n, const Part& part) { sum.add(part.v, part.e, n); });
    return sum.total();
  }
}
/// Π x of an operand's numbers; of float32 and narrower ones, v of an estimate has its sign.
template <class R>
R product(const Row<R>& row) {
  if constexpr (std::same_as<R, Near> || std::same_as<R, Bounded>) {
    RowProduct product(row.size());
    each_part(row, [&](std::size_t, std::size_t n, const Part& part) { product.add(part.v, n); });
    return product.total();
  } else {
    R y(1.0);
    for (std::size_t i = 0; i < row.size(); ++i) y = y * row[i];
    return y;
  }
}
/// NaN of none.
template <IsRow X>
typename X::Number mean(const X& x) {
  return sum(x) / X::Number::whole(x.size());
}
/// The greatest number: NaN where one is, -Inf of none.
template <class R>
R greatest(const Row<R>& row) {
  if constexpr (kInStep<R>) return row.range().greatest();
  const std::optional<std::size_t> i = row.greatest();
  return i ? row[*i] : R(-std::numeric_limits<double>::infinity());
}

}  // namespace opref::evaluators
