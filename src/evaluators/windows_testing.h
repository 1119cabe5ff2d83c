// SPDX-License-Identifier: Apache-2.0
// For tests: the two window operators whose rows are certified, by definition and with rows.
#pragma once

#include <optional>

#include "evaluators/sum.h"
#include "evaluators/taps.h"

namespace opref::evaluators {

/// A transposed convolution whose filters W have the order groups, C, M, kernel.
struct TransposedTest {
  Tensor x, w;
  std::optional<Tensor> b;
  std::int64_t groups;
  TapAxes axes;
};

/// Y[n, g*M+m, o] = B[g*M+m] + Σ over c and the taps of o of X[n, g*C+c, x]·W[g*C+c, m, w]
inline Tensor transposed(const Call& call, const TensorType& type, const TransposedTest& t,
                         const Integers& integers = {}, const Rows& rows = nullptr) {
  const std::int64_t C = t.x.shape()[1] / t.groups, M = type.shape[1] / t.groups;
  std::int64_t L = 1, K = 1, O = 1;
  for (const TapAxis& axis : t.axes) L *= axis.input, K *= axis.kernel, O *= axis.output;
  const Taps taps(C == 0 ? without_taps(t.axes) : t.axes);
  const Elements x(t.x), w(t.w), b(t.b ? *t.b : t.w);
  const auto definition = [&](std::int64_t i, auto& sum) {
    const auto [n, g, m, o] = split(i, t.groups, M, O);
    if (t.b) sum.add(b[g * M + m]);
    const TapList list = taps.of(o);
    for (std::int64_t c = g * C; c < (g + 1) * C; ++c)
      for (const Tap& tap : list) sum.add(x[(n * t.groups * C + c) * L + tap.x], w[(c * M + m) * K + tap.w]);
  };
  return sum(Output(call, type), t.x.dtype(), definition, integers, rows);
}

/// The p-norms of the windows of each plane of X; of sums times scale_to / terms, if that is not 0.
inline Tensor window_norms(const Call& call, const TensorType& type, const Tensor& X, const TapAxes& axes, double p,
                           std::int64_t scale_to = 0, const Rows& rows = nullptr) {
  std::int64_t L = 1, O = 1;
  for (const TapAxis& axis : axes) L *= axis.input, O *= axis.output;
  const Taps taps(axes);
  const Elements x(X);
  const auto definition = [&](std::int64_t i, auto& sum) {
    const auto [plane, o] = split(i, O);
    const TapList list = taps.of(o);
    for (const Tap& tap : list) sum.add(x[plane * L + tap.x]);
    if (scale_to != 0 && list.size() > 0) sum.scale({scale_to, list.size()});
  };
  return norm(Output(call, type), p, definition, rows);
}

}  // namespace opref::evaluators
