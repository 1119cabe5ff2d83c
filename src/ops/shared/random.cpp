// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/random.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/nearly.h"
#include "exact/real/bounded_functions.h"
#include "exact/rounding.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
using evaluators::Elements;
namespace {
/// The type variable of the output.
Types drawn_types(const Call& call) { return call.schema().types_of(call.schema().outputs()[0].type); }

bool is_like(const Call& call) { return !call.schema().inputs().empty(); }

void version_22(OpSchema& s) {
  s.add_types(s.outputs()[0].type, DType::bfloat16);
  if (!s.inputs().empty()) s.add_types(s.inputs()[0].type, DType::bfloat16);
}

Operator of(std::string_view op_type, std::string_view summary, const VersionChange& version_1, OutputTypes types,
            Drawn drawn) {
  return Operator("ai.onnx", op_type)
      .summary(summary)
      .version(1, version_1)
      .version(22, version_22)
      .output_types(types)
      .undetermined(kUndetermined)
      .drawn(drawn);
}

/// Bits of a significand.
int precision(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 53;
    case DType::float32:
      return 24;
    case DType::float16:
      return 11;
    default:
      return 8;
  }
}

/// How far rounding to the type moves a number, at most.
double rounding_of(DType dtype, double number) {
  constexpr double kSubnormal = 0x1p-25;  // half of float16's least number
  return std::ldexp(std::abs(number), -precision(dtype)) + (dtype == DType::float16 ? kSubnormal : 0);
}

/// Numbers of a density of at most 1/width are all the same only by a chance that halves with each bit that they have.
void require_different(const Elements& y, std::int64_t n, double width) {
  if (n < 2 || !(width > 0)) return;
  for (std::int64_t i = 1; i < n; ++i)
    if (y.number(i) != y.number(0)) return;
  const double step = 2 * rounding_of(y.dtype(), std::max(std::abs(y.number(0)), width));
  constexpr double kBits = 32;  // 2^-32: 2·10^-10
  const double bits = step < width ? nearly(std::ilogb(width / step)) : 0;
  require(bits * nearly(n - 1) < kBits, "all {} elements are {}, which is by chance less than once in 10^9", n,
          y.number(0));
}

/// How often a class was drawn, and by its chance at each draw: how often that is expected, with which variance.
struct Share {
  double count = 0, expected = 0, variance = 0;

  void add(const Share& other) { count += other.count, expected += other.expected, variance += other.variance; }
  /// Where earlier draws decide the chances of later ones, Freedman's inequality holds for a variance that is stated
  /// before: for each power of two.
  bool is_likely(Replacement replacement, std::int64_t checks) const {
    constexpr std::int64_t kPowers = 64;
    const bool again = replacement == Replacement::yes;
    const auto least = static_cast<std::uint64_t>(std::ceil(std::max(variance, 1.0)));
    Deviations deviations;
    deviations.add(count - expected, again ? variance : nearly(static_cast<std::int64_t>(std::bit_ceil(least))), 1);
    return deviations.are_likely(rare(checks * (again ? 1 : kPowers)));
  }
};

/// One row of classes: how often each is there, as far as its chance is known.
std::vector<Share> shares_of_row(const Elements& y, std::int64_t row, std::int64_t samples, std::int64_t classes,
                                 Replacement replacement, std::vector<double> weights) {
  const bool again = replacement == Replacement::yes;
  std::vector<Share> shares(static_cast<size_t>(classes));
  std::vector<bool> drawn(static_cast<size_t>(classes));
  double rest = 0;
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t number = y.integer(row * samples + k);
    require(number >= 0 && number < classes, "output{} is {}, but there are {} classes", Dims{row, k}, number, classes);
    const auto c = static_cast<size_t>(number);
    require(again || !drawn[c], "row {} of output has class {} twice, but each is drawn once", row, number);
    drawn[c] = true;
    if (k == 0 || !again) rest = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!(rest > 0) || !std::isfinite(rest)) {
      weights.clear();
      continue;
    }
    require(weights[c] > 0, "output{} is {}, whose probability is 0", Dims{row, k}, number);
    ++shares[c].count;
    for (size_t i = 0; i < weights.size() && (k == 0 || !again); ++i) {
      const double p = weights[i] / rest, draws = again ? nearly(samples) : 1;
      shares[i].add({0, draws * p, draws * p * (1 - p)});
    }
    if (!again) weights[c] = 0;
  }
  return shares;
}
}  // namespace
std::vector<double> exponentials(const Elements& x, std::int64_t row, std::int64_t classes) {
  std::vector<double> all;
  double greatest = -INFINITY;
  for (std::int64_t c = 0; c < classes; ++c) greatest = std::max(greatest, x.number(row * classes + c));
  for (std::int64_t c = 0; c < classes; ++c) {
    const double one = x.number(row * classes + c);
    all.push_back(std::isinf(one) ? 0 : exp(exact::Bounded(one - greatest)).v);
  }
  const bool are_numbers = std::ranges::none_of(all, [](double one) { return std::isnan(one); });
  return are_numbers && std::isfinite(greatest) ? all : std::vector<double>();
}

void require_likely_classes(const Tensor& output, std::int64_t classes, Replacement replacement,
                            const std::function<std::vector<double>(std::int64_t)>& weights) {
  const Elements y(output);
  const std::int64_t rows = output.shape()[0], samples = output.shape()[1];
  std::vector<Share> all(static_cast<size_t>(classes));
  for (std::int64_t b = 0; b < rows; ++b) {
    const std::vector<Share> own = shares_of_row(y, b, samples, classes, replacement, weights(b));
    for (size_t c = 0; c < own.size(); ++c) {
      all[c].add(own[c]);
      require(own[c].is_likely(replacement, rows * classes),
              "row {} of output has class {} {} times of {}, but {} are expected: {}", b, c, own[c].count, samples,
              about(own[c].expected), kSeldom);
    }
  }
  for (size_t c = 0; c < all.size(); ++c)
    require(all[c].is_likely(replacement, classes), "output has class {} too often or too seldom: {}", c, kSeldom);
}

std::string digits(double number, int count) {
  if (!std::isfinite(number)) return std::isnan(number) ? "NaN" : number > 0 ? "Inf" : "-Inf";
  char text[32];
  return {text, std::to_chars(text, std::end(text), number, std::chars_format::general, count).ptr};
}

double rare(std::int64_t checks) {
  constexpr double kLn2 = 0.6931471805599454;  // a little more
  return kRare + kLn2 * nearly(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(checks, 1))));
}

std::vector<Value> uniform_drawn(const Call& call, std::span<const Output>, std::span<const Tensor* const> given) {
  if (given[0] == nullptr) return {Value{}};
  const Elements y(*given[0]);
  const double low = call.number("low"), high = call.number("high"), width = high - low, middle = low + width / 2;
  const bool is_narrow = precision(y.dtype()) < precision(DType::float32);  // numbers near the ends round to them
  const std::int64_t n = given[0]->count();
  const double error = rounding_of(y.dtype(), std::max(std::abs(low), std::abs(high))), slack = is_narrow ? error : 0;
  Deviations mean, variance;
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double number = y.number(i);
    require(number >= low - slack, "{} is {}, but low is {}", coordinates(i, given[0]->shape()), digits(number), low);
    require(is_narrow ? number <= high + slack : number < high || width == 0, "{} is {}, but must be below high, {}",
            coordinates(i, given[0]->shape()), digits(number), high);
    if (!(width > 0)) {
      require(number <= high + slack, "{} is {}, but low and high are {}", coordinates(i, given[0]->shape()),
              digits(number), high);
      continue;
    }
    const double part = (number - middle) / width;  // from -1/2 to 1/2
    mean.add(part, 1.0 / 12, 0.5);
    variance.add(part * part - 1.0 / 12, 1.0 / 180, 1.0 / 6);
    sum += number;
    squares += part * part;
  }
  const double all = nearly(n);
  if (width > 0) {
    mean.add_slack(all * error / width);
    variance.add_slack(all * error / width);
  }
  require(mean.are_likely(), "the mean is {}, but {} is expected of {} elements: {}", about(sum / all), about(middle),
          n, kSeldom);
  require(variance.are_likely(), "the variance is {}, but {} is expected of {} elements: {}",
          about(squares / all * width * width), about(width * width / 12), n, kSeldom);
  require_different(y, n, width);
  return {*given[0]};
}

std::vector<Value> normal_drawn(const Call& call, std::span<const Output>, std::span<const Tensor* const> given) {
  if (given[0] == nullptr) return {Value{}};
  const Elements y(*given[0]);
  const double mean = call.number("mean"), scale = call.number("scale");
  const std::int64_t n = given[0]->count();
  const double all = nearly(n), most = std::sqrt(2 * rare(n));  // |z| > most has a chance of less than 2·e^-rare
  double sum = 0, squares = 0, slack = 0, square_slack = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double number = y.number(i), error = rounding_of(y.dtype(), std::isfinite(number) ? number : mean);
    if (!(scale > 0)) {
      require(std::abs(number - mean) <= rounding_of(y.dtype(), mean), "{} is {}, but the mean is {} and the scale 0",
              coordinates(i, given[0]->shape()), digits(number), mean);
      continue;
    }
    const double z = (number - mean) / scale, delta = error / scale;
    require(std::abs(z) <= most + delta, "{} is {}, {} times the scale from the mean: {}",
            coordinates(i, given[0]->shape()), digits(number), about(std::abs(z)), kSeldom);
    sum += z;
    squares += z * z;
    slack += delta;
    square_slack += (2 * std::abs(z) + delta) * delta;
  }
  if (!(scale > 0)) return {*given[0]};
  require(std::abs(sum) <= std::sqrt(2 * kRare * all) + slack, "the mean is {}, but {} is expected of {} elements: {}",
          about(mean + scale * sum / all), mean, n, kSeldom);
  // Laurent and Massart's bounds of chi-square, 2000.
  const double root = 2 * std::sqrt(all * kRare);
  require(squares >= all - root - square_slack && squares <= all + root + 2 * kRare + square_slack,
          "the variance is {}, but {} is expected of {} elements: {}", about(scale * scale * squares / all),
          about(scale * scale), n, kSeldom);
  require_different(y, n, 2.5 * scale);
  return {*given[0]};
}

DType drawn_dtype(const Call& call, std::string_view like) {
  if (call.has("dtype")) return dtype_of_number(call, "dtype", drawn_types(call));
  const DType dtype = call.type(like).dtype;
  require(drawn_types(call).contains(dtype),
          "{} is {}, which {} does not give: the attribute 'dtype' has to say another", like, dtype, call.title());
  return dtype;
}

std::vector<ValueType> distribution_types(const Call& call) {
  if (is_like(call)) return {TensorType{drawn_dtype(call, "input"), call.type("input").shape}};
  return {TensorType{drawn_dtype(call, ""), sizes_of(call, "shape")}};
}

std::vector<ValueType> uniform_types(const Call& call) {
  require(call.number("low") <= call.number("high"), "low is {}, but high {}", call.number("low"), call.number("high"));
  return distribution_types(call);
}

Operator distribution(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                      OutputTypes types, Drawn drawn) {
  return of(
      op_type, summary,
      [&](OpSchema& s) {
        parameters(s);
        s.attribute(with_default("dtype", 1, element_types()))
            .attribute(optional(FLOAT, "seed"))
            .attribute(required(INTS, "shape"));
        s.output("output", "T").types("T", types::floats);
      },
      types, drawn);
}

Operator distribution_like(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                           OutputTypes types, Drawn drawn) {
  return of(
      op_type, summary,
      [&](OpSchema& s) {
        parameters(s);
        s.attribute(optional(INT, "dtype", element_types())).attribute(optional(FLOAT, "seed"));
        s.input("input", "T1").output("output", "T2").types("T1", types::basic).types("T2", types::floats);
      },
      types, drawn);
}

void normal_parameters(OpSchema& s) {
  s.attribute(with_default("mean", 0.0F)).attribute(with_default("scale", 1.0F, at_least(0)));
}

void uniform_parameters(OpSchema& s) { s.attribute(with_default("low", 0.0F)).attribute(with_default("high", 1.0F)); }
}  // namespace opref::ops
