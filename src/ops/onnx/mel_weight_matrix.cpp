// SPDX-License-Identifier: Apache-2.0
// ai.onnx MelWeightMatrix, version 17
// https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html
#include "exact/real/with_precision.h"
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
#include "ops/shared/signals.h"
namespace opref::ops::onnx::file_mel_weight_matrix {
namespace {
Rational power(const Rational& base, std::int64_t exponent) {
  Rational result(1), square = base;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = result * square;
    if (exponent > 1) square = square * square;
  }
  return result;
}

double edge(const Call& call, std::string_view input) {
  require_scalar(call, input);
  const double hertz = evaluators::Elements(call.input(input)).number(0);
  require(std::isfinite(hertz) && hertz >= 0, "{} is {}, but must be finite and >= 0", input, hertz);
  return hertz;
}

/// The edges of bands: n = num_mel_bins + 2, as many as there are of them;  mel_i = mel(low) + i·(mel(high) -
/// mel(low))/n;  b_i = floor((dft_length + 1)·f_i/sample_rate);  f_i + 700 = 700·A^(1 - i/n)·B^(i/n), A = 1 + low/700,
/// B = 1 + high/700; step = sample_rate/(700·(dft_length + 1))
struct Edges {
  Rational A, B, step;
  std::int64_t n;

  /// b_i, where intervals tell: all that are not whole before they are floored.
  std::optional<std::int64_t> by_intervals(std::int64_t i) const {
    constexpr exact::MpfrPrecision first = 96, most = 384;
    const exact::WithPrecision precision(first);
    std::uint64_t b = 0;
    bool is_known = false;
    for (; !is_known && Interval::precision <= most; Interval::precision *= 2) {
      const auto part = [&](std::int64_t k) { return Rational(k).interval() / Rational(n).interval(); };
      const Interval power = part(n - i) * log(A.interval()) + part(i) * log(B.interval());
      is_known = settle(expm1(power) / step.interval(), b);
    }
    return is_known ? std::optional(static_cast<std::int64_t>(b)) : std::nullopt;
  }
  /// b_i, which is `near` or next to it: the greatest whole number with (1 + b·step)^n <= A^(n - i)·B^i.
  std::int64_t exactly(std::int64_t i, std::int64_t near) const {
    const std::int64_t of_B = A == B ? 0 : i, common = std::gcd(n, of_B);
    const Rational product = power(A, (n - of_B) / common) * power(B, of_B / common);
    const auto fits = [&](std::int64_t b) { return power(Rational(1) + Rational(b) * step, n / common) <= product; };
    while (fits(near + 1)) ++near;
    while (near > 0 && !fits(near)) --near;
    return near;
  }
};

std::vector<std::int64_t> bands(const Call& call) {
  constexpr std::int64_t kMostBins = 1000;
  const std::int64_t bins = rank_0(call, "num_mel_bins"), length = rank_0(call, "dft_length"),
                     rate = rank_0(call, "sample_rate");
  for (const std::string_view input : {"num_mel_bins", "dft_length", "sample_rate"})
    require(call.integer(input) >= 1, "{} is {}, but must be >= 1", input, call.integer(input));
  const double low = edge(call, "lower_edge_hertz"), high = edge(call, "upper_edge_hertz");
  require(low <= high, "lower_edge_hertz is {}, but upper_edge_hertz is {}", low, high);
  if (bins > kMostBins) fail(Fault::unsupported, "num_mel_bins is {}, more than {}", bins, kMostBins);
  const Rational hertz(700), A = Rational(1) + Rational::of(low) / hertz, B = Rational(1) + Rational::of(high) / hertz;
  const std::int64_t edges = bins + 2, last = length / 2;
  const std::int64_t n = call.reads("mel_weight_matrix.formula", "intervals") ? edges - 1 : edges;
  const Edges exact{A, B, Rational(rate) / (hertz * Rational(checked_add(length, 1))), n};
  std::vector<std::int64_t> b;
  for (std::int64_t i = 0; i < edges; ++i) {
    const double part = nearly(i) / nearly(n);
    const double f = 700 * (std::exp((1 - part) * std::log1p(low / 700) + part * std::log1p(high / 700)) - 1);
    const double place = std::floor((nearly(length) + 1) * f / nearly(rate));
    require(place <= nearly(last) + 2, "upper_edge_hertz is {}, but the last row is {}, of {} hertz", high, last,
            nearly(last) * nearly(rate) / (nearly(length) + 1));
    const std::optional<std::int64_t> known = exact.by_intervals(i);
    b.push_back(known ? *known : exact.exactly(i, static_cast<std::int64_t>(place)));
  }
  const std::size_t end = b.size() - 1;
  require(b[end] <= last + 1 && b[end - 1] <= last, "bands end at rows {} and {}, but the last row is {}", b[end - 1],
          b[end], last);
  return b;
}

std::vector<ValueType> output_types(const Call& call) {
  const std::vector<std::int64_t> b = bands(call);
  return {TensorType{dtype_of_number(call, "output_datatype", kOutputDatatypes),
                     Dims{call.integer("dft_length") / 2 + 1, std::ssize(b) - 2}}};
}

// Column i rises from row b_i to row b_(i + 1), where it is 1, and falls until row b_(i + 2).
struct Triangles {
  std::vector<std::int64_t> b;

  template <class R>
  R operator()(std::int64_t at, const Reader<R>& x) const {
    const std::int64_t bins = std::ssize(b) - 2, row = at / bins;
    const auto i = static_cast<size_t>(at % bins);
    if (row >= b[i + 1] && row < b[i + 2]) return R::whole(b[i + 2] - row) / R::whole(b[i + 2] - b[i + 1]);
    if (row == b[i + 1]) return R(1.0);
    if (row >= b[i] && row < b[i + 1]) return R::whole(row - b[i]) / R::whole(b[i + 1] - b[i]);
    return x.zero();
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {real(outs[0], Triangles{bands(call)})};
}

void version_17(OpSchema& s) {
  s.attribute(output_datatype_attribute())
      .input("num_mel_bins", "T1", "columns")
      .input("dft_length", "T1", "of the transform whose bins are the rows, dft_length/2 + 1 of them")
      .input("sample_rate", "T1", "in hertz")
      .input("lower_edge_hertz", "T2", "where the first band starts")
      .input("upper_edge_hertz", "T2", "where the last one ends")
      .output("output", "T3", "(rows, num_mel_bins)")
      .types("T1", types::signed_wide, "Constrain to integer tensors.")
      .types("T2", types::floats | DType::bfloat16, "Constrain to float tensors")
      .types("T3", kOutputDatatypes, "Constrain to any numerical types.");
}
}  // namespace
Operator mel_weight_matrix() {
  return Operator("ai.onnx", "MelWeightMatrix")
      .summary("the matrix that turns bins of a spectrum into bands of the mel scale")
      .version(17, version_17)
      .reading({.name = "mel_weight_matrix.formula",
                .alternatives =
                    {"reference: edges lie 1/(num_mel_bins + 2) of the band apart, the last one below upper_edge_hertz",
                     "intervals: 1/(num_mel_bins + 1), so that the last one is upper_edge_hertz"},
                .defaults = {{17, "reference"}},
                .reason = "published data and onnx.reference; the page has no formula",
                .may_change_values = [](const Call& /*call*/) { return true; }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_mel_weight_matrix
