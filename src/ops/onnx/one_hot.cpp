// SPDX-License-Identifier: Apache-2.0
// ai.onnx OneHot, versions 9, 11, 28
// https://onnx.ai/onnx/operators/onnx__OneHot.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_one_hot {
namespace {
/// "In case … is of non-integer type, the values will be casted to int64 before use": toward zero. What is beyond 64
/// bits is no element of an axis.
std::int64_t casted(const Elements& x, std::int64_t i, std::string_view name) {
  if (!x.is_floating()) {
    const Elements::Wide whole = x.wide(i);
    return whole > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(whole);
  }
  const double number = x.number(i);
  if (!std::isfinite(number)) fail(Fault::invalid, "{} has the value {}, which is no int64", name, number);
  if (std::abs(number) >= 0x1p63) return number < 0 ? INT64_MIN : INT64_MAX;
  return static_cast<std::int64_t>(number);
}

std::int64_t depth_of(const Call& call) {
  const std::int64_t depth = casted(Elements(call.input("depth")), 0, "depth");
  require(depth >= 0, "depth is {}, but must be >= 0", depth);
  return depth;
}

std::vector<ValueType> output_types(const Call& call) {
  const Dims &indices = call.type("indices").shape, &values = call.type("values").shape;
  require(!indices.empty() || call.reads("one_hot.scalar", "accept"),
          "indices is a scalar, which the reading one_hot.scalar=reject refuses");
  require(values == Dims{2}, "values has shape {}, but must be [off_value, on_value]", values);
  require_scalar_or_one(call, "depth");
  const size_t axis = axis_of(call, indices.size() + 1);
  return {TensorType{call.type("values").dtype,
                     join(join(indices.first(axis), {depth_of(call)}), indices.without_first(axis))}};
}

// output[…, d, …] = on_value where d = indices[…], else off_value, d along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& indices = call.input("indices");
  const size_t axis = axis_of(call, indices.shape().size() + 1);
  const std::int64_t depth = depth_of(call), inner = element_count(indices.shape().without_first(axis));
  const bool wraps = call.version() >= 11;
  const Elements given(indices);
  std::vector<std::int64_t> hot;
  for (std::int64_t i = 0; i < indices.count(); ++i) {
    const std::int64_t index = casted(given, i, "indices");
    hot.push_back(wraps && index < 0 ? index + depth : index);
  }
  return {move_one_hot(outs[0], call.input("values"), depth, inner,
                       [&](std::int64_t line) { return hot[static_cast<size_t>(line)]; })};
}

void version_9(OpSchema& s) {
  s.input("indices", "T1").input("depth", "T2").input("values", "T3").output("output", "T3");
  s.types("T1", types::numbers).types("T2", types::numbers).types("T3", types::basic);
  s.attribute(with_default("axis", -1));
}
}  // namespace
Operator one_hot() {
  return Operator("ai.onnx", "OneHot")
      .summary("a further axis, on which one value stands at the index and another one elsewhere")
      .version(9, version_9)
      .version(11, words("indices and axis may be negative: they then count from the end"))
      .version(28, adds("T3", DType::bfloat16))
      .reading(negative_axis_reading(9, 11))
      .reading({.name = "one_hot.scalar",
                .alternatives = {"accept: indices of rank 0 give a vector", "reject: they are invalid"},
                .defaults = {{9, "accept"}},
                .reason = "\"the rank of the output tensor will be one greater\"; ONNX's inference refuses them"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_one_hot
