// SPDX-License-Identifier: Apache-2.0
// openvino Squeeze, versions 1 (opset1), 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_squeeze {
namespace {
// Without axes, or with an empty list, each axis of size 1 goes; one that is named and has another size stays.
void of_size_one(const Call& call, Restated& squeeze) {
  Input& axes = squeeze.inputs[1];
  if (!call.has("axes")) return;
  axes = int64_list(call, "axes");
  if (axes.type.tensor.shape == Dims{0}) axes = {};
  if (!call.has_value("axes") || axes.name.empty() || call.reads("squeeze.not_one", "refuse")) return;
  const Dims& data = call.type("data").shape;
  std::vector<std::int64_t> kept;
  for (const size_t axis : axes_of(call, data.size(), Twice::once))
    if (data[axis] == 1) kept.push_back(static_cast<std::int64_t>(axis));
  const TensorType type{DType::int64, Dims{std::ssize(kept)}};
  axes = {axes.name, type, Value(Tensor::of<std::int64_t>(type.dtype, type.shape, kept))};
}
}  // namespace
Operator squeeze() {
  return Operator("openvino", "Squeeze")
      .summary("the same elements without axes of size 1")
      .page("shape/squeeze-15")
      .category("category shape manipulation")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("axes", "T_INT", Arity::optional)
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_INT", types::integers);
               })
      .version(15,
               [](OpSchema& s) { s.rename("output0", "out").attribute(with_default("allow_axis_skip", 0, flag())); })
      .reading(
          {.name = "squeeze.not_one",
           .alternatives = {"keep: an axis that is named but has another size than 1 stays", "refuse: it is invalid"},
           .defaults = {{1, "keep"}},
           .reason = "the page since 2024.3 and both programs; the page of 2022 refuses it"})
      .as("ai.onnx", "Squeeze", 25, {{"output0", "squeezed"}, {"out", "squeezed"}, {"allow_axis_skip", ""}})
      .restated(of_size_one);
}
}  // namespace opref::ops::openvino::file_squeeze
