// SPDX-License-Identifier: Apache-2.0
// Means and deviations, and norms.
#include "core/nearly.h"
#include "exact/rounding.h"
#include "mistakes/tools.h"
#include "ops/shared/normalization.h"
#include "ops/shared/reductions.h"

namespace opref::mistakes {
namespace {

using namespace evaluators;

// How a deviation comes about: by a division by n - 1; by E[x²] - E[x]² in float32; with epsilon added to the root;
// with no root taken.
struct Spread {
  enum class By : std::uint8_t { sample, squares, epsilon_outside, no_root } by;

  template <class R>
  R mean(const evaluators::Row<R>& x) const {
    if (by != By::squares) return Moments().mean(x);
    float sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += static_cast<float>(x.number(i));
    return R(widen(sum / static_cast<float>(x.size())));
  }
  template <class R>
  R variance(const evaluators::Row<R>& x, const R& mean) const {
    if (by == By::sample) return sum(square(x - mean)) / (R::whole(x.size()) - R(1.0));
    if (by != By::squares) return Moments().variance(x, mean);
    float sum = 0, squared = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const auto value = static_cast<float>(x.number(i));
      sum += value, squared += value * value;
    }
    const auto count = static_cast<float>(x.size()), near = sum / count;
    return R(widen(squared / count - near * near));
  }
  template <class R>
  R root(const R& variance, double epsilon) const {
    if (by == By::no_root) return variance + R(epsilon);
    return by == By::epsilon_outside ? sqrt(variance) + R(epsilon) : Moments().root(variance, epsilon);
  }
};
template <Spread::By by>
std::vector<Value> spread(const Call& call, std::span<const Output> outs) {
  const std::string_view name = call.op().op_type();
  const auto of = name == "LayerNormalization"          ? onnx::layer_normalization_of
                  : name == "BatchNormalization"        ? onnx::batch_normalization_of
                  : name == "MeanVarianceNormalization" ? onnx::mean_variance_normalization_of
                                                        : normalization_of_channels;
  return normalized(outs, of(call), Spread{by});
}

std::optional<Call> momentum_of_the_batch(const Call& call) {
  if (!onnx::is_training(call)) return std::nullopt;
  return call.with_attribute("momentum", AttributeValue::of(static_cast<float>(1 - call.number("momentum"))));
}

// --- LpNormalization, LRN

bool is_sum(const Call& call) { return call.integer("p") == 1; }

// output = input / Σ input along the axis
struct OverSum {
  Elements X;
  Reduction lines;
  Strided line_of;

  template <class R>
  void operator()(std::int64_t line, const Reader<R>& x, Writer<R>& y) const {
    R sum = x.zero();
    bool is_zero = true;
    lines.each(line, [&](std::int64_t at) { sum = sum + x(X, at), is_zero &= X.number(at) == 0; });
    if (is_zero) return;
    lines.each(line, [&](std::int64_t at) { y.put(0, at, [&] { return x(X, at) / sum; }); });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return line_of(at); }
};
std::vector<Value> without_absolute_values(const Call& call, std::span<const Output> outs) {
  const Dims& X = call.type("input").shape;
  const Reduction lines = reduction_over(call, "input", {static_cast<std::int64_t>(call.axis("axis", X.size()))}, true);
  return programs(outs, element_count(lines.shape),
                  OverSum{Elements(call.input("input")), lines, Strided(X, broadcast_strides(lines.shape, X))});
}

std::optional<Call> alpha_whole(const Call& call) {
  const double alpha = call.number("alpha") * nearly(call.integer("size"));
  return call.with_attribute("alpha", AttributeValue::of(static_cast<float>(alpha)));
}
bool is_even(const Call& call) { return call.integer("size") % 2 == 0; }
std::vector<Value> one_more_below(const Call& call, std::span<const Output>) {
  return {flipped(*computed_rightly(with_flipped(call, "X", {1}))[0].tensor(), {1})};
}

}  // namespace

const Table& normalizations() {
  static const std::vector<std::string_view> with_epsilon{"BatchNormalization", "GroupNormalization",
                                                          "InstanceNormalization", "LayerNormalization"},
      all{"BatchNormalization", "GroupNormalization", "InstanceNormalization", "LayerNormalization",
          "MeanVarianceNormalization"};
  static const Table table{
      {all, "variance divided by n - 1", computed_by(spread<Spread::By::sample>)},
      {all, "variance as E[x^2] - E[x]^2 in float32", computed_by(spread<Spread::By::squares>)},
      {with_epsilon, "epsilon added to the root, not under it", computed_by(spread<Spread::By::epsilon_outside>)},
      {with_epsilon, "divided by the variance, not by its root", computed_by(spread<Spread::By::no_root>)},
      {{"BatchNormalization"}, "momentum of the batch, not of the past", momentum_of_the_batch},
      {{"LpNormalization"}, "without absolute values", computed_by(is_sum, without_absolute_values)},
      {{"LRN"}, "alpha not divided by size", alpha_whole},
      {{"LRN"}, "an even size takes one more channel below", computed_by(is_even, one_more_below)},
  };
  return table;
}

}  // namespace opref::mistakes
