// SPDX-License-Identifier: Apache-2.0
// openvino SpaceToDepth, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_space_to_depth {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  require(data.size() >= 3 && data.size() <= 5, "data has rank {}, but must have 3, 4 or 5: one to three spatial axes",
          data.size());
  const std::int64_t b = call.integer("block_size");
  Dims shape = data;
  for (size_t axis = 2; axis < data.size(); ++axis) {
    require(data[axis] % b == 0, "data has shape {}, but its spatial sizes must be multiples of {}", data, b);
    shape[axis] /= b, shape[1] = checked_multiply(shape[1], b);
  }
  return {TensorType{dtype, shape}};
}

// The channels are digits of a block and, after or before them, the channel of data.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const Dims at = strides_of(data.shape());
  const std::int64_t b = call.integer("block_size"), C = data.shape()[1];
  const size_t rank = data.shape().size();
  const bool blocks_first = call.string("mode") == "blocks_first";
  Dims shape{data.shape()[0]}, strides{at[0]};
  if (!blocks_first) shape.push_back(C), strides.push_back(at[1]);
  for (size_t axis = 2; axis < rank; ++axis) shape.push_back(b), strides.push_back(at[axis]);
  if (blocks_first) shape.push_back(C), strides.push_back(at[1]);
  for (size_t axis = 2; axis < rank; ++axis) shape.push_back(data.shape()[axis] / b), strides.push_back(at[axis] * b);
  return {move(outs[0], data, Strided(shape, strides))};
}
}  // namespace
Operator space_to_depth() {
  return Operator("openvino", "SpaceToDepth")
      .summary("blocks of the spatial axes, laid out as channels")
      .page("movement/space-to-depth-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("block_size", 1, at_least(1)))
                     .attribute(required(STRING, "mode", one_of({"blocks_first", "depth_first"})))
                     .input("data", "T")
                     .output("output0", "T")
                     .types("T", any_type);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_space_to_depth
