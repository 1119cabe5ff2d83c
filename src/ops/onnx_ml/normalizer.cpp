// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml Normalizer, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
#include "exact/exact_sum.h"
#include "exact/whole.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx_ml::file_normalizer {
namespace {
constexpr std::string_view kMax = "normalizer.max", kL1 = "normalizer.l1", kL2 = "normalizer.l2";

enum class Divisor : std::uint8_t { greatest, greatest_magnitude, sum_of_magnitudes, sum, root };

// Y = X / max(X), X / Σ|X| or X / √(Σ X²) in each row; "if the divisor is zero, Y == X"
struct Normalizer {
  Elements X;
  std::int64_t C;
  Divisor divisor;
  bool is_positive;  ///< |X| is divided

  template <class R>
  R divisor_of(std::int64_t first, const Reader<R>& x) const {
    R most = divisor == Divisor::greatest ? R(-HUGE_VAL) : R(0.0);
    SumOf<R> sum;
    for (std::int64_t at = first; at < first + C; ++at) {
      const R number = x(X, at);
      if (divisor == Divisor::greatest) most = max(most, number);
      if (divisor == Divisor::greatest_magnitude) most = max(most, abs(number));
      if (divisor == Divisor::sum_of_magnitudes) sum.add(abs(number));
      if (divisor == Divisor::sum) sum.add(number);
      if (divisor == Divisor::root) sum.add(square(number));
    }
    if (divisor <= Divisor::greatest_magnitude) return most;
    return divisor == Divisor::root ? sqrt(sum.total()) : sum.total();
  }
  bool is_divisor_zero(std::int64_t first) const {
    bool all_are_zero = true, is_above_or_nan = false, has_zero = false;
    ExactSum sum;
    for (std::int64_t at = first; at < first + C; ++at) {
      const double number = X.number(at);
      all_are_zero &= number == 0, has_zero |= number == 0, is_above_or_nan |= !(number <= 0);
      if (divisor == Divisor::sum) add(sum, at);
    }
    if (divisor == Divisor::sum) return sum.is_finite() && sum.sign() == 0;
    return divisor == Divisor::greatest ? has_zero && !is_above_or_nan : all_are_zero;
  }
  void add(ExactSum& sum, std::int64_t at) const {
    if (X.is_floating()) return sum.add(X.number(at));
    const WholeParts parts = parts_of_whole(X.integer(at));
    sum.add(parts.nearest), sum.add(parts.rest);
  }

  template <class R>
  void operator()(std::int64_t row, const Reader<R>& x, Writer<R>& y) const {
    const std::int64_t first = row * C;
    const bool is_zero = is_divisor_zero(first);
    const R norm = x.named("the divisor", divisor_of(first, x));
    for (std::int64_t at = first; at < first + C; ++at)
      y.put(0, at, [&] {
        const R number = x(X, at);
        return is_zero ? number : (is_positive ? abs(number) : number) / norm;
      });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return at / C; }
};

// "a tensor of shape [N,C] or [C]"
std::vector<ValueType> output_types(const Call& call) {
  const Dims& X = call.type("X").shape;
  require(X.size() == 1 || X.size() == 2, "X has shape {}, but must be [C] or [N,C]", X);
  return {TensorType{DType::float32, X}};
}

Divisor divisor_of(const Call& call) {
  if (call.string("norm") == "MAX")
    return call.reads(kMax, "magnitude") ? Divisor::greatest_magnitude : Divisor::greatest;
  if (call.string("norm") == "L1") return call.reads(kL1, "sum") ? Divisor::sum : Divisor::sum_of_magnitudes;
  return Divisor::root;
}

// "normalization is done along the C axis"
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& X = call.type("X").shape;
  const bool is_positive = call.string("norm") == "L2" && call.reads(kL2, "positive");
  return programs(outs, element_count(X.first(X.size() - 1)),
                  Normalizer{Elements(call.input("X")), X[X.size() - 1], divisor_of(call), is_positive});
}

bool has_sign(const Call& call) { return has_element(call, std::signbit); }

void version_1(OpSchema& s) {
  s.input("X", "T").output("Y", "float32").types("T", types::signed_wide | Types{DType::float32, DType::float64});
  s.attribute(with_default("norm", "MAX", one_of({"MAX", "L1", "L2"})));
  s.shape_inference(ShapeInference::none);
}
}  // namespace
Operator normalizer() {
  return Operator("ai.onnx.ml", "Normalizer")
      .summary("each row divided by its greatest element, or by its L1 or L2 norm")
      .version(1, version_1)
      .reading(
          {.name = kMax,
           .alternatives = {"greatest: MAX divides by the greatest element, which may be negative",
                            "magnitude: by the greatest magnitude"},
           .defaults = {{1, "greatest"}},
           .reason = "the page: \"X / max(X)\", and so onnxruntime; onnx.reference and scikit-learn take magnitudes",
           .may_change_values = [](const Call& call) { return call.string("norm") == "MAX" && has_sign(call); }})
      .reading({.name = kL1,
                .alternatives = {"magnitudes: L1 divides by the sum of magnitudes", "sum: by the sum"},
                .defaults = {{1, "magnitudes"}},
                .reason = "what L1 means, and so onnxruntime and onnx.reference; the page's formula is X / sum(X)",
                .may_change_values = [](const Call& call) { return call.string("norm") == "L1" && has_sign(call); }})
      .reading({.name = kL2,
                .alternatives = {"signed: L2 keeps the signs, X / sqrt(sum(X^2))",
                                 "positive: no element is negative, sqrt(X^2 / sum(X^2))"},
                .defaults = {{1, "signed"}},
                .reason = "so onnxruntime and onnx.reference; the page's formula is sqrt(X^2 / sum(X^2))",
                .may_change_values = [](const Call& call) { return call.string("norm") == "L2" && has_sign(call); }})
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"norm", ""}});
}
}  // namespace opref::ops::onnx_ml::file_normalizer
