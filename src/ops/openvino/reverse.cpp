// SPDX-License-Identifier: Apache-2.0
// openvino Reverse, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reverse {
namespace {
/// The axes that are reversed: by index, or by a mask.
std::vector<bool> reversed(const Call& call) {
  const size_t rank = call.type("data").rank();
  std::vector<bool> is_reversed(rank, false);
  require_list("axis", call.type("axis").shape);
  if (call.string("mode") == "mask") {
    require(
        call.type("axis").dtype == DType::boolean && call.type("axis").shape == Dims{static_cast<std::int64_t>(rank)},
        "axis is {}, but by mode mask must be bool, with an element for each axis of data {}", call.type("axis"),
        call.type("data").shape);
    if (!call.has_value("axis")) return is_reversed;
    const Elements mask(call.input("axis"));
    for (size_t k = 0; k < rank; ++k) is_reversed[k] = mask.number(static_cast<std::int64_t>(k)) != 0;
    return is_reversed;
  }
  require(types::integers.contains(call.type("axis").dtype), "axis is {}, but by mode index must have integers",
          call.type("axis"));
  if (call.has_value("axis"))
    for (const size_t axis : axes_among("axis", call.integers("axis"), rank)) is_reversed[axis] = true;
  return is_reversed;
}

std::vector<ValueType> output_types(const Call& call) {
  reversed(call);
  return same_type(call);
}

// output[i] = data[n - 1 - i] along the axes that are named
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<bool> is_reversed = reversed(call);
  const Dims& data = outs[0].type().shape;
  return {moved_by_axis(outs[0], call.input("data"),
                        [&](size_t axis, std::int64_t i) { return is_reversed[axis] ? data[axis] - 1 - i : i; })};
}
}  // namespace
Operator reverse() {
  return Operator("openvino", "Reverse")
      .summary("data with some axes reversed")
      .page("movement/reverse-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "mode", one_of({"index", "mask"})))
                     .input("data", "T1")
                     .input("axis", "T2")
                     .output("output0", "T1")
                     .types("T1", any_type)
                     .types("T2", types::integers | DType::boolean);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_reverse
