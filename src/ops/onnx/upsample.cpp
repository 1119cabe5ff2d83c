// SPDX-License-Identifier: Apache-2.0
// ai.onnx Upsample, versions 1, 7, 9, 10
// https://onnx.ai/onnx/operators/onnx__Upsample.html
#include "ops/operator_file.h"
#include "ops/shared/resizing.h"
namespace opref::ops::onnx::file_upsample {
namespace {
std::vector<double> scales(const Call& call) {
  if (call.version() >= 9) return list_input(call, "scales");
  if (call.version() == 1) {
    require(call.type("X").rank() == 4, "X has rank {}, but must be (N, C, H, W): rank 4", call.type("X").rank());
    return {1, 1, call.number("height_scale"), call.number("width_scale")};
  }
  const std::vector<float> list = call.numbers("scales");
  return {list.begin(), list.end()};
}
}  // namespace
// Each axis of L elements becomes one of floor(L·s), s >= 1; x_original = x/s.
Resizing resizing_of_upsample(const Call& call) {
  return upsampling(call, scales(call), 1, "upsample.nearest", "upsample.linear");
}
namespace {
std::vector<ValueType> output_types(const Call& call) { return resized_types(call, resizing_of_upsample(call)); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {resized(outs[0], call.input("X"), resizing_of_upsample(call), "upsample.integer")};
}

void version_1(OpSchema& s) {
  s.attribute(required(FLOAT, "height_scale"))
      .attribute(required(FLOAT, "width_scale"))
      .attribute(with_default("mode", "nearest", one_of({"nearest", "bilinear"})))
      .input("X", "T", "the image, (N, C, H, W)")
      .output("Y", "T", "the image, larger")
      .types("T", types::floats | types::signed_wide | DType::boolean)
      .shape_inference(ShapeInference::none);
}

void version_7(OpSchema& s) {
  s.remove("height_scale").remove("width_scale").attribute(required(FLOATS, "scales"));
  s.change("mode").range = one_of({"nearest", "linear"});
  s.types("T", types::basic).shape_inference(ShapeInference::onnx);
  s.wording("X has any rank, scales a number for each axis");
}
}  // namespace
Operator upsample() {
  return Operator("ai.onnx", "Upsample")
      .summary("X enlarged along each axis, by the nearest elements or linear interpolation")
      .version(1, version_1)
      .version(7, version_7)
      .version(9, [](OpSchema& s) { s.remove("scales").input("scales", "float32", "a number for each axis, >= 1"); })
      .version(10, [](OpSchema& s) { s.deprecate(); })
      .reading(old_nearest_reading("upsample.nearest", 1, 0))
      .reading(old_linear_reading("upsample.linear", 1, 0))
      .reading(resized_integer_reading("upsample.integer", 1))
      .reading(scale_product_reading())
      .reading(zero_weight_reading(1))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_upsample
