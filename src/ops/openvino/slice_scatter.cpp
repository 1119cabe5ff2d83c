// SPDX-License-Identifier: Apache-2.0
// openvino SliceScatter, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/cuts.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_slice_scatter {
namespace {
constexpr CutNames kNames{"start", "stop", "step"};

std::vector<ValueType> output_types(const Call& call) {
  const Dims &data = call.type("data").shape, &updates = call.type("updates").shape;
  require(!data.empty(), "data is a scalar, but must have an axis");
  const Dims slice = cut_of(call, kNames).shape;
  require(updates == slice, "updates has shape {}, but must have {}, that of the slice of data {}", updates, slice,
          data);
  return same_type(call);
}

// out = data; then out[start:stop:step along the axes] = updates
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Strided places = cut_of(call, kNames).places(outs[0].type().shape);
  return {scatter(outs[0], call.input("data"), call.input("updates"), [&](std::int64_t e) { return places(e); })};
}
}  // namespace
Operator slice_scatter() {
  return Operator("openvino", "SliceScatter")
      .summary("data, with every so many elements along some axes overwritten")
      .page("movement/slice-scatter-15")
      .category("category data movement")
      .version(15,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("updates", "T")
                     .input("start", "T_IND")
                     .input("stop", "T_IND")
                     .input("step", "T_IND")
                     .input("axes", "T_AXIS", Arity::optional)
                     .output("out", "T");
                 s.types("T", computed_numbers).types("T_IND", types::integers).types("T_AXIS", types::integers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_slice_scatter
