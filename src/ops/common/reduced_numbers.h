// SPDX-License-Identifier: Apache-2.0
// Reductions to real numbers, of integers too.
#pragma once

#include "evaluators/convert.h"
#include "evaluators/programs.h"
#include "ops/common/reduce.h"

namespace opref::ops {

/// The real numbers y(i, reader), of integers made integers by the reading.
template <class F>
Tensor reduced_numbers(const Output& out, const F& y) {
  if (makes_integers(out.call(), "float64"))
    return convert(out, real(out.inner({DType::float64, out.type().shape}), y));
  return real(out, [&, rounds = makes_integers(out.call(), "rounded")]<class R>(std::int64_t i, const Reader<R>& x) {
    const R number = y(i, x);
    if (!rounds) return number;
    return number + choose(
                        number < R(0.0), [] { return R(-0.5); }, [] { return R(0.5); });
  });
}

}  // namespace opref::ops
