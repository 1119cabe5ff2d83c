// SPDX-License-Identifier: Apache-2.0
// openvino ScatterUpdate, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_scatter_update {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  require_scalar_or_one(call, "axis");
  const size_t axis = call.axis("axis", data.size());
  const Dims updates = join(join(data.first(axis), indices), data.without_first(axis + 1));
  require(call.type("updates").shape == updates,
          "updates has shape {}, but must have {}: data {} with indices {} in place of axis {}",
          call.type("updates").shape, updates, data, indices, axis);
  return {call.type("data")};
}

// output = data; then output[…, indices[k…], …] = updates[…, k…, …], k… along the axis, the last one of equal indices
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& data = outs[0].type().shape;
  const size_t axis = call.axis("axis", data.size());
  const std::vector<std::int64_t> indices = call.integers("indices");
  const std::int64_t outer = element_count(data.first(axis)), size = data[axis],
                     inner = element_count(data.without_first(axis + 1));
  SlicePlaces places{{}, inner};
  for (std::int64_t o = 0; o < outer; ++o)
    for (size_t k = 0; k < indices.size(); ++k) {
      require(indices[k] >= 0 && indices[k] < size,
              "indices{} is {}, but must be from 0 to {}: axis {} of data has size {}",
              coordinates(static_cast<std::int64_t>(k), call.type("indices").shape), indices[k], size - 1, axis, size);
      places.first.push_back((o * size + indices[k]) * inner);
    }
  return {scatter(outs[0], call.input("data"), call.input("updates"), places)};
}
}  // namespace
Operator scatter_update() {
  return Operator("openvino", "ScatterUpdate")
      .summary("data, with slices along an axis overwritten")
      .page("movement/scatter-update-3")
      .category("category data movement")
      .version(3,
               [](OpSchema& s) {
                 s.input("data", "T_NUMERIC")
                     .input("indices", "T_IND")
                     .input("updates", "T_NUMERIC")
                     .input("axis", "T_AXIS")
                     .output("output0", "T_NUMERIC")
                     .types("T_NUMERIC", computed_numbers)
                     .types("T_IND", types::integers)
                     .types("T_AXIS", types::integers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_scatter_update
