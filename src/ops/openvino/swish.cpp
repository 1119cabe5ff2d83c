// SPDX-License-Identifier: Apache-2.0
// openvino Swish, version 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_swish {
namespace {
// x·sigmoid(beta·x)
struct Swish : RealFormula<2> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& beta) const {
    return x * sigmoid(beta * x);
  }
};

std::vector<ValueType> output_types(const Call& call) {
  if (call.has("beta")) require_scalar_or_one(call, "beta");
  return same_type(call);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor beta = call.has("beta") ? call.input("beta").reshaped({}) : fill_of(1, call.type("data").dtype);
  return {elementwise(outs[0], std::array{call.input("data"), beta}, Swish{})};
}
}  // namespace
Operator swish() {
  return Operator("openvino", "Swish")
      .summary("x·sigmoid(beta·x) of each element; beta is 1 where it is left out")
      .page("activation/swish-4")
      .category("category activation function")
      .version(
          4,
          [](OpSchema& s) {
            s.input("data", "T").input("beta", "T", Arity::optional).output("output0", "T").types("T", computed_floats);
          })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_swish
