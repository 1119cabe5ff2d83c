// SPDX-License-Identifier: Apache-2.0
// openvino OneHot, versions 1 (opset1), 16 (opset16)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_one_hot {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  for (const std::string_view scalar : {"depth", "on_value", "off_value"}) require_scalar(call, scalar);
  const Dims& indices = call.type("indices").shape;
  const size_t axis = call.axis("axis", indices.size() + 1);
  require(call.integer("depth") >= 0, "depth is {}, but must be >= 0", call.integer("depth"));
  return {TensorType{call.type("on_value").dtype, with_axis(indices, axis, call.integer("depth"))}};
}

// output[…, d, …] = on_value where d = indices[…], else off_value, d along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& indices = call.type("indices").shape;
  const size_t axis = call.axis("axis", indices.size() + 1);
  const std::int64_t depth = call.integer("depth");
  std::vector<std::int64_t> hot = call.integers("indices");
  const bool wraps = call.has("negative_indices_mode") && call.string("negative_indices_mode") == "normalize";
  for (std::int64_t& index : hot)
    if (wraps && index < 0) index += depth;
  const std::array<Tensor, 2> pair{call.input("off_value").reshaped({1}), call.input("on_value").reshaped({1})};
  const Tensor values = concatenated(outs[0].inner({outs[0].type().dtype, {2}}), pair, 0);
  return {move_one_hot(outs[0], values, depth, element_count(indices.without_first(axis)),
                       [&](std::int64_t line) { return hot[static_cast<size_t>(line)]; })};
}
}  // namespace
Operator one_hot() {
  return Operator("openvino", "OneHot")
      .summary("a further axis, on which one value stands at the index and another one elsewhere")
      .page("sequence/one-hot-16")
      .category("category sequence processing")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INT, "axis"))
                     .input("indices", "T1")
                     .input("depth", "T_DEPTH")
                     .input("on_value", "T2")
                     .input("off_value", "T2")
                     .output("output0", "T2")
                     .types("T1", types::signed_wide)
                     .types("T_DEPTH", types::integers)
                     .types("T2", any_type);
               })
      .version(16,
               [](OpSchema& s) {
                 s.rename("output0", "out")
                     .attribute(with_default("negative_indices_mode", "ignore_negative",
                                             one_of({"ignore_negative", "normalize"})));
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_one_hot
