// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearAdd, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearAdd
#include "ops/operator_file.h"
#include "ops/shared/quantized_elements.h"
namespace opref::ops::microsoft::file_q_linear_add {
namespace {
struct Add {
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a + b;
  }
};
}  // namespace
Operator q_linear_add() {
  return quantized_pair_operator("QLinearAdd")
      .summary("the sum of two quantized numbers, quantized again")
      .kernel(quantized_pairs<Add>);
}
}  // namespace opref::ops::microsoft::file_q_linear_add
