// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml ArrayFeatureExtractor, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_ArrayFeatureExtractor.html
#include "ops/operator_file.h"
namespace opref::ops::onnx_ml::file_array_feature_extractor {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, X] = call.type("X");
  require(!X.empty(), "X is a scalar, but needs a last axis, to which the indices apply");
  const Dims& Y = call.type("Y").shape;
  const std::int64_t size = element_count(Y);
  require(size > 0, "Y has shape {}, but must have at least one index", Y);
  return {TensorType{dtype, join(X.size() == 1 ? Dims{1} : X.first(X.size() - 1), {size})}};
}

/// "The indices, based on 0 as the first index of any dimension": none counts from the end.
std::vector<std::int64_t> indices(const Call& call) {
  const Dims& X = call.type("X").shape;
  const std::int64_t size = X[X.size() - 1];
  const std::vector<std::int64_t> Y = call.integers("Y");
  for (std::int64_t i = 0; i < std::ssize(Y); ++i)
    if (Y[i] < 0 || Y[i] >= size)
      fail(Fault::invalid, "Y{} is {}, but must be >= 0 and < {}, the size of X's last axis",
           coordinates(i, call.type("Y").shape), Y[i], size);
  return Y;
}

// Z[…, k] = X[…, Y[k]], k counting the elements of Y in row-major order
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& X = call.input("X");
  return {moved_along(outs[0], X, X.shape().size() - 1, indices(call))};
}

void version_1(OpSchema& s) {
  s.input("X", "T").input("Y", "int64").output("Z", "T");
  s.types("T", types::signed_wide | Types{DType::float32, DType::float64, DType::string});
}
}  // namespace
Operator array_feature_extractor() {
  return Operator("ai.onnx.ml", "ArrayFeatureExtractor")
      .summary("elements by their indices along the last axis")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_array_feature_extractor
