// SPDX-License-Identifier: Apache-2.0
// ai.onnx MaxPool, versions 1, 8, 10, 11, 12, 22
// https://onnx.ai/onnx/operators/onnx__MaxPool.html
#include "ops/operator_file.h"
#include "ops/shared/pooling.h"
namespace opref::ops::onnx::file_max_pool {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType y = pooled_type(call);
  return {y, TensorType{DType::int64, y.shape}};
}

// "The index values are that of a flatten 1-D tensor"; storage_order 1 is column major: the first axis runs fastest, of
// each plane, or of the whole tensor.
std::int64_t column_major(std::int64_t at, const Dims& shape) {
  const std::int64_t size = element_count(shape);
  const Dims inside = coordinates(at % size, shape);
  std::int64_t index = 0;
  for (size_t axis = shape.size(); axis-- > 0;) index = index * shape[axis] + inside[axis];
  return at / size * size + index;
}

// Y[n,c,o] = the greatest X[n, c, o*s + k*d - pb] inside X;  NaN wins, +0 is greater than -0. Indices[n,c,o] is its
// place in X, of equals the first one.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& x = call.type("X").shape;
  const Dims turned = call.reads("max_pool.column_major", "plane") ? spatial(x) : x;
  const bool by_columns = call.flag("storage_order");
  return max_pool(call, call.input("X"), outs,
                  {.windows = pooling_windows(call),
                   .tie = call.reads("max_pool.tie", "last") ? Tie::last : Tie::first,
                   .index = [=](std::int64_t at) { return by_columns ? column_major(at, turned) : at; }});
}

bool wants_indices(const Call& call) { return call.version() >= 8 && call.wants("Indices"); }
bool is_column_major(const Call& call) { return wants_indices(call) && call.flag("storage_order"); }
bool has_empty_windows(const Call& call) { return has_empty_window(pooling_windows(call)); }

void version_8(OpSchema& s) {
  s.attribute(with_default("storage_order", 0, flag()))
      .output("Indices", "I", Arity::optional, "the places of Y's elements in X")
      .types("I", DType::int64, "Constrain index tensor to int64");
}

void version_10(OpSchema& s) {
  s.attribute(with_default("ceil_mode", 0, flag())).attribute(per_axis_attribute("dilations", 1));
}
}  // namespace
Operator max_pool() {
  return pooling_operator("MaxPool")
      .summary("the greatest element of each window of each channel, and where it lies")
      .version(1, [](OpSchema& s) { pooling_version_1(s, "the greatest elements of the windows"); })
      .version(8, version_8)
      .version(10, version_10)
      .version(11, pooling_version_11)
      .version(12, adds("T", Types(DType::int8) | DType::uint8))
      .version(22, adds("T", DType::bfloat16))
      .reading(ceil_drop_reading("max_pool.ceil_drop", 10))
      .reading(same_size_reading("max_pool.same_size"))
      .reading(same_dilation_reading("max_pool.same_dilation", 10))
      .reading(valid_ceil_reading("max_pool.valid_ceil", 10))
      .reading(pads_with_auto_pad_reading("max_pool.pads_with_auto_pad", 1))
      .reading(
          {.name = "max_pool.column_major",
           .alternatives = {"plane: storage_order 1 counts column by column in each plane",
                            "tensor: over the whole tensor, its first axis fastest"},
           .defaults = {{8, "plane"}},
           .reason = "the text says \"column major\" alone; onnxruntime and onnx.reference count within each plane",
           .may_change_values = is_column_major})
      .reading({.name = "max_pool.tie",
                .alternatives = {"first: of equal elements Indices names the first", "last: the last"},
                .defaults = {{8, "first"}},
                .reason = "the text is silent; onnxruntime and torch take the first of equal elements",
                .may_change_values = wants_indices})
      .reading(max_pool_empty_reading(1, has_empty_windows))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_max_pool
