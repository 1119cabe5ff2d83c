// SPDX-License-Identifier: Apache-2.0
// openvino HSigmoid, version 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_h_sigmoid {
namespace {
// min(max(x + 3, 0), 6)/6
struct HSigmoid : RealFormula<1> {
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return min(max(x + R(3.0), R(0.0)), R(6.0)) / R(6.0);
  }
};
}  // namespace
Operator h_sigmoid() {
  return Operator("openvino", "HSigmoid")
      .summary("min(max(x + 3, 0), 6)/6 of each element")
      .page("activation/hsigmoid-5")
      .category("category activation function")
      .version(5, [](OpSchema& s) { s.input("arg", "T").output("output0", "T").types("T", computed_floats); })
      .output_types(same_type)
      .kernel(each_element<HSigmoid>);
}
}  // namespace opref::ops::openvino::file_h_sigmoid
