// SPDX-License-Identifier: Apache-2.0
// openvino SearchSorted, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_search_sorted {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims &sequence = call.type("sorted_sequence").shape, &values = call.type("values").shape;
  require(!sequence.empty(), "sorted_sequence is a scalar, but must have an axis");
  require(sequence.size() == 1 || (values.size() == sequence.size() &&
                                   sequence.first(sequence.size() - 1) == values.first(values.size() - 1)),
          "sorted_sequence has shape {} and values {}: it must have one axis, or all axes of values but for the last "
          "one's size",
          sequence, values);
  return {TensorType{call.string("output_type") == "i32" ? DType::int32 : DType::int64, values}};
}

// out = how many elements of the sequence are less than the value, or, with right_mode, not greater
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Elements sequence(call.input("sorted_sequence")), values(call.input("values"));
  const Dims& shape = call.type("sorted_sequence").shape;
  const std::int64_t n = shape[shape.size() - 1], each = shape.size() == 1 || outs[0].type().rank() == 0
                                                             ? INT64_MAX
                                                             : outs[0].type().shape[outs[0].type().rank() - 1];
  return {wholes(outs[0], [&, counts_equal = call.flag("right_mode")](std::int64_t i, const WholeReader&) {
    return static_cast<std::uint64_t>(count_before(sequence, i / each * n, n, values, i, counts_equal));
  })};
}
}  // namespace
Operator search_sorted() {
  return Operator("openvino", "SearchSorted")
      .summary("where each value would be inserted into an ascending sequence")
      .page("sort/search-sorted-15")
      .category("category sorting and maximization")
      .version(15,
               [](OpSchema& s) {
                 s.attribute(with_default("right_mode", 0, flag()))
                     .attribute(with_default("output_type", "i64", index_types()))
                     .input("sorted_sequence", "T")
                     .input("values", "T")
                     .output("out", "T_IND")
                     .types("T", computed_numbers)
                     .types("T_IND", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_search_sorted
