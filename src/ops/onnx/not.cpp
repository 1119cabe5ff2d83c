// SPDX-License-Identifier: Apache-2.0
// ai.onnx Not, version 1
// https://onnx.ai/onnx/operators/onnx__Not.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_not_ {
namespace {
struct Not : RealFormula<1> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE Truth operator()(const R& x) const {
    return x == R(0.0);
  }
};
}  // namespace
Operator not_() {
  return Operator("ai.onnx", "Not")
      .summary("whether each element is false")
      .version(1,
               [](OpSchema& s) {
                 s.input("X", "T").output("Y", "T").types("T", DType::boolean);
                 s.shape_inference(ShapeInference::onnx);
               })
      .output_types(same_type)
      .kernel(each_element<Not>);
}
}  // namespace opref::ops::onnx::file_not_
