// SPDX-License-Identifier: Apache-2.0
// Y = f(X, …) over real numbers, element by element with broadcasting: the formula takes numbers and gives one.
#pragma once

#include <array>
#include <span>
#include <utility>

#include "evaluators/move.h"
#include "evaluators/real.h"
#include "exact/convert.h"
#include "exact/real/held.h"
#include "exact/real/plain.h"

namespace opref::evaluators {

/// An operand's element as its own type says it: no integer is rounded to a double.
struct OperandElement {
  double number = 0;  ///< of an integer the nearest
  bool is_whole = false, is_integer = false;
  Whole::Wide whole = 0;  ///< where it is whole; beyond ±2^126 that
  Interval interval() const;
  Faithful faithful() const;
};

/// An operand: broadcast to the output's shape, or where `places` says that its elements lie, run by run.
struct Operand {
  Tensor x;
  Source places = {};
};

/// Of integers of one type: y of the same, or bytes of truths.
using IntegerRow = void (*)(const void* formula, const void* const* x, std::size_t n, void* y);
/// Of integers of 1, 2, 4 and 8 bytes.
using IntegerRows = std::array<IntegerRow, 4>;

/// A formula of elements without its type, of n rows' places: y[i] = f(x[0][i], x[1][i], …); null where it is not for
/// such numbers. A truth is 0 or 1.
struct ElementFormula {
  const void* formula = nullptr;
  /// In float32 itself, of a formula of one operation: y are floats, or bytes where the formula `gives_truth`. Whether
  /// it is right for operands of these types, which are float32, or floats or integers of at most 16 bits, and for a
  /// result of this one; integers saturate.
  void (*single)(const void*, const float* const* x, std::size_t n, void* y) = nullptr;
  bool (*is_single)(const void*, std::span<const DType> operands, DType result) = nullptr;
  bool gives_truth = false;
  void (*ieee)(const void*, const double* const* x, std::size_t n, double* y) = nullptr;
  IntegerRows of_signed = {}, of_unsigned = {};
  std::uint64_t (*of_wholes)(const void*, const OperandElement* x) = nullptr;
  /// Of float32 and narrower numbers: doubts[i] is 1 where y[i] may not be the float nearest to the result, else 0. How
  /// many there are. `scale` is quick_scale; where that is infinite there is no quick tier.
  std::size_t (*quick)(const void*, const float* const* x, std::size_t n, double scale, float* y,
                       std::int32_t* doubts) = nullptr;
  double quick_scale = kInfinity;
  void (*estimate)(const void*, const double* const* x, std::size_t n, double* v, double* e) = nullptr;
  /// Of float64: doubts[i] is 0 where y[i] is the double nearest to the result.
  void (*pairs)(const void*, const double* const* x, std::size_t n, double* y, double* doubts) = nullptr;
  Interval (*exact)(const void*, const OperandElement* x) = nullptr;
  Faithful (*faithful)(const void*, const OperandElement* x) = nullptr;
  Sign sign = Sign::unknown;
  double greatest = kInfinity;
  bool is_sum = false;
  bool folds = false;      ///< of two: y = f(f(x[0], x[1]), x[2]) …, of any number of operands
  Conversion result = {};  ///< how the result's type takes what is not a number of its own
};
/// Y of the output's type, of the shape to which the operands broadcast. Each operand is read by its own type, of
/// numbers or bool; the result may be of another one: bool of a formula that gives a Truth, integers of real numbers
/// truncated, small floats rounded once. An element that the highest precision leaves open is `unsupported`.
Tensor elementwise(const Output& out, std::span<const Operand> operands, const ElementFormula& formula);
Tensor elementwise(const Output& out, std::span<const Tensor> operands, const ElementFormula& formula);
/// Y, of bool, of strings: holds(a, b) of each pair.
Tensor elementwise_of_texts(const Output& out, std::span<const Tensor> operands,
                            bool (*holds)(const std::string& a, const std::string& b));

/// Whether all operands are of one type, float32, float16 or bfloat16, and the result too, or it is bool.
bool are_of_one_float(std::span<const DType> operands, DType result);

// How a formula loses its type; what it is made of becomes a part of each clone.
template <class R, class F, class X, std::size_t... I>
OPREF_INLINE auto apply_at(const F& f, const X& x, std::index_sequence<I...>) {
  return f(x(I)...);
}
/// NaN has one pattern.
template <class T>
OPREF_INLINE T plain_result(const Native<T>& y) {
  return y.v == y.v ? y.v : std::numeric_limits<T>::quiet_NaN();
}
OPREF_INLINE std::uint8_t plain_result(Truth y) { return y.holds ? 1 : 0; }
OPREF_INLINE std::uint8_t bits_result(Truth y) { return y.holds ? 1 : 0; }
template <class N>
OPREF_INLINE typename Wrapped<N>::Bits bits_result(const Wrapped<N>& y) {
  return y.bits;
}
template <class F>
inline constexpr auto kOperands = std::make_index_sequence<F::arity>();

// Each copies the formula, so that its numbers stay in registers.
template <class F, class T, class Y>
__attribute__((flatten)) OPREF_CLONES void ieee_row(const void* formula, const T* const* rows, std::size_t n,
                                                    Y* __restrict y) {
  const F f = *static_cast<const F*>(formula);
  const T* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = rows[k];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    y[i] = plain_result(apply_at<Native<T>>(
        f, [&](std::size_t k) { return Native<T>(x[k][i]); }, kOperands<F>));
}
template <class Number, class F>
__attribute__((flatten)) OPREF_CLONES void integer_row(const void* formula, const void* const* rows, std::size_t n,
                                                       void* results) {
  using R = Wrapped<Number>;
  const F f = *static_cast<const F*>(formula);
  const typename R::Bits* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = static_cast<const typename R::Bits*>(rows[k]);
  auto* __restrict y = static_cast<decltype(bits_result(apply_at<R>(
      f, [&](std::size_t k) { return R::of(x[k][0]); }, kOperands<F>)))*>(results);
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    y[i] = bits_result(apply_at<R>(
        f, [&](std::size_t k) { return R::of(x[k][i]); }, kOperands<F>));
}
template <class F, class... Numbers>
constexpr IntegerRows integer_rows() {
  return {integer_row<Numbers, F>...};
}
template <class F>
__attribute__((flatten)) OPREF_CLONES std::size_t quick_row(const void* formula, const float* const* rows,
                                                            std::size_t n, double scale, float* __restrict y,
                                                            std::int32_t* __restrict doubts) {
  const F f = *static_cast<const F*>(formula);
  const float* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = rows[k];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const Quick f_x = apply_at<Quick>(
        f, [&](std::size_t k) { return Quick(static_cast<double>(x[k][i])); }, kOperands<F>);
    const auto low = static_cast<float>(__builtin_fma(-f_x.v, scale, f_x.v)),
               high = static_cast<float>(__builtin_fma(f_x.v, scale, f_x.v));
    y[i] = high;                      // -0 where f_x is -0
    doubts[i] = low == high ? 0 : 1;  // 1 where it is NaN or infinite
  }
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += doubts[i];
  return static_cast<std::size_t>(count);
}
template <class F>
__attribute__((flatten)) OPREF_CLONES void estimate_row(const void* formula, const double* const* rows, std::size_t n,
                                                        double* __restrict v, double* __restrict e) {
  const F& f = *static_cast<const F*>(formula);
  const double* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = rows[k];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const Bounded f_x = apply_at<Bounded>(
        f, [&](std::size_t k) { return Bounded(x[k][i]); }, kOperands<F>);
    const Bounded y = finish_estimate(F::sign, f_x, F::sign == Sign::positive ? 1.0 : x[0][i]);
    v[i] = y.v, e[i] = y.e;
  }
}
template <class F>
__attribute__((flatten)) OPREF_CLONES void pair_row(const void* formula, const double* const* rows, std::size_t n,
                                                    double* __restrict y, double* __restrict doubts) {
  const F f = *static_cast<const F*>(formula);
  const double* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = rows[k];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const auto nearest = nearest_double(apply_at<Paired>(
        f, [&](std::size_t k) { return Paired(x[k][i]); }, kOperands<F>));
    y[i] = nearest.value, doubts[i] = nearest.open;
  }
}
template <class F>
Interval exact_element(const void* formula, const OperandElement* x) {
  return apply_at<Interval>(
      *static_cast<const F*>(formula), [&](std::size_t k) { return x[k].interval(); }, kOperands<F>);
}
template <class F>
Faithful faithful_element(const void* formula, const OperandElement* x) {
  return apply_at<Faithful>(
      *static_cast<const F*>(formula), [&](std::size_t k) { return x[k].faithful(); }, kOperands<F>);
}
template <class F>
std::uint64_t whole_element(const void* formula, const OperandElement* x) {
  return static_cast<std::uint64_t>(
      apply_at<Whole>(
          *static_cast<const F*>(formula), [&](std::size_t k) { return Whole(x[k].whole); }, kOperands<F>)
          .v);
}
/// Of two, folded over the operands; of an only operand with itself.
template <class F>
bool is_single(const void* formula, std::span<const DType> operands, DType result) {
  const F& f = *static_cast<const F*>(formula);
  Held::begin(result);
  const auto any = [&](std::size_t k) { return Held::any(operands[std::min(k, operands.size() - 1)]); };
  auto y = apply_at<Held>(f, any, kOperands<F>);
  if constexpr (F::arity == 2 && std::is_same_v<decltype(y), Held>)
    for (std::size_t k = 2; k < operands.size(); ++k) y = f(y, any(k));
  return Held::is_right(y);
}
template <class R, class F>
inline constexpr bool kGivesTruth =
    std::is_same_v<Truth, decltype(apply_at<R>(
                              std::declval<F>(), [](std::size_t) { return R(0.0); }, kOperands<F>))>;
template <class F>
ElementFormula without_type(const F& f) {
  ElementFormula formula{.formula = &f, .sign = F::sign, .greatest = F::greatest, .is_sum = F::is_sum};
  if constexpr (F::integers) {
    formula.gives_truth = kGivesTruth<Signed, F>;
    formula.of_signed = integer_rows<F, std::int8_t, std::int16_t, std::int32_t, std::int64_t>();
    formula.of_unsigned = integer_rows<F, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
  }
  if constexpr (F::wholes) formula.of_wholes = whole_element<F>;
  if constexpr (F::one_operation) {
    using Plain = std::conditional_t<kGivesTruth<Ieee, F>, std::uint8_t, float>;
    formula.gives_truth = kGivesTruth<Ieee, F>;
    formula.ieee = ieee_row<F, double, double>;
    formula.single = [](const void* self, const float* const* x, std::size_t n, void* y) {
      ieee_row<F, float>(self, x, n, static_cast<Plain*>(y));
    };
    formula.is_single = is_single<F>;
  } else if constexpr (F::is_real) {
    formula.quick_scale = exact::quick_scale(apply_at<StaticBound>(
        f, [](std::size_t) { return StaticBound::any_input(); }, kOperands<F>));
    formula.quick = quick_row<F>;
    formula.estimate = estimate_row<F>;
    formula.pairs = pair_row<F>;
  }
  if constexpr (F::one_operation ? F::is_told : F::is_real)
    formula.exact = exact_element<F>, formula.faithful = faithful_element<F>;
  return formula;
}
template <class F>
Tensor elementwise(const Output& out, std::span<const Operand> operands, const F& f, const Conversion& result = {}) {
  ElementFormula formula = without_type(f);
  formula.result = result;
  return elementwise(out, operands, formula);
}
template <class F>
Tensor elementwise(const Output& out, std::span<const Tensor> operands, const F& f, const Conversion& result = {}) {
  ElementFormula formula = without_type(f);
  formula.result = result;
  return elementwise(out, operands, formula);
}
/// Y = f(f(operand 0, operand 1), operand 2) …: of an only operand that one.
template <class F>
Tensor folded(const Output& out, std::span<const Tensor> operands, const F& f) {
  ElementFormula formula = without_type(f);
  formula.folds = true;
  return elementwise(out, operands, formula);
}
/// `invalid` with the first position that is true, "B[1,0]", and the rule.
void require_false(const Tensor& truths, std::string_view name, std::string_view rule);
/// That the condition, a formula that gives a Truth, holds at a position of the operands' common shape is `invalid`:
/// "B[1,0]" with the rule. All positions are asked, whatever is asked of the output.
template <class F>
void require_nowhere(const Output& out, const Dims& shape, std::span<const Tensor> operands, const F& condition,
                     std::string_view name, std::string_view rule) {
  if (out.wanted()) require_false(elementwise(out.inner({DType::boolean, shape}), operands, condition), name, rule);
}

}  // namespace opref::evaluators
