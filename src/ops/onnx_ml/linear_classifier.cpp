// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml LinearClassifier, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html
#include "ops/operator_file.h"
#include "ops/shared/linear_models.h"
#include "ops/shared/maps.h"
#include "ops/shared/scores.h"
namespace opref::ops::onnx_ml::file_linear_classifier {
namespace {
enum class SecondClass : std::uint8_t { by_transform, onnxruntime, onnx_reference };

struct Model {
  Tensor labels;
  LinearRows scores;
  bool has_second_class;  ///< one row of coefficients, two labels

  explicit Model(const Call& call)
      : labels(either_list(call, "classlabels_ints", "classlabels_strings")),
        scores(call, row_count(call), doubles_of(call, "intercepts")) {
    const std::int64_t rows = row_count(call);
    has_second_class = rows == 1 && labels.count() == 2;
    require(rows == labels.count() || has_second_class, "coefficients has {} of {}, but there are {}",
            counted(rows, "row"), counted(feature_rows(call).features, "feature"), counted(labels.count(), "label"));
  }
  /// coefficients are a multiple of the features.
  static std::int64_t row_count(const Call& call) {
    const std::int64_t features = feature_rows(call).features, all = std::ssize(call.numbers("coefficients"));
    require(features > 0 && all > 0 && all % features == 0, "coefficients has {}, but must have some for each of {}",
            counted(all, "value"), counted(features, "feature"));
    return all / features;
  }
};

std::vector<ValueType> output_types(const Call& call) {
  const Model model(call);
  const std::int64_t rows = feature_rows(call).rows;
  return {TensorType{model.labels.dtype(), Dims{rows}}, TensorType{DType::float32, Dims{rows, model.labels.count()}}};
}

// s[e] = Σ_k x[k]·coefficients[e, k] + intercepts[e]; Y = the label of the greatest s; Z = post_transform(s). Of one
// row of coefficients and two labels, Y = labels[1] if s > 0, else labels[0]; Z = post_transform of (1 - s, s) or
// (-s, s). multi_class says nothing.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Model model(call);
  Transform transform = transform_of(call);
  tell_scores(outs[0], model.scores);
  if (!model.has_second_class)
    return {greatest_rows(outs[0], model.labels, model.scores),
            score_rows(outs[1], model.scores, model.labels.count(), transform)};

  const auto second = call.reading_choice<SecondClass>("linear_classifier.second_class");
  bool is_complement = pairs_with_complement(transform.kind) && second != SecondClass::onnx_reference;
  if (second == SecondClass::onnxruntime &&
      (transform.kind == PostTransform::softmax || transform.kind == PostTransform::softmax_zero))
    is_complement = true, transform.kind = PostTransform::none;
  const auto is_second = [&](std::int64_t row) {
    return decide(
        [&](const auto& x) {
          const std::optional<bool> is_above = is_positive(model.scores(row, x)[0]);
          return is_above ? std::optional<std::int64_t>(*is_above) : std::nullopt;
        },
        [&] { return format("whether the score of row {} is above 0", row); });
  };
  const auto pair = [&](std::int64_t row, const auto& x) { return pair_of(model.scores(row, x)[0], is_complement); };
  return {label_rows(outs[0], model.labels, is_second), score_rows(outs[1], pair, 2, transform)};
}

void version_1(OpSchema& s) {
  with_labels(s, "classlabels_ints");
  s.attribute(required(FLOATS, "coefficients")).attribute(optional(FLOATS, "intercepts"));
  s.attribute(with_default("multi_class", 0)).attribute(post_transform_attribute());
}

/// Whether a reading of the pair may matter.
bool is_pair(const Call& call) { return Model(call).has_second_class; }
}  // namespace
Operator linear_classifier() {
  return Operator("ai.onnx.ml", "LinearClassifier")
      .summary("sums of the features times coefficients, one for each label, and the label of the greatest")
      .version(1, version_1)
      .readings(transform_readings(1))
      .reading({.name = "linear_classifier.second_class",
                .alternatives = {"by_transform: (1 - s, s) for NONE and PROBIT, else (-s, s), then the transform",
                                 "onnxruntime: the same, but (1 - s, s) as it is for SOFTMAX and SOFTMAX_ZERO",
                                 "onnx.reference: (-s, s) always, then the transform"},
                .defaults = {{1, "by_transform"}},
                .reason = "the page says nothing of two labels with one score; both programs make it two",
                .may_change_values = is_pair})
      .short_names({{"coefficients", ""}, {"classlabels_ints", "labels"}, {"classlabels_strings", "labels"}})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_linear_classifier
