// SPDX-License-Identifier: Apache-2.0
// openvino ErfInv, version 17 (opset17)
#include "exact/real/inverse_error.h"
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_erf_inv {
namespace {
// y with erf y = x; ±Inf of ±1, NaN beyond
struct ErfInv : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return erfinv(x);
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) { return each_element<ErfInv>(call, outs); }
}  // namespace
Operator erf_inv() {
  return Operator("openvino", "ErfInv")
      .summary("the number whose error function is x, for each element x")
      .page("arithmetic/erfinv-17")
      .category("category arithmetic")
      .version(17, [](OpSchema& s) { s.input("data", "T").output("out", "T").types("T", computed_floats); })
      .output_types(same_type)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_erf_inv
