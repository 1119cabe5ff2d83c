// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/quantized_convolution.h"

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/sum.h"
#include "exact/rounding.h"
#include "fast/fast.h"
namespace opref::ops {
using namespace evaluators;
namespace {
// What the sum of an output channel is multiplied by.
struct Scales {
  Elements x, w, y;
  std::int64_t count;
  explicit Scales(const Call& call)
      : x(call.input("x_scale")),
        w(call.input("w_scale")),
        y(call.input("y_scale")),
        count(call.input("w_scale").count()) {}
  Rescale of(std::int64_t channel) const { return {x.number(0), w.number(count == 1 ? 0 : channel), y.number(0)}; }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  for (const std::string_view scale : {"x_scale", "w_scale", "y_scale"}) require_scales(call, scale);
  const Scales scales(call);
  const bool in_float32 = call.reads("q_linear_conv.scale", "float32"), has_bias = call.has("B");
  for (std::int64_t m = 0; in_float32 && m < scales.count; ++m) require_float32_quotient(scales.of(m));
  const Convolution places(call, outs[0].sink());
  const std::int64_t x_zero = call.integer("x_zero_point");
  const Elements x(call.input("x"), x_zero), w(call.input("w")), w_zero_point(call.input("w_zero_point")),
      B(call.input(has_bias ? "B" : "w"));
  const bool has_one_zero = call.input("w_zero_point").count() == 1;
  const auto w_zero = [&](std::int64_t m) { return w_zero_point.integer(has_one_zero ? 0 : m); };
  const auto bias = [&](std::int64_t m) { return has_bias ? B.integer(m) : 0; };
  const auto terms = [&](std::int64_t i, auto& sum) {
    const std::int64_t m = places.channel(i);
    if (has_bias) sum.add(B[m]);
    places.add_products(i, x, w.less(w_zero(m)), sum);
  };
  const auto factor = [&](std::int64_t i) {
    const Rescale scale = scales.of(places.channel(i));
    return in_float32 ? scale.in_float32() : scale.a * scale.b;
  };
  const double divisor = in_float32 ? 1 : scales.y.number(0);
  const bool rounds_last = call.reads("q_linear_conv.round", "after_zero_point");
  const Integers how{rounds_last ? Integers::Rounding::nearest_with_zero_point : Integers::Rounding::nearest,
                     call.integer("y_zero_point")};
  if (call.reads("q_linear_conv.accumulator", "wrap") && outs[0].sink() == nullptr) {
    const Tensor wrapped = sum(outs[0].inner({DType::int32, outs[0].type().shape}), DType::int32, terms);
    const Elements accumulator(wrapped);
    return {sum(
        outs[0], DType::int32,
        [&](std::int64_t i, auto& sum) {
          sum.add(accumulator[i]), sum.scale({factor(i), divisor});
        },
        how)};
  }
  const auto definition = [&](std::int64_t i, auto& sum) { terms(i, sum), sum.scale({factor(i), divisor}); };
  const auto rows = [&](const RowTarget& y) {
    if (channels_at(call) == ChannelsAt::last) return false;
    return fast::quantized_convolution(y, {call.input("x"), call.input("w"), call.integer("group"), places.axes(),
                                           x_zero, w_zero, bias, fast::Requantization{factor, nullptr, divisor, how}});
  };
  return {sum(outs[0], DType::int32, definition, how, rows)};
}

// Where readings may matter.

double most_sum(const Call& call) {
  return nearly(element_count(call.type("w").shape.without_first(1))) * most_magnitude(call, "x", "x_zero_point") *
             most_magnitude(call, "w", "w_zero_point") +
         most_int32(call, "B");
}
bool may_wrap(const Call& call) { return most_sum(call) >= 0x1p31; }

template <class F>
bool any_scale(const Call& call, const F& f) {
  if (!call.has_value("x_scale") || !call.has_value("w_scale") || !call.has_value("y_scale")) return true;
  const Scales scales(call);
  for (std::int64_t m = 0; m < scales.count; ++m)
    if (f(scales.of(m))) return true;
  return false;
}
bool is_rounded(const Call& call) {
  return any_scale(call, [](const Rescale& scale) { return scale.is_rounded_in_float32(); });
}
// An even zero point leaves ties to even.
bool has_odd_tie(const Call& call) {
  if (call.has_value("y_zero_point") && call.integer("y_zero_point") % 2 == 0) return false;
  const bool in_float32 = call.reads("q_linear_conv.scale", "float32");
  return any_scale(call, [&, most = most_sum(call)](const Rescale& scale) {
    return (in_float32 ? Rescale{scale.in_float32(), 1, 1} : scale).may_tie(most);
  });
}

}  // namespace
std::vector<ValueType> quantized_convolution_types(const Call& call) {
  const Dims y = lying(convolution_shape(call), channels_at(call));
  return {TensorType{call.type("y_zero_point").dtype, y}};
}

void quantized_convolution_version(OpSchema& s) {
  convolution_attributes(s);
  s.input("x", "T1").input("x_scale", "float32").input("x_zero_point", "T1");
  s.input("w", "T2").input("w_scale", "float32").input("w_zero_point", "T2");
  s.input("y_scale", "float32").input("y_zero_point", "T3").input("B", "T4", Arity::optional).output("y", "T3");
  for (const char* variable : {"T1", "T2", "T3"}) s.types(variable, Types(DType::int8) | DType::uint8);
  s.types("T4", DType::int32);
}

Operator quantized_convolution_operator(std::string_view domain, std::int64_t first) {
  return convolution_operator("QLinearConv", domain)
      .reading(pads_with_auto_pad_reading("q_linear_conv.pads_with_auto_pad", first))
      .reading({.name = "q_linear_conv.round",
                .alternatives = {"before_zero_point: the quotient is rounded, then the zero point added",
                                 "after_zero_point: their sum is rounded"},
                .defaults = {{first, "before_zero_point"}},
                .reason = "QuantizeLinear's text rounds x / y_scale; onnx.reference rounds the sum with the zero point",
                .may_change_values = has_odd_tie})
      .reading({.name = "q_linear_conv.accumulator",
                .alternatives = {"exact: the sum is a number", "wrap: it wraps as int32"},
                .defaults = {{first, "exact"}},
                .reason = "a formula of numbers; an int32 accumulator wraps beyond 2^31",
                .may_change_values = may_wrap})
      .reading({.name = "q_linear_conv.scale",
                .alternatives = {"exact: products and quotients of the scales are numbers",
                                 "float32: they are rounded to float32"},
                .defaults = {{first, "exact"}},
                .reason = "a formula of numbers; kernels multiply and divide the scales in float32",
                .may_change_values = is_rounded})
      .kernel(kernel);
}
}  // namespace opref::ops
