// SPDX-License-Identifier: Apache-2.0
// ai.onnx ScatterND, versions 11, 13, 16, 18
// https://onnx.ai/onnx/operators/onnx__ScatterND.html
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
namespace opref::ops::onnx::file_scatter_nd {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape,
             &updates = call.type("updates").shape;
  const NamedSlices slices = named_slices(call, 0);
  const Dims wanted = join(indices.first(indices.size() - 1), data.without_first(slices.depth));
  require(updates == wanted, "updates has shape {}, but must have {}, by data {} and indices {}", updates, wanted, data,
          indices);
  return scatter_types(call);
}

// output = data;  output[indices[i…]] = updates[i…], or reduced with it
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return scattered(call, outs, named_slices(call, 0).places(call));
}

std::vector<Note> notes(const Call& call) {
  return knows_updates(call) ? scatter_notes(call, named_slices(call, 0).places(call)) : std::vector<Note>{};
}

void version_11(OpSchema& s) {
  s.input("data", "T").input("indices", "int64").input("updates", "T").output("output", "T");
  s.types("T", types::basic);
}
}  // namespace
Operator scatter_nd() {
  return Operator("ai.onnx", "ScatterND")
      .summary("the data with slices written, added, multiplied … into the places that indices name")
      .version(11, version_11)
      .version(13, adds("T", DType::bfloat16))
      .version(16, with_reduction)
      .version(18, with_extreme_reductions)
      .reading(duplicates_reading(11))
      .reading(scatter_rounding_reading())
      .reading(scatter_bool_reading())
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes);
}
}  // namespace opref::ops::onnx::file_scatter_nd
