// Y = f(X, …) over real numbers, rounded once: element by element with broadcasting, or slice by slice.
//
// A formula is a struct with one templated call operator, derived from RealFormula, whose traits say how it may be
// worked out:
// - double, where it is `one_operation` of IEEE 754: rounded once more it is right (Figueroa 1995: 53 >= 2·24 + 2)
// - std::uint64_t, where it has `integers`: modulo 2^64, whose low bits are those of every integer type
// - Bounded, a double and how wrong it can be: decides nearly all elements of narrow types
// - Ball, an interval of rising precision: decides the rest
#pragma once

#include <span>
#include <utility>

#include "exact/real/ball.h"
#include "exact/real/bounded.h"
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

/// n numbers that belong together.
template <class R>
struct Row;
template <>
struct Row<Bounded> {
  double *v, *e;
  std::size_t n;
};
template <>
struct Row<Ball> {
  Ball* x;
  std::size_t n;
};
/// A formula of slices without its type: y from x.
struct SliceFormula {
  const void* formula = nullptr;
  void (*estimate)(const void*, Row<Bounded> x, Row<Bounded> y) = nullptr;
  void (*exact)(const void*, Row<Ball> x, Row<Ball> y) = nullptr;
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
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) y[i] = apply_at<R>(f, x, i, std::make_index_sequence<F::arity>());
}
template <class F>
Tensor elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands, const F& f) {
  ElementFormula formula{.formula = &f, .is_sum = F::is_sum};
  if constexpr (F::integers) formula.integer = apply_row<std::uint64_t, F>;
  if constexpr (F::one_operation) formula.ieee = apply_row<double, F>;
  return elementwise(call, type, operands, formula);
}

// What formulas of slices are written with.
template <class F>
OPREF_INLINE void map(Row<Bounded> to, Row<Bounded> from, const F& f) {
  double* __restrict v = to.v;
  double* __restrict e = to.e;
  const double *from_v = from.v, *from_e = from.e;
#pragma GCC ivdep
  for (std::size_t i = 0; i < to.n; ++i) {
    const Bounded y = f(Bounded(from_v[i], from_e[i]));
    v[i] = y.v, e[i] = y.e;
  }
}
template <class F>
void map(Row<Ball> to, Row<Ball> from, const F& f) {
  for (std::size_t i = 0; i < to.n; ++i) to.x[i] = f(from.x[i]);
}

/// Σ x. In 16 lanes of compensated sums, which are then added likewise: what additions lose is added up apart, r of
/// each, and then added. A lost part meets at most n/16 roundings in its lane and 3·16 after it, so that what is added
/// up apart is wrong by at most (n/16 + 4·16)·2^-53·Σ|r|.
OPREF_INLINE Bounded sum(Row<Bounded> x) {
  constexpr std::size_t kLanes = 16;
  double high[kLanes] = {}, low[kLanes] = {}, e[kLanes] = {}, lost[kLanes] = {};
  const auto add = [&](std::size_t k, double b, double error) __attribute__((always_inline)) {
    const double a = high[k], s = a + b, t = s - a, r = (a - (s - t)) + (b - t);
    high[k] = s, low[k] += r, lost[k] += std::abs(r), e[k] += error;
  };
  std::size_t i = 0;
  for (; i + kLanes <= x.n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) add(k, x.v[i + k], x.e[i + k]);
  for (std::size_t k = 0; i < x.n; ++i, ++k) add(k, x.v[i], x.e[i]);
  double total = 0, rest = 0, errors = 0, all_lost = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double s = total + high[k], t = s - total, r = (total - (s - t)) + (high[k] - t);
    total = s, rest += r + low[k], errors += e[k], all_lost += lost[k] + std::abs(r);
  }
  Bounded y = Bounded(total) + Bounded(rest);
  y.e += errors + all_lost * (static_cast<double>(x.n) / kLanes + 4 * kLanes) * 0x1p-53;
  return y;
}
inline Ball sum(Row<Ball> x) {
  Ball y(0.0);
  for (std::size_t i = 0; i < x.n; ++i) y = y + x.x[i];
  return y;
}

/// The greatest of exact numbers of which none is NaN; else anything.
OPREF_INLINE Bounded greatest(Row<Bounded> x) {
  double most = x.v[0];
  for (std::size_t i = 1; i < x.n; ++i) most = most < x.v[i] ? x.v[i] : most;
  return most;
}
inline Ball greatest(Row<Ball> x) {
  const Ball* most = x.x;
  for (std::size_t i = 1; i < x.n; ++i)
    if (mpfr_greater_p(x.x[i].low(), most->low()) != 0) most = x.x + i;
  return *most;
}
OPREF_INLINE bool is_finite(const Bounded& x) { return std::abs(x.v) <= 0x1.fffffffffffffp1023; }
inline bool is_finite(const Ball& x) { return mpfr_number_p(x.low()) != 0 && mpfr_number_p(x.high()) != 0; }

/// Pays for the roundings of the bound itself and of both ends. A positive number near zero is in (0, |v| + e], whose
/// lower end may as well be 2^-40 of it: all below rounds to +0.
OPREF_INLINE void finish_estimate(Sign sign, double& v, double& e) {
  e = e == 0 ? 0 : e * 1.01 + std::abs(v) * 0x1p-52;
  if (sign == Sign::unknown) return;
  const double half = (std::abs(v) + e) / 2;
  const bool near_zero = (half < 0x1p-800) & (std::abs(v) <= e);
  e = near_zero ? half * (1 - 0x1p-40) : e;
  v = near_zero ? half : v;
}
template <class F>
__attribute__((flatten)) OPREF_CLONES void estimate_slice(const void* formula, Row<Bounded> x, Row<Bounded> y) {
  (*static_cast<const F*>(formula))(x, y);
  for (std::size_t i = 0; i < y.n; ++i) finish_estimate(F::sign, y.v[i], y.e[i]);
}
template <class F>
void exact_slice(const void* formula, Row<Ball> x, Row<Ball> y) {
  (*static_cast<const F*>(formula))(x, y);
}
template <class F>
Tensor slices(const Call& call, const TensorType& type, const Tensor& x, std::int64_t outer, std::int64_t n,
              std::int64_t inner, const F& f) {
  return slices(call, type, x, outer, n, inner, SliceFormula{&f, estimate_slice<F>, exact_slice<F>});
}

}  // namespace opref::families
