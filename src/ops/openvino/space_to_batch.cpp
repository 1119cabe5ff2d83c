// SPDX-License-Identifier: Apache-2.0
// openvino SpaceToBatch, version 2 (opset2)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_space_to_batch {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const auto [block, begin, end] = axis_blocks(call, "pads_begin", "pads_end");
  Dims shape = data;
  for (size_t axis = 1; axis < data.size(); ++axis) {
    const std::int64_t size = checked_add(checked_add(data[axis], begin[axis]), end[axis]);
    require(size % block[axis] == 0,
            "axis {} of data {} has size {} with its pads, which is no multiple of its block, {}", axis, data, size,
            block[axis]);
    shape[axis] = size / block[axis];
    shape[0] = checked_multiply(shape[0], block[axis]);
  }
  return {TensorType{dtype, shape}};
}

// output0[digits·N + n, o…] = data[n, o·block + digit - pads_begin …], 0 in the pads
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const auto [block, begin, end] = axis_blocks(call, "pads_begin", "pads_end");
  const Dims &shape = outs[0].type().shape, &from = data.shape();
  return {move(outs[0], data, [&](std::int64_t i) {
    Dims at = coordinates(i, shape);
    std::int64_t digits = at[0] / from[0];
    at[0] %= from[0];
    for (size_t axis = from.size(); axis-- > 1; digits /= block[axis]) {
      at[axis] = at[axis] * block[axis] + digits % block[axis] - begin[axis];
      if (at[axis] < 0 || at[axis] >= from[axis]) return Run::fill();
    }
    return Run{position(at, from)};
  })};
}
}  // namespace
Operator space_to_batch() {
  return Operator("openvino", "SpaceToBatch")
      .summary("blocks of the axes after the batch, laid out as batches")
      .page("movement/space-to-batch-2")
      .category("category data movement")
      .version(2,
               [](OpSchema& s) {
                 s.input("data", "T1")
                     .input("block_shape", "T2")
                     .input("pads_begin", "T2")
                     .input("pads_end", "T2")
                     .output("output0", "T1")
                     .types("T1", any_type)
                     .types("T2", types::integers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_space_to_batch
