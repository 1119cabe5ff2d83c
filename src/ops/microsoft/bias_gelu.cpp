// SPDX-License-Identifier: Apache-2.0
// com.microsoft BiasGelu, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.BiasGelu
#include "ops/operator_file.h"
#include "ops/shared/gelus.h"
namespace opref::ops::microsoft::file_bias_gelu {
namespace {
// x/2·(1 + erf(x/√2)), x = A + B
struct BiasGelu : RealFormula<2> {
  template <class R>
  OPREF_INLINE R operator()(const R& A, const R& B) const {
    return ops::gelu(A + B);
  }
};

std::vector<ValueType> output_types(const Call& call) {
  require_bias_of_last_axis(call, "A", "B");
  return same_type(call);
}

void version_1(OpSchema& s) {
  s.input("A", "T").input("B", "T", "one number for each of the last axis of A").output("C", "T");
  s.types("T", types::floats | DType::bfloat16);
}
}  // namespace
Operator bias_gelu() {
  return Operator("com.microsoft", "BiasGelu")
      .summary("x/2·(1 + erf(x/√2)) of each element x of A + B")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(each_pair<BiasGelu>);
}
}  // namespace opref::ops::microsoft::file_bias_gelu
