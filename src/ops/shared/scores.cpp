// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/scores.h"

#include "ops/operator_file.h"
namespace opref::ops {
FeatureRows feature_rows(const Call& call) {
  const Dims& X = call.type("X").shape;
  require(X.size() == 1 || X.size() == 2, "X has shape {}, but must be [N,C] or [C]", X);
  return {X.size() == 2 ? X[0] : 1, X[X.size() - 1]};
}

std::vector<double> doubles_of(const Call& call, std::string_view attribute) {
  if (!call.has(attribute)) return {};
  const std::vector<float> numbers = call.numbers(attribute);
  return {numbers.begin(), numbers.end()};
}
std::vector<std::int64_t> integers_of(const Call& call, std::string_view attribute) {
  return call.has(attribute) ? call.integers(attribute) : std::vector<std::int64_t>();
}

void with_labels(OpSchema& s, std::string_view integers) {
  s.input("X", "T1", "[N, C], or one row").output("Y", "T2", "the label of each row").output("Z", "float32");
  s.types("T1", types::signed_wide | Types{DType::float32, DType::float64});
  s.types("T2", {DType::int64, DType::string});
  s.attribute(optional(INTS, integers)).attribute(optional(STRINGS, "classlabels_strings"));
}

Value label_rows(const Output& out, const Tensor& labels, const std::function<std::int64_t(std::int64_t row)>& chosen) {
  if (!out.wanted()) return {};
  return move(out, labels, [&](std::int64_t row) { return Run{chosen(row)}; });
}

namespace {
bool has_transform(const Call& call, std::string_view word, std::int64_t number) {
  const AttributeValue& value = call.attributes().find("post_transform")->second;
  return value.type == INT ? call.integer("post_transform") == number : call.string("post_transform") == word;
}
bool is_softmax_zero(const Call& call) { return has_transform(call, "SOFTMAX_ZERO", 3); }
bool is_probit(const Call& call) { return has_transform(call, "PROBIT", 4); }
}  // namespace

std::vector<Reading> transform_readings(std::int64_t since) {
  return {{.name = "post_transform.softmax_zero",
           .alternatives = {"exact: scores of exactly 0 stay 0, SOFTMAX is of the others",
                            "onnxruntime: scores s of at most 1e-7 become s·e^-m over the sum of the others, m the "
                            "greatest",
                            "onnx.reference: the same, over the sum of all, which gives 0.5 where that is 0"},
           .defaults = {{since, "exact"}},
           .reason = "the page says nothing but the name",
           .may_change_values = is_softmax_zero},
          {.name = "post_transform.probit",
           .alternatives = {"quantile: that of the normal distribution",
                            "winitzki: a formula with 0.147 that is off by up to 1e-3"},
           .defaults = {{since, "quantile"}},
           .reason = "that is what the name means; onnxruntime and onnx.reference take the formula",
           .may_change_values = is_probit}};
}

Reading single_score_reading(std::int64_t since, bool (*may_change_values)(const Call&)) {
  return {.name = "post_transform.single",
          .alternatives = {"applied: one score alone is transformed too", "ignored: it stays as it is, but for PROBIT"},
          .defaults = {{since, "applied"}},
          .reason = "the page has a transform to apply to the score; onnxruntime leaves one target as it is",
          .may_change_values = may_change_values};
}

AttributeSchema post_transform_attribute() {
  return with_default("post_transform", "NONE", one_of({"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}));
}

Transform transform_of(const Call& call) { return transform_of(call, call.choice<PostTransform>("post_transform")); }
Transform transform_of(const Call& call, PostTransform kind) {
  return {
      .kind = kind,
      .zeros = call.reading_choice<Transform::Zeros>("post_transform.softmax_zero"),
      .by_winitzki = call.reads("post_transform.probit", "winitzki"),
      .skips_single = lists_reading(call, "post_transform.single") && call.reads("post_transform.single", "ignored")};
}
}  // namespace opref::ops
