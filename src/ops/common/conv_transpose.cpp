// SPDX-License-Identifier: Apache-2.0
#include "ops/common/conv_transpose.h"

#include <algorithm>

#include "core/error.h"
#include "evaluators/sum.h"
#include "ops/common/convolution.h"
#include "ops/common/generators.h"

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

std::vector<Dims> placement_of(const ConvTransposePadding& padding) { return {padding.pads.begin, padding.O}; }

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

ConvTransposePadding padded_to(const Dims& O, const ConvTransposeGeometry& g, OddPad odd, Surplus surplus) {
  const Dims total = g.full() - O;
  return {split_padding(surplus == Surplus::end ? at_least_zero(total) : total, odd), O};
}

TapAxes conv_transpose_axes(const ConvTransposeGeometry& g, const ConvTransposePadding& padding) {
  return transposed_axes(g.L, g.k, padding.O, g.s, g.d, padding.pads.begin);
}

Tensor conv_transpose(const Output& y, const fast::TransposedConvolution& c, Integers integers) {
  const auto elements_of_plane = [&](const Dims& shape) { return strides_of(shape)[shape.size() - 1 - c.axes.size()]; };
  const std::int64_t L = elements_of_plane(c.x.shape()), K = elements_of_plane(c.w.shape()),
                     O = elements_of_plane(y.type().shape);
  const std::int64_t C = c.x.shape()[1] / c.groups, M = y.type().shape[1] / c.groups;
  const Elements X(c.x), W(c.w), B(c.b ? *c.b : c.w);
  const Taps taps(C == 0 ? without_taps(c.axes) : c.axes, y);
  const auto definition = [&, has_bias = c.b.has_value()](std::int64_t i, auto& sum) {
    const auto [n, group, m, o] = split(i, c.groups, M, O);
    if (has_bias) sum.add(B[group * M + m]);
    const TapList reaching = taps.of(o);
    for (std::int64_t channel = group * C; channel < (group + 1) * C; ++channel) {
      const std::int64_t x = (n * c.groups * C + channel) * L, w = (channel * M + m) * K;
      for (const Tap& tap : reaching) sum.add(X[x + tap.x], W[w + tap.w]);
    }
  };
  const auto rows = [&](const RowTarget& target) {
    return integers.rounding == Integers::Rounding::wrap && fast::transposed_convolution(target, c);
  };
  return sum(y, X.dtype(), definition, integers, rows);
}

Operator transposed_operator(Operator op) {
  return std::move(op)
      .generator("ties", kTies, product_ties)
      .generator("cancel", kCancel, product_cancel)
      .short_names(spatial_short_names())
      .order(convolution_order);
}

void require_output_sizes(const Dims& y) {
  require(all_positive(spatial(y)),
          "the output would have shape {}: each spatial size strides*(L-1) + output_padding + (k-1)*dilations + 1 - "
          "pads must be > 0",
          y);
}

}  // namespace opref::ops
