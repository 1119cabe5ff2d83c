// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/quantized_pools.h"

#include "core/error.h"
namespace opref::ops {
using namespace evaluators;
// Y = saturate(nearest(Σ (X - x_zero_point)·x_scale / count / y_scale) + y_zero_point) over the taps of a window in X
std::vector<Value> quantized_means(const Call& call, std::span<const Output> outs, const MeanWindows& of) {
  require_usual_scales(call, {"x_scale", "y_scale"});
  const PoolingWindows& w = of.windows;
  const Taps taps(window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin), outs[0]);
  const ChannelsAt channels = channels_at(call);
  const Dims image = channels_second(call.type("X").shape, channels);
  const ImagePlaces x_places(image, channels), y_places(join(image.first(2), w.O), channels);
  const Tensor x_zero = single_number(call, "x_zero_point"), y_zero = single_number(call, "y_zero_point");
  const Elements X(call.input("X")), x_scale(call.input("x_scale")), x_zero_point(x_zero),
      y_scale(call.input("y_scale")), y_zero_point(y_zero);
  const Requantizing how(outs[0]);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const auto [n, c, o] = y_places.of(i);
    const R scale = x(x_scale, 0), zero_point = x(x_zero_point, 0);
    const TapList list = taps.of(o);
    SumOf<R> sum;
    for (const Tap& tap : list) {
      const R number = x(X, x_places(n, c, tap.x));
      sum.add(how.in_single ? how.real(number, scale, zero_point) : number - zero_point);
    }
    const std::int64_t count = counted_taps(w, of.counted, static_cast<std::int64_t>(list.size()), o);
    require(count > 0, "the window of element {} has no element of X: it has no mean",
            coordinates(i, outs[0].type().shape));
    const R total = x.named("the sum of the window", how.in_single ? how.step(sum.total()) : sum.total() * scale);
    return how.integer(how.step(total / R::whole(count)), x(y_scale, 0), x(y_zero_point, 0));
  })};
}

Dims quantized_image(const Call& call) {
  require_single_numbers(call, {"x_scale", "x_zero_point", "y_scale", "y_zero_point"});
  const Dims& x = call.type("X").shape;
  require(x.size() >= 3, "X has rank {}, but must be {}: rank 3 or more", x.size(),
          channels_at(call) == ChannelsAt::last ? "(N, D1, …, C)" : "(N, C, D1, …)");
  return channels_second(x, channels_at(call));
}

Operator quantized_mean_operator(std::string_view op_type) {
  return Operator("com.microsoft", op_type)
      .reading(
          zero_point_reading("outside", "the page says Quantize(output), and QuantizeLinear rounds before it adds"))
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale));
}

void quantized_mean_version_1(OpSchema& s, Arity zero_points) {
  s.input("X", "T").input("x_scale", "float32").input("x_zero_point", "T", zero_points);
  s.input("y_scale", "float32").input("y_zero_point", "T", zero_points).output("Y", "T");
  s.types("T", {DType::int8, DType::uint8}).attribute(with_default("channels_last", 0, flag()));
}
}  // namespace opref::ops
