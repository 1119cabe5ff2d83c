// SPDX-License-Identifier: Apache-2.0
// Scores of the models of ai.onnx.ml: rows of features in, labels and rows of numbers out. post_transform turns a row
// of exact scores into the numbers that are rounded, once. Numbers R are Bounded, Interval or Faithful.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "evaluators/sum.h"
#include "exact/real/quantile.h"
#include "exact/real/real_number.h"
#include "ops/shared/decisions.h"
#include "schema/operator.h"
namespace opref::ops {
// Rows and labels.

/// X is [N, C], or one row, [C]; else `invalid`.
struct FeatureRows {
  std::int64_t rows, features;
};
FeatureRows feature_rows(const Call& call);

/// The numbers of an attribute; none where it is omitted.
std::vector<double> doubles_of(const Call& call, std::string_view attribute);
std::vector<std::int64_t> integers_of(const Call& call, std::string_view attribute);

/// The attributes of labels, the output Y and its types, as all classifiers have them.
void with_labels(OpSchema& s, std::string_view integers);

/// Y[row] = labels[chosen(row)]
Value label_rows(const Output& out, const Tensor& labels, const std::function<std::int64_t(std::int64_t row)>& chosen);

// Decisions on numbers of each kind.

/// A number of which nothing is known.
template <class R>
R unknown_number() {
  if constexpr (std::is_same_v<R, exact::Bounded>)
    return {0, kInfinity};
  else
    return choose(
        R::Truth::unknown, [] { return R(std::numeric_limits<double>::quiet_NaN()); }, [] { return R(0.0); });
}
/// Whether it is exactly 0, where that is known.
inline std::optional<bool> is_zero(const exact::Bounded& x) {
  if (x.e == 0) return x.v == 0;
  return std::abs(x.v) > x.e * 1.01 ? std::optional(false) : std::nullopt;
}
inline std::optional<bool> is_zero(const exact::Interval& x) {
  if (x.is_nan()) return false;
  const std::optional<int> sign = x.sign();
  return sign ? std::optional(*sign == 0) : std::nullopt;
}
inline std::optional<bool> is_zero(const exact::Faithful& x) {
  if (x.error() == 0) return x.high() == 0 && x.low() == 0;
  return std::abs(x.high()) > (std::abs(x.low()) + x.error()) * 1.01 ? std::optional(false) : std::nullopt;
}
/// The number, as the point 0 where it is known to be that.
template <class R>
R sharp(const R& x) {
  return is_zero(x) == true ? R(0.0) : x;
}
/// A double that is near it, or infinite.
inline double about(const exact::Bounded& x) { return x.v; }
inline double about(const exact::Interval& x) { return exact::RealNumber(x.low()).nearest_double(); }
inline double about(const exact::Faithful& x) { return x.high(); }

/// The place of the greatest, of equal ones the first, where it is known; NaN is not greater than anything.
template <class R>
std::optional<std::int64_t> first_greatest(const std::vector<R>& s) {
  size_t best = 0;
  for (size_t k = 1; k < s.size(); ++k) {
    const std::optional<bool> is_greater = is_less(s[best], s[k]);
    if (!is_greater) return std::nullopt;
    if (*is_greater) best = k;
  }
  return static_cast<std::int64_t>(best);
}

// post_transform.

enum class PostTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };

/// post_transform.softmax_zero, post_transform.probit, since the operator's first version.
std::vector<Reading> transform_readings(std::int64_t since);
/// post_transform.single, of operators with a score for each target.
Reading single_score_reading(std::int64_t since, bool (*may_change_values)(const Call&));

/// The attribute, by its words.
AttributeSchema post_transform_attribute();

struct Transform {
  PostTransform kind = PostTransform::none;
  enum class Zeros : std::uint8_t { exact, onnxruntime, onnx_reference } zeros = Zeros::exact;
  bool by_winitzki = false;
  bool skips_single = false;  ///< one score alone stays as it is, but for PROBIT
};
/// As the attribute's words and the readings say.
Transform transform_of(const Call& call);
Transform transform_of(const Call& call, PostTransform kind);

/// e^(s_i) / Σ e^(s_j), by the difference to the greatest, so that equal scores give exactly 1/n.
template <class R>
std::vector<R> powers_of(const std::vector<R>& s) {
  std::optional<size_t> top;
  bool is_shifted = true;
  for (size_t i = 0; i < s.size(); ++i) {
    is_shifted &= is_finite(s[i]) || about(s[i]) == -std::numeric_limits<double>::infinity();
    if (is_finite(s[i]) && (!top || about(s[*top]) < about(s[i]))) top = i;
  }
  std::vector<R> powers;
  for (size_t i = 0; i < s.size(); ++i)
    powers.push_back(!is_shifted || !top ? exp(s[i]) : i == *top ? R(1.0) : exp(sharp(s[i] - s[*top])));
  return powers;
}
template <class R>
std::vector<R> shares_of(const std::vector<R>& powers) {
  SumOf<R> total;
  for (const R& power : powers) total.add(power);
  std::vector<R> shares;
  for (const R& power : powers) shares.push_back(power / total.total());
  return shares;
}
template <class R>
std::vector<R> softmax(const std::vector<R>& s) {
  return shares_of(powers_of(s));
}

/// 1 / (1 + e^(-s))
template <class R>
R logistic(const R& s) {
  return R(1.0) / (R(1.0) + exp(-sharp(s)));
}

/// √2·erfinv(2p - 1) by S. Winitzki's formula, which is off by up to 1e-3.
template <class R>
R winitzki_quantile(const R& p) {
  const R a = R(147.0) / R(1000.0), x = R(2.0) * p - R(1.0);
  if (is_zero(x) == true) return R(0.0);
  const R log_of = log((R(1.0) - x) * (R(1.0) + x)), v = R(2.0) / (pi(p) * a) + R(0.5) * log_of,
          y = sqrt(R(2.0)) * sqrt(sqrt(v * v - log_of / a) - v);
  return choose(
      x < R(0.0), [&] { return -y; }, [&] { return y; });
}

/// SOFTMAX over the scores that are not exactly 0; those stay 0.
template <class R>
std::vector<R> softmax_of_others(const std::vector<R>& s) {
  std::vector<R> others, z;
  for (const R& x : s) {
    const std::optional<bool> is_null = is_zero(x);
    if (!is_null) return std::vector<R>(s.size(), unknown_number<R>());
    if (!*is_null) others.push_back(x);
  }
  const std::vector<R> shares = softmax(others);
  for (size_t i = 0, k = 0; i < s.size(); ++i) z.push_back(*is_zero(s[i]) ? R(0.0) : shares[k++]);
  return z;
}
/// With the greatest score m: x = s·e^(-m) of scores of at most 1e-7, e^(s-m) of others; over the sum of the others, or
/// of all.
template <class R>
std::vector<R> softmax_of_great(const std::vector<R>& s, bool counts_small) {
  const R least(1e-7F);
  R m = s[0];
  for (const R& x : s) m = max(m, x);
  SumOf<R> total;
  std::vector<R> z;
  for (const R& x : s) {
    const std::optional<bool> is_above = is_less(least, x), is_below = is_less(x, -least);
    if (!is_above || !is_below) return std::vector<R>(s.size(), unknown_number<R>());
    const bool is_small = !*is_above && !*is_below;
    z.push_back(is_small ? x * exp(-m) : exp(sharp(x - m)));
    if (!is_small || counts_small) total.add(z.back());
  }
  const bool halves = counts_small && is_zero(total.total()) == true;
  for (R& x : z) x = halves ? R(0.5) : x / total.total();
  return z;
}

/// The row that is rounded, of a row of scores.
template <class R>
std::vector<R> transformed(const std::vector<R>& s, const Transform& by) {
  const auto each = [&](const auto& f) {
    std::vector<R> z;
    for (const R& x : s) z.push_back(f(x));
    return z;
  };
  if (s.size() == 1 && by.skips_single && by.kind != PostTransform::probit) return s;
  switch (by.kind) {
    case PostTransform::none:
      return s;
    case PostTransform::softmax:
      return softmax(s);
    case PostTransform::logistic:
      return each([](const R& x) { return logistic(x); });
    case PostTransform::softmax_zero:
      return by.zeros == Transform::Zeros::exact ? softmax_of_others(s)
                                                 : softmax_of_great(s, by.zeros == Transform::Zeros::onnx_reference);
    case PostTransform::probit:
      return each([&](const R& x) { return by.by_winitzki ? winitzki_quantile(x) : quantile(x); });
  }
  return s;
}

/// Rows of `width` numbers, the transform of scores(row, x), x a Reader<R>.
template <class Scores>
struct ScoreRows {
  const Scores& scores;
  std::int64_t width;
  Transform transform;

  template <class R>
  void operator()(std::int64_t row, const Reader<R>& x, Writer<R>& y) const {
    const std::vector<R> s = scores(row, x), z = transformed(s, transform);
    for (std::int64_t c = 0; c < width; ++c)
      y.put(0, row * width + c, [&] {
        if (transform.kind != PostTransform::none) x.named("score", s[static_cast<size_t>(c)]);
        return z[static_cast<size_t>(c)];
      });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const { return at / width; }
};
/// The same. Scores that are sums may have terms(row, c, sum), which adds the terms of one: where has_terms() says so,
/// and they are not transformed, that is what makes them.
template <class Scores>
Value score_rows(const Output& out, const Scores& scores, std::int64_t width, const Transform& transform) {
  if constexpr (requires { scores.has_terms(); })
    if (transform.kind == PostTransform::none && scores.has_terms())
      return evaluators::sum(out, DType::float64, [&](std::int64_t i, auto& sum) {
        require_time();
        scores.terms(i / width, i % width, sum);
      });
  const std::int64_t rows = out.type().shape[0];
  return programs(std::span(&out, 1), rows, ScoreRows<Scores>{scores, width, transform})[0];
}
/// The label of each row's greatest score, the first of equal ones.
template <class Scores>
Value greatest_rows(const Output& out, const Tensor& labels, const Scores& scores) {
  return label_rows(out, labels, [&](std::int64_t row) {
    return decide([&](const auto& x) { return first_greatest(scores(row, x)); },
                  [&] { return format("which score of row {} is the greatest", row); });
  });
}
/// For `explain` of a label: what was read, and the scores that decided.
template <class Scores>
void tell_scores(const Output& out, const Scores& scores) {
  if (out.sink() == nullptr || !out.only() || !out.wanted()) return;
  evaluators::Heard heard{out.sink(), true, {}};
  const exact::WithPrecision enough(1024);
  const std::vector<exact::Interval> s = scores(*out.only(), Reader<exact::Interval>(&heard));
  for (size_t c = 0; c < s.size(); ++c) out.sink()->real(format("score[{}]", c), s[c]);
}

// Two labels and one score.

/// (1 - s, s), or (-s, s)
template <class R>
std::vector<R> pair_of(const R& s, bool is_complement) {
  return {is_complement ? R(1.0) - s : -s, s};
}
/// Whether the first of the pair is 1 - s: of scores that are like probabilities.
inline bool pairs_with_complement(PostTransform kind) {
  return kind == PostTransform::none || kind == PostTransform::probit;
}
}  // namespace opref::ops
