// SPDX-License-Identifier: Apache-2.0
// openvino BitwiseNot, version 13 (opset13)
#include "ops/operator_file.h"
namespace opref::ops::openvino::file_bitwise_not {
namespace {
// out = the bits of a inverted; of bool the other one
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Elements a(call.input("a"));
  const bool is_truth = outs[0].type().dtype == DType::boolean;
  return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
    const auto bits = static_cast<std::uint64_t>(x(a, i));
    return is_truth ? bits ^ 1 : ~bits;
  })};
}
}  // namespace
Operator bitwise_not() {
  return Operator("openvino", "BitwiseNot")
      .summary("the bits of each element inverted; of bool the other one")
      .page("bitwise/bitwise-not-13")
      .version(13,
               [](OpSchema& s) { s.input("a", "T").output("out", "T").types("T", types::integers | DType::boolean); })
      .output_types(same_type)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_bitwise_not
