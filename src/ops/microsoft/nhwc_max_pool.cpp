// SPDX-License-Identifier: Apache-2.0
// com.microsoft NhwcMaxPool, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.NhwcMaxPool
#include "ops/operator_file.h"
#include "ops/shared/pooling.h"
namespace opref::ops::microsoft::file_nhwc_max_pool {
namespace {
/// x's sizes as (N, C, D1, …).
Dims image(const Call& call) {
  const Dims& x = call.type("x").shape;
  require(x.size() >= 3, "x has rank {}, but must be (N, D1, …, C): rank 3 or more", x.size());
  return channels_second(x, ChannelsAt::last);
}
PoolingWindows windows(const Call& call) {
  const Dims L = spatial(image(call));
  return windows_over(call, L, per_axis(call, "kernel_shape", L.size(), 1));
}

std::vector<ValueType> output_types(const Call& call) {
  const Dims y = join(image(call).first(2), windows(call).O);
  return {TensorType{call.type("x").dtype, lying(y, ChannelsAt::last)}};
}

// y[n,o,c] = the greatest x[n, o*s + k*d - pb, c] inside x, the type's least number where there is none
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return max_pool(call, call.input("x"), outs, {.windows = windows(call), .channels = ChannelsAt::last});
}

void version_1(OpSchema& s) {
  s.input("x", "T").output("y", "T").types("T", {DType::int8, DType::uint8});
  s.attribute(auto_pad_attribute()).attribute(with_default("ceil_mode", 0, flag()));
  s.attribute(per_axis_attribute("dilations", 1)).attribute(required(INTS, "kernel_shape", at_least(1)));
  s.attribute(pads_attribute()).attribute(per_axis_attribute("strides", 1));
}
}  // namespace
Operator nhwc_max_pool() {
  return Operator("com.microsoft", "NhwcMaxPool")
      .summary("the greatest number of each window of each channel, the channels being the last axis")
      .version(1, version_1)
      .readings(greatest_window_readings())
      .output_types(output_types)
      .placement([](const Call& call) {
        const PoolingWindows w = windows(call);
        return std::vector<Dims>{w.pads.begin, w.O};
      })
      .notes([](const Call& call) { return window_notes(call, windows(call)); })
      .short_names(spatial_short_names())
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_nhwc_max_pool
