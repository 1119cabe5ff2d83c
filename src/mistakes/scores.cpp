// SPDX-License-Identifier: Apache-2.0
// Labels and scores of the classifiers of ai.onnx.ml.
#include <algorithm>
#include <cmath>

#include "evaluators/real.h"
#include "exact/storage.h"
#include "mistakes/tools.h"
#include "ops/shared/maps.h"
#include "ops/shared/scores.h"

namespace opref::mistakes {
namespace {

using Scores = std::vector<float>;

bool is_of_trees(const Call& call) { return call.op().op_type() == "TreeEnsembleClassifier"; }
Tensor labels_of(const Call& call) {
  return ops::either_list(call, is_of_trees(call) ? "classlabels_int64s" : "classlabels_ints", "classlabels_strings");
}

/// Z without a transform.
std::vector<Scores> scores_of(const Call& call) {
  const Call bare = call.with_attribute("post_transform", AttributeValue::of(std::string("NONE")));
  const Tensor z = *computed_rightly(bare)[1].tensor();
  const auto numbers = z.values<float>();
  const std::int64_t rows = z.shape()[0], width = z.shape()[1];
  std::vector<Scores> scores;
  for (std::int64_t row = 0; row < rows; ++row)
    scores.emplace_back(numbers.begin() + row * width, numbers.begin() + (row + 1) * width);
  return scores;
}

/// As numpy has it: the first NaN, else the first of the greatest.
std::int64_t argmax(const Scores& scores) {
  const auto nan = std::ranges::find_if(scores, [](float s) { return std::isnan(s); });
  return (nan != scores.end() ? nan : std::ranges::max_element(scores)) - scores.begin();
}

// onnx.reference: two labels whose votes are all for one class are 1 - s and s, or -s and s, whatever the weights'
// signs; PROBIT is Winitzki's formula, which is said to be 0 where it ends; SOFTMAX subtracts the greatest score, which
// makes NaN of a row that has an infinite one; and the label is the greatest of what that gives.
std::optional<Call> with_labels_enough(const Call& call) {
  return labels_of(call).count() > 1 ? std::optional(call) : std::nullopt;
}
Call with_its_pairs(const Call& call) {
  return is_of_trees(call) ? call.with_reading("tree_ensemble_classifier.binary", "plain")
                           : call.with_reading("linear_classifier.second_class", "onnx.reference");
}
bool has_votes_for_one_of_two(const Call& call) {
  if (!is_of_trees(call) || labels_of(call).count() != 2) return false;
  const std::vector<std::int64_t> classes = ops::integers_of(call, "class_ids");
  return !classes.empty() && std::ranges::count(classes, classes[0]) == std::ssize(classes);
}
// √2·erfinv(2p - 1) by Winitzki's formula, each step rounded to T; 0 at its ends.
template <class T>
T winitzki(T p) {
  const T x = p * 2 - 1, y = (1 - x) * (1 + x);
  if (y == 0) return 0;
  const auto log = static_cast<T>(std::log(double{y}));
  const T v = static_cast<T>(2 / (M_PI * 0.147)) + log / 2, root = std::sqrt(v * v - static_cast<T>(1 / 0.147) * log);
  return static_cast<T>(1.41421356) * std::copysign(std::sqrt(root - v), x);
}
Scores transformed(const Scores& scores, ops::PostTransform kind, bool in_double) {
  const bool subtracts = kind == ops::PostTransform::softmax || kind == ops::PostTransform::softmax_zero;
  if (subtracts && !std::isfinite(scores[static_cast<size_t>(argmax(scores))])) return Scores(scores.size(), NAN);
  Scores z = scores;
  if (kind == ops::PostTransform::none) return z;
  if (kind == ops::PostTransform::probit) {
    std::ranges::transform(scores, z.begin(), [in_double](float p) {
      return in_double ? static_cast<float>(winitzki(double{p})) : winitzki(p);
    });
    return z;
  }
  const ops::Transform by{kind, ops::Transform::Zeros::onnx_reference};
  const std::vector<exact::Interval> exactly(scores.begin(), scores.end());
  for (size_t c = 0; c < z.size(); ++c)
    z[c] = evaluators::decided<float>([&](size_t) { return ops::transformed(exactly, by)[c]; }, [c] { return c; });
  return z;
}
std::vector<Value> labels_after_transform(const Call& call, std::span<const Output> outs) {
  const exact::WithPrecision as_before(exact::Interval::precision);
  const auto kind = call.choice<ops::PostTransform>("post_transform");
  std::vector<Scores> z = scores_of(with_its_pairs(call));
  for (Scores& row : z) {
    if (has_votes_for_one_of_two(call)) row = {ops::pairs_with_complement(kind) ? 1 - row[0] : -row[0], row[0]};
    row = transformed(row, kind, is_of_trees(call));
  }
  const Value Y =
      ops::label_rows(outs[0], labels_of(call), [&](std::int64_t row) { return argmax(z[static_cast<size_t>(row)]); });
  if (!outs[1].wanted()) return {Y, {}};
  return {Y, tensor_of_bits(outs[1].type(), [&, width = outs[1].type().shape[1]](std::int64_t i) {
            return to_bits(z[static_cast<size_t>(i / width)][static_cast<size_t>(i % width)]);
          })};
}

// Without support vectors and of more labels than two, the label of a score above 0 is 1, else 0.
std::optional<Call> linear_of_many_integers(const Call& call) {
  const bool is_linear = ops::integers_of(call, "vectors_per_class").empty();
  const Tensor labels = labels_of(call);
  return is_linear && labels.dtype() == DType::int64 && labels.count() != 2 ? std::optional(call) : std::nullopt;
}
std::vector<Value> signs_as_labels(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = computed_rightly(call, outs);
  if (!outs[0].wanted()) return found;
  const std::vector<Scores> scores = scores_of(call);
  found[0] = tensor_of_bits(outs[0].type(), [&](std::int64_t row) -> std::uint64_t {
    const Scores& s = scores[static_cast<size_t>(row)];
    return s[static_cast<size_t>(argmax(s))] > 0 ? 1 : 0;
  });
  return found;
}

}  // namespace

const Table& scores() {
  static const Table table{
      {{"ai.onnx.ml.LinearClassifier", "ai.onnx.ml.TreeEnsembleClassifier"},
       "the label of the greatest score after post_transform, NaN above all",
       computed_by(with_labels_enough, labels_after_transform)},
      {{"ai.onnx.ml.SVMClassifier"},
       "the labels 1 and 0, by the sign of the greatest score",
       computed_by(linear_of_many_integers, signs_as_labels)},
  };
  return table;
}

}  // namespace opref::mistakes
