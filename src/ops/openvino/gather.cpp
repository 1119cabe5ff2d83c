// SPDX-License-Identifier: Apache-2.0
// openvino Gather, versions 1 (opset1), 7 (opset7), 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_gather {
namespace {
/// data[:axis] + indices[b:] + data[axis + 1:], the first b axes of both being batches.
struct Gathered {
  size_t axis, batch;
  Dims shape;
};
Gathered gathered(const Call& call) {
  const std::string_view data = call.schema().inputs()[0].name;
  const Dims &from = call.type(data).shape, &indices = call.type("indices").shape;
  require_scalar_or_one(call, "axis");
  const size_t axis = call.axis("axis", from.size());
  std::int64_t b = call.has("batch_dims") ? call.integer("batch_dims") : 0;
  if (b < 0) b += std::ssize(indices);
  require(b >= 0 && b <= std::ssize(indices) && b <= static_cast<std::int64_t>(axis),
          "attribute 'batch_dims' is {}, but must not exceed the rank of indices {}, nor axis, {}", b, indices, axis);
  const auto batch = static_cast<size_t>(b);
  require(from.first(batch) == indices.first(batch),
          "indices has shape {}, but {} has {}: they have other batches in the first {}", indices, data, from,
          counted(b, "size"));
  return {axis, batch, join(join(from.first(axis), indices.without_first(batch)), from.without_first(axis + 1))};
}

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type(call.schema().inputs()[0].name).dtype, gathered(call).shape}};
}

/// Each index; -1 of one that is outside, where the version has 0 for it.
std::vector<std::int64_t> indices_of(const Call& call, std::int64_t size) {
  std::vector<std::int64_t> indices = call.integers("indices");
  const bool wraps = call.version() >= 8 || call.reads("gather.v1_negative", "wrap");
  for (size_t k = 0; k < indices.size(); ++k) {
    const std::int64_t stated = indices[k];
    if (wraps && stated < 0) indices[k] += size;
    if (indices[k] >= 0 && indices[k] < size) continue;
    require(call.version() >= 8, "indices{} is {}, but must be from {} to {}",
            coordinates(static_cast<std::int64_t>(k), call.type("indices").shape), stated, wraps ? -size : 0, size - 1);
    indices[k] = -1;
  }
  return indices;
}

// output[b…, a…, i…, c…] = data[b…, a…, indices[b…, i…], c…], a… the axes between the batches and the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.inputs()[0].tensor();
  const Gathered to = gathered(call);
  const std::int64_t size = data.shape()[to.axis], inner = element_count(data.shape().without_first(to.axis + 1)),
                     between = element_count(data.shape().first(to.axis).without_first(to.batch)),
                     each = element_count(call.type("indices").shape.without_first(to.batch));
  const std::vector<std::int64_t> indices = indices_of(call, size);
  return {move(outs[0], data, [&](std::int64_t i) {
    const auto [outer, k, in] = split(i, each, inner);
    const std::int64_t index = indices[static_cast<size_t>(outer / between * each + k)];
    return index < 0 ? Run{-1, inner - in, 0} : Run{(outer * size + index) * inner + in, inner - in};
  })};
}
}  // namespace
Operator gather() {
  return Operator("openvino", "Gather")
      .summary("slices of data, by their indices along an axis")
      .page("movement/gather-8")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.input("params", "T")
                     .input("indices", "T_IND")
                     .input("axis", "T_AXIS")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_IND", types::integers)
                     .types("T_AXIS", types::integers);
               })
      .version(7, [](OpSchema& s) { s.rename("params", "data").attribute(with_default("batch_dims", 0)); })
      .version(8, rules("indices may be negative; one that is outside gives 0"))
      .reading(
          {.name = "gather.v1_negative",
           .alternatives = {"invalid: a negative index is invalid", "wrap: it counts from the end"},
           .defaults = {{1, "invalid"}, {8, ""}},
           .reason = "the page of 7: indices in the range [0, s - 1]; OpenVINO wraps",
           .may_change_values =
               [](const Call& call) { return any_of(call, "indices", false, [](double index) { return index < 0; }); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_gather
