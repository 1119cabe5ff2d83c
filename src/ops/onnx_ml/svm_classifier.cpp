// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml SVMClassifier, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
#include "ops/operator_file.h"
#include "ops/shared/linear_models.h"
#include "ops/shared/maps.h"
#include "ops/shared/support_vectors.h"
namespace opref::ops::onnx_ml::file_svm_classifier {
namespace {
/// A number for each two classes.
template <class R>
using Table = std::vector<std::vector<R>>;

// libsvm's coupling (method 2 of Wu, Lin, Weng) of r[i, j], the probability of class i against j, until
// is_done(Qp, pQp) or max(100, k) steps are done; its result is that of its steps, not the fixed point.
//   Q[t, t] = Σ_{j≠t} r[j, t]², Q[t, j] = -r[j, t]·r[t, j], p = 1/k; a step: Qp = Q·p, pQp = p·Qp, then for each t
//   d = (pQp - Qp[t])/Q[t, t], p[t] += d, pQp = (pQp + d·(d·Q[t, t] + 2·Qp[t]))/(1 + d)²,
//   Qp[j] = (Qp[j] + d·Q[t, j])/(1 + d), p[j] = p[j]/(1 + d) for all j
template <class R, class IsDone>
std::vector<R> coupled(const Table<R>& r, const IsDone& is_done) {
  const size_t k = r.size();
  Table<R> Q(k, std::vector<R>(k, R(0.0)));
  for (size_t t = 0; t < k; ++t)
    for (size_t j = 0; j < k; ++j)
      if (j != t) Q[t][t] = Q[t][t] + r[j][t] * r[j][t], Q[t][j] = -(r[j][t] * r[t][j]);
  std::vector<R> p(k, R(1.0) / R(static_cast<float>(k))), Qp(k, R(0.0));
  for (size_t step = 0; step < std::max<size_t>(100, k); ++step) {
    require_time();
    R pQp(0.0);
    for (size_t t = 0; t < k; ++t) {
      Qp[t] = R(0.0);
      for (size_t j = 0; j < k; ++j) Qp[t] = Qp[t] + Q[t][j] * p[j];
      pQp = pQp + p[t] * Qp[t];
    }
    if (is_done(Qp, pQp)) break;
    for (size_t t = 0; t < k; ++t) {
      const R d = (pQp - Qp[t]) / Q[t][t], grown = R(1.0) + d;
      p[t] = p[t] + d;
      pQp = (pQp + d * (d * Q[t][t] + R(2.0) * Qp[t])) / grown / grown;
      for (size_t j = 0; j < k; ++j) Qp[j] = (Qp[j] + d * Q[t][j]) / grown, p[j] = p[j] / grown;
    }
  }
  return p;
}

struct Model {
  Tensor labels;
  std::int64_t classes, pairs;
  std::optional<LinearRows> linear;  ///< without support vectors
  std::optional<SupportVectors> vectors;
  std::vector<std::vector<SupportVectors::Term>> terms;  ///< of each pair of classes, (0,1), (0,2), …
  std::vector<double> rho, prob_a, prob_b;
  std::vector<std::pair<size_t, size_t>> pair;

  explicit Model(const Call& call) : labels(either_list(call, "classlabels_ints", "classlabels_strings")) {
    classes = labels.count(), pairs = classes * (classes - 1) / 2;
    rho = doubles_of(call, "rho"), prob_a = doubles_of(call, "prob_a"), prob_b = doubles_of(call, "prob_b");
    require(prob_a.size() == prob_b.size(), "prob_a has {}, but prob_b has {}", counted(std::ssize(prob_a), "value"),
            counted(std::ssize(prob_b), "value"));
    require_kernel_params(call);
    const std::vector<std::int64_t> counts = integers_of(call, "vectors_per_class");
    std::vector<std::int64_t> first{0};
    for (const std::int64_t count : counts) first.push_back(checked_add(first.back(), count));
    const std::int64_t n = first.back();
    if (n == 0) {  // one row of coefficients per class
      linear.emplace(call, classes, std::vector(static_cast<size_t>(classes), first_rho(call)));
      return;
    }
    require(classes >= 2, "there is {}, but support vectors need 2 classes", counted(classes, "label"));
    require(std::ssize(counts) == classes, "vectors_per_class has {}, but there are {}",
            counted(std::ssize(counts), "value"), counted(classes, "label"));
    vectors.emplace(call, n);
    const std::vector<double> coefficients = doubles_of(call, "coefficients");
    require(std::ssize(coefficients) == checked_multiply(classes - 1, n), "coefficients has {}, but {} of {} need {}",
            counted(std::ssize(coefficients), "value"), counted(n, "support vector"), counted(classes, "label"),
            checked_multiply(classes - 1, n));
    require(std::ssize(rho) == pairs, "rho has {}, but there {} {} of classes", counted(std::ssize(rho), "value"),
            pairs == 1 ? "is" : "are", counted(pairs, "pair"));
    require(prob_a.empty() || std::ssize(prob_a) == pairs, "prob_a has {}, but there {} {} of classes",
            counted(std::ssize(prob_a), "value"), pairs == 1 ? "is" : "are", counted(pairs, "pair"));
    for (std::int64_t i = 0; i < classes; ++i)
      for (std::int64_t j = i + 1; j < classes; ++j) {
        pair.emplace_back(i, j);
        terms.emplace_back();
        for (std::int64_t v = first[i]; v < first[i + 1]; ++v)
          terms.back().push_back({v, coefficients[(j - 1) * n + v]});
        for (std::int64_t v = first[j]; v < first[j + 1]; ++v) terms.back().push_back({v, coefficients[i * n + v]});
      }
  }
  bool has_probabilities() const { return vectors && !prob_a.empty(); }

  /// s[i, j] = Σ_{v of i} coefficients[j-1, v]·K(x, v) + Σ_{v of j} coefficients[i, v]·K(x, v) + rho, of each pair.
  template <class R>
  std::vector<R> pair_scores(std::int64_t row, const Reader<R>& x) const {
    const RowKernels<R> kernels = vectors->kernels(row, x);
    std::vector<R> s;
    for (size_t at = 0; at < terms.size(); ++at) s.push_back(vectors->sum(kernels, terms[at], rho[at]));
    return s;
  }
  /// A vote for class i if s[i, j] > 0, else for j.
  std::vector<std::int64_t> votes(std::int64_t row) const {
    const auto of_row = [&]<class R>(const Reader<R>& x) -> std::optional<std::vector<std::int64_t>> {
      std::vector<std::int64_t> all(static_cast<size_t>(classes));
      const std::vector<R> s = pair_scores(row, x);
      for (size_t at = 0; at < s.size(); ++at) {
        const std::optional<bool> is_first = is_positive(s[at]);
        if (!is_first) return std::nullopt;
        ++all[*is_first ? pair[at].first : pair[at].second];
      }
      return all;
    };
    return decide(of_row, [&] { return format("which score of two classes in row {} is above 0", row); });
  }

  /// r[i, j] = 1/(1 + e^(A·s[i, j] + B)), from 1e-7 to 1 - 1e-7; r[j, i] = 1 - r[i, j]
  template <class R>
  Table<R> pair_probabilities(std::int64_t row, const Reader<R>& x) const {
    const R least = R(1.0) / R(1e7), most = R(1.0) - least;
    const std::vector<R> s = pair_scores(row, x);
    Table<R> r(static_cast<size_t>(classes), std::vector<R>(static_cast<size_t>(classes), R(0.0)));
    for (size_t at = 0; at < s.size(); ++at) {
      const auto [i, j] = pair[at];
      const R p = R(1.0) / (R(1.0) + exp(sharp(s[at] * R(prob_a[at]) + R(prob_b[at]))));
      r[i][j] = min(max(p, least), most), r[j][i] = R(1.0) - r[i][j];
    }
    return r;
  }
  /// The steps that exact numbers take: until all |Qp[t] - pQp| < 0.005/k.
  std::int64_t steps(std::int64_t row) const {
    const auto of_row = [&]<class R>(const Reader<R>& x) -> std::optional<std::int64_t> {
      const R enough = R(5.0) / R(1000.0) / R::whole(classes);
      std::int64_t taken = 0;
      bool is_known = true;
      coupled(pair_probabilities(row, x), [&](const std::vector<R>& Qp, const R& pQp) {
        bool is_done = true;
        for (const R& q : Qp) {
          const std::optional<bool> is_near = is_less(abs(q - pQp), enough);
          is_known &= is_near.has_value();
          is_done &= is_near.value_or(true);
        }
        taken += is_done ? 0 : 1;
        return is_done;
      });
      return is_known ? std::optional(taken) : std::nullopt;
    };
    return decide(of_row, [&] { return format("how many steps row {} takes", row); });
  }
  /// Of kernels that round each step: they stop by their own numbers. |Qp[t] - pQp| is off by some 16·k·u there, so
  /// that a right kernel may take a step more or fewer: every other two of the simulated ones stop that much sooner,
  /// the others later, and their spread has both results.
  std::vector<exact::Faithful> simulated_probabilities(std::int64_t row, const Reader<exact::Faithful>& x) const {
    using exact::Faithful;
    const Faithful k = Faithful::whole(classes), off = Faithful(16 * Faithful::kernel.unit_roundoff()) * k,
                   enough = Faithful(0.005) / k + ((Faithful::simulated->run & 2U) == 0 ? off : -off);
    return coupled(pair_probabilities(row, x), [&](const std::vector<Faithful>& Qp, const Faithful& pQp) {
      return std::ranges::all_of(Qp, [&](const Faithful& q) { return is_less(abs(q - pQp), enough) == true; });
    });
  }
  template <class R>
  std::vector<R> probabilities(std::int64_t row, const Reader<R>& x) const {
    if constexpr (std::is_same_v<R, exact::Faithful>)
      if (exact::Faithful::simulated != nullptr) return simulated_probabilities(row, x);
    std::int64_t left = steps(row);
    return coupled(pair_probabilities(row, x), [&](const std::vector<R>&, const R&) { return left-- == 0; });
  }
  /// The same in float32, each step rounded.
  std::vector<double> narrow_probabilities(std::int64_t row) const {
    const exact::WithPrecision as_before(exact::Interval::precision);
    Table<float> r(static_cast<size_t>(classes), std::vector<float>(static_cast<size_t>(classes)));
    for (size_t at = 0; at < pair.size(); ++at) {
      const auto [i, j] = pair[at];
      const auto exactly = [&](size_t) { return pair_probabilities(row, Reader<exact::Interval>())[i][j]; };
      r[i][j] = evaluators::decided<float>(exactly, [&] { return row; }), r[j][i] = 1 - r[i][j];
    }
    const float enough = 0.005F / static_cast<float>(classes);
    const std::vector<float> p = coupled(r, [&](const std::vector<float>& Qp, float pQp) {
      return std::ranges::all_of(Qp, [&](float q) { return std::abs(q - pQp) < enough; });
    });
    return {p.begin(), p.end()};
  }
};

bool by_class(const Call& call) { return call.reads("svm_classifier.scores", "per_class"); }

/// Two columns of two classes without probabilities; of more classes one for each pair.
std::int64_t width(const Model& model, const Call& call) {
  return model.linear || model.has_probabilities() || model.classes == 2 || by_class(call) ? model.classes
                                                                                           : model.pairs;
}

std::vector<ValueType> output_types(const Call& call) {
  const Model model(call);
  const std::int64_t rows = feature_rows(call).rows;
  return {TensorType{model.labels.dtype(), Dims{rows}}, TensorType{DType::float32, Dims{rows, width(model, call)}}};
}

// Without support vectors s[c] = x·coefficients[c] + rho[0], Y = the label of the greatest, Z = post_transform(s).
// With them Y = the label with most votes, the first of equal ones; Z = post_transform of the probabilities, of
// (-s, s) of two classes, or of the s of each pair.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  call.input("X");  // which no row reads where there is none
  const Model model(call);
  const Transform transform = transform_of(call);
  const std::int64_t columns = width(model, call);
  if (model.linear) {
    tell_scores(outs[0], *model.linear);
    return {greatest_rows(outs[0], model.labels, *model.linear),
            score_rows(outs[1], *model.linear, columns, transform)};
  }
  const bool is_narrow = call.reads("svm.coupling", "float32");
  const auto scores = [&]<class R>(std::int64_t row, const Reader<R>& x) {
    if (model.has_probabilities()) {
      if (!is_narrow) return model.probabilities(row, x);
      std::vector<R> p;
      for (const double each : model.narrow_probabilities(row)) p.push_back(R(each));
      return p;
    }
    const std::vector<R> s = model.pair_scores(row, x);
    return model.classes == 2 ? pair_of(s[0], false) : s;
  };
  const auto counts = [&]<class R>(std::int64_t row, const Reader<R>&) {
    std::vector<R> all;
    for (const std::int64_t count : model.votes(row)) all.push_back(R::whole(count));
    return all;
  };
  const bool by_probabilities = model.has_probabilities() && call.reads("svm_classifier.label", "probabilities");
  const bool counts_votes = !model.has_probabilities() && model.classes > 2 && by_class(call);
  // Bounds grow without limit over the steps of the coupling, though what kernels lose does not.
  if (model.has_probabilities() && outs[1].wanted() && outs[1].sink() != nullptr) outs[1].sink()->recurs(false);
  tell_scores(outs[0], [&](std::int64_t row, const auto& x) { return model.pair_scores(row, x); });
  return {
      by_probabilities ? greatest_rows(outs[0], model.labels, scores) : greatest_rows(outs[0], model.labels, counts),
      counts_votes ? score_rows(outs[1], counts, columns, transform) : score_rows(outs[1], scores, columns, transform)};
}

void version_1(OpSchema& s) {
  with_labels(s, "classlabels_ints");
  with_support_vectors(s);
  s.attribute(optional(FLOATS, "prob_a")).attribute(optional(FLOATS, "prob_b"));
  s.attribute(optional(INTS, "vectors_per_class", at_least(0)));
}

bool has_probabilities(const Call& call) { return Model(call).has_probabilities(); }
bool has_pairs(const Call& call) {
  const Model model(call);
  return model.vectors && !model.has_probabilities() && model.classes > 2;
}
}  // namespace
Operator svm_classifier() {
  return Operator("ai.onnx.ml", "SVMClassifier")
      .summary(
          "sums of kernels of each row and the support vectors of two classes at a time, and the label with most "
          "votes")
      .version(1, version_1)
      .reading({.name = "svm_classifier.label",
                .alternatives = {"votes: the class that wins most pairs, also beside probabilities",
                                 "probabilities: the most probable class where there are some"},
                .defaults = {{1, "votes"}},
                .reason = "the page says nothing; onnxruntime and onnx.reference take the votes",
                .may_change_values = has_probabilities})
      .reading({.name = "svm_classifier.scores",
                .alternatives = {"pairwise: of more than two classes a score for each pair",
                                 "per_class: the number of votes of each class"},
                .defaults = {{1, "pairwise"}},
                .reason = "the page has one score per class; onnxruntime and onnx.reference give one per pair",
                .may_change_values = has_pairs})
      .reading({.name = "svm.coupling",
                .alternatives = {"exact: the steps that couple probabilities are those of exact numbers",
                                 "float32: each is rounded to float32"},
                .defaults = {{1, "exact"}},
                .reason = "the page names no algorithm; all programs take libsvm's, whose steps belong to the value",
                .may_change_values = has_probabilities})
      .readings(transform_readings(1))
      .short_names({{"coefficients", ""},
                    {"support_vectors", ""},
                    {"rho", ""},
                    {"kernel_params", "params"},
                    {"vectors_per_class", "vectors"},
                    {"classlabels_ints", ""},
                    {"classlabels_strings", ""}})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_svm_classifier
