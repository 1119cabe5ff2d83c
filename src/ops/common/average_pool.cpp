// SPDX-License-Identifier: Apache-2.0
#include "ops/common/average_pool.h"

#include "core/error.h"
#include "evaluators/sum.h"
#include "evaluators/taps.h"

namespace opref::ops {

using namespace evaluators;

Tensor average_pool(const Output& y, const Tensor& x, const PoolingWindows& w, Counted counted, EmptyMean empty) {
  const Elements X(x);
  const Taps taps(window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin), y);
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const bool is_integer = types::integers.contains(x.dtype());
  const auto count = [&](const TapList& list, std::int64_t o) {
    return counted == Counted::elements ? static_cast<std::int64_t>(list.size())
           : counted == Counted::pads   ? taps_inside_pads(w, o)
                                        : element_count(w.k);
  };
  const auto terms = [&](std::int64_t i, auto& sum) {
    const auto [nc, o] = split(i, plane);
    const TapList list = taps.of(o);
    for (const Tap& tap : list) sum.add(X[nc * x_plane + tap.x]);
    const std::int64_t counted_taps = count(list, o),
                       divisor = counted_taps == 0 && empty == EmptyMean::zero ? 1 : counted_taps;
    if (divisor == 0 && is_integer)
      fail(Fault::invalid,
           "the window of element {} has no element of data, and 0/0 is no integer; the reading avg_pool.empty=zero "
           "takes it as 0",
           coordinates(i, y.type().shape));
    sum.scale({1, divisor});
  };
  return sum(y, x.dtype(), terms, {Integers::Rounding::truncate});
}

}  // namespace opref::ops
