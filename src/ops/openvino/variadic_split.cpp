// SPDX-License-Identifier: Apache-2.0
// openvino VariadicSplit, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_variadic_split {
namespace {
// A length of -1 is what the others leave.
void with_lengths(const Call& call, Restated& split) {
  require_scalar(call, "axis");
  const Dims& data = call.type("data").shape;
  Input& lengths = split.inputs[1] = int64_list(call, "split_lengths");
  if (!call.has_value("split_lengths")) return;
  std::vector<std::int64_t> list = call.integers("split_lengths");
  const auto rest = std::ranges::find(list, -1);
  if (rest == list.end()) return;
  std::int64_t left = data[call.axis("axis", data.size())];
  bool fits = std::ranges::count_if(list, [](std::int64_t length) { return length < 0; }) == 1;
  for (const std::int64_t length : list) {
    fits = fits && length <= left;
    if (fits && length > 0) left -= length;
  }
  require(fits,
          "split_lengths is {}, but one length at most can be -1, and the others must fit into axis {} of data {}",
          Dims(call.integers("split_lengths")), call.integer("axis"), data);
  *rest = left;
  lengths.value = Value(Tensor::of<std::int64_t>(DType::int64, lengths.type.tensor.shape, list));
}
}  // namespace
Operator variadic_split() {
  return Operator("openvino", "VariadicSplit")
      .summary("parts of stated lengths along an axis")
      .page("movement/variadic-split-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("axis", "T2")
                     .input("split_lengths", "T_LENGTHS")
                     .output("out", "T", Arity::variadic)
                     .types("T", any_type)
                     .types("T2", types::integers)
                     .types("T_LENGTHS", types::integers);
               })
      .outputs_counted_by({.elements_of = "split_lengths"})
      .as("ai.onnx", "Split", 13, {{"data", "input"}, {"split_lengths", "split"}, {"out", "outputs"}})
      .restated(with_lengths);
}
}  // namespace opref::ops::openvino::file_variadic_split
