// SPDX-License-Identifier: Apache-2.0
// Outputs by formulas of slices (row.h), each element rounded once. A formula is a templated call operator that takes a
// Slices<R> s, reads rows and numbers of operands from it, and puts rows and numbers. LayerNormalization:
//
//   const auto x = s.row(X);
//   const R mu = mean(x), deviation = sqrt(mean(square(x - mu)) + R(epsilon));
//   s.put(0, (x - mu) / deviation * s.row(scale) + s.row(bias));
//
// It runs over Near; what that leaves open is asked of the same formula over Bounded (of float64 over Paired in place
// of both), Special, and then Intervals of 96, 192, … bits, and of nothing else.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "evaluators/real.h"
#include "evaluators/row.h"

namespace opref::evaluators {

class SliceWork;

/// What the quick tier's numbers are wrong by: relative·|v| + absolute.
struct NearError {
  double relative, absolute;
  bool is_known;
};
NearError near_error(const StaticBound& bound, Sign sign);

/// One slice, of all operands and outputs.
template <class R>
class Slices {
 public:
  Slices(SliceWork& work, SliceMemory& memory, TermSink* sink) : work_(work), memory_(memory), sink_(sink) {}

  std::int64_t slice() const { return memory_.slice(); }
  /// Reads another slice from now on, and forgets the rows of this one.
  void move_to(std::int64_t slice) const { memory_.move_to(slice); }
  /// The numbers of an operand: of this slice, or of another one.
  Row<R> row(const SliceOperand& x) const { return Row<R>(memory_.numbers(x)); }
  Row<R> row(const SliceOperand& x, std::int64_t slice) const { return Row<R>(memory_.numbers(x, slice)); }
  /// Of one that is_constant.
  R number(const SliceOperand& x) const { return row(x)[0]; }
  /// Whether anybody asks for the output in this slice.
  bool wants(std::size_t output) const;
  /// Tells `explain` what the number is, and gives it back.
  const R& named(std::string_view name, const R& x) const {
    if constexpr (std::same_as<R, Interval>)
      if (sink_ != nullptr) sink_->real(name, x);
    return x;
  }
  /// Likewise of each of a row's numbers that is asked for.
  template <IsRowOf<R> X>
  auto named(std::string_view name, const X& x) const {
    if constexpr (std::same_as<R, Interval>)
      return map([this, name](const Interval& a) { return named(name, a); }, x);
    else
      return x;
  }
  /// An output's elements are these. `sign` is that of all that are not zero, `greatest` no less than their magnitudes.
  template <IsRowOf<R> Y>
  void put(std::size_t output, const Y& y, Sign sign = Sign::unknown, double greatest = kInfinity) const;
  /// An output's only element of this slice is this.
  void put(std::size_t output, const R& y, Sign sign = Sign::unknown) const;

 private:
  void take_one_by_one(std::size_t output, const std::function<R(std::size_t i)>& y,
                       const exact::ResultRange& range) const;

  SliceWork& work_;
  SliceMemory& memory_;
  TermSink* sink_;
};

/// What is asked of the outputs in the slice at hand, and where it goes.
class SliceWork {
 public:
  SliceWork() = default;
  SliceWork(const SliceWork&) = delete;
  SliceWork& operator=(const SliceWork&) = delete;
  virtual ~SliceWork() = default;

  /// Whether one of the elements [i, i + n) of the slice is asked for.
  virtual bool wants(std::size_t output, std::size_t i, std::size_t n) const = 0;
  /// The quick tier knows nothing of them.
  virtual void leave(std::size_t output) = 0;
  /// n elements from the i-th on, by the quick tier, and by Bounded or Paired.
  virtual void take(std::size_t output, std::size_t i, std::size_t n, const double* v, const NearError& error) = 0;
  virtual void take(std::size_t output, std::size_t i, std::size_t n, const Part& part, Sign sign) = 0;
  /// All that is asked for, in order.
  virtual void take(std::size_t output, const std::function<Special(std::size_t i)>& y) = 0;
  virtual void take(std::size_t output, const std::function<Interval(std::size_t i)>& y) = 0;
  virtual void take(std::size_t output, const std::function<Faithful(std::size_t i)>& y,
                    const exact::ResultRange& range) = 0;
};

template <class R>
bool Slices<R>::wants(std::size_t output) const {
  return work_.wants(output, 0, SIZE_MAX);
}
template <class R>
void Slices<R>::take_one_by_one(std::size_t output, const std::function<R(std::size_t i)>& y,
                                const exact::ResultRange& range) const {
  if constexpr (std::same_as<R, Faithful>)
    work_.take(output, y, range);
  else
    work_.take(output, y);
}
template <class R>
template <IsRowOf<R> Y>
void Slices<R>::put(std::size_t output, const Y& row, Sign sign, double greatest) const {
  const std::size_t size = row.size();
  if (!work_.wants(output, 0, size)) return;
  Y y = row;
  if constexpr (!kInStep<R>) {
    y.prepare(0, size);
    take_one_by_one(
        output, [&y](std::size_t i) { return y.at(i); }, range_of(sign, 0, greatest));
  } else {
    NearError error{};
    if constexpr (std::same_as<R, Near>) {
      error = near_error(row.bound(), sign);
      if (!error.is_known) return work_.leave(output);
    }
    for (std::size_t i = 0, n; i < size; i += n) {
      n = std::min(size - i, SliceMemory::kPart);
      if (!work_.wants(output, i, n)) continue;
      const Part part = worked_out(y, i, n, memory_.scratch());
      if constexpr (std::same_as<R, Near>)
        work_.take(output, i, n, part.v, error);
      else
        work_.take(output, i, n, part, sign);
    }
  }
}
template <class R>
void Slices<R>::put(std::size_t output, const R& y, Sign sign) const {
  if (!work_.wants(output, 0, 1)) return;
  if constexpr (!kInStep<R>)
    take_one_by_one(
        output, [&y](std::size_t) { return y; }, range_of(sign, 0, kInfinity));
  else if constexpr (std::same_as<R, Paired>)
    work_.take(output, 0, 1, {&y.h, &y.e, &y.l}, Sign::unknown);
  else
    work_.take(output, 0, 1, {&y.v, &y.e}, sign);
}

/// A formula without its type.
struct SliceFormula {
  const void* formula = nullptr;
  void (*near)(const void*, const Slices<Near>&) = nullptr;
  void (*bounded)(const void*, const Slices<Bounded>&) = nullptr;
  void (*pairs)(const void*, const Slices<Paired>&) = nullptr;
  void (*special)(const void*, const Slices<Special>&) = nullptr;
  void (*exact)(const void*, const Slices<Interval>&) = nullptr;
  void (*faithful)(const void*, const Slices<Faithful>&) = nullptr;
};
/// An output has the shape that is cut into slices, and its elements are put as rows, or one element a slice. An
/// element that the highest precision leaves open is `unsupported`.
std::vector<Value> slices_of(std::span<const Output> outs, const Slicing& slicing, const SliceFormula& formula);

template <class R, class F>
void one_slice(const void* formula, const Slices<R>& s) {
  (*static_cast<const F*>(formula))(s);
}
template <class F>
std::vector<Value> slices(std::span<const Output> outs, const Slicing& slicing, const F& f) {
  return slices_of(outs, slicing,
                   {&f, one_slice<Near, F>, one_slice<Bounded, F>, one_slice<Paired, F>, one_slice<Special, F>,
                    one_slice<Interval, F>, one_slice<Faithful, F>});
}

}  // namespace opref::evaluators
