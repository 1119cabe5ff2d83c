// SPDX-License-Identifier: Apache-2.0
// openvino FakeQuantize, version 1 (opset1)
#include "exact/exact_sum.h"
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_fake_quantize {
namespace {
constexpr std::string_view kLimits[] = {"input_low", "input_high", "output_low", "output_high"};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& X = call.type("X");
  for (const std::string_view limit : kLimits)
    require(broadcast(X.shape, auto_broadcast(call, "X", limit)) == X.shape,
            "{} of shape {} does not broadcast to {}, which has shape {}", limit, call.type(limit).shape,
            call.name("X"), X.shape);
  return {X};
}

/// (x - low)/(high - low)·steps, rounded to the nearest integer, of two the even one.
std::int64_t nearest_step(double x, double low, double high, double steps) {
  const auto above = [&](double k) {  // the sign of (x - low)/(high - low)·steps - (k + 1/2)
    ExactSum sum;
    sum.add(2 * steps, x), sum.add(-2 * steps, low), sum.add(-(2 * k + 1), high), sum.add(2 * k + 1, low);
    return low < high ? sum.sign() : -sum.sign();
  };
  const double width = high - low,
               part = std::isfinite(width) ? (x - low) / width : (x / 2 - low / 2) / (high / 2 - low / 2);
  double k = std::clamp(std::floor(part * steps) - 1, -1.0, steps - 1);
  while (k < steps && above(k) > 0) ++k;
  return static_cast<std::int64_t>(above(k) == 0 && std::fmod(k, 2) != 0 ? k + 1 : k);
}

// output0 = output_low for X <= min(input_low, input_high), output_high for X > max, else
//   round((X - input_low)/(input_high - input_low)·(levels - 1))/(levels - 1)·(output_high - output_low) + output_low
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& shape = outs[0].type().shape;
  const Elements X(call.input("X"));
  std::vector<Elements> limit;
  std::vector<Strided> place;
  for (const std::string_view name : kLimits) {
    limit.emplace_back(call.input(name));
    place.push_back(broadcast_places(auto_broadcast(call, "X", name), shape));
  }
  require_finite(call, "input_low");
  require_finite(call, "input_high");
  constexpr std::int64_t kMostSteps = std::int64_t{1} << 50;  // doubles have all halves up to there
  const std::int64_t steps = call.integer("levels") - 1;
  if (steps > kMostSteps) fail(Fault::unsupported, "levels is {}, but more than 2^50 are not known", steps + 1);
  const bool is_low = call.reads("fake_quantize.nan", "output_low");
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& read) {
    const double x = X.number(i), low = limit[0].number(place[0](i)), high = limit[1].number(place[1](i));
    if (std::isnan(x)) return is_low ? read(limit[2], place[2](i)) : R(x);
    if (x <= std::min(low, high)) return read(limit[2], place[2](i));
    if (x > std::max(low, high)) return read(limit[3], place[3](i));
    const R from = read(limit[2], place[2](i)), to = read(limit[3], place[3](i)),
            step = read.named("the step", R::whole(nearest_step(x, low, high, nearly(steps))));
    return from + (to - from) * step / R::whole(steps);
  })};
}
}  // namespace
Operator fake_quantize() {
  return Operator("openvino", "FakeQuantize")
      .summary("X rounded to one of `levels` values between limits, and mapped to other limits")
      .page("quantization/fake-quantize-1")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INT, "levels", at_least(2)));
                 add_auto_broadcast(s);
                 s.input("X", "T_F")
                     .input("input_low", "T_F")
                     .input("input_high", "T_F")
                     .input("output_low", "T_F")
                     .input("output_high", "T_F")
                     .output("output0", "T_F")
                     .types("T_F", computed_floats);
               })
      .reading(pdpd_axis_reading(1))
      .reading({.name = "fake_quantize.nan",
                .alternatives = {"nan: NaN stays NaN", "output_low: it becomes output_low"},
                .defaults = {{1, "nan"}},
                .reason = "the page is silent; OpenVINO keeps NaN",
                .may_change_values =
                    [](const Call& call) { return any_of(call, "X", true, [](double x) { return std::isnan(x); }); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_fake_quantize
