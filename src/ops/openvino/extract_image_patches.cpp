// SPDX-License-Identifier: Apache-2.0
// openvino ExtractImagePatches, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_extract_image_patches {
namespace {
/// Two values, of height and width.
Dims pair(const Call& call, std::string_view attribute) {
  const Dims list(call.integers(attribute));
  require(list.size() == 2, "attribute '{}' is {}, but must have two values", attribute, list);
  return list;
}

PoolingWindows patches(const Call& call) {
  const Dims& data = call.type("data").shape;
  require(data.size() == 4, "data has rank {}, but must be [N, C, H, W]: rank 4", data.size());
  if (call.string("auto_pad") == "explicit")
    fail(Fault::unsupported, "attribute 'auto_pad' is explicit, and the page does not say what the pads are then");
  const Dims none{0, 0};
  return placed({spatial(data), pair(call, "sizes"), pair(call, "strides"), pair(call, "rates"), {none, none}, none},
                {.mode = auto_pad(call)});
}

std::vector<ValueType> output_types(const Call& call) {
  const PoolingWindows w = patches(call);
  const auto& [dtype, data] = call.type("data");
  return {TensorType{dtype, join(Dims{data[0], checked_multiply(data[1], element_count(w.k))}, w.O)}};
}

// output0[n, k·C + c, o] = data[n, c, o·strides + k·rates - pb], k being the places in a patch, row-major; outside 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const PoolingWindows w = patches(call);
  const Tensor& data = call.input("data");
  const std::int64_t C = data.shape()[1];
  const auto along = [&](size_t axis, std::int64_t o, std::int64_t k) {
    const std::int64_t i = o * w.s[axis] + k * w.d[axis] - w.pads.begin[axis];
    return i < w.L[axis] ? i : -1;
  };
  return {move(outs[0], data, [&](std::int64_t at) {
    const auto [n, row, column, c, y, x] = split(at, w.k[0], w.k[1], C, w.O[0], w.O[1]);
    const std::int64_t i = along(0, y, row), j = along(1, x, column);
    return i < 0 || j < 0 ? Run::fill() : Run{((n * C + c) * w.L[0] + i) * w.L[1] + j};
  })};
}
}  // namespace
Operator extract_image_patches() {
  return Operator("openvino", "ExtractImagePatches")
      .summary("patches of images, each laid out as channels of one place")
      .page("movement/extract-image-patches-3")
      .category("category data movement")
      .version(3,
               [](OpSchema& s) {
                 s.attribute(required(INTS, "sizes", at_least(1)))
                     .attribute(required(INTS, "strides", at_least(1)))
                     .attribute(required(INTS, "rates", at_least(1)))
                     .attribute(required(STRING, "auto_pad", one_of({"explicit", "same_upper", "same_lower", "valid"})))
                     .input("data", "T")
                     .output("output0", "T")
                     .types("T", any_type);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_extract_image_patches
