// SPDX-License-Identifier: Apache-2.0
// openvino Unique, version 10 (opset10)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_unique {
Operator unique() {
  return Operator("openvino", "Unique")
      .summary("the distinct elements or slices, where they are, and how many of each there are")
      .page("movement/unique-10")
      .category("category data movement")
      .version(10,
               [](OpSchema& s) {
                 s.attribute(with_default("sorted", 1, flag()))
                     .attribute(with_default("index_element_type", "i64", index_types()))
                     .attribute(with_default("count_element_type", "i64", index_types()));
                 s.input("data", "T")
                     .input("axis", "T_AXIS", Arity::optional)
                     .output("unique", "T")
                     .output("indices", "T_IDX")
                     .output("inverse", "T_IDX")
                     .output("counts", "T_CNT");
                 s.types("T", computed_numbers | DType::boolean | DType::string)
                     .types("T_AXIS", types::signed_wide)
                     .types("T_IDX", types::signed_wide)
                     .types("T_CNT", types::signed_wide);
               })
      .as("ai.onnx", "Unique", 28,
          {{"data", "X"},
           {"unique", "Y"},
           {"inverse", "inverse_indices"},
           {"index_element_type", ""},
           {"count_element_type", ""}})
      .index_type("indices", "index_element_type")
      .index_type("inverse", "index_element_type")
      .index_type("counts", "count_element_type");
}
}  // namespace opref::ops::openvino::file_unique
