// SPDX-License-Identifier: Apache-2.0
#include "fast/transform.h"

#include "exact/lanes.h"

namespace opref::fast {
namespace {

/// A double of each of several lines.
template <int Lanes>
struct LanesOf {
  using Number = typename exact::VectorOf<double, Lanes>::Anywhere;  // rooms are aligned for double
};
template <>
struct LanesOf<1> : Doubles {};

template <int Lanes>
OPREF_INLINE auto gathered(const double* numbers, std::size_t step) {
  if constexpr (Lanes == 1) {
    return *numbers;
  } else {
    exact::Doubles<Lanes> all;
#pragma GCC unroll 8
    for (int l = 0; l < Lanes; ++l) all[l] = numbers[static_cast<std::size_t>(l) * step];
    return all;
  }
}

template <int Lanes>
OPREF_INLINE double* run(const TransformPlan& plan, const double* numbers, bool are_real, double* x_room,
                         double* y_room, double* squares) {
  using V = LanesOf<Lanes>;
  auto *x = reinterpret_cast<Complex<V>*>(x_room), *y = reinterpret_cast<Complex<V>*>(y_room);
  const std::size_t N = plan.N, step = are_real ? N : 2 * N;
  typename V::Number sum = {};
  for (std::size_t n = 0; n < N; ++n) {
    Complex<V> a = {};
    a.re = gathered<Lanes>(numbers + n, step);
    if (!are_real) a.im = gathered<Lanes>(numbers + N + n, step);
    sum += a.re * a.re + a.im * a.im;
    x[n] = a;
  }
  *reinterpret_cast<typename V::Number*>(squares) = sum;
  const Complex<Doubles>* turns = plan.turns.data();
  if (plan.chirp.empty()) return reinterpret_cast<double*>(by_stages(plan.stages, turns, x, y));
  for (std::size_t n = 0; n < N; ++n) x[n] = x[n] * plan.chirp[n];
  for (std::size_t n = N; n < plan.length; ++n) x[n] = Complex<V>{};
  Complex<V>* z = by_stages(plan.stages, turns, x, y);
  for (std::size_t k = 0; k < plan.length; ++k) z[k] = conjugate(z[k] * plan.filter[k]);
  z = by_stages(plan.stages, turns, z, z == x ? y : x);
  for (std::size_t k = 0; k < N; ++k) z[k] = conjugate(z[k]) * plan.chirp[k];
  return reinterpret_cast<double*>(z);
}

using Run = double* (*)(const TransformPlan&, const double*, bool, double*, double*, double*);
struct Kernel {
  std::size_t lanes;
  Run run;
};

#if defined(__x86_64__)
#define OPREF_RUN(name, isa, Lanes)                                                                             \
  [[gnu::target(isa)]] double* name(const TransformPlan& plan, const double* numbers, bool are_real, double* x, \
                                    double* y, double* squares) {                                               \
    return run<Lanes>(plan, numbers, are_real, x, y, squares);                                                  \
  }
OPREF_RUN(avx512, "avx512f,fma", 8)
OPREF_RUN(avx2, "avx2,fma", 4)
#undef OPREF_RUN
#endif
template <int Lanes>
double* portable(const TransformPlan& plan, const double* numbers, bool are_real, double* x, double* y,
                 double* squares) {
  return run<Lanes>(plan, numbers, are_real, x, y, squares);
}

Kernel best_kernel() {
#if defined(__x86_64__)
  if (exact::lanes() == 8) return {8, avx512};
  if (exact::lanes() == 4) return {4, avx2};
#endif
  return {2, portable<2>};
}
const Kernel& kernel() {
  static const Kernel best = best_kernel();
  return best;
}

}  // namespace

std::size_t transform_lanes() { return kernel().lanes; }

double* transform(const TransformPlan& plan, std::size_t lanes, const double* numbers, bool are_real, double* x,
                  double* y, double* squares) {
  return (lanes == 1 ? portable<1> : kernel().run)(plan, numbers, are_real, x, y, squares);
}

}  // namespace opref::fast
