// SPDX-License-Identifier: Apache-2.0
// ai.onnx TensorScatter, version 24
// https://onnx.ai/onnx/operators/onnx__TensorScatter.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_tensor_scatter {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& past = call.type("past_cache");
  const Dims& update = call.type("update").shape;
  const auto axis = call.axis("axis", past.rank());
  require(axis != 0, "attribute 'axis' is {}, which is axis 0, that of the batch", call.integer("axis"));
  Dims expected = past.shape;
  if (update.size() == expected.size()) expected[axis] = update[axis];
  require(update == expected, "update has shape {}, but past_cache {}: they may differ along axis {} alone", update,
          past.shape, axis);
  require(update[axis] <= past.shape[axis], "update has size {} along axis {}, but past_cache only {}", update[axis],
          axis, past.shape[axis]);
  if (call.has("write_indices"))
    require(call.type("write_indices").shape == Dims{past.shape[0]},
            "write_indices has shape {}, but must have one number for each of the {} of past_cache",
            call.type("write_indices").shape, counted(past.shape[0], "batch row"));
  return {past};
}

// present_cache[b, …, (write_indices[b] + t) mod size, …] = update[b, …, t, …], elsewhere past_cache
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::array from{call.input("past_cache"), call.input("update")};
  const Dims& past = from[0].shape();
  const auto axis = call.axis("axis", past.size());
  const std::int64_t size = past[axis], length = from[1].shape()[axis];
  const std::int64_t rows = element_count(past.first(axis).without_first(1)),
                     inner = element_count(past.without_first(axis + 1));
  const bool is_circular = call.string("mode") == "circular";
  std::vector<std::int64_t> write;  // 0 where it is omitted
  if (call.has("write_indices")) write = call.integers("write_indices");
  for (size_t b = 0; b < write.size(); ++b) {
    require(write[b] >= 0, "write_indices[{}] is {}, but must be >= 0", b, write[b]);
    require(is_circular || write[b] <= size - length,
            "write_indices[{}] is {}, but with {} written the cache of size {} ends", b, write[b], length, size);
    if (is_circular && size > 0) write[b] %= size;
  }
  return {move(outs[0], from, [&](std::int64_t i) {
    const auto [b, row, s, in] = split(i, rows, size, inner);
    const std::int64_t after = s - (write.empty() ? 0 : write[static_cast<size_t>(b)]),
                       t = is_circular && after < 0 ? after + size : after;
    if (t < 0 || t >= length) return Run{i, inner - in, 1, 0};
    return Run{((b * rows + row) * length + t) * inner + in, inner - in, 1, 1};
  })};
}

void version_24(OpSchema& s) {
  s.input("past_cache", "T").input("update", "T").input("write_indices", "int64", Arity::optional);
  s.output("present_cache", "T").types("T", types::ir12).attribute(with_default("axis", -2));
  s.attribute(with_default("mode", "linear", one_of({"linear", "circular"})));
}
}  // namespace
Operator tensor_scatter() {
  return Operator("ai.onnx", "TensorScatter")
      .summary("a cache in which an update overwrites elements, from a given place in each batch row on")
      .version(24, version_24)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_tensor_scatter
