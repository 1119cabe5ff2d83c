// SPDX-License-Identifier: Apache-2.0
// openvino BatchToSpace, version 2 (opset2)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_batch_to_space {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const auto [block, begin, end] = axis_blocks(call, "crops_begin", "crops_end");
  const std::int64_t all = element_count(Dims(block));
  require(data[0] % all == 0, "data has a batch of {}, but it must be a multiple of {}, the blocks of {}", data[0], all,
          Dims(block));
  Dims shape = data;
  shape[0] /= all;
  for (size_t axis = 1; axis < data.size(); ++axis) {
    const std::int64_t size = checked_multiply(data[axis], block[axis]), cropped = checked_add(begin[axis], end[axis]);
    require(cropped <= size, "crops_begin and crops_end take {} elements of axis {}, which has {}", cropped, axis,
            size);
    shape[axis] = size - cropped;
  }
  return {TensorType{dtype, shape}};
}

// output0[n, o…] = data[digits·N + n, (o + crops_begin)/block …], digit = (o + crops_begin) modulo block
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const auto [block, begin, end] = axis_blocks(call, "crops_begin", "crops_end");
  const Dims& shape = outs[0].type().shape;
  return {move(outs[0], data, [&](std::int64_t i) {
    Dims at = coordinates(i, shape);
    std::int64_t digits = 0;
    for (size_t axis = 1; axis < shape.size(); ++axis) {
      at[axis] += begin[axis];
      digits = digits * block[axis] + at[axis] % block[axis];
      at[axis] /= block[axis];
    }
    at[0] += digits * shape[0];
    return Run{position(at, data.shape())};
  })};
}
}  // namespace
Operator batch_to_space() {
  return Operator("openvino", "BatchToSpace")
      .summary("batches, laid out as blocks of the axes after the batch")
      .page("movement/batch-to-space-2")
      .category("category data movement")
      .version(2,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("block_shape", "T_INT")
                     .input("crops_begin", "T_INT")
                     .input("crops_end", "T_INT")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_INT", types::integers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_batch_to_space
