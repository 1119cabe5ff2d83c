// SPDX-License-Identifier: Apache-2.0
// ai.onnx Shape, versions 1, 13, 15, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Shape.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_shape {
namespace {
/// start or end, "clamped to the range [0, r]": negative ones count from the last axis back.
std::int64_t bound(const Call& call, std::string_view name, std::int64_t omitted) {
  const std::int64_t rank = std::ssize(call.type("data").shape), stated = call.has(name) ? call.integer(name) : omitted;
  return std::clamp<std::int64_t>(stated < 0 ? stated + rank : stated, 0, rank);
}

// shape = the sizes of the axes of data from start to end, which does not belong to them
Dims shape_of(const Call& call) {
  const Dims& data = call.type("data").shape;
  const std::int64_t start = bound(call, "start", 0), end = bound(call, "end", std::ssize(data));
  return data.first(static_cast<size_t>(end)).without_first(static_cast<size_t>(std::min(start, end)));
}

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{DType::int64, Dims{std::ssize(shape_of(call))}}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims shape = shape_of(call);
  return {Tensor::of<std::int64_t>(DType::int64, outs[0].type().shape, shape)};
}

void version_1(OpSchema& s) {
  s.input("data", "T").output("shape", "T1").types("T", types::basic).types("T1", DType::int64);
}

void version_15(OpSchema& s) { s.attribute(with_default("start", 0)).attribute(optional(INT, "end")); }
}  // namespace
Operator shape() {
  Operator op = Operator("ai.onnx", "Shape")
                    .summary("the sizes of a tensor's axes")
                    .version(1, version_1)
                    .version(13, allows("T", types::ir4))
                    .version(15, version_15)
                    .version(19, allows("T", types::ir9));
  return with_newer_types(std::move(op), "T").output_types(output_types).kernel(kernel).needs_types_alone();
}
}  // namespace opref::ops::onnx::file_shape
