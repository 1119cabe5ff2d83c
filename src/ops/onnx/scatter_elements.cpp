// SPDX-License-Identifier: Apache-2.0
// ai.onnx ScatterElements, versions 11, 13, 16, 18
// https://onnx.ai/onnx/operators/onnx__ScatterElements.html
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
namespace opref::ops::onnx::file_scatter_elements {
namespace {
// output = data;  output[i, indices[i, j, …], …] = updates[i, j, …], or reduced with it; the index along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return scattered(call, outs, elements_places(call));
}

void version_11(OpSchema& s) {
  s.input("data", "T").input("indices", "Tind").input("updates", "T").output("output", "T").types("T", types::basic);
  s.types("Tind", types::signed_wide).attribute(with_default("axis", 0));
}
}  // namespace
Operator scatter_elements() {
  return Operator("ai.onnx", "ScatterElements")
      .summary("the data with each update written, added, multiplied … at its index along an axis")
      .version(11, version_11)
      .version(13, adds("T", DType::bfloat16))
      .version(16, with_reduction)
      .version(18, with_extreme_reductions)
      .reading(duplicates_reading(11))
      .reading(scatter_rounding_reading())
      .reading(scatter_bool_reading())
      .output_types(scatter_elements_types)
      .kernel(kernel)
      .notes(scatter_elements_notes);
}
}  // namespace opref::ops::onnx::file_scatter_elements
