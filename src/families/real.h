// SPDX-License-Identifier: Apache-2.0
// Y = f(X, …) over real numbers, rounded once: element by element with broadcasting, or slice by slice.
//
// A formula is a struct with one templated call operator, derived from RealFormula, whose traits say how it may be
// worked out:
// - double, where it is `one_operation` of IEEE 754: rounded once more it is right (Figueroa 1995: 53 >= 2·24 + 2)
// - std::uint64_t, where it has `integers`: modulo 2^64, whose low bits are those of every integer type
// - Bounded, a double and how wrong it can be: decides nearly all elements of narrow types
// - Ball, an interval of rising precision: decides the rest
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "exact/term_sink.h"
#include "families/row.h"
#include "schema/call.h"

namespace opref::families {

/// What is known of a result that is not zero.
enum class Sign : std::uint8_t { unknown, positive };

/// The traits of a formula of `inputs` numbers that states none.
template <int inputs>
struct RealFormula {
  static constexpr int arity = inputs;
  static constexpr bool one_operation = false, integers = false;
  static constexpr bool is_sum = false;  ///< of its inputs
  static constexpr Sign sign = Sign::unknown;
};

/// Tells `explain` what a number is that the formula names: const R mean = named("mean", sum(x) / n). Gives it back.
class Named {
 public:
  explicit Named(const Call& call) : sink_(call.numerics().sink) {}
  template <class R>
  OPREF_INLINE const R& operator()(std::string_view name, const R& x) const {
    if constexpr (std::is_same_v<R, Ball>)
      if (sink_ != nullptr) sink_->real(name, x);
    return x;
  }

 private:
  TermSink* sink_;
};

/// A formula of elements without its type: y[i] = f(x[0][i], x[1][i], …) for n rows' places; null where it is not for
/// such numbers.
struct ElementFormula {
  const void* formula = nullptr;
  void (*ieee)(const void*, const double* const* x, std::size_t n, double* y) = nullptr;
  void (*integer)(const void*, const std::uint64_t* const* x, std::size_t n, std::uint64_t* y) = nullptr;
  bool is_sum = false;
};
/// Y of `type`, of the shape to which the operands broadcast. They and it are float16, bfloat16, float32, float64 or
/// integers of 8 to 64 bits.
Tensor elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands,
                   const ElementFormula& formula);

/// Takes n numbers v ± e of a slice's result, the i-th and those after it, in order.
struct PartTaker {
  void* self;
  void (*take)(void* self, std::size_t i, std::size_t n, const double* v, const double* e);
};
/// The numbers of a slice's result by one precision.
class ExactRow {
 public:
  ExactRow() = default;
  ExactRow(const ExactRow&) = delete;
  ExactRow& operator=(const ExactRow&) = delete;
  virtual ~ExactRow() = default;
  virtual Ball operator[](std::size_t i) const = 0;
};
/// A formula of slices without its type: from a Row<R> the row of results.
struct SliceFormula {
  const void* formula = nullptr;
  void (*estimate)(const void*, Slice& x, const PartTaker& y) = nullptr;
  std::unique_ptr<ExactRow> (*exact)(const void*, Slice& x) = nullptr;
};
/// Y of `type` and of the shape of x, which is seen as (outer, n, inner), slice by slice along the middle. x is
/// float16, bfloat16, float32 or float64. An element that the highest precision leaves open is `unsupported`.
Tensor slices(const Call& call, const TensorType& type, const Tensor& x, std::int64_t outer, std::int64_t n,
              std::int64_t inner, const SliceFormula& formula);

// How a formula loses its type; what it is made of becomes a part of each clone.
template <class R, class F, std::size_t... I>
OPREF_INLINE R apply_at(const F& f, const R* const* x, std::size_t i, std::index_sequence<I...>) {
  return f(x[I][i]...);
}
template <class R, class F>
__attribute__((flatten)) OPREF_CLONES void apply_row(const void* formula, const R* const* rows, std::size_t n,
                                                     R* __restrict y) {
  const F& f = *static_cast<const F*>(formula);
  const R* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = rows[k];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) y[i] = apply_at<R>(f, x, i, std::make_index_sequence<F::arity>());
}
template <class F>
Tensor elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands, const F& f) {
  ElementFormula formula{.formula = &f, .is_sum = F::is_sum};
  if constexpr (F::integers) formula.integer = apply_row<std::uint64_t, F>;
  if constexpr (F::one_operation) formula.ieee = apply_row<double, F>;
  return elementwise(call, type, operands, formula);
}

/// Pays for the roundings of the bound itself and of both ends. A positive number near zero is in (0, |v| + e], whose
/// lower end may as well be 2^-40 of it: all below rounds to +0.
OPREF_INLINE Bounded finish_estimate(Sign sign, const Bounded& y) {
  const double e = y.e == 0 ? 0 : y.e * 1.01 + std::abs(y.v) * 0x1p-52;
  if (sign == Sign::unknown) return {y.v, e};
  const double half = (std::abs(y.v) + e) / 2;
  const bool near_zero = (half < 0x1p-800) & (std::abs(y.v) <= e);
  return {near_zero ? half : y.v, near_zero ? half * (1 - 0x1p-40) : e};
}
template <class F>
__attribute__((flatten)) OPREF_CLONES void estimate_slice(const void* formula, Slice& x, const PartTaker& taker) {
  const auto y = (*static_cast<const F*>(formula))(Row<Bounded>(x));
  std::size_t i = 0;
  each_part(map(y, [](const Bounded& a) { return finish_estimate(F::sign, a); }),
            [&](const Part& part, std::size_t n) { taker.take(taker.self, i, n, part.v, part.e), i += n; });
}
template <class Y>
class ExactResult : public ExactRow {
 public:
  explicit ExactResult(const Y& y) : y_(y) {}
  Ball operator[](std::size_t i) const override { return y_[i]; }

 private:
  Y y_;
};
template <class F>
std::unique_ptr<ExactRow> exact_slice(const void* formula, Slice& x) {
  const auto y = (*static_cast<const F*>(formula))(Row<Ball>(x));
  return std::make_unique<ExactResult<std::remove_const_t<decltype(y)>>>(y);
}
template <class F>
Tensor slices(const Call& call, const TensorType& type, const Tensor& x, std::int64_t outer, std::int64_t n,
              std::int64_t inner, const F& f) {
  return slices(call, type, x, outer, n, inner, SliceFormula{&f, estimate_slice<F>, exact_slice<F>});
}

}  // namespace opref::families
