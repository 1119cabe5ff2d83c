// SPDX-License-Identifier: Apache-2.0
// openvino Tile, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_tile {
namespace {
// repeats and data's shape are aligned at their ends; what is missing is 1.
void aligned(const Call& call, Restated& tile) {
  Input& repeats = tile.inputs[1] = int64_list(call, "repeats");
  const Dims& data = call.type("data").shape;
  const auto count = static_cast<size_t>(element_count(repeats.type.tensor.shape));
  const size_t rank = std::max(data.size(), count);
  reshape(tile.inputs[0], join(Dims::filled(rank - data.size(), 1), data));
  repeats.type.tensor.shape = Dims{static_cast<std::int64_t>(rank)};
  if (!call.has_value("repeats")) return;
  std::vector<std::int64_t> list = call.integers("repeats");
  list.insert(list.begin(), rank - count, 1);
  repeats.value = Value(Tensor::of<std::int64_t>(DType::int64, repeats.type.tensor.shape, list));
}
}  // namespace
Operator tile() {
  return Operator("openvino", "Tile")
      .summary("data, repeated along its axes")
      .page("movement/tile-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T1")
                     .input("repeats", "T2")
                     .output("output0", "T1")
                     .types("T1", any_type)
                     .types("T2", types::integers);
               })
      .as("ai.onnx", "Tile", 13, {{"data", "input"}, {"output0", "output"}})
      .restated(aligned);
}
}  // namespace opref::ops::openvino::file_tile
