// SPDX-License-Identifier: Apache-2.0
#include "ops/common/conv_transpose.h"

#include <algorithm>

#include "core/error.h"

namespace opref::ops {
Dims ConvTransposeGeometry::span() const {
  return at_place([&] { return format("in span = (k-1)*dilations + 1 with k {}, dilations {}", k, d); },
                  [&] { return (k - 1) * d + 1; });
}

Dims ConvTransposeGeometry::full() const {
  const auto place = [&] {
    return format("in strides*(L-1) + output_padding + span with strides {}, L {}, output_padding {}", s, L,
                  output_padding);
  };
  return at_place(place, [&] { return s * (L - 1) + output_padding + span(); });
}

ConvTransposeGeometry conv_transpose_geometry(const Call& call, const Dims& L, const Dims& k) {
  return {L, k, per_axis(call, "strides", L.size(), 1), per_axis(call, "dilations", L.size(), 1),
          per_axis(call, "output_padding", L.size(), 0)};
}

Pads split_padding(const Dims& total, OddPad odd) {
  Dims smaller = total;
  for (std::int64_t& half : smaller) half >>= 1;  // rounds down, where / 2 rounds towards zero
  const Dims larger = total - smaller;
  return odd == OddPad::begin ? Pads{larger, smaller} : Pads{smaller, larger};
}

Dims at_least_zero(Dims numbers) {
  for (std::int64_t& number : numbers) number = std::max<std::int64_t>(number, 0);
  return numbers;
}

TapAxes conv_transpose_axes(const ConvTransposeGeometry& g, const ConvTransposePadding& padding) {
  return transposed_axes(g.L, g.k, padding.O, g.s, g.d, padding.pads.begin);
}

void require_output_sizes(const Dims& y) {
  require(all_positive(spatial(y)),
          "the output would have shape {}: each spatial size strides*(L-1) + output_padding + (k-1)*dilations + 1 - "
          "pads must be > 0",
          y);
}

}  // namespace opref::ops
