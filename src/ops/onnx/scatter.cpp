// SPDX-License-Identifier: Apache-2.0
// ai.onnx Scatter, versions 9, 11
// https://onnx.ai/onnx/operators/onnx__Scatter.html
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
namespace opref::ops::onnx::file_scatter {
namespace {
// output = data;  output[i, indices[i, j, …], …] = updates[i, j, …], the index along the axis: as ScatterElements
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return scattered(call, outs, elements_places(call));
}

void version_9(OpSchema& s) {
  s.input("data", "T").input("indices", "Tind").input("updates", "T").output("output", "T").types("T", types::basic);
  s.types("Tind", types::signed_wide).attribute(with_default("axis", 0));
}
}  // namespace
Operator scatter() {
  return Operator("ai.onnx", "Scatter")
      .summary("the data with each update written at its index along an axis")
      .version(9, version_9)
      .version(11, [](OpSchema& s) { s.deprecate(); })
      .reading(negative_index_reading(9, 11))
      .reading(duplicates_reading(9))
      .output_types(scatter_elements_types)
      .kernel(kernel)
      .notes(scatter_elements_notes);
}
}  // namespace opref::ops::onnx::file_scatter
