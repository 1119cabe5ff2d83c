// SPDX-License-Identifier: Apache-2.0
// ai.onnx Equal, versions 1, 7, 11, 13, 19
// https://onnx.ai/onnx/operators/onnx__Equal.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_equal {
namespace {
// C = A is B: -0 is +0, NaN is nothing;  strings byte for byte
struct IsEqual : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& a, const R& b) const {
    return a == b;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (call.type("A").dtype != DType::string) return each_pair<IsEqual>(call, outs);
  return {elementwise_of_texts(outs[0], broadcast_operands(call),
                               [](const std::string& a, const std::string& b) { return a == b; })};
}

void version_1(OpSchema& s) {
  s.input("A", "T").input("B", "T").output("C", "T1");
  s.types("T", types::signed_wide | DType::boolean).types("T1", DType::boolean);
  with_old_broadcast(s);
}
}  // namespace
Operator equal() {
  return Operator("ai.onnx", "Equal")
      .summary("whether elements of A and B are one value")
      .version(1, version_1)
      .version(7, with_numpy_broadcast)
      .version(11, allows("T", types::numbers | DType::boolean))
      .version(13, adds("T", DType::bfloat16))
      .version(19, adds("T", DType::string))
      .reading(unit_dims_reading())
      .output_types(truth_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_equal
