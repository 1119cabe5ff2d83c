// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml FeatureVectorizer, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html
#include "ops/operator_file.h"
#include "ops/shared/lookups.h"
namespace opref::ops::onnx_ml::file_feature_vectorizer {
namespace {
constexpr std::string_view kDimensions = "feature_vectorizer.dimensions";

/// "All input shapes are 2-D …. 1-D tensors are treated as [1,C]."
Dims rows(const Input& X) {
  const Dims& shape = X.tensor_type().shape;
  require(shape.size() == 1 || shape.size() == 2, "'{}' has shape {}, but must be [C] or [N,C]", printable(X.name),
          shape);
  return shape.size() == 2 ? shape : Dims{1, shape[0]};
}

/// "The size of each input in the input list".
std::vector<std::int64_t> sizes(const Call& call) {
  const std::span<const Input> X = call.inputs("X");
  if (!is_given(call, "inputdimensions")) {
    require(call.reads(kDimensions, "own"),
            "inputdimensions is missing or empty, which the reading {}=required refuses", kDimensions);
    std::vector<std::int64_t> own;
    for (const Input& x : X) own.push_back(rows(x)[1]);
    return own;
  }
  std::vector<std::int64_t> stated = call.integers("inputdimensions");
  require(std::ssize(stated) == std::ssize(X), "inputdimensions has {}, but there {}",
          counted(std::ssize(stated), "value"), X.size() == 1 ? "is 1 input" : format("are {} inputs", X.size()));
  return stated;
}

std::vector<ValueType> output_types(const Call& call) {
  const std::span<const Input> X = call.inputs("X");
  const std::int64_t N = rows(X[0])[0];
  for (const Input& x : X)
    require(rows(x)[0] == N, "'{}' has {}, but '{}' {}: they must have the same", printable(x.name),
            counted(rows(x)[0], "row"), printable(X[0].name), N);
  std::int64_t width = 0;
  for (const std::int64_t size : sizes(call)) width = checked_add(width, size);
  return {TensorType{DType::float32, {N, width}}};
}

// Y = the inputs one after another along axis 1, of each as many columns as inputdimensions says: cut, or followed by 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Tensor> X = call.tensors();
  const std::vector<Elements> x(X.begin(), X.end());
  std::vector<std::int64_t> ends, widths;  // of each input's columns in Y, of the input
  for (const std::int64_t size : sizes(call)) ends.push_back((ends.empty() ? 0 : ends.back()) + size);
  for (const Input& input : call.inputs("X")) widths.push_back(rows(input)[1]);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& read) -> R {
    const auto [n, column] = split(i, ends.back());
    const auto end = std::ranges::upper_bound(ends, column);
    const std::int64_t k = column - (end == ends.begin() ? 0 : end[-1]);
    const auto input = static_cast<size_t>(end - ends.begin());
    return k < widths[input] ? read(x[input], n * widths[input] + k) : read.zero();
  })};
}

void version_1(OpSchema& s) {
  s.input("X", "T1", Arity::variadic)
      .output("Y", "float32")
      .types("T1", types::signed_wide | Types{DType::float32, DType::float64});
  s.attribute(optional(INTS, "inputdimensions", at_least(0)));
  s.shape_inference(ShapeInference::none);
}
}  // namespace
Operator feature_vectorizer() {
  return Operator("ai.onnx.ml", "FeatureVectorizer")
      .summary("the columns of all inputs one after another, as float32")
      .version(1, version_1)
      .reading({.name = kDimensions,
                .alternatives = {"required: without inputdimensions the node is invalid",
                                 "own: without it each input has as many columns as it has"},
                .defaults = {{1, "required"}},
                .reason = "the page has it optional, but no default; onnxruntime and onnx.reference demand it"})
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"inputdimensions", "dims"}});
}
}  // namespace opref::ops::onnx_ml::file_feature_vectorizer
