// SPDX-License-Identifier: Apache-2.0
// openvino Bucketize, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_bucketize {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_list("buckets", call.type("buckets").shape);
  return {TensorType{call.string("output_type") == "i32" ? DType::int32 : DType::int64, call.type("data").shape}};
}

// output0 = how many buckets are less than data, or, without with_right_bound, not greater
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Elements data(call.input("data")), buckets(call.input("buckets"));
  const std::int64_t n = call.input("buckets").count();
  return {wholes(outs[0], [&, counts_equal = !call.flag("with_right_bound")](std::int64_t i, const WholeReader&) {
    return static_cast<std::uint64_t>(count_before(buckets, 0, n, data, i, counts_equal));
  })};
}
}  // namespace
Operator bucketize() {
  return Operator("openvino", "Bucketize")
      .summary("how many of the ascending buckets lie below each element")
      .page("condition/bucketize-3")
      .version(3,
               [](OpSchema& s) {
                 s.attribute(with_default("output_type", "i64", index_types()))
                     .attribute(with_default("with_right_bound", 1, flag()))
                     .input("data", "T")
                     .input("buckets", "T_BOUNDARIES")
                     .output("output0", "T_IND")
                     .types("T", computed_numbers)
                     .types("T_BOUNDARIES", computed_numbers)
                     .types("T_IND", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_bucketize
