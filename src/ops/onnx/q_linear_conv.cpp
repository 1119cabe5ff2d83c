// ai.onnx QLinearConv, version 10
// https://onnx.ai/onnx/operators/onnx__QLinearConv.html
#include <cmath>

#include "core/error.h"
#include "families/sum.h"
#include "families/taps.h"
#include "ops/common/pooling.h"

namespace opref::ops::onnx {
namespace {

PoolingWindows windows(const Call& call) {
  const Dims L = spatial(call.type("x").shape), kernel = spatial(call.type("w").shape);
  const Dims stated = call.has("kernel_shape") ? per_axis(call, "kernel_shape", L.size(), 1) : kernel;
  require(stated == kernel, "attribute 'kernel_shape' is {}, but w has shape {}", stated, call.type("w").shape);
  return windows_over(call, L, kernel,
                      {.pads_beside_auto_pad = pads_beside_auto_pad(call, "q_linear_conv.pads_with_auto_pad")});
}

std::vector<ValueType> output_types(const Call& call) {
  require_spatial(call, "x");
  const Dims &x = call.type("x").shape, &w = call.type("w").shape, &scales = call.type("w_scale").shape;
  require(all_positive(spatial(w)), "w has shape {}, but its spatial sizes must be > 0", w);
  require(w.size() == x.size(), "w has shape {}, but must have as many axes as x, {}", w, x.size());
  const std::int64_t group = call.integer("group"), M = w[0];
  require(x[1] % group == 0 && w[1] == x[1] / group, "w has {} for each of {}, but x has {}", counted(w[1], "channel"),
          counted(group, "group"), counted(x[1], "channel"));
  require(M % group == 0, "w has {}, which {} cannot share", counted(M, "output channel"), counted(group, "group"));
  for (const std::string_view name : {"x_scale", "x_zero_point", "y_scale", "y_zero_point"})
    require(call.type(name).shape.empty() || call.type(name).shape == Dims{1}, "{} has shape {}, but must be a scalar",
            name, call.type(name).shape);
  require(call.type("w_zero_point").shape == scales, "w_scale has shape {}, but w_zero_point {}", scales,
          call.type("w_zero_point").shape);
  require(scales.empty() || scales == Dims{1} || scales == Dims{M},
          "w_scale has shape {}, but must be a scalar or have {}", scales, Dims{M});
  require(!call.has("B") || call.type("B").shape == Dims{M}, "B has shape {}, but must have {}",
          call.has("B") ? call.type("B").shape : Dims{}, Dims{M});
  return {TensorType{call.type("y_zero_point").dtype, join(Dims{x[0], M}, windows(call).O)}};
}

double scale_of(const Call& call, std::string_view input, std::int64_t i) {
  const double scale = Elements(call.input(input)).number(i);
  require(scale > 0 && std::isfinite(scale), "{} has {}, but must be finite and > 0", input, scale);
  return scale;
}

// Σ (x - x_zero_point)·(w - w_zero_point[m]) + B[m], padding adding no terms
struct Terms {
  Elements x, w, zero_points, bias;
  bool has_bias, one_zero_point;
  Taps taps;
  std::int64_t groups, M_per_group, C_per_group, L, K, O;

  template <class Sum>
  void operator()(std::int64_t i, Sum& sum) const {
    const auto [n, group, m, o] = split(i, groups, M_per_group, O);
    const std::int64_t channel = group * M_per_group + m;
    const Elements filter = w.less(zero_points.integer(one_zero_point ? 0 : channel));
    if (has_bias) sum.add(bias[channel]);
    const TapList list = taps.of(o);
    for (std::int64_t c = 0; c < C_per_group; ++c) {
      const std::int64_t x_at = ((n * groups + group) * C_per_group + c) * L, w_at = (channel * C_per_group + c) * K;
      for (const Tap& tap : list) sum.add(x[x_at + tap.x], filter[w_at + tap.w]);
    }
  }
};

Terms terms_of(const Call& call) {
  const PoolingWindows v = windows(call);
  const Tensor &w = call.input("w"), &zero_points = call.input("w_zero_point");
  return {Elements(call.input("x"), call.integer("x_zero_point")),
          Elements(w),
          Elements(zero_points),
          Elements(call.has("B") ? call.input("B") : w),
          call.has("B"),
          zero_points.count() == 1,
          Taps(window_axes(v.L, v.k, v.O, v.s, v.d, v.pads.begin)),
          call.integer("group"),
          w.shape()[0] / call.integer("group"),
          w.shape()[1],
          element_count(v.L),
          element_count(v.k),
          element_count(v.O)};
}

// y = clamp(nearest(terms · x_scale·w_scale[m] / y_scale) + y_zero_point), ties to even; products of scales are exact
std::vector<Value> kernel(const Call& call, std::span<const ValueType> types) {
  const Terms terms = terms_of(call);
  const bool one_scale = call.type("w_scale").shape != Dims{call.type("w").shape[0]};
  const double x_scale = scale_of(call, "x_scale", 0), y_scale = scale_of(call, "y_scale", 0);
  const bool in_float32 = call.reads("q_linear_conv.scale", "float32");
  const auto rescale = [&](std::int64_t i, auto& sum) {
    const auto [n, channel, o] = split(i, terms.groups * terms.M_per_group, terms.O);
    const double scale = x_scale * scale_of(call, "w_scale", one_scale ? 0 : channel);
    if (!in_float32) return sum.scale(scale, y_scale);
    const float quotient = static_cast<float>(scale) / static_cast<float>(y_scale);
    require(quotient > 0 && std::isfinite(quotient), "x_scale·w_scale/y_scale is {} in float32", quotient);
    sum.scale(quotient, 1);
  };
  const bool rounds_last = call.reads("q_linear_conv.round", "after_zero_point");
  const Integers how{rounds_last ? Integers::Rounding::nearest_with_zero_point : Integers::Rounding::nearest,
                     call.integer("y_zero_point")};
  const TensorType& y = types[0].tensor;
  if (call.reads("q_linear_conv.accumulator", "wrap") && call.numerics().sink == nullptr) {
    const Tensor wrapped = sum(call, {DType::int32, y.shape}, DType::int32, terms);
    const Elements accumulator(wrapped);
    return {sum(
        call, y, DType::int32, [&](std::int64_t i, auto& sum) { sum.add(accumulator[i]), rescale(i, sum); }, how)};
  }
  return {sum(
      call, y, DType::int32, [&](std::int64_t i, auto& sum) { terms(i, sum), rescale(i, sum); }, how)};
}

bool always(const Call&) { return true; }

void version_10(OpSchema& s) {
  s.attribute(auto_pad_attribute())
      .attribute(optional(INTS, "kernel_shape", at_least(1)))
      .attribute(per_axis_attribute("dilations", 1))
      .attribute(per_axis_attribute("strides", 1))
      .attribute(pads_attribute())
      .attribute(with_default("group", 1, at_least(1)));
  s.input("x", "T1").input("x_scale", "float32").input("x_zero_point", "T1");
  s.input("w", "T2").input("w_scale", "float32").input("w_zero_point", "T2");
  s.input("y_scale", "float32").input("y_zero_point", "T3").input("B", "T4", Arity::optional).output("y", "T3");
  for (const char* variable : {"T1", "T2", "T3"}) s.types(variable, Types(DType::int8) | DType::uint8);
  s.types("T4", DType::int32);
}

}  // namespace

Operator q_linear_conv() {
  return Operator("ai.onnx", "QLinearConv")
      .summary("the convolution of quantized numbers, quantized again")
      .version(10, version_10)
      .reading(pads_with_auto_pad_reading("q_linear_conv.pads_with_auto_pad", 10))
      .reading("q_linear_conv.round", {"before_zero_point", "after_zero_point"}, {{10, "before_zero_point"}},
               "QuantizeLinear's text rounds x / y_scale; onnx.reference rounds the sum with the zero point", "",
               always)
      .reading("q_linear_conv.accumulator", {"exact", "wrap"}, {{10, "exact"}},
               "a formula of numbers; an int32 accumulator wraps beyond 2^31", "", always)
      .reading("q_linear_conv.scale", {"exact", "float32"}, {{10, "exact"}},
               "a formula of numbers; kernels multiply and divide the scales in float32", "", always)
      .output_types(output_types)
      .kernel(kernel);
}

}  // namespace opref::ops::onnx
