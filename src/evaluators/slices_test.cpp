// SPDX-License-Identifier: Apache-2.0
// Formulas of slices by both tiers, against MPFR.
#include <catch2/catch.hpp>
#include <limits>

#include "evaluators/real_testing.h"
#include "evaluators/slices.h"
#include "exact/real/softmax_oracle_testing.h"
#include "system/memory_testing.h"

namespace slices_test {

using namespace opref::evaluators;
using namespace opref::evaluators;
using oracle::Random;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Of what a slice offers: the greatest, what is kept, a sum, each element. It is Softmax because MPFR gives that in a
/// few lines; the operators' own formulas have their tests beside them.
struct Softmax {
  SliceOperand x;
  bool lessens_by_infinity = false;
  template <class R>
  void operator()(const Slices<R>& s) const {
    const auto row = s.row(x);
    const R most = greatest(row), shift = lessens_by_infinity || is_finite(most) ? most : R(0.0);
    const auto powers = keep(exp(row - shift));
    s.put(0, powers / sum(powers), Sign::positive);
  }
};

/// e^x / Σ e^x by MPFR: 500 bits, and rules for what is not finite.
template <class T>
std::vector<std::uint64_t> softmax_oracle(const std::vector<double>& x, bool lessens_by_infinity) {
  const std::uint64_t nan = to_bits(quiet_nan<T>());
  const double most = *std::max_element(x.begin(), x.end());
  const bool has_nan = std::any_of(x.begin(), x.end(), [](double a) { return a != a; });
  if (has_nan || most == -kInfinity || (most == kInfinity && lessens_by_infinity))
    return std::vector<std::uint64_t>(x.size(), nan);
  if (most == kInfinity) {
    std::vector<std::uint64_t> y;
    for (const double a : x) y.push_back(a == kInfinity ? nan : 0);
    return y;
  }
  return oracle::softmax_bits<T>(x, most);
}

enum class Data {
  normal,
  wide,
  constant,
  integers,
  dominated,
  masked,
  infinite,
  all_masked,
  plus_infinite,
  nan,
  subnormal,
  huge,
  close
};
constexpr int kKinds = static_cast<int>(Data::close) + 1;

template <class T>
std::vector<double> slice(Random& random, Data kind, std::int64_t n) {
  const double largest = oracle::number<T>(infinity_bits<T> - 1);
  const double least = std::log(2.0) * (Format<T>::min_exponent - Format<T>::precision);  // of the least result
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) {
    const double normal = random.normal();
    switch (kind) {
      case Data::wide:
        x.push_back(40 * normal);
        break;
      case Data::constant:
        x.push_back(2.5);
        break;
      case Data::integers:
        x.push_back(static_cast<double>(random.in(-5, 5)));
        break;
      case Data::dominated:
        x.push_back(i == n / 2 ? 60 : normal);
        break;
      case Data::masked:
        x.push_back(random.one_in(2) ? -1e9 : normal);
        break;
      case Data::infinite:
        x.push_back(random.one_in(2) ? -kInfinity : normal);
        break;
      case Data::all_masked:
        x.push_back(-kInfinity);
        break;
      case Data::plus_infinite:
        x.push_back(random.of(std::vector<double>{kInfinity, -kInfinity, normal, largest, -largest}));
        break;
      case Data::nan:
        x.push_back(i == n - 1 ? kNaN : random.one_in(9) ? kInfinity : normal);
        break;
      case Data::subnormal:
        x.push_back(i == 0 ? 0 : least + 4 * normal);
        break;
      case Data::huge:
        x.push_back(random.of(std::vector<double>{largest, -largest, largest / 2, 0, 700, -700, 88}));
        break;
      case Data::close:
        x.push_back(1 + std::ldexp(static_cast<double>(random.in(-3, 3)), 1 - Format<T>::precision));
        break;
      case Data::normal:
        x.push_back(normal);
        break;
    }
    x.back() = oracle::rounded<T>(x.back());
  }
  return x;
}

/// outer slices of n elements, `inner` apart.
struct Layout {
  std::int64_t outer, n, inner;
  std::int64_t at(std::int64_t slice, std::int64_t k) const {
    return slice / inner * n * inner + k * inner + slice % inner;
  }
};

/// The only output of a formula of x, whose slices have this layout.
template <class F>
Tensor by(const Numerics& numerics, const Tensor& x, const Layout& layout, const F& formula) {
  const Call call = with(numerics);
  const Output out(call, x.type());
  const Slicing slicing = Slicing::along({layout.outer, layout.n, layout.inner}, {1});
  return *slices(std::span(&out, 1), slicing, formula(slicing.operand(x)))[0].tensor();
}
Tensor softmax(const Numerics& numerics, const Tensor& x, const Layout& layout, bool lessens = false) {
  return by(numerics, x, layout, [&](const SliceOperand& operand) { return Softmax{operand, lessens}; });
}
template <class T>
std::vector<std::uint64_t> evaluated(const Numerics& numerics, const Tensor& x, const Layout& layout,
                                     bool lessens = false) {
  return bits_of<T>(softmax(numerics, x, layout, lessens));
}

}  // namespace

TEMPLATE_TEST_CASE("slices: softmax by the estimate, exactly, and by an oracle", "[slices]", Half, BFloat16, float,
                   double) {
  constexpr bool is_double = std::is_same_v<TestType, double>;
  Random random(2);
  int wrong = 0, not_the_same = 0;
  for (int kind = 0; kind < kKinds; ++kind)
    for (const Layout& layout :
         {Layout{2, 1, 1}, {2, 2, 3}, {5, 3, 1}, {1, 8, 4}, {1, 17, 2}, {1, is_double ? 40 : 300, 1}}) {
      const std::int64_t count = layout.outer * layout.inner;
      std::vector<double> numbers(static_cast<size_t>(count * layout.n));
      std::vector<std::uint64_t> expected[2] = {std::vector<std::uint64_t>(numbers.size()),
                                                std::vector<std::uint64_t>(numbers.size())};
      for (std::int64_t i = 0; i < count; ++i) {
        const auto x = slice<TestType>(random, static_cast<Data>(kind), layout.n);
        for (const bool lessens : {false, true}) {
          const auto y = softmax_oracle<TestType>(x, lessens);
          for (std::int64_t k = 0; k < layout.n; ++k) {
            const auto at = static_cast<size_t>(layout.at(i, k));
            numbers[at] = x[static_cast<size_t>(k)], expected[lessens][at] = y[static_cast<size_t>(k)];
          }
        }
      }
      const Tensor x = tensor<TestType>({layout.outer, layout.n, layout.inner}, numbers);
      for (const bool lessens : {false, true}) {
        const auto y = evaluated<TestType>({}, x, layout, lessens);
        if (y != expected[lessens]) {
          ++wrong;
          UNSCOPED_INFO("kind " << kind << ", n " << layout.n << ", lessens " << lessens);
        }
        not_the_same += evaluated<TestType>({.threads = 2}, x, layout, lessens) != y;
        not_the_same += evaluated<TestType>({.exact_only = true}, x, layout, lessens) != y;
      }
    }
  CHECK(wrong == 0);
  CHECK(not_the_same == 0);
}

TEMPLATE_TEST_CASE("slices: nearly all is decided by the estimate, and counted", "[slices]", Half, BFloat16, float,
                   double) {
  Random random(3);
  std::vector<Data> kinds{Data::normal, Data::wide, Data::constant, Data::infinite};
  if (!std::is_same_v<TestType, double>) kinds.insert(kinds.end(), {Data::masked, Data::subnormal});
  for (const Data kind : kinds) {
    constexpr Layout layout{40, 250, 2};
    std::vector<double> numbers;
    for (int i = 0; i < 80; ++i)
      for (const double x : slice<TestType>(random, kind, 250)) numbers.push_back(x);
    const Tensor x = tensor<TestType>({40, 250, 2}, numbers);
    Stats stats;
    evaluated<TestType>({.stats = &stats}, x, layout);
    CAPTURE(static_cast<int>(kind));
    CHECK(stats.exact == 0);
    CHECK(stats.estimated == 20000);
  }
}

namespace {

/// x/3·3 and half a place of T beside 1: of 1 a midpoint, which no estimate can tell from what is next to it.
template <class T>
struct BesideMidpoint {
  SliceOperand x;
  template <class R>
  void operator()(const Slices<R>& s) const {
    s.put(0, s.row(x) / R(3.0) * R(3.0) + R(std::ldexp(1.0, -Format<T>::precision)));
  }
};

}  // namespace

TEMPLATE_TEST_CASE("slices: the one element that is in doubt is worked out exactly", "[slices]", Half, BFloat16, float,
                   double) {
  const Tensor x = tensor<TestType>({5}, {3, 6, 1, 3, 6});
  Stats stats;
  const Tensor y = by({.stats = &stats}, x, {1, 5, 1},
                      [](const SliceOperand& operand) { return BesideMidpoint<TestType>{operand}; });
  CHECK(bits_of<TestType>(y) == bits_of<TestType>(x));  // ties to even
  CHECK(stats.exact == 1);
  CHECK(stats.estimated == 4);
}

namespace {

struct LessPower {
  SliceOperand x;
  template <class R>
  void operator()(const Slices<R>& s) const {
    s.put(0, s.row(x) - R(0x1p53));
  }
};

}  // namespace

TEST_CASE("slices: integers that are no doubles are left to the exact tier", "[slices]") {
  constexpr std::int64_t kPower = std::int64_t{1} << 53;
  const Tensor x =
      Tensor::of<std::int64_t>(DType::int64, {3}, std::array<std::int64_t, 3>{kPower, kPower + 1, kPower + 3});
  const Slicing slicing = Slicing::along({3}, {0});
  const Call call = with({});
  const Output out(call, TensorType{DType::float64, {3}});
  const Tensor y = *slices(std::span(&out, 1), slicing, LessPower{slicing.operand(x)})[0].tensor();
  CHECK(std::ranges::equal(y.values<double>(), std::array{0.0, 1.0, 3.0}));
}

TEST_CASE("slices: nothing to do", "[slices]") {
  for (const Layout& layout : {Layout{0, 3, 2}, {2, 0, 3}, {2, 3, 0}}) {
    const Tensor x = tensor<float>({layout.outer, layout.n, layout.inner}, {});
    CHECK(evaluated<float>({.threads = 2}, x, layout).empty());
  }
}

// Of more elements than are kept: what is worked out anew gives the same.
TEST_CASE("slices: long ones", "[slices][release]") {
  Random random(6);
  constexpr std::int64_t kLong = 140001;
  const std::vector<double> x = slice<float>(random, Data::normal, kLong);
  const std::vector<std::uint64_t> expected = softmax_oracle<float>(x, false);
  const Tensor row = tensor<float>({1, kLong, 1}, x);
  Stats stats;
  CHECK(evaluated<float>({.stats = &stats}, row, {1, kLong, 1}) == expected);
  CHECK(stats.exact < 10);
  CHECK(evaluated<float>({.exact_only = true}, row, {1, kLong, 1}) == expected);
  std::vector<double> beside;
  for (const double a : x) beside.push_back(a), beside.push_back(a / 2);
  const auto y = evaluated<float>({}, tensor<float>({1, kLong, 2}, beside), {1, kLong, 2});
  bool is_same = true;
  for (size_t k = 0; k < x.size(); ++k) is_same &= y[2 * k] == expected[k];
  CHECK(is_same);
}

// A NaN at the end of a long row, and what is not finite in the last part alone.
TEST_CASE("slices: special numbers anywhere in long ones", "[slices]") {
  for (const std::int64_t n : {511, 512, 513, 2000})
    for (const double special : {kNaN, kInfinity, -kInfinity, 200.0})
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
        std::vector<double> x(static_cast<size_t>(n), 1);
        x[static_cast<size_t>(at)] = special;
        CAPTURE(n, special, at);
        CHECK(evaluated<float>({}, tensor<float>({1, n, 1}, x), {1, n, 1}) == softmax_oracle<float>(x, false));
      }
}

TEMPLATE_TEST_CASE("slices: what NaN and infinities decide takes no arithmetic", "[slices]", Half, BFloat16, float,
                   double) {
  Stats stats;
  const Tensor x = tensor<TestType>({5, 3}, {1, 2, kNaN, -kInfinity, kInfinity, 3, kNaN, -kInfinity, kInfinity,
                                             -kInfinity, -kInfinity, -kInfinity, kInfinity, kNaN, 5});
  const Layout layout{5, 3, 1};
  CHECK(evaluated<TestType>({.stats = &stats}, x, layout) == evaluated<TestType>({.exact_only = true}, x, layout));
  CHECK(stats.exact == 0);
  CHECK(stats.estimated == 15);
  stats.estimated = 0;
  evaluated<TestType>({.exact_only = true, .stats = &stats}, x, layout);
  CHECK(stats.exact == 15);
}

namespace {

/// (x - mean)·scale + bias, and the mean of each slice.
struct Centred {
  SliceOperand x, scale, bias;
  template <class R>
  void operator()(const Slices<R>& s) const {
    const auto row = s.row(x);
    const R mu = mean(row);
    s.put(1, mu);
    s.put(0, (row - mu) * s.row(scale) + s.row(bias));
  }
};

}  // namespace

// Of (2, 3, 4) along the first and the last axis: operands that repeat along slices, among them, and not at all; parts
// of one slice lie apart. Numbers are small whole ones, whose means of 8 are exact.
TEST_CASE("slices: several operands and outputs, whatever repeats", "[slices]") {
  const Dims shape{2, 3, 4};
  const Slicing slicing = Slicing::along(shape, {0, 2});
  CHECK(slicing.count() == 3);
  CHECK(slicing.size() == 8);
  CHECK(slicing.slice_of(17) == 1);
  CHECK(slicing.place_of(17) == 5);
  std::vector<double> numbers(24);
  for (size_t i = 0; i < 24; ++i) numbers[i] = static_cast<double>(i * i % 17);
  const Tensor x = tensor<float>(shape, numbers), scale = tensor<float>({3, 1}, {2, -1, 0.5}),
               bias = tensor<float>({4}, {0, 1, 2, 3});
  const Call call = with({.threads = 2});
  const std::vector<Output> outs{{call, 0, x.type(), true, call.numerics()},
                                 {call, 1, TensorType{DType::float32, Dims{3}}, true, call.numerics()}};
  const auto values =
      slices(std::span(outs), slicing, Centred{slicing.operand(x), slicing.broadcast(scale), slicing.broadcast(bias)});
  const auto y = values[0].tensor()->values<float>(), means = values[1].tensor()->values<float>();
  for (size_t i = 0; i < 24; ++i) {
    const size_t c = i / 4 % 3;
    double mean = 0;
    for (size_t k = 0; k < 8; ++k) mean += numbers[k / 4 * 12 + c * 4 + k % 4] / 8;
    CAPTURE(i);
    CHECK(widen(means[c]) == mean);
    CHECK(widen(y[i]) == (numbers[i] - mean) * (c == 0 ? 2 : c == 1 ? -1 : 0.5) + static_cast<double>(i % 4));
    const auto alone = [&](size_t output, size_t at) {
      const Numerics only{.only = static_cast<std::int64_t>(at)};
      const std::vector<Output> one{{call, 0, x.type(), output == 0, only},
                                    {call, 1, TensorType{DType::float32, Dims{3}}, output == 1, only}};
      return slices(std::span(one), slicing,
                    Centred{slicing.operand(x), slicing.broadcast(scale), slicing.broadcast(bias)})[output]
          .tensor()
          ->values<float>()[at];
    };
    CHECK(alone(0, i) == y[i]);
    CHECK(alone(1, c) == means[c]);
  }
}

// Lines side by side are read together, 16 at a time, where there are as many; 35 are twice 16 and 3.
TEST_CASE("slices: neighbours whose elements lie apart", "[slices]") {
  Random random(8);
  for (const Layout& layout : {Layout{2, 5, 35}, {1, 200, 16}, {3, 2, 15}, {1, 1500, 17}}) {
    const std::int64_t count = layout.outer * layout.n * layout.inner;
    std::vector<double> numbers(static_cast<size_t>(count));
    for (double& x : numbers) x = oracle::rounded<float>(random.normal());
    const auto y = evaluated<float>({}, tensor<float>({layout.outer, layout.n, layout.inner}, numbers), layout);
    int wrong = 0;
    for (std::int64_t slice = 0; slice < layout.outer * layout.inner; ++slice) {
      std::vector<double> x;
      for (std::int64_t k = 0; k < layout.n; ++k) x.push_back(numbers[static_cast<size_t>(layout.at(slice, k))]);
      const auto expected = softmax_oracle<float>(x, false);
      for (std::int64_t k = 0; k < layout.n; ++k)
        wrong += y[static_cast<size_t>(layout.at(slice, k))] != expected[static_cast<size_t>(k)];
    }
    CAPTURE(layout.n, layout.inner);
    CHECK(wrong == 0);
  }
}

namespace {

/// Of each slice the sum of it and of its neighbours, number by number.
struct WithNeighbours {
  SliceOperand x;
  std::int64_t count;
  template <class R>
  void operator()(const Slices<R>& s) const {
    const std::int64_t first = std::max<std::int64_t>(0, s.slice() - 1), last = std::min(count - 1, s.slice() + 1);
    s.put(0, total(first, last, [&](std::int64_t i) { return s.row(x, i); }));
  }
};

}  // namespace

// 2^60 + 1 - 2^60 = 1: an estimate that counts no rounding has 0.
TEMPLATE_TEST_CASE("slices: sums of rows", "[slices]", float, double) {
  const bool exact_only = GENERATE(false, true);
  const Tensor x = tensor<TestType>({4, 3}, {0x1p60, 1, 0.5, 1, 2, 0.25, -0x1p60, 3, 0.125, 0, 4, 1});
  const auto y = by({.exact_only = exact_only}, x, {4, 3, 1}, [](const SliceOperand& operand) {
    return WithNeighbours{operand, 4};
  });
  CHECK(bits_of<TestType>(y) == bits_of<TestType>(tensor<TestType>({4, 3}, {0x1p60 + 1, 3, 0.75, 1, 6, 0.875,
                                                                            1 - 0x1p60, 9, 1.375, -0x1p60, 7, 1.125})));
}

TEMPLATE_TEST_CASE("slices: long ones take little memory", "[slices]", float, double) {
  const bool exact_only = GENERATE(false, true);
  const std::int64_t n = std::int64_t{1} << (exact_only || std::is_same_v<TestType, double> ? 19 : 21);
  const Tensor x = tensor<TestType>({1, n, 1}, std::vector<double>(static_cast<size_t>(n), 0.5));
  CAPTURE(exact_only);
  CHECK(memory_of([&] { softmax({.exact_only = exact_only}, x, {1, n, 1}); }) < kMostScratch + byte_size(x.type()));
}

// 1/2 ± 2^-54 less 2^-161 or so: undecided by 96 bits and by what is kept of them.
TEST_CASE("slices: those of a length that is kept, by two precisions, take little memory", "[slices]") {
  const std::int64_t n = GENERATE(2, 40000, 65536);
  std::vector<double> x(static_cast<size_t>(n)), y;
  for (size_t k = 1; k < x.size(); k += 2) x[k] = 0x1p-52;
  const Tensor row = tensor<double>({1, n, 1}, x);
  CAPTURE(n);
  CHECK(memory_of([&] { softmax({}, row, {1, n, 1}); }) < kMostScratch);
  if (n == 2) CHECK(evaluated<double>({}, row, {1, n, 1}) == softmax_oracle<double>(x, false));
}

}  // namespace slices_test
