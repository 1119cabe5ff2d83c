// SPDX-License-Identifier: Apache-2.0
// openvino BatchNormInference, versions 1 (opset1), 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "schema/double_attributes.h"
namespace opref::ops::openvino::file_batch_norm_inference {
namespace {
void version_1(OpSchema& s) {
  s.attribute(required(FLOAT, "epsilon", at_least(0)))
      .input("gamma", "T")
      .input("beta", "T")
      .input("data", "T")
      .input("mean", "T")
      .input("variance", "T")
      .output("output0", "T")
      .types("T", computed_floats);
}
void version_5(OpSchema& s) {
  s.remove("gamma")
      .remove("beta")
      .remove("mean")
      .remove("variance")
      .input("gamma", "T")
      .input("beta", "T")
      .input("mean", "T")
      .input("variance", "T");
}
}  // namespace
Operator batch_norm_inference() {
  return Operator("openvino", "BatchNormInference")
      .summary("(data - mean)/√(variance + epsilon)·gamma + beta, by channels")
      .page("normalization/batch-norm-inference-5")
      .version(1, version_1)
      .version(5, version_5)
      .reading(attribute_double_reading(1))
      .as("ai.onnx", "BatchNormalization", 15,
          {{"data", "X"},
           {"gamma", "scale"},
           {"beta", "B"},
           {"mean", "input_mean"},
           {"variance", "input_var"},
           {"output0", "Y"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_batch_norm_inference
