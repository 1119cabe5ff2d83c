// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearMul, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearMul
#include "ops/operator_file.h"
#include "ops/shared/quantized_elements.h"
namespace opref::ops::microsoft::file_q_linear_mul {
namespace {
struct Mul {
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a * b;
  }
};
}  // namespace
Operator q_linear_mul() {
  return quantized_pair_operator("QLinearMul")
      .summary("the product of two quantized numbers, quantized again")
      .kernel(quantized_pairs<Mul>);
}
}  // namespace opref::ops::microsoft::file_q_linear_mul
