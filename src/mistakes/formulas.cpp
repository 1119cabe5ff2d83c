// SPDX-License-Identifier: Apache-2.0
// Functions as their page writes them, each operation rounded: where the terms cancel, or the powers of e overflow,
// that is another function.
#include <algorithm>
#include <cmath>
#include <concepts>

#include "evaluators/elements.h"
#include "exact/narrow_sum.h"
#include "exact/real/interval.h"
#include "exact/real/plain.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "exact/term_sink.h"
#include "kernels/formulas.h"
#include "mistakes/tools.h"
#include "ops/shared/normalization.h"
#include "ops/shared/reductions.h"

namespace opref::mistakes {
namespace {

using evaluators::Elements;

/// A number of type T. What operations on it give is rounded to T; of functions that are no operation of IEEE 754
/// nearly always correctly.
template <class T>
struct Step {
  double v;
  explicit Step(double x) : v(NarrowSum<T>::rounded(x)) {}
  Step operator-() const { return Step(-v); }
  friend Step operator+(Step a, Step b) { return Step(a.v + b.v); }
  friend Step operator-(Step a, Step b) { return Step(a.v - b.v); }
  friend Step operator*(Step a, Step b) { return Step(a.v * b.v); }
  friend Step operator/(Step a, Step b) { return Step(a.v / b.v); }
  friend exact::Truth operator<(Step a, Step b) { return {a.v < b.v}; }
  friend Step select(bool first, Step a, Step b) { return first ? a : b; }
  friend Step max(Step a, Step b) { return Step(std::isnan(a.v) || a.v > b.v ? a.v : b.v); }
  friend Step min(Step a, Step b) { return Step(std::isnan(a.v) || a.v < b.v ? a.v : b.v); }
  friend Step exp(Step a) { return Step(std::exp(a.v)); }
  friend Step log(Step a) { return Step(std::log(a.v)); }
  friend Step sqrt(Step a) { return Step(std::sqrt(a.v)); }
  friend Step tanh(Step a) { return Step(std::tanh(a.v)); }
  friend Step erf(Step a) { return Step(std::erf(a.v)); }
  friend Step sin(Step a) { return Step(std::sin(a.v)); }
  friend Step cos(Step a) { return Step(std::cos(a.v)); }
  friend Step tan(Step a) { return Step(std::tan(a.v)); }
  friend Step rint(Step a) { return Step(std::nearbyint(a.v)); }
};

// --- formulas of one element: those that right kernels use, too, and some that none should

struct OfAlpha {
  double alpha;
  explicit OfAlpha(const Call& call) : alpha(call.number("alpha")) {}
};

struct Softplus {
  template <class N>
  N operator()(N x) const {
    return kernels::softplus(x);
  }
};
struct Tanh {
  template <class N>
  N operator()(N x) const {
    return kernels::tanh_by_powers(x);
  }
};
// 2/(1 + e^-2x) - 1
struct TanhBySigmoid {
  template <class N>
  N operator()(N x) const {
    return N(2) / (N(1) + exp(N(-2) * x)) - N(1);
  }
};
struct Sigmoid {
  template <class N>
  N operator()(N x) const {
    return kernels::sigmoid(x);
  }
};
// e^x/(1 + e^x)
struct SigmoidByQuotient {
  template <class N>
  N operator()(N x) const {
    return exp(x) / (N(1) + exp(x));
  }
};
// (e^x - e^-x)/2
struct Sinh {
  template <class N>
  N operator()(N x) const {
    return (exp(x) - exp(-x)) / N(2);
  }
};
// (e^x + e^-x)/2
struct Cosh {
  template <class N>
  N operator()(N x) const {
    return (exp(x) + exp(-x)) / N(2);
  }
};
// log(x + √(x² + 1))
struct Asinh {
  template <class N>
  N operator()(N x) const {
    return log(x + sqrt(x * x + N(1)));
  }
};
// log(x + √(x² - 1))
struct Acosh {
  template <class N>
  N operator()(N x) const {
    return log(x + sqrt(x * x - N(1)));
  }
};
// log((1 + x)/(1 - x))/2
struct Atanh {
  template <class N>
  N operator()(N x) const {
    return N(0.5) * log((N(1) + x) / (N(1) - x));
  }
};
struct Mish {
  template <class N>
  N operator()(N x) const {
    return kernels::mish(x);
  }
};
struct Elu : OfAlpha {
  using OfAlpha::OfAlpha;
  template <class N>
  N operator()(N x) const {
    return kernels::elu(x, N(alpha));
  }
};
struct Selu : OfAlpha {
  double gamma;
  explicit Selu(const Call& call) : OfAlpha(call), gamma(call.number("gamma")) {}
  template <class N>
  N operator()(N x) const {
    return kernels::selu(x, N(alpha), N(gamma));
  }
};
// gamma·alpha·(e^x - 1)
struct SeluOfDifference : Selu {
  using Selu::Selu;
  template <class N>
  N operator()(N x) const {
    return kernels::below_zero(x, N(gamma) * (N(alpha) * (exp(x) - N(1))), N(gamma) * x);
  }
};
struct Celu : OfAlpha {
  using OfAlpha::OfAlpha;
  template <class N>
  N operator()(N x) const {
    return kernels::celu(x, N(alpha));
  }
};
// Both branches, times 0 and 1: (x > 0)·x + (x <= 0)·f(x), NaN where f overflows.
template <class F>
struct BothBranches : F {
  using F::F;
  template <class N>
  N operator()(N x) const {
    const bool is_above = x.v > 0;
    return N(is_above) * x + N(!is_above) * below(x);
  }
  template <class N>
  N below(N x) const {
    const N factor(this->alpha);
    if constexpr (std::is_same_v<F, Celu>)
      return factor * (exp(x / factor) - N(1));
    else
      return factor * (exp(x) - N(1));
  }
};

// f(x - k·2π), of the nearest multiple of 2π as a number of the type
struct Reduced {
  template <class N>
  static N argument(N x) {
    const N period(2 * M_PI);
    return x - rint(x / period) * period;
  }
};
struct ReducedSin : Reduced {
  template <class N>
  N operator()(N x) const {
    return sin(argument(x));
  }
};
struct ReducedCos : Reduced {
  template <class N>
  N operator()(N x) const {
    return cos(argument(x));
  }
};
struct ReducedTan : Reduced {
  template <class N>
  N operator()(N x) const {
    return tan(argument(x));
  }
};
struct Swish : OfAlpha {
  using OfAlpha::OfAlpha;
  template <class N>
  N operator()(N x) const {
    return kernels::swish(x, N(alpha));
  }
};
// x·sigmoid(alpha·x)
struct SwishByProduct : OfAlpha {
  using OfAlpha::OfAlpha;
  template <class N>
  N operator()(N x) const {
    return x * (N(1) / (N(1) + exp(-(N(alpha) * x))));
  }
};
struct Gelu {
  template <class N>
  N operator()(N x) const {
    return kernels::gelu(x);
  }
};
struct GeluByTanh {
  template <class N>
  N operator()(N x) const {
    return kernels::gelu_by_tanh(x, N(std::sqrt(2 / M_PI)), N(0.044715));
  }
};

/// In which type the operations are rounded: the output's own, or float32 where that has 16 bits.
enum class In : std::uint8_t { own, float32 };

template <In in>
bool has_fitting_floats(const Call& call) {
  const TensorType& x = call.inputs().front().type.tensor;
  return is_floating(x.dtype) && (in == In::own ? info(x.dtype).bits >= 16 : info(x.dtype).bits == 16);
}

/// What `explain` asks of a function of real numbers: one element.
void tell(const Output& out, const Tensor& y) {
  if (out.sink() != nullptr && out.only()) out.sink()->real("", Interval(floating_element(y, *out.only())));
}

template <class F, In in>
std::vector<Value> step_by_step(const Call& call, std::span<const Output> outs) {
  const Elements x(*call.inputs().front().value->tensor());
  const F f = [&] {
    if constexpr (std::constructible_from<F, const Call&>)
      return F(call);
    else
      return F();
  }();
  return with_float(outs[0].type().dtype, [&]<class T>(T) -> std::vector<Value> {
    using N = Step<std::conditional_t<in == In::own, T, float>>;
    const Tensor y =
        tensor_of_bits(outs[0].type(), [&](std::int64_t i) { return to_bits(nearest<T>(f(N(x.number(i))).v)); });
    tell(outs[0], y);
    return {y};
  });
}

// --- formulas of a line

// Its numbers become one.
struct LogarithmOfSum {
  template <class N>
  N operator()(const std::vector<N>& x) const {
    N sum(0);
    for (const N& number : x) sum = sum + number;
    return log(sum);
  }
};
struct LogarithmOfPowers {
  template <class N>
  N operator()(std::vector<N> x) const {
    for (N& number : x) number = exp(number);
    return LogarithmOfSum()(x);
  }
};
struct GreatestAndLogarithm {
  template <class N>
  N operator()(std::vector<N> x) const {
    const N most = *std::ranges::max_element(x, [](const N& a, const N& b) { return a.v < b.v; });
    for (N& number : x) number = number - most;
    return most + LogarithmOfPowers()(x);
  }
};

template <class F, In in>
std::vector<Value> reduced_line_by_line(const Call& call, std::span<const Output> outs) {
  const Elements numbers(call.input("data"));
  const ops::Reduction lines = ops::reduction(call);
  if (lines.count() == 0) return computed_rightly(call, outs);
  return with_float(outs[0].type().dtype, [&]<class T>(T) -> std::vector<Value> {
    using N = Step<std::conditional_t<in == In::own, T, float>>;
    const Tensor y = tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
      std::vector<N> line;
      lines.each(i, [&](std::int64_t at) { line.emplace_back(numbers.number(at)); });
      return to_bits(nearest<T>(F()(line).v));
    });
    tell(outs[0], y);
    return {y};
  });
}

// The numbers of a line become its results.
struct SoftmaxOfPowers {
  template <class N>
  void operator()(std::vector<N>& x) const {
    N sum(0);
    for (N& power : x) power = exp(power), sum = sum + power;
    for (N& power : x) power = power / sum;
  }
};
struct LogarithmOfQuotient {
  template <class N>
  void operator()(std::vector<N>& x) const {
    SoftmaxOfPowers()(x);
    for (N& y : x) y = log(y);
  }
};
struct LessLogarithm {
  template <class N>
  void operator()(std::vector<N>& x) const {
    N sum(0);
    for (const N& number : x) sum = sum + exp(number);
    for (N& number : x) number = number - log(sum);
  }
};
struct LogarithmOfSoftmax {
  template <class N>
  void operator()(std::vector<N>& x) const {
    const N most = *std::ranges::max_element(x, [](const N& a, const N& b) { return a.v < b.v; });
    for (N& number : x) number = number - most;
    LogarithmOfQuotient()(x);
  }
};

template <class F, In in>
std::vector<Value> line_by_line(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  const Elements numbers(input);
  const ops::SliceAxes lines = ops::slice_axes(call);
  return with_float(outs[0].type().dtype, [&]<class T>(T) -> std::vector<Value> {
    using N = Step<std::conditional_t<in == In::own, T, float>>;
    std::vector<std::uint64_t> bits(static_cast<size_t>(input.count()));
    for (std::int64_t k = 0; lines.n > 0 && k < lines.outer * lines.inner; ++k) {
      const std::int64_t first = k / lines.inner * lines.n * lines.inner + k % lines.inner;
      std::vector<N> line;
      for (std::int64_t i = 0; i < lines.n; ++i) line.emplace_back(numbers.number(first + i * lines.inner));
      F()(line);
      for (std::int64_t i = 0; i < lines.n; ++i)
        bits[static_cast<size_t>(first + i * lines.inner)] = to_bits(nearest<T>(line[static_cast<size_t>(i)].v));
    }
    const Tensor y = tensor_of_bits(outs[0].type(), [&](std::int64_t i) { return bits[static_cast<size_t>(i)]; });
    tell(outs[0], y);
    return {y};
  });
}

Row row(std::string_view op_type, std::string_view formula, In in, Made made) {
  return {{op_type}, format("{}, each step {}", formula, in == In::own ? "rounded" : "in float32"), std::move(made)};
}
template <class F>
void add(Table& table, std::string_view op_type, std::string_view formula) {
  table.push_back(row(op_type, formula, In::own, computed_by(has_fitting_floats<In::own>, step_by_step<F, In::own>)));
}
/// What float32 still shows in float16: terms that cancel.
template <class F>
void add_both(Table& table, std::string_view op_type, std::string_view formula) {
  add<F>(table, op_type, formula);
  table.push_back(
      row(op_type, formula, In::float32, computed_by(has_fitting_floats<In::float32>, step_by_step<F, In::float32>)));
}
template <class F>
void add_line(Table& table, std::string_view op_type, std::string_view formula) {
  table.push_back(row(op_type, formula, In::own, computed_by(has_fitting_floats<In::own>, line_by_line<F, In::own>)));
}
template <class F>
void add_both_lines(Table& table, std::string_view op_type, std::string_view formula) {
  add_line<F>(table, op_type, formula);
  table.push_back(
      row(op_type, formula, In::float32, computed_by(has_fitting_floats<In::float32>, line_by_line<F, In::float32>)));
}

template <class F>
void add_reduction(Table& table, std::string_view op_type, std::string_view formula) {
  table.push_back(
      row(op_type, formula, In::own, computed_by(has_fitting_floats<In::own>, reduced_line_by_line<F, In::own>)));
}
template <class F>
void add_both_reductions(Table& table, std::string_view op_type, std::string_view formula) {
  add_reduction<F>(table, op_type, formula);
  table.push_back(row(op_type, formula, In::float32,
                      computed_by(has_fitting_floats<In::float32>, reduced_line_by_line<F, In::float32>)));
}

Table all_formulas() {
  Table table;
  add_both<Softplus>(table, "Softplus", "log(1 + e^x)");
  add<Sigmoid>(table, "Sigmoid", "1/(1 + e^-x)");
  add<SigmoidByQuotient>(table, "Sigmoid", "e^x/(1 + e^x)");
  add_both<Tanh>(table, "Tanh", "(e^x - e^-x)/(e^x + e^-x)");
  add_both<TanhBySigmoid>(table, "Tanh", "2/(1 + e^-2x) - 1");
  add_both<Gelu>(table, "Gelu", "x/2 times (1 + erf(x/root 2))");
  add_both<GeluByTanh>(table, "Gelu", "x/2 times (1 + tanh)");
  add_both<Elu>(table, "Elu", "alpha times (e^x - 1)");
  add_both<Selu>(table, "Selu", "gamma times (alpha e^x - alpha)");
  add_both<SeluOfDifference>(table, "Selu", "gamma alpha times (e^x - 1)");
  add_both<Celu>(table, "Celu", "alpha times (e^(x/alpha) - 1)");
  add<BothBranches<Elu>>(table, "Elu", "both branches times 0 and 1");
  add<BothBranches<Celu>>(table, "Celu", "both branches times 0 and 1");
  add<ReducedSin>(table, "Sin", "sin(x - k times 2 pi)");
  add<ReducedCos>(table, "Cos", "cos(x - k times 2 pi)");
  add<ReducedTan>(table, "Tan", "tan(x - k times 2 pi)");
  add<Swish>(table, "Swish", "x/(1 + e^(-alpha x))");
  add<SwishByProduct>(table, "Swish", "x times the sigmoid");
  add_both<Mish>(table, "Mish", "x tanh(log(1 + e^x))");
  add_both<Sinh>(table, "Sinh", "(e^x - e^-x)/2");
  add<Cosh>(table, "Cosh", "(e^x + e^-x)/2");
  add_both<Asinh>(table, "Asinh", "log(x + root of (x^2 + 1))");
  add<Acosh>(table, "Acosh", "log(x + root of (x^2 - 1))");
  add_both<Atanh>(table, "Atanh", "log((1 + x)/(1 - x))/2");
  add_line<SoftmaxOfPowers>(table, "Softmax", "e^x over the sum of e^x");
  add_both_lines<LogarithmOfQuotient>(table, "LogSoftmax", "the logarithm of (e^x over the sum of e^x)");
  add_both_lines<LessLogarithm>(table, "LogSoftmax", "x - log of the sum of e^x");
  add_both_lines<LogarithmOfSoftmax>(table, "LogSoftmax", "the logarithm of Softmax");
  add_reduction<LogarithmOfSum>(table, "ReduceLogSum", "log of the sum");
  add_both_reductions<LogarithmOfPowers>(table, "ReduceLogSumExp", "log of the sum of e^x");
  add_both_reductions<GreatestAndLogarithm>(table, "ReduceLogSumExp",
                                            "the greatest x plus log of the sum of e^(x - greatest)");
  return table;
}

}  // namespace

const Table& formulas() {
  static const Table table = all_formulas();
  return table;
}

}  // namespace opref::mistakes
