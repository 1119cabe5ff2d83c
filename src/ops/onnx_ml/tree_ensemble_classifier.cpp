// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml TreeEnsembleClassifier, versions 1, 3, 5
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleClassifier.html
#include "ops/operator_file.h"
#include "ops/shared/maps.h"
#include "ops/shared/tree_lists.h"
#include "ops/shared/trees.h"
namespace opref::ops::onnx_ml::file_tree_ensemble_classifier {
namespace {
enum class Binary : std::uint8_t { pair, plain, onnxruntime };

struct Model {
  Tensor labels;
  Forest forest;
  std::vector<double> base;
  bool is_binary;    ///< two labels, votes for class 0 alone and at most one base value: that class is the second label
  bool is_positive;  ///< no weight is below 0

  explicit Model(const Call& call)
      : labels(either_list(call, "classlabels_int64s", "classlabels_strings")),
        forest(Forest::of_lists(call, "class", labels.count())),
        base(numbers_of(call, "base_values")) {
    const std::vector<Vote>& votes = forest.all_votes();
    const std::int64_t classes = labels.count();
    const bool is_first_alone = std::ranges::all_of(votes, [](const Vote& vote) { return vote.target == 0; });
    is_binary = classes == 2 && !votes.empty() && is_first_alone && base.size() <= 1;
    is_positive = std::ranges::none_of(votes, [](const Vote& vote) { return vote.weight < 0; });
    require(base.empty() || is_binary || std::ssize(base) == classes, "base_values has {}, but must have none or {}",
            counted(std::ssize(base), "value"), classes);
  }
};

std::vector<ValueType> output_types(const Call& call) {
  const Model model(call);
  const std::int64_t rows = feature_rows(call).rows;
  return {TensorType{model.labels.dtype(), Dims{rows}}, TensorType{DType::float32, Dims{rows, model.labels.count()}}};
}

/// The reading onnxruntime of the label: of more than two classes only those with votes in the row, or base values; of
/// two, class 1, or class 0 where 1 has no vote, decides by its sign between 1 and 0, or the second and first string.
struct ByPrograms {
  const Model& model;
  const TreeScores& scores;

  std::set<std::int64_t> voted(std::int64_t row) const {
    std::set<std::int64_t> classes;
    model.forest.votes(Elements(scores.input), row, scores.features,
                       [&](const Vote& vote) { classes.insert(vote.target); });
    for (std::int64_t c = 0; c < std::ssize(model.base); ++c) classes.insert(c);
    return classes;
  }
  template <class R>
  std::optional<std::int64_t> operator()(std::int64_t row, const Reader<R>& x) const {
    const std::vector<R> s = scores(row, x);
    const std::set<std::int64_t> classes = voted(row);
    if (s.size() == 2) {
      const std::optional<bool> is_above = is_positive(classes.contains(1) ? s[1] : s[0]);
      return is_above ? std::optional<std::int64_t>(*is_above) : std::nullopt;
    }
    std::vector<R> of_voted;
    for (const std::int64_t c : classes) of_voted.push_back(s[static_cast<size_t>(c)]);
    if (of_voted.empty()) return 0;
    const std::optional<std::int64_t> best = first_greatest(of_voted);
    return best ? std::optional(*std::next(classes.begin(), *best)) : std::nullopt;
  }
};

// s[c] = Σ votes for class c in the leaves that the row reaches + base_values[c]; Y = the label of the greatest s,
// classes without votes included; Z = post_transform(s). Of two labels and votes for class 0 alone s is that class's
// score as a pair: (1 - s, s) where no weight is below 0 and post_transform is NONE or PROBIT, else (-s, s).
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Model model(call);
  const std::int64_t classes = model.labels.count();
  const TreeScores s = tree_scores(call, model.forest, classes, Aggregate::sum, {}, DType::float32);
  Transform transform = transform_of(call);
  const auto binary = call.reading_choice<Binary>("tree_ensemble_classifier.binary");
  const bool by_programs = call.reads("tree_ensemble_classifier.label", "onnxruntime");
  const bool is_pair = model.is_binary && binary != Binary::plain;
  bool is_complement = model.is_positive && pairs_with_complement(transform.kind);
  if (is_pair && binary == Binary::onnxruntime &&
      (transform.kind == PostTransform::softmax || transform.kind == PostTransform::softmax_zero))
    is_complement = model.is_positive, transform.kind = PostTransform::none;

  const auto with_base = [&]<class R>(std::int64_t row, const Reader<R>& x) {
    std::vector<R> all = s(row, x);
    for (size_t c = 0; c < model.base.size(); ++c) all[c] = all[c] + R(model.base[c]);
    return all;
  };
  const auto scores = [&]<class R>(std::int64_t row, const Reader<R>& x) {
    const std::vector<R> all = with_base(row, x);
    return is_pair ? pair_of(all[0], is_complement) : all;
  };
  const auto name = [](std::int64_t row) { return format("which label row {} has", row); };
  tell_path(outs[0], s, 1, false);
  tell_path(outs[1], s, classes, false);
  tell_scores(outs[0], scores);
  Value Y;
  if (is_pair && binary == Binary::onnxruntime) {  // by s > 1/2 where no weight is below 0, else by s > 0
    Y = label_rows(outs[0], model.labels, [&](std::int64_t row) {
      const auto is_second = [&]<class R>(const Reader<R>& x) {
        const std::optional<bool> is_above = is_less(R(model.is_positive ? 0.5 : 0.0), with_base(row, x)[0]);
        return is_above ? std::optional<std::int64_t>(*is_above) : std::nullopt;
      };
      return decide(is_second, [&] { return name(row); });
    });
  } else if (by_programs && !model.is_binary && classes > 1) {
    const bool is_number = classes == 2 && model.labels.dtype() == DType::int64;
    const Tensor zero_one = zero_and_one(DType::int64);
    const ByPrograms label{model, s};
    Y = label_rows(outs[0], is_number ? zero_one : model.labels, [&](std::int64_t row) {
      return decide([&](const auto& x) { return label(row, x); }, [&] { return name(row); });
    });
  } else {
    Y = greatest_rows(outs[0], model.labels, scores);
  }
  return {Y, score_rows(outs[1], scores, classes, transform)};
}

void version_1(OpSchema& s) {
  with_labels(s, "classlabels_int64s");
  with_tree_lists(s);
  s.attribute(optional(INTS, "class_ids")).attribute(optional(INTS, "class_nodeids"));
  s.attribute(optional(INTS, "class_treeids")).attribute(optional(FLOATS, "class_weights"));
}
void version_3(OpSchema& s) {
  with_tree_tensors(s);
  s.attribute(optional(TENSOR, "class_weights_as_tensor"));
}

bool is_binary(const Call& call) { return Model(call).is_binary; }
bool has_classes(const Call& call) { return Model(call).labels.count() > 1 && !Model(call).is_binary; }
}  // namespace
Operator tree_ensemble_classifier() {
  return Operator("ai.onnx.ml", "TreeEnsembleClassifier")
      .summary("the sum of the votes of decision trees for each label, and the label of the greatest")
      .version(1, version_1)
      .version(3, version_3)
      .version(5, [](OpSchema& s) { s.deprecate().shape_inference(ShapeInference::none); })
      .readings(tree_readings(1))
      .reading({.name = "tree_ensemble_classifier.binary",
                .alternatives = {"pair: votes for class 0 alone are the second label's, (1 - s, s) or (-s, s)",
                                 "plain: they are the first label's, (s, 0)",
                                 "onnxruntime: pair, but SOFTMAX and SOFTMAX_ZERO leave it as it is, and the label is "
                                 "the second one for s > 1/2 where no weight is below 0, else for s > 0"},
                .defaults = {{1, "pair"}},
                .reason = "converters of boosted trees write two labels so; onnxruntime and onnx.reference pair up",
                .may_change_values = is_binary})
      .reading({.name = "tree_ensemble_classifier.label",
                .alternatives = {"greatest: the label of the greatest score",
                                 "onnxruntime: of two labels 1 or 0, by the sign of the second score; of others "
                                 "classes without votes never win"},
                .defaults = {{1, "greatest"}},
                .reason = "the page has the top class",
                .may_change_values = has_classes})
      .readings(transform_readings(1))
      .short_names(
          tree_list_names({"class_ids", "class_nodeids", "class_treeids", "class_weights", "class_weights_as_tensor"}))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_tree_ensemble_classifier
