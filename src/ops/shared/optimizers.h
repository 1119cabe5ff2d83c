// SPDX-License-Identifier: Apache-2.0
// What Adagrad, Adam and Momentum share: the tensors of each variable, and one formula per output element.
#pragma once

#include "evaluators/programs.h"
#include "schema/operator.h"
namespace opref::ops {
/// optimizer.broadcast
Reading broadcast_reading();
/// R, T and the inputs, which are `kinds` tensors of each variable: all X, all G, then what is accumulated. The outputs
/// are all new X, then what is newly accumulated.
void optimizer_version_1(OpSchema& s);
std::vector<ValueType> optimizer_types(const Call& call, size_t kinds);
/// The tensors of each variable, of its outputs' shape.
std::vector<std::vector<Tensor>> variables_of(const Call& call, std::span<const Output> outs, size_t kinds);

/// f(kind, r, v): the new number of a variable's output `kind`, given its learning rate and its numbers v[0] of X,
/// v[1] of G, …
template <size_t kinds, class F>
std::vector<Value> optimized(const Call& call, std::span<const Output> outs, const F& f) {
  const std::vector<std::vector<Tensor>> variables = variables_of(call, outs, kinds);
  const Elements rate(call.input("R"));
  std::vector<Value> y;
  for (size_t kind = 0; kind + 1 < kinds; ++kind)
    for (const std::vector<Tensor>& variable : variables) {
      const std::vector<Elements> elements(variable.begin(), variable.end());
      y.push_back(real(outs[y.size()], [&]<class R>(std::int64_t i, const Reader<R>& x) {
        const R r = x(rate, 0);
        std::vector<R> v;
        for (const Elements& e : elements) v.push_back(x(e, i));
        return f(kind, r, v);
      }));
    }
  return y;
}
}  // namespace opref::ops
