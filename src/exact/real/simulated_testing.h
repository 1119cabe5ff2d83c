// SPDX-License-Identifier: Apache-2.0
// Kernels that round every operation, as the model of Faithful allows: to the nearest number, or by any error up to the
// unit roundoff, of random or of constant sign; sums in several orders; functions off by up to their ULP.
#pragma once

#include <cmath>
#include <concepts>
#include <span>

#include "exact/oracle_testing.h"
#include "exact/real/faithful.h"

namespace opref::exact::oracle {

struct SimulatedKernel {
  enum class Errors : std::uint8_t { nearest, random, up, outward } errors = Errors::nearest;
  enum class Order : std::uint8_t { forward, reverse, pairwise, lanes } order = Order::forward;
  Random random{1};
};

struct Simulated {
  static inline thread_local SimulatedKernel kernel;
  double v;
  Simulated(double x) : v(settled(x)) {}
  template <std::integral N>
  static Simulated whole(N n) {
    return {static_cast<double>(n)};
  }

  /// An operation's result, rounded; of up to 24 bits, so that doubles round once.
  static double settled(double x) {
    const KernelModel& model = Faithful::kernel;
    if (model.holds(x) || !std::isfinite(x)) return x;
    const double u = model.unit_roundoff() * (1 - 0x1p-20);  // for what doubles round
    switch (kernel.errors) {
      case SimulatedKernel::Errors::nearest:
        return nearest(x);
      case SimulatedKernel::Errors::random:
        return x * (1 + u * (kernel.random.sign()));
      case SimulatedKernel::Errors::up:
        return x + std::abs(x) * u;
      default:
        return x * (1 + u);
    }
  }
  static double nearest(double x) {
    const KernelModel& model = Faithful::kernel;
    int exponent = 0;
    std::frexp(x, &exponent);
    const double place = std::max(std::ldexp(1.0, exponent - model.bits), model.smallest_subnormal);
    return std::nearbyint(x / place) * place;
  }
  /// A function's result, off by up to `ulp`; an exact zero, as of log(1), is no approximation.
  static Simulated off(double x, double ulp) {
    if (x == 0) return of(x);
    const KernelModel& model = Faithful::kernel;
    const double one = std::max(2 * model.unit_roundoff() * std::abs(x), model.smallest_subnormal);
    double part = static_cast<double>(kernel.random.in(-1000, 1000)) / 1000;
    if (kernel.errors == SimulatedKernel::Errors::random) part = part < 0 ? -1 : 1;
    if (kernel.errors == SimulatedKernel::Errors::up) part = 1;
    if (kernel.errors == SimulatedKernel::Errors::outward) part = x < 0 ? -1 : 1;
    Simulated y(0);
    y.v = x + part * ulp * one * (1 - 0x1p-20);
    return y;
  }
  static Simulated of(double x) {
    Simulated y(0);
    y.v = x;
    return y;
  }
};
inline bool is_finite(const Simulated& x) { return std::isfinite(x.v); }
inline Simulated operator-(const Simulated& x) { return Simulated::of(-x.v); }
/// Numbers of the type have an exact sum below its normal ones.
inline Simulated operator+(const Simulated& x, const Simulated& y) {
  const double sum = x.v + y.v;
  return std::abs(sum) < Faithful::kernel.smallest_normal ? Simulated::of(sum) : Simulated(sum);
}
inline Simulated operator-(const Simulated& x, const Simulated& y) { return x + -y; }
inline bool is_power_of_two(const Simulated& x) {
  int exponent = 0;
  return std::abs(std::frexp(x.v, &exponent)) == 0.5;
}
/// Of numbers of the type: functions' results are taken as such, though `off` does not round them.
inline Simulated operator*(const Simulated& x, const Simulated& y) {
  return is_power_of_two(x) || is_power_of_two(y) ? Simulated::of(x.v * y.v) : Simulated(x.v * y.v);
}
inline Simulated operator/(const Simulated& x, const Simulated& y) {
  if (is_power_of_two(y)) return Simulated::of(x.v / y.v);
  return Simulated::off(x.v / y.v, Faithful::kernel.functions.division);
}
inline Simulated square(const Simulated& x) { return x * x; }
inline Simulated abs(const Simulated& x) { return Simulated::of(std::abs(x.v)); }
inline Simulated max(const Simulated& x, const Simulated& y) { return Simulated::of(std::max(x.v, y.v)); }
inline Simulated min(const Simulated& x, const Simulated& y) { return Simulated::of(std::min(x.v, y.v)); }
#define OPREF_SIMULATED(function, ulp)                                         \
  inline Simulated function(const Simulated& x) {                              \
    return Simulated::off(std::function(x.v), Faithful::kernel.functions.ulp); \
  }
OPREF_SIMULATED(sqrt, sqrt)
OPREF_SIMULATED(exp, exp)
OPREF_SIMULATED(expm1, exp)
OPREF_SIMULATED(log, log)
OPREF_SIMULATED(log1p, log1p)
OPREF_SIMULATED(sin, sin)
OPREF_SIMULATED(cos, sin)
OPREF_SIMULATED(tan, tan)
OPREF_SIMULATED(asin, sin)
OPREF_SIMULATED(acos, sin)
OPREF_SIMULATED(atan, tan)
OPREF_SIMULATED(sinh, sin)
OPREF_SIMULATED(cosh, sin)
OPREF_SIMULATED(tanh, tan)
OPREF_SIMULATED(asinh, sin)
OPREF_SIMULATED(acosh, sin)
OPREF_SIMULATED(atanh, tan)
OPREF_SIMULATED(erf, erf)
OPREF_SIMULATED(erfc, erf)
#undef OPREF_SIMULATED
inline Simulated pow(const Simulated& x, const Simulated& y) {
  return Simulated::off(std::pow(x.v, y.v), Faithful::kernel.functions.pow);
}
inline Simulated pi(const Simulated&) { return {3.14159265358979323846}; }
struct SimulatedLess {
  bool holds;
};
inline SimulatedLess operator<(const Simulated& x, const Simulated& y) { return {x.v < y.v}; }
template <class F, class G>
Simulated choose(SimulatedLess condition, const F& f, const G& g) {
  return condition.holds ? f() : g();
}

inline Simulated pairwise(std::span<const Simulated> x) {
  if (x.size() == 1) return x[0];
  return pairwise(x.first(x.size() / 2)) + pairwise(x.subspan(x.size() / 2));
}
inline Simulated sum(std::span<const Simulated> x) {
  using Order = SimulatedKernel::Order;
  const std::size_t n = x.size();
  const Order order = Simulated::kernel.order;
  if (order == Order::pairwise) return pairwise(x);
  constexpr std::size_t kLanes = 8;
  const std::size_t lanes = order == Order::lanes ? std::min(kLanes, n) : 1;
  std::vector<Simulated> total;
  for (std::size_t i = 0; i < n; ++i) {
    const Simulated& next = x[order == Order::reverse ? n - 1 - i : i];
    if (i < lanes)
      total.push_back(next);
    else
      total[i % lanes] = total[i % lanes] + next;
  }
  Simulated y = total[0];
  for (std::size_t k = 1; k < lanes; ++k) y = y + total[k];
  return y;
}
inline Faithful sum(std::span<const Faithful> x) {
  FaithfulSum total;
  for (const Faithful& one : x) total.add(one);
  return total.total();
}

}  // namespace opref::exact::oracle
