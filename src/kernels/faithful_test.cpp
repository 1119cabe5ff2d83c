// SPDX-License-Identifier: Apache-2.0
// No kernel that rounds every operation leaves what Faithful says of it; and some come near, so that the bound is not
// much too wide.
#include "exact/real/faithful.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "exact/real/simulated_testing.h"
#include "kernels/formulas.h"
#include "ops/shared/formulas.h"

namespace opref::kernels {
namespace {

using exact::Faithful;
using exact::FaithfulSum;
using exact::KernelModel;
using exact::oracle::Random;
using exact::oracle::Simulated;
using exact::oracle::SimulatedKernel;
using exact::oracle::sum;

/// A formula of some numbers, as kernels compute it and as Faithful does.
struct Formula {
  std::string name;
  std::function<Faithful(std::span<const double>)> faithful;
  std::function<Simulated(std::span<const double>)> simulated;
  std::size_t arity;
  double least, most;  ///< of the inputs
  double use;          ///< some kernel uses so much of the bound at least
};
template <class F>
Formula formula(const std::string& name, std::size_t arity, double least, double most, double use, const F& f) {
  return {name,
          [f](std::span<const double> x) {
            std::vector<Faithful> of;
            for (const double one : x) of.push_back(Faithful::input(one));
            return f(std::span<const Faithful>(of));
          },
          [f](std::span<const double> x) {
            std::vector<Simulated> of(x.begin(), x.end());
            return f(std::span<const Simulated>(of));
          },
          arity,
          least,
          most,
          use};
}
template <class R>
R mean_of(std::span<const R> x) {
  return sum(x) / R::whole(x.size());
}

std::vector<Formula> formulas() {
  std::vector<Formula> all;
  const auto add = [&](const std::string& name, std::size_t arity, double least, double most, double use,
                       const auto& f) { all.push_back(formula(name, arity, least, most, use, f)); };
#define OPREF_ONE(function, least, most)                                      \
  add(#function, 1, least, most, 0.3, [](auto x) { return function(x[0]); }); \
  add(#function " of a product", 2, least, most, 0.1,                         \
      [](auto x) { return function(x[0] * x[1] * x[1] / x[1] / x[1]); });
  OPREF_ONE(sqrt, 0.001, 1000)
  OPREF_ONE(exp, -30, 30)
  OPREF_ONE(expm1, -3, 3)
  OPREF_ONE(log, 0.01, 100)
  OPREF_ONE(log1p, -0.9, 10)
  OPREF_ONE(sin, -10, 10)
  OPREF_ONE(cos, -10, 10)
  OPREF_ONE(tan, -1.4, 1.4)
  OPREF_ONE(asin, -0.9, 0.9)
  OPREF_ONE(acos, -0.9, 0.9)
  OPREF_ONE(atan, -10, 10)
  OPREF_ONE(sinh, -5, 5)
  OPREF_ONE(cosh, -5, 5)
  OPREF_ONE(tanh, -5, 5)
  OPREF_ONE(asinh, -10, 10)
  OPREF_ONE(acosh, 1.1, 10)
  OPREF_ONE(atanh, -0.9, 0.9)
  OPREF_ONE(erf, -3, 3)
  OPREF_ONE(erfc, -3, 5)
#undef OPREF_ONE
  add("pow", 2, 0.1, 3, 0.3, [](auto x) { return pow(x[0], x[1]); });
  add("pow of sums", 3, 0.1, 3, 0.1, [](auto x) { return pow(x[0] + x[1], x[1] + x[2]); });
  add("sum", 2, -3, 3, 0.3, [](auto x) { return x[0] + x[1]; });
  add("product", 2, -3, 3, 0.3, [](auto x) { return x[0] * x[1]; });
  add("quotient", 2, 0.1, 3, 0.3, [](auto x) { return x[0] / x[1]; });
  add("the greater of products", 4, -3, 3, 0.3, [](auto x) { return max(x[0] * x[1], x[2] * x[3]); });
  add("a choice", 3, -3, 3, 0.1, [](auto x) {
    return choose(
        x[0] * x[1] < x[2] * x[2], [&] { return x[0]; }, [&] { return x[1] * x[2]; });
  });
  add("sigmoid", 1, -20, 20, 0.1, [](auto x) { return ops::sigmoid(x[0]); });
  add("softplus", 1, -20, 20, 0.1, [](auto x) { return ops::softplus(x[0]); });
  add("elu", 2, -5, 5, 0.1, [](auto x) { return ops::elu(x[0], x[1]); });
  add("mish", 1, -10, 10, 0.05, [](auto x) { return x[0] * tanh(ops::softplus(x[0])); });
  add("gelu", 1, -6, 6, 0.05, [](auto x) {
    using R = std::remove_cvref_t<decltype(x[0])>;
    return x[0] * R(0.5) * erfc(-x[0] / sqrt(R(2.0)));
  });
  add("elu by e^x - 1", 2, -5, 5, 0.1, [](auto x) { return kernels::elu(x[0], x[1]); });
  add("celu", 2, 0.1, 5, 0.1, [](auto x) { return kernels::celu(-x[0], x[1]); });
  add("selu", 3, -5, 5, 0.05, [](auto x) { return kernels::selu(x[0], x[1], x[2]); });
  add("ln(e^x + 1)", 1, -20, 20, 0.1, [](auto x) { return kernels::softplus(x[0]); });
  add("log1p(e^x)", 1, -20, 20, 0.1, [](auto x) { return kernels::softplus_by_log1p(x[0]); });
  add("mish by ln(1 + e^x)", 1, -10, 10, 0.05, [](auto x) { return kernels::mish(x[0]); });
  add("tanh by powers", 1, -5, 5, 0.05, [](auto x) { return kernels::tanh_by_powers(x[0]); });
  add("tanh of twice x", 1, -5, 5, 0.05, [](auto x) { return kernels::tanh_of_twice(x[0]); });
  add("sigmoid by e^-x", 1, -20, 20, 0.1, [](auto x) { return kernels::sigmoid(x[0]); });
  add("swish by e^-x", 2, -5, 5, 0.05, [](auto x) { return kernels::swish(x[0], x[1]); });
  add("gelu by erf", 1, -6, 6, 0.05, [](auto x) { return kernels::gelu(x[0]); });
  add("gelu by tanh", 3, -6, 6, 0.02, [](auto x) { return kernels::gelu_by_tanh(x[0], x[1], x[2]); });
  add("sum of many", 300, -3, 3, 0.001, [](auto x) { return sum(x); });
  add("softmax", 20, -5, 5, 0.02, [](auto x) {
    using R = std::remove_cvref_t<decltype(x[0])>;
    R most = x[0];
    for (const R& one : x) most = max(most, one);
    std::vector<R> powers;
    for (const R& one : x) powers.push_back(exp(one - most));
    return powers[3] / sum(std::span<const R>(powers));
  });
  add("normalization", 50, -3, 8, 0.005, [](auto x) {
    using R = std::remove_cvref_t<decltype(x[0])>;
    const R mu = mean_of(x);
    std::vector<R> squares;
    for (const R& one : x) squares.push_back(square(one - mu));
    return (x[0] - mu) / sqrt(mean_of(std::span<const R>(squares)) + R(1e-5F));
  });
  return all;
}

/// An input that the accumulator has.
double input(Random& random, double least, double most) {
  return Simulated::nearest(least + (most - least) * static_cast<double>(random.in(0, 1000000)) * 1e-6);
}

/// The greatest part of its bound that some kernel used.
double greatest_share(const Formula& formula, std::uint64_t seed) {
  using Errors = SimulatedKernel::Errors;
  using Order = SimulatedKernel::Order;
  Random random(seed);
  Simulated::kernel = {};  // the draws of other tests leave no trace
  double greatest = 0;
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<double> x;
    for (std::size_t k = 0; k < formula.arity; ++k) x.push_back(input(random, formula.least, formula.most));
    const Faithful bound = formula.faithful(x);
    if (!(bound.error() < HUGE_VAL)) continue;
    for (const Errors errors : {Errors::nearest, Errors::random, Errors::up, Errors::outward})
      for (const Order order : {Order::forward, Order::reverse, Order::pairwise, Order::lanes}) {
        Simulated::kernel.errors = errors, Simulated::kernel.order = order;
        const double y = formula.simulated(x).v, off = std::abs((y - bound.high()) - bound.low());
        if (off > 0) greatest = std::max(greatest, off / bound.error());
      }
    for (std::uint32_t run = 0; run < 4; ++run) {
      const exact::SimulatedKernel kernel{.run = run};
      Faithful::simulated = &kernel;
      const double y = formula.faithful(x).high(), off = std::abs((y - bound.high()) - bound.low());
      Faithful::simulated = nullptr;
      if (off > 0) greatest = std::max(greatest, off / bound.error());
    }
  }
  return greatest;
}

constexpr KernelModel kFloat32{};
constexpr KernelModel kBFloat16{.bits = 8, .smallest_subnormal = 0x1p-133, .smallest_normal = 0x1p-126};
constexpr KernelModel kFloat16{.bits = 11, .smallest_subnormal = 0x1p-24, .smallest_normal = 0x1p-14};

}  // namespace

TEST_CASE("no kernel leaves the bound, and some come near it", "[bound]") {
  for (const KernelModel& model : {kFloat32, kFloat16, kBFloat16}) {
    Faithful::kernel = model;
    for (const Formula& formula : formulas()) {
      INFO(formula.name << " with " << model.bits << " bits");
      double share = 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) share = std::max(share, greatest_share(formula, seed));
      CHECK(share <= 1);
      if (model.bits == 24) CHECK(share >= formula.use);
    }
  }
  Faithful::kernel = {};
}

}  // namespace opref::kernels
