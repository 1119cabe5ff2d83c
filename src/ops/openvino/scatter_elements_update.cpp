// SPDX-License-Identifier: Apache-2.0
// openvino ScatterElementsUpdate, versions 3 (opset3), 12 (opset12)
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_scatter_elements_update {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_scalar_or_one(call, "axis");
  return scatter_elements_types(call);
}

// output = data; then output[…, indices[e], …] = updates[e], or what `reduction` makes of both
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return scattered(call, outs, elements_places(call));
}

void version_3(OpSchema& s) {
  s.input("data", "T").input("indices", "T_IND").input("updates", "T").input("axis", "T_AXIS").output("output0", "T");
  s.types("T", computed_numbers | DType::boolean).types("T_IND", types::integers).types("T_AXIS", types::integers);
}
void version_12(OpSchema& s) {
  s.rename("output0", "out")
      .attribute(with_default("reduction", "none", one_of({"none", "sum", "prod", "max", "min", "mean"})))
      .attribute(with_default("use_init_val", 1, flag()));
}
}  // namespace
Operator scatter_elements_update() {
  return Operator("openvino", "ScatterElementsUpdate")
      .summary("data, with elements along an axis overwritten or combined with updates")
      .page("movement/scatter-elements-update-12")
      .category("category data movement")
      .version(3, version_3)
      .version(12, version_12)
      .reading(duplicates_reading(3))
      .reading(scatter_rounding_reading(12))
      .reading(scatter_bool_reading(12))
      .reading(
          {.name = "scatter_elements.integer_mean",
           .alternatives = {"floor: the greatest integer that is not above the mean", "truncate: without its fraction"},
           .defaults = {{12, "floor"}},
           .reason = "the page and OpenVINO's reference; its CPU plugin truncates",
           .may_change_values =
               [](const Call& call) {
                 return call.string("reduction") == "mean" && !is_floating(call.type("data").dtype);
               }})
      .output_types(output_types)
      .kernel(kernel)
      .notes(scatter_elements_notes);
}
}  // namespace opref::ops::openvino::file_scatter_elements_update
