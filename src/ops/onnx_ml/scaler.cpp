// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml Scaler, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html
#include "ops/operator_file.h"
#include "ops/shared/lookups.h"
namespace opref::ops::onnx_ml::file_scaler {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims& X = call.type("X").shape;
  require(!X.empty(), "X is a scalar, but needs a last axis, of features");
  for (const std::string_view name : {"offset", "scale"}) require(is_given(call, name), "{} is missing or empty", name);
  require_equal_lengths(call, "offset", "scale");  // "Must be same length as 'offset'"
  // "length of features in an [N,F] tensor or length 1"
  const std::int64_t values = std::ssize(call.numbers("scale")), features = X[X.size() - 1];
  require(values == 1 || values == features, "scale has {}, but must have 1, or {}, the size of X's last axis",
          counted(values, "value"), features);
  return {TensorType{DType::float32, X}};
}

// Y = (X - offset)·scale
struct Scaled : RealFormula<3> {
  template <class R>
  OPREF_INLINE R operator()(const R& X, const R& offset, const R& scale) const {
    return (X - offset) * scale;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::array operands{call.input("X"), list_tensor(call, "offset"), list_tensor(call, "scale")};
  return {elementwise(outs[0], operands, Scaled{})};
}

void version_1(OpSchema& s) {
  s.input("X", "T").output("Y", "float32").types("T", types::signed_wide | Types{DType::float32, DType::float64});
  s.attribute(optional(FLOATS, "offset")).attribute(optional(FLOATS, "scale"));
  s.shape_inference(ShapeInference::none);
}
}  // namespace
Operator scaler() {
  return Operator("ai.onnx.ml", "Scaler")
      .summary("(X - offset)·scale, by numbers of each feature or of all")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_scaler
