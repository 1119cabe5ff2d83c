// SPDX-License-Identifier: Apache-2.0
// openvino Roll, version 7 (opset7)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_roll {
namespace {
/// By how much each axis is shifted: shifts of one axis add.
std::vector<std::int64_t> shifts_of(const Call& call) {
  const Dims& data = call.type("data").shape;
  std::vector<std::int64_t> shifts = call.integers("shift"), axes = call.integers("axes"), by(data.size(), 0);
  if (shifts.size() == 1) shifts.resize(axes.size(), shifts[0]);
  require(shifts.size() == axes.size(), "shift has {}, but axes has {}", counted(std::ssize(shifts), "value"),
          axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    const size_t axis = axes_among("axes", std::span(&axes[k], 1), data.size())[0];
    if (data[axis] > 0) by[axis] = (by[axis] + shifts[k] % data[axis] + data[axis]) % data[axis];
  }
  return by;
}

std::vector<ValueType> output_types(const Call& call) {
  for (const std::string_view list : {"shift", "axes"})
    require(call.type(list).rank() <= 1, "{} has shape {}, but must be a scalar or a list", list,
            call.type(list).shape);
  if (call.has_value("shift") && call.has_value("axes")) shifts_of(call);
  return same_type(call);
}

// output[i] = data[(i - shift) modulo n] along each axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<std::int64_t> by = shifts_of(call);
  const Dims& data = outs[0].type().shape;
  return {moved_by_axis(outs[0], call.input("data"), [&](size_t axis, std::int64_t i) {
    return i >= by[axis] ? i - by[axis] : i - by[axis] + data[axis];
  })};
}
}  // namespace
Operator roll() {
  return Operator("openvino", "Roll")
      .summary("data shifted along some axes; what leaves at one end comes back at the other")
      .page("movement/roll-7")
      .category("category data movement")
      .version(7,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("shift", "T_IND_1")
                     .input("axes", "T_IND_2")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_IND_1", types::signed_wide)
                     .types("T_IND_2", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_roll
