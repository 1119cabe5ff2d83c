// SPDX-License-Identifier: Apache-2.0
// ai.onnx Slice, versions 1, 10, 11, 13
// https://onnx.ai/onnx/operators/onnx__Slice.html
#include "ops/operator_file.h"
#include "ops/shared/cuts.h"
namespace opref::ops::onnx::file_slice {
namespace {
constexpr CutNames kNames{"starts", "ends", "steps"};

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("data").dtype, cut_of(call, kNames).shape}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  if (element_count(outs[0].type().shape) == 0) return {zeros_of(outs[0].type())};
  return {move(outs[0], data, cut_of(call, kNames).places(data.shape()))};
}

void version_1(OpSchema& s) {
  s.input("data", "T").output("output", "T").types("T", types::basic);
  s.attribute(optional(INTS, "axes")).attribute(required(INTS, "ends")).attribute(required(INTS, "starts"));
}

void version_10(OpSchema& s) {
  s.remove("axes").remove("ends").remove("starts").input("starts", "Tind").input("ends", "Tind");
  s.input("axes", "Tind", Arity::optional).input("steps", "Tind", Arity::optional);
  s.types("Tind", types::signed_wide);
}
}  // namespace
Operator slice() {
  return Operator("ai.onnx", "Slice")
      .summary("every so many elements along some axes, from a start to an end")
      .version(1, version_1)
      .version(10, version_10)
      .version(11, words("axes may be negative: they then count from the last axis back"))
      .version(13, adds("T", DType::bfloat16))
      .reading(negative_axis_reading(1, 11))
      .reading({.name = "slice.axes_omitted",
                .alternatives = {"leading: starts may be fewer than the axes, the first of which they mean",
                                 "all: there must be one for each axis"},
                .defaults = {{1, "leading"}},
                .reason = "version 1 says len(starts), the others ndim; ONNX's inference takes the leading axes"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_slice
