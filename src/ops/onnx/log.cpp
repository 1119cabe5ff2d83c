// SPDX-License-Identifier: Apache-2.0
// ai.onnx Log, versions 1, 6, 13
// https://onnx.ai/onnx/operators/onnx__Log.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_log {
namespace {
// ln x; -Inf of ±0, NaN below
struct Log : RealFormula<1> {
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return log(x);
  }
};
}  // namespace
Operator log() {
  return unary_since_1("Log").summary("the natural logarithm of each element").kernel(each_element<Log>);
}
}  // namespace opref::ops::onnx::file_log
