// SPDX-License-Identifier: Apache-2.0
// ai.onnx And, versions 1, 7
// https://onnx.ai/onnx/operators/onnx__And.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_and_ {
namespace {
// C = A and B
struct Both : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a & b;
  }
};
}  // namespace
Operator and_() { return logical("And").summary("whether both elements are true").kernel(each_pair<Both>); }
}  // namespace opref::ops::onnx::file_and_
