// SPDX-License-Identifier: Apache-2.0
// openvino ShuffleChannels, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_shuffle_channels {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims& data = call.type("data").shape;
  const std::int64_t channels = data[call.axis("axis", data.size())];
  require(channels % call.integer("group") == 0,
          "attribute 'group' is {}, but must divide the {} of axis {} of data {}", call.integer("group"),
          counted(channels, "element"), call.integer("axis"), data);
  return {call.type("data")};
}

// The axis as [group, C/group], transposed to [C/group, group]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const size_t axis = call.axis("axis", outs[0].type().rank());
  const std::int64_t channels = outs[0].type().shape[axis], groups = call.integer("group"), size = channels / groups;
  std::vector<std::int64_t> from;
  for (std::int64_t k = 0; k < channels; ++k) from.push_back(k % groups * size + k / groups);
  return {moved_along(outs[0], call.input("data"), axis, from)};
}
}  // namespace
Operator shuffle_channels() {
  return Operator("openvino", "ShuffleChannels")
      .summary("groups of channels interleaved")
      .page("movement/shuffle-channels-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("axis", 1))
                     .attribute(with_default("group", 1, at_least(1)))
                     .input("data", "T")
                     .output("output0", "T")
                     .types("T", any_type);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_shuffle_channels
