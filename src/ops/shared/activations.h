// SPDX-License-Identifier: Apache-2.0
// The function that follows a sum in one operator: no number between them is rounded.
#pragma once

#include <string>

#include "evaluators/programs.h"
#include "evaluators/sum.h"
#include "ops/shared/formulas.h"
#include "ops/shared/terms.h"
#include "schema/operator.h"
namespace opref::ops {
/// Of one number; a and b are what ai.onnx's operators of these names call alpha and beta, min and max, alpha and
/// gamma.
struct FusedActivation {
  enum class Function : std::uint8_t {
    none,
    relu,
    tanh,
    sigmoid,
    softplus,
    softsign,
    leaky_relu,
    elu,
    thresholded_relu,
    celu,
    clip,
    hard_sigmoid,
    scaled_tanh,
    parametric_softplus,
    selu
  };
  Function function = Function::none;
  double a = 0, b = 0;

  template <class R>
  R of(const R& x) const;
};
/// "Relu", … by name, without its parameters; another one than of these is `invalid`, and says which attribute it is.
FusedActivation::Function fused_function(const std::string& name, std::span<const std::string_view> names,
                                         std::string_view attribute);
/// How many parameters it has.
int parameters_of(FusedActivation::Function function);

template <class R>
R FusedActivation::of(const R& x) const {
  const R zero(0.0), one(1.0), p(a), q(b);
  switch (function) {
    case Function::none:
      break;
    case Function::relu:
      return max(zero, x);
    case Function::tanh:
      return tanh(x);
    case Function::sigmoid:
      return sigmoid(x);
    case Function::softplus:
      return softplus(x);
    case Function::softsign:
      return x / (one + abs(x));
    case Function::leaky_relu:
      return leaky_relu(x, p);
    case Function::elu:
      return elu(x, p);
    case Function::thresholded_relu:  // of NaN it is NaN
      if constexpr (std::is_same_v<R, Interval>)
        if (x.is_nan()) return x;
      return choose(
          p < x, [&] { return x; }, [&] { return zero; });
    case Function::celu:  // p·(e^(x/p) - 1) for x < 0, else x
      return choose(
          x < zero, [&] { return p * expm1(x / p); }, [&] { return x; });
    case Function::clip:
      return min(q, max(p, x));
    case Function::hard_sigmoid:
      return hard_sigmoid(x, p, q);
    case Function::scaled_tanh:
      return p * tanh(q * x);
    case Function::parametric_softplus:
      return p * softplus(q * x);
    case Function::selu:  // q·(p·e^x - p) for x <= 0, else q·x
      return choose(
          zero < x, [&] { return q * x; }, [&] { return q * (p * expm1(x) + zero); });
  }
  return x;
}

/// Rows of a sum as rows of Relu or Clip of it, which may follow the rounding: both are monotone and give numbers of
/// the type. None of another function or type.
Rows activated_rows(const Rows& rows, DType dtype, const FusedActivation& f);

/// Y[i] = f of the sum of the terms that the definition adds, as it does for `sum`; rounded once.
template <class Definition>
Tensor activated_sum(const Output& out, DType factors, const Definition& definition, const FusedActivation& f,
                     const Rows& rows) {
  if (f.function == FusedActivation::Function::none) return sum(out, factors, definition, {}, rows);
  const auto formula = [&]<class R>(std::int64_t i, const Reader<R>& x) {
    TermsOf<R> terms(x);
    definition(i, terms);
    return f.of(x.named("the sum", terms.total()));
  };
  return real(out, formula, {}, activated_rows(rows, out.type().dtype, f));
}
}  // namespace opref::ops
