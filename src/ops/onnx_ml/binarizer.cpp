// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml Binarizer, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html
#include "ops/operator_file.h"
namespace opref::ops::onnx_ml::file_binarizer {
namespace {
// 1 for X > threshold, else 0, so also of NaN; an integer X is compared as it is, with the fraction of threshold
struct Binarizer : RealFormula<1> {
  double threshold;
  explicit Binarizer(const Call& call) : threshold(call.number("threshold")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& X) const {
    return choose(
        R(threshold) < X, [] { return R(1.0); }, [] { return R(0.0); });
  }
};

void version_1(OpSchema& s) {
  s.input("X", "T").output("Y", "T").types("T", types::signed_wide | Types{DType::float32, DType::float64});
  s.attribute(with_default("threshold", 0.0F));
}
}  // namespace
Operator binarizer() {
  return Operator("ai.onnx.ml", "Binarizer")
      .summary("1 where X is above threshold, else 0")
      .version(1, version_1)
      .output_types(same_type)
      .kernel(each_element<Binarizer>);
}
}  // namespace opref::ops::onnx_ml::file_binarizer
