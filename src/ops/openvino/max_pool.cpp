// SPDX-License-Identifier: Apache-2.0
// openvino MaxPool, versions 1 (opset1), 8 (opset8), 14 (opset14)
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/pooling/max-pool-14.html
#include "ops/operator_file.h"
#include "ops/shared/openvino_windows.h"
#include "ops/shared/pooling.h"
namespace opref::ops::openvino::file_max_pool {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType y = openvino_pooled_type(call);
  if (call.version() < 8) return {y};
  call.axis("axis", y.rank());
  return {y, TensorType{call.string("index_element_type") == "i32" ? DType::int32 : DType::int64, y.shape}};
}

// output[n,c,o] = the greatest data[n, c, o*s + k*d - pb] inside data;  NaN wins, +0 is greater than -0. indices[n,c,o]
// is its place, the first one of equals, counted within the axes from `axis` on.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& data = call.type("data").shape;
  const size_t axis = call.version() < 8 ? 0 : call.axis("axis", data.size());
  const std::int64_t counted = element_count(data.without_first(axis));
  return max_pool(call, call.input("data"), outs,
                  {.windows = openvino_pooling_windows(call), .index = [=](std::int64_t at) { return at % counted; }});
}

bool has_empty_windows(const Call& call) { return has_empty_window(openvino_pooling_windows(call)); }

void version_1(OpSchema& s) {
  openvino_pooling_attributes(s);
  s.input("data", "T", "the data, [N, C, Z, Y, X], [… Y, X] or [… X]")
      .output("output", "T", "the greatest elements of the windows")
      .types("T", openvino_numbers(), "Any numeric type.");
}

void version_8(OpSchema& s) {
  s.attribute(per_axis_attribute("dilations", 1))
      .attribute(with_default("index_element_type", "i64", one_of({"i32", "i64"})))
      .attribute(with_default("axis", 0))
      .output("indices", "T_IND", "the places of output's elements in data")
      .types("T_IND", types::signed_wide, "int64 or int32.");
}
}  // namespace
Operator max_pool() {
  return openvino_pooling("MaxPool")
      .summary("the greatest element of each window of each channel, and where it lies")
      .page("pooling/max-pool-14")
      .version(1, version_1)
      .version(8, version_8)
      .version(14, version_with_ceil_torch)
      .reading(max_pool_empty_reading(1, has_empty_windows))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_max_pool
