// SPDX-License-Identifier: Apache-2.0
// Y = f(X, …) over real numbers, element by element with broadcasting: the formula takes numbers and gives one.
#pragma once

#include <span>
#include <utility>

#include "exact/real/plain.h"
#include "families/real.h"

namespace opref::families {

/// A formula of elements without its type, of n rows' places: y[i] = f(x[0][i], x[1][i], …); null where it is not for
/// such numbers.
struct ElementFormula {
  const void* formula = nullptr;
  void (*ieee)(const void*, const double* const* x, std::size_t n, double* y) = nullptr;
  void (*of_signed)(const void*, const std::uint64_t* const* x, std::size_t n, std::uint64_t* y) = nullptr;
  void (*of_unsigned)(const void*, const std::uint64_t* const* x, std::size_t n, std::uint64_t* y) = nullptr;
  void (*estimate)(const void*, const double* const* x, std::size_t n, double* v, double* e) = nullptr;
  Ball (*exact)(const void*, const double* x) = nullptr;
  bool is_sum = false;
};
/// Y of `type`, of the shape to which the operands broadcast. They and it are float16, bfloat16, float32, float64 or
/// integers of 8 to 64 bits. An element that the highest precision leaves open is `unsupported`.
Tensor elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands,
                   const ElementFormula& formula);

// How a formula loses its type; what it is made of becomes a part of each clone.
template <class R, class F, class X, std::size_t... I>
OPREF_INLINE R apply_at(const F& f, const X& x, std::index_sequence<I...>) {
  return f(x(I)...);
}
template <class F>
inline constexpr auto kOperands = std::make_index_sequence<F::arity>();

template <class F>
__attribute__((flatten)) OPREF_CLONES void ieee_row(const void* formula, const double* const* rows, std::size_t n,
                                                    double* __restrict y) {
  const F& f = *static_cast<const F*>(formula);
  const double* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = rows[k];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    y[i] = apply_at<Ieee>(
               f, [&](std::size_t k) { return Ieee(x[k][i]); }, kOperands<F>)
               .v;
}
template <class R, class F>
__attribute__((flatten)) OPREF_CLONES void integer_row(const void* formula, const std::uint64_t* const* rows,
                                                       std::size_t n, std::uint64_t* __restrict y) {
  const F& f = *static_cast<const F*>(formula);
  const std::uint64_t* x[F::arity];
  for (int k = 0; k < F::arity; ++k) x[k] = rows[k];
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    y[i] = apply_at<R>(
               f, [&](std::size_t k) { return R::of(x[k][i]); }, kOperands<F>)
               .bits;
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
Ball exact_element(const void* formula, const double* x) {
  return apply_at<Ball>(
      *static_cast<const F*>(formula), [&](std::size_t k) { return Ball(x[k]); }, kOperands<F>);
}
template <class F>
Tensor elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands, const F& f) {
  ElementFormula formula{.formula = &f, .is_sum = F::is_sum};
  if constexpr (F::integers) formula.of_signed = integer_row<Signed, F>, formula.of_unsigned = integer_row<Unsigned, F>;
  if constexpr (F::one_operation)
    formula.ieee = ieee_row<F>;
  else
    formula.estimate = estimate_row<F>, formula.exact = exact_element<F>;
  return elementwise(call, type, operands, formula);
}

}  // namespace opref::families
