// SPDX-License-Identifier: Apache-2.0
// ai.onnx SwiGLU, version 28
// https://onnx.ai/onnx/operators/onnx__SwiGLU.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_swi_glu {
namespace {
// A·sigmoid(alpha·A)·B.  No factor that is not zero vanishes on the way: of B = ±Inf it is infinite.
struct SwiGlu : RealFormula<2> {
  double alpha;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a * sigmoid(R(alpha) * a) * b;
  }
};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType &a = call.type("A"), &b = call.type("B");
  require(a.shape == b.shape, "A has shape {}, but B {}; they must be the same", a.shape, b.shape);
  return {a};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {elementwise(outs[0], call.tensors(), SwiGlu{{}, call.number("alpha")})};
}

void version_28(OpSchema& s) {
  s.attribute(with_default("alpha", 1.0F)).input("A", "T", "the gate").input("B", "T").output("Y", "T");
  s.types("T", types::floats | DType::bfloat16);
}
}  // namespace
Operator swi_glu() {
  return Operator("ai.onnx", "SwiGLU")
      .summary("A·sigmoid(alpha·A)·B, element by element")
      .version(28, version_28)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_swi_glu
