// SPDX-License-Identifier: Apache-2.0
// openvino ScatterNDUpdate, versions 4 (opset4), 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_scatter_nd_update {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const NamedSlices slices = named_slices(call, 0);
  const Dims &data = call.type("data").shape, &indices = call.type("indices").shape;
  const Dims updates = join(indices.first(indices.size() - 1), data.without_first(slices.depth));
  require(call.type("updates").shape == updates,
          "updates has shape {}, but must have {}: indices {} name slices of data {}", call.type("updates").shape,
          updates, indices, data);
  return scatter_types(call);
}

// output = data; then output[indices[e]…, …] = updates[e, …], or what `reduction` makes of both
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return scattered(call, outs, named_slices(call, 0).places(call));
}
}  // namespace
Operator scatter_nd_update() {
  return Operator("openvino", "ScatterNDUpdate")
      .summary("data, with slices overwritten or combined with updates")
      .page("movement/scatter-nd-update-15")
      .category("category data movement")
      .version(4,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("indices", "T_IND")
                     .input("updates", "T")
                     .output("output0", "T")
                     .types("T", computed_numbers | DType::boolean)
                     .types("T_IND", types::signed_wide);
               })
      .version(
          15,
          [](OpSchema& s) {
            s.rename("output0", "out")
                .attribute(with_default("reduction", "none", one_of({"none", "sum", "prod", "max", "min", "sub"})));
          })
      .reading(duplicates_reading(4))
      .reading(scatter_rounding_reading(15))
      .reading(scatter_bool_reading(15))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_scatter_nd_update
