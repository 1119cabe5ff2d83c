// SPDX-License-Identifier: Apache-2.0
// openvino HardSigmoid, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_hard_sigmoid {
namespace {
// max(0, min(1, alpha·x + beta))
struct HardSigmoid : RealFormula<3> {
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& alpha, const R& beta) const {
    return ops::hard_sigmoid(x, alpha, beta);
  }
};

std::vector<ValueType> output_types(const Call& call) {
  for (const std::string_view parameter : {"alpha", "beta"}) require_scalar(call, parameter);
  return same_type(call);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {elementwise(outs[0], call.tensors(), HardSigmoid{})};
}
}  // namespace
Operator hard_sigmoid() {
  return Operator("openvino", "HardSigmoid")
      .summary("alpha·x + beta of each element, between 0 and 1")
      .page("activation/hard-sigmoid-1")
      .category("category activation function")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T")
                     .input("alpha", "T")
                     .input("beta", "T")
                     .output("output0", "T")
                     .types("T", computed_floats);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_hard_sigmoid
