// SPDX-License-Identifier: Apache-2.0
// Means and deviations, and norms.
#include "core/index.h"
#include "core/nearly.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "mistakes/tools.h"
#include "ops/operators.h"
#include "ops/shared/normalization.h"
#include "ops/shared/reductions.h"

namespace opref::mistakes {
namespace {

using namespace evaluators;

// How a deviation comes about: by a division by n - 1; by E[x²] - E[x]² in float32; with epsilon added to the root;
// with no root taken; from 0 instead of the mean.
struct Spread {
  enum class By : std::uint8_t { sample, squares, epsilon_outside, no_root, no_mean } by;

  template <class R>
  R mean(const evaluators::Row<R>& x) const {
    if (by == By::no_mean) return R(0.0);
    if (by != By::squares) return Moments().mean(x);
    float sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += static_cast<float>(x.number(i));
    return R(widen(sum / static_cast<float>(x.size())));
  }
  template <class R>
  R variance(const evaluators::Row<R>& x, const R& mean) const {
    if (by == By::sample) return sum(square(x - mean)) / (R::whole(x.size()) - R(1.0));
    if (by == By::no_mean) return evaluators::mean(square(x - mean));
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

std::optional<Call> mean_subtracted(const Call& call) {
  return call.read_by(get_operator("ai.onnx", "LayerNormalization").at(17));
}

// Y by the statistics that are given, though the batch has its own.
std::vector<Value> by_running_statistics(const Call& call, std::span<const Output> outs) {
  std::vector<Value> values = computed_rightly(call, outs);
  Normalization d = onnx::batch_normalization_of(call);
  d.are_past = false;
  d.others.clear();
  values[0] = normalized(outs.first(1), d)[0];
  return values;
}
std::vector<Value> running_sample_variance(const Call& call, std::span<const Output> outs) {
  Normalization d = onnx::batch_normalization_of(call);
  d.gives_sample = true;
  return normalized(outs, d);
}

// Channels along the last axis: where that is as long as axis 1.
bool is_square(const Call& call) {
  const Dims& x = call.type("X").shape;
  return x.size() > 2 && x[1] == x[x.size() - 1];
}
std::vector<Value> channels_last(const Call& call, std::span<const Output> outs) {
  const size_t last = call.type("X").rank() - 1;
  std::vector<Value> values = computed_rightly(call.with_input("X", with_axes_exchanged(call.input("X"), 1, last)));
  if (outs[0].wanted()) values[0] = with_axes_exchanged(*values[0].tensor(), 1, last);
  return values;
}

// InstanceNormalization by the mean of all N.
std::vector<Value> over_the_batch(const Call& call, std::span<const Output>) {
  const Tensor& x = call.input("input");
  const Dims &shape = x.shape(), whole{shape[0], shape[1], element_count(shape.without_first(2))};
  const Tensor channels_first = with_axes_exchanged(reshaped(x, whole), 0, 1);
  const Dims turned = channels_first.shape();
  const Call of_one = call.with_input("input", reshaped(channels_first, {1, whole[1], whole[0] * whole[2]}));
  const Tensor y = reshaped(*computed_rightly(of_one)[0].tensor(), turned);
  return {reshaped(with_axes_exchanged(y, 0, 1), shape)};
}

// GroupNormalization: channel c is in group c mod num_groups.
std::vector<Value> groups_interleaved(const Call& call, std::span<const Output>) {
  const std::int64_t C = call.type("X").shape[1], G = call.integer("num_groups");
  const auto moves = [&](size_t axis, bool back) {
    return [=](Dims at) {
      const std::int64_t c = at[axis], each = C / G;
      at[axis] = back ? c % G * each + c / G : c % each * G + c / each;
      return at;
    };
  };
  Call grouped = with_moved(call, "X", moves(1, false));
  for (const std::string_view name : {"scale", "bias"})
    if (call.type(name).shape[0] == C) grouped = with_moved(grouped, name, moves(0, false));
  return {moved(*computed_rightly(grouped)[0].tensor(), moves(1, true))};
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

// --- Normalizer of ai.onnx.ml

bool has_rows(const Call& call) { return call.type("X").rank() == 2; }
std::vector<Value> over_the_tensor(const Call& call, std::span<const Output>) {
  const Tensor& x = call.input("X");
  const Call of_one = call.with_input("X", reshaped(x, {1, x.count()}));
  return {reshaped(*computed_rightly(of_one)[0].tensor(), x.shape())};
}
std::vector<Value> by_columns(const Call& call, std::span<const Output>) {
  const Call turned = call.with_input("X", with_axes_exchanged(call.input("X"), 0, 1));
  return {with_axes_exchanged(*computed_rightly(turned)[0].tensor(), 0, 1)};
}
// X/0 where the divisor is 0, as nothing else gives X.
std::vector<Value> divided_by_zero(const Call& call, std::span<const Output>) {
  const Tensor& x = call.input("X");
  const Elements X(x);
  const std::int64_t C = x.shape()[x.shape().size() - 1];
  const Tensor right = *computed_rightly(call)[0].tensor();
  const auto is_zero = [&](std::int64_t row) {
    double most = -HUGE_VAL;
    bool all_are = true, has_nan = false;
    for (std::int64_t at = row * C; at < (row + 1) * C; ++at) {
      const double number = X.number(at);
      most = std::max(most, number), all_are &= number == 0, has_nan |= std::isnan(number);
    }
    return all_are || (call.string("norm") == "MAX" && most == 0 && !has_nan);
  };
  return {tensor_of_bits(right.type(), [&](std::int64_t i) {
    return is_zero(i / C) ? converted(Number::of(X.number(i) / 0.0), right.dtype(), {}) : element_bits(right, i);
  })};
}
// The greatest of the others, as a loop of comparisons has it.
bool has_greatest(const Call& call) { return has_floats(call) && call.string("norm") == "MAX"; }
std::vector<Value> nan_passed_over(const Call& call, std::span<const Output>) {
  const Tensor& x = call.input("X");
  const Tensor without = of_each(x, [](double number) { return std::isnan(number) ? -HUGE_VAL : number; });
  const Tensor y = *computed_rightly(call.with_input("X", without))[0].tensor();
  return {tensor_of_bits(y.type(), [&](std::int64_t i) {
    return std::isnan(floating_element(x, i)) ? converted(Number::of(NAN), y.dtype(), {}) : element_bits(y, i);
  })};
}

// onnxruntime's sums: of squares that are taken in X's type and rounded to float32, of magnitudes that a least integer
// has not. Y is ±√(square/sum), or X/sum.
bool has_sums(const Call& call) { return call.string("norm") != "MAX"; }
std::vector<Value> normalized_in_float32(const Call& call, std::span<const Output> outs) {
  const Tensor& x = call.input("X");
  const Elements X(x);
  const bool has_squares = call.string("norm") == "L2";
  const std::int64_t C = x.shape()[x.shape().size() - 1];
  const auto wrapped = [&](std::uint64_t bits) -> float {
    if (x.dtype() == DType::int32) return static_cast<float>(static_cast<std::int32_t>(bits));
    return static_cast<float>(static_cast<std::int64_t>(bits));
  };
  const auto term = [&](std::int64_t at) -> float {
    const double number = X.is_floating() ? X.number(at) : 0;
    if (X.is_floating() && x.dtype() == DType::float32) {
      const auto narrow = static_cast<float>(number);
      return has_squares ? narrow * narrow : std::abs(narrow);
    }
    if (X.is_floating()) return static_cast<float>(has_squares ? number * number : std::abs(number));
    const std::int64_t whole = X.integer(at);
    const auto bits = static_cast<std::uint64_t>(whole);
    return wrapped(has_squares ? bits * bits : whole < 0 ? 0 - bits : bits);
  };
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    float sum = 0;
    for (std::int64_t at = i / C * C; at < (i / C + 1) * C; ++at) sum += term(at);
    const bool is_below = X.is_floating() ? X.number(i) < 0 : X.integer(i) < 0;
    const auto own = static_cast<float>(X.is_floating() ? X.number(i) : nearly(X.integer(i)));
    const float root = std::sqrt(term(i) / sum);
    const float y = sum == 0 ? own : !has_squares ? own / sum : is_below ? -root : root;
    return converted(Number::of(double{y}), outs[0].type().dtype, {});
  })};
}

std::optional<Call> alpha_whole(const Call& call) {
  const double alpha = call.number("alpha") * nearly(call.integer("size"));
  return call.with_attribute("alpha", AttributeValue::of(static_cast<float>(alpha)));
}
// onnx.reference sums as many channels as there are batches; of the others X is divided by bias^beta alone.
std::vector<Value> as_many_channels_as_batches(const Call& call, std::span<const Output>) {
  const Tensor y = *computed_rightly(call)[0].tensor();
  const Call bare = call.with_attribute("alpha", AttributeValue::of(0.0F));
  const auto finite = [](double x) { return std::isfinite(x) ? x : 1; };
  const Tensor without = *computed_rightly(*with_numbers(bare, "X", finite))[0].tensor();
  const Tensor& X = call.input("X");
  return {tensor_of_bits(y.type(), [&](std::int64_t i) {
    if (coordinates(i, y.shape())[1] < y.shape()[0]) return element_bits(y, i);
    const double x = floating_element(X, i);
    if (std::isfinite(x)) return element_bits(without, i);
    return converted(Number::of(x * floating_element(without, i)), y.dtype(), {});
  })};
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
      {all, "variance as E[x^2] - E[x]^2 in float32", computed_by(spread<Spread::By::squares>),
       MistakeKind::few_digits},
      {with_epsilon, "epsilon added to the root, not under it", computed_by(spread<Spread::By::epsilon_outside>)},
      {with_epsilon, "divided by the variance, not by its root", computed_by(spread<Spread::By::no_root>)},
      {{"LayerNormalization"}, "the mean not subtracted", computed_by(spread<Spread::By::no_mean>)},
      {{"RMSNormalization"}, "the mean subtracted", mean_subtracted},
      {{"RMSNormalization"}, "scale + 1", with_each("scale", [](double x) { return x + 1; })},
      {{"GroupNormalization"}, "one group", taken_as("num_groups", 1)},
      {{"GroupNormalization"}, "channels of groups interleaved", computed_by(groups_interleaved)},
      {{"InstanceNormalization"}, "means of the whole batch", computed_by(over_the_batch)},
      {{"BatchNormalization"}, "channels along the last axis", computed_by(is_square, channels_last)},
      {{"BatchNormalization"}, "Y by the running statistics", computed_by(onnx::is_training, by_running_statistics)},
      {{"BatchNormalization"},
       "the running variance divided by n - 1",
       computed_by(onnx::is_training, running_sample_variance)},
      {{"LpNormalization", "LpPool", "GlobalLpPool"}, "p taken as 1", taken_as("p", 1)},
      {{"BatchNormalization"}, "momentum of the batch, not of the past", momentum_of_the_batch},
      {{"LpNormalization"}, "without absolute values", computed_by(is_sum, without_absolute_values)},
      {{"ai.onnx.ml.Normalizer"}, "the whole tensor taken for one row", computed_by(has_rows, over_the_tensor)},
      {{"ai.onnx.ml.Normalizer"}, "columns instead of rows", computed_by(has_rows, by_columns)},
      {{"ai.onnx.ml.Normalizer"}, "divided where the divisor is zero", computed_by(divided_by_zero)},
      {{"ai.onnx.ml.Normalizer"},
       "squares and magnitudes overflow in the type of X",
       computed_by(has_sums, normalized_in_float32)},
      {{"ai.onnx.ml.Normalizer"}, "MAX: NaN passed over", computed_by(has_greatest, nan_passed_over)},
      {{"LRN"}, "alpha not divided by size", alpha_whole},
      {{"LRN"}, "as many channels summed as there are batches", computed_by(as_many_channels_as_batches)},
      {{"LRN"}, "an even size takes one more channel below", computed_by(is_even, one_more_below)},
  };
  return table;
}

}  // namespace opref::mistakes
