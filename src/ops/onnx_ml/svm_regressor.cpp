// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml SVMRegressor, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMRegressor.html
#include "ops/operator_file.h"
#include "ops/shared/linear_models.h"
#include "ops/shared/support_vectors.h"
namespace opref::ops::onnx_ml::file_svm_regressor {
namespace {
/// One coefficient for each support vector; without support vectors one for each feature.
struct Model {
  std::optional<SupportVectors> vectors;
  std::optional<LinearRows> linear;
  std::vector<SupportVectors::Term> terms;
  double rho;

  explicit Model(const Call& call) : rho(first_rho(call)) {
    const std::int64_t n = call.integer("n_supports");
    require_kernel_params(call);
    if (n == 0) {
      linear.emplace(call, 1, std::vector{rho});
      return;
    }
    vectors.emplace(call, n);
    const std::vector<double> coefficients = doubles_of(call, "coefficients");
    require(std::ssize(coefficients) == n, "coefficients has {}, but n_supports is {}",
            counted(std::ssize(coefficients), "value"), n);
    for (std::int64_t j = 0; j < n; ++j) terms.push_back({j, coefficients[j]});
  }

  template <class R>
  std::vector<R> operator()(std::int64_t row, const Reader<R>& x) const {
    if (linear) return (*linear)(row, x);
    return {vectors->sum(vectors->kernels(row, x), terms, rho)};
  }
};

std::vector<ValueType> output_types(const Call& call) {
  const Model model(call);
  return {TensorType{DType::float32, Dims{feature_rows(call).rows, 1}}};
}

// s = Σ_j coefficients[j]·K(x, support vector j) + rho; without support vectors s = x·coefficients + rho, whatever
// kernel_type says. Y of each row = post_transform(s); with one_class 1 if s > 0, else -1
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  call.input("X");  // which no row reads where there is none
  const Model s(call);
  if (call.flag("one_class")) {
    const auto side = [&]<class R>(std::int64_t row, const Reader<R>& x) {
      const std::optional<bool> is_inside = is_positive(s(row, x)[0]);
      return std::vector<R>{is_inside ? R(*is_inside ? 1.0 : -1.0) : unknown_number<R>()};
    };
    return {score_rows(outs[0], side, 1, {})};
  }
  Transform transform = transform_of(call);
  if (call.reads("svm_regressor.post_transform", "ignored")) transform.kind = PostTransform::none;
  return {score_rows(outs[0], s, 1, transform)};
}

void version_1(OpSchema& s) {
  s.shape_inference(ShapeInference::none);
  s.input("X", "T", "[N, C], or one row").output("Y", "float32", "[N, 1]");
  s.types("T", types::signed_wide | Types{DType::float32, DType::float64});
  with_support_vectors(s);
  s.attribute(with_default("n_supports", 0, at_least(0))).attribute(with_default("one_class", 0, flag()));
}

bool is_transformed(const Call& call) {
  return !call.flag("one_class") && call.choice<PostTransform>("post_transform") != PostTransform::none;
}
}  // namespace
Operator svm_regressor() {
  return Operator("ai.onnx.ml", "SVMRegressor")
      .summary("a sum of kernels of each row and the support vectors, perhaps transformed, or its sign")
      .version(1, version_1)
      .readings(transform_readings(1))
      .reading({.name = "svm_regressor.post_transform",
                .alternatives = {"applied: to the score", "ignored: the score stays as it is"},
                .defaults = {{1, "applied"}},
                .reason = "the page has the attribute; onnxruntime ignores it",
                .may_change_values = is_transformed})
      .short_names({{"coefficients", ""}, {"support_vectors", ""}, {"rho", ""}, {"kernel_params", "params"}})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_svm_regressor
