// SPDX-License-Identifier: Apache-2.0
// openvino DepthToSpace, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_depth_to_space {
namespace {
Dims blocks(const Call& call) { return Dims::filled(call.type("data").rank() - 2, call.integer("block_size")); }

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  require(data.size() >= 3 && data.size() <= 5, "data has rank {}, but must have 3, 4 or 5: one to three spatial axes",
          data.size());
  const std::int64_t block = element_count(blocks(call));
  require(data[1] % block == 0, "data has {}, but must have a multiple of {}, a block's elements",
          counted(data[1], "channel"), block);
  return {TensorType{dtype, join(Dims{data[0], data[1] / block}, data.without_first(2) * blocks(call))}};
}

// The channels are digits of a block and, before or after them, the channel of output0.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const Dims at = strides_of(data.shape());
  const std::int64_t b = call.integer("block_size"), C = outs[0].type().shape[1],
                     block = data.shape()[1] / std::max<std::int64_t>(C, 1);
  const bool blocks_first = call.string("mode") == "blocks_first";
  Dims shape{data.shape()[0], C}, strides{at[0], blocks_first ? at[1] : at[1] * block};
  std::int64_t digit = (blocks_first ? at[1] * C : at[1]) * block;
  for (size_t axis = 2; axis < data.shape().size(); ++axis) {
    digit /= b;
    shape.push_back(data.shape()[axis]), strides.push_back(at[axis]);
    shape.push_back(b), strides.push_back(digit);
  }
  return {move(outs[0], data, Strided(shape, strides))};
}
}  // namespace
Operator depth_to_space() {
  return Operator("openvino", "DepthToSpace")
      .summary("blocks of channels, laid out as blocks of the spatial axes")
      .page("movement/depth-to-space-1")
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
}  // namespace opref::ops::openvino::file_depth_to_space
