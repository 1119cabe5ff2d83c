#include "ops/common/conv_transpose.h"

#include <algorithm>

#include "core/error.h"
#include "ops/common/conv_transpose_rows.h"

namespace opref::ops {
namespace {

struct ConvTransposeDefinition {
  std::int64_t channels;            ///< of X, per group
  std::int64_t x_plane, w_channel;  ///< elements from one channel to the next

  template <class S, class Sum>
  void operator()(const S* x, const S* w, const S* b, std::span<const Tap> taps, Sum& sum) const {
    if (b != nullptr) sum.add(*b);
    for (std::int64_t c = 0; c < channels; ++c)
      for (const Tap& tap : taps) sum.add(x[c * x_plane + tap.x], w[c * w_channel + tap.w]);
  }
};

}  // namespace

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

Pads split(const Dims& total, OddPad odd) {
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

Tensor conv_transpose(const Call& call, const TensorType& y, Convolution convolution) {
  std::int64_t x_plane = 1;
  convolution.w_output = 1;
  for (const TapAxis& axis : convolution.axes) {
    x_plane *= axis.input;
    convolution.w_output *= axis.kernel;
  }
  const std::int64_t groups = convolution.groups;
  return evaluate_convolution(
      call, y, convolution,
      ConvTransposeDefinition{convolution.x.shape()[1] / groups, x_plane, y.shape[1] / groups * convolution.w_output},
      conv_transpose_rows);
}

void require_spatial_sizes(const Call& call, std::string_view input, const Dims& sizes) {
  require(all_positive(sizes), "{} has shape {}, but its spatial sizes must be > 0", input, call.type(input).shape);
}

void require_output_sizes(const Dims& y) {
  require(all_positive(spatial(y)),
          "the output would have shape {}: each spatial size strides*(L-1) + output_padding + (k-1)*dilations + 1 - "
          "pads must be > 0",
          y);
}

}  // namespace opref::ops
