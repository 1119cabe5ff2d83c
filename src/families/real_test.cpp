#include "families/real.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "exact/oracle_testing.h"
#include "exact/real/softmax_oracle_testing.h"

using namespace opref;
using namespace opref::families;
using oracle::Inputs;
using oracle::kDType;
using oracle::Random;
using oracle::Rational;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Call with(const Numerics& numerics) {
  Call call;
  call.set_numerics(numerics);
  return call;
}

template <class T>
Tensor tensor(const Dims& shape, const std::vector<double>& numbers) {
  TensorBuilder builder({kDType<T>, shape});
  std::transform(numbers.begin(), numbers.end(), builder.values<T>().begin(), nearest<T>);
  return std::move(builder).finish();
}
template <class T>
std::vector<std::uint64_t> bits_of(const Tensor& x) {
  std::vector<std::uint64_t> bits;
  for (const T element : x.values<T>()) bits.push_back(to_bits(element));
  return bits;
}

// Sums.

/// A multiple of 2^-1200.
mpz_class fixed(double x) {
  const Scaled parts = scaled(x);
  mpz_class number(parts.significand);
  number <<= static_cast<mp_bitcnt_t>(parts.exponent + 1200);
  return parts.negative ? mpz_class(-number) : number;
}

/// |y - Σ (x ± its error)| / y.e at worst; infinite where y.e is 0 and must not be.
double use_of_sum(std::vector<double> x, std::vector<double> e) {
  const Bounded y = sum(Row<Bounded>{x.data(), e.data(), x.size()});
  mpz_class off = -fixed(y.v), errors = 0;
  for (const double one : x) off += fixed(one);
  for (const double one : e) errors += fixed(one);
  const mpz_class error = abs(off) + errors;
  if (y.e == 0) return error == 0 ? 0 : kInfinity;
  return Rational(error, fixed(y.e)).get_d();
}
double use_of_sum(const std::vector<double>& x) { return use_of_sum(x, std::vector<double>(x.size())); }

}  // namespace

TEST_CASE("sums of bounded numbers: rows of every kind", "[real]") {
  Random random(1);
  double worst = 0;
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 33, 300, 5000, 100000})
    for (int kind = 0; kind < 5; ++kind) {
      std::vector<double> x, e;
      for (std::int64_t i = 0; i < n; ++i) {
        const double one = random.normal();
        x.push_back(kind == 0   ? one
                    : kind == 1 ? std::ldexp(one, static_cast<int>(random.in(-100, 100)))
                    : kind == 2 ? (i % 2 == 0 ? one : -x.back() * (1 + 0x1p-50))
                    : kind == 3 ? 0x1p-53 + 0x1p-100 * one  // half a place of the 1 before: every addition loses it
                                : std::ldexp(std::abs(one), static_cast<int>(-i % 90)));
        e.push_back(random.one_in(3) ? 0
                                     : std::ldexp(std::abs(random.normal()), static_cast<int>(random.in(-80, -20))));
      }
      if (kind == 3 && n > 0) x[0] = 1;
      if (kind == 2) random.shuffle(x);
      worst = std::max({worst, use_of_sum(x), use_of_sum(x, e)});
    }
  CHECK(worst <= 1 + 0x1p-30);
}

// Each of 16 lanes adds 1, 2^-60, as often as there is room 2^-113, which is lost when it is added to what 1 has lost,
// and -1: only what is lost remains.
TEST_CASE("sums of bounded numbers: the bound is nearly met", "[real]") {
  for (const size_t count : {4, 100, 6250}) {
    std::vector<double> x(16 * count, 0x1p-113);
    for (size_t k = 0; k < 16; ++k) x[k] = 1, x[16 + k] = 0x1p-60, x[16 * (count - 1) + k] = -1;
    const double use = use_of_sum(x), lost = static_cast<double>(count - 3);
    CHECK(use <= 1);
    CHECK(use > 0.9 * lost / (lost + 64));
  }
}

// Likewise, but only of half of the lanes, and what the others lose is the opposite.
TEST_CASE("sums of bounded numbers: losses count by their magnitude", "[real]") {
  constexpr size_t kCount = 1000;
  std::vector<double> x(16 * kCount);
  for (size_t k = 0; k < 16; ++k) {
    const double sign = k < 8 ? 1 : -1;
    x[k] = sign, x[16 + k] = sign * 0x1p-60, x[16 * (kCount - 1) + k] = -sign;
    for (size_t i = 2; i + 1 < kCount; ++i) x[16 * i + k] = k < 8 ? 0x1p-113 : 0;
  }
  CHECK(use_of_sum(x) <= 1);
}

// Likewise, but lost when the lanes are added.
TEST_CASE("sums of bounded numbers: the last additions count", "[real]") {
  std::vector<double> x(48, 0x1p-113);
  for (size_t k = 0; k < 16; ++k) x[k] = 1, x[32 + k] = -1;
  x[16] = 0x1p-60;
  const double use = use_of_sum(x);
  CHECK(use <= 1);
  CHECK(use > 0.2);
}

TEST_CASE("sums of bounded numbers: exact where nothing is lost, nothing known of what is not finite", "[real]") {
  std::vector<double> x, zeros(1000), v(1000), e(1000);
  for (int i = 0; i < 1000; ++i) x.push_back(i % 7 - 3 + 0x1p-20 * i);
  const Bounded y = sum(Row<Bounded>{x.data(), zeros.data(), x.size()});
  CHECK(y.e == 0);
  CHECK(y.v == 0x1p-20 * 999 * 500 - 3);  // 142 times -3 … 3, and then -3 … 2
  for (const double special : {kNaN, kInfinity, -kInfinity, 0x1.fffffffffffffp1023}) {
    x[500] = x[516] = special;
    const Bounded z = sum(Row<Bounded>{x.data(), zeros.data(), x.size()});
    CHECK(!(std::isfinite(z.v) && std::isfinite(z.e)));
  }
}

TEST_CASE("estimates: the ends of what is settled", "[real]") {
  const auto finished = [](Sign sign, double v, double e) {
    finish_estimate(sign, v, e);
    return Bounded(v, e);
  };
  CHECK(finished(Sign::unknown, 1.5, 0).e == 0);
  CHECK(finished(Sign::positive, 1.5, 0).e == 0);
  CHECK(finished(Sign::unknown, 1, 0x1p-30).e >= 0x1p-30 * 1.005 + 0x1p-52);
  CHECK(finished(Sign::unknown, 1, 0x1p-80).e >= 0x1p-53);  // 1 ± e are rounded to double
  CHECK(std::isinf(finished(Sign::positive, 1, kInfinity).e));
  CHECK(std::isnan(finished(Sign::positive, 1, kNaN).e));
  const Bounded tiny = finished(Sign::positive, 0x1p-1000, 0x3p-1000);  // 0 < y <= 2^-998
  CHECK(tiny.v - tiny.e > 0);
  CHECK(tiny.v - tiny.e < 0x1p-900);
  CHECK(tiny.v + tiny.e >= 0x1p-998);
  const Bounded unknown = finished(Sign::unknown, 0x1p-1000, 0x3p-1000);
  CHECK(unknown.v - unknown.e < 0);
  const Bounded wide = finished(Sign::positive, 1, 2);  // no zero rounds there
  CHECK(wide.v - wide.e < 0);
}

namespace {

// Slices.

struct Softmax : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  bool lessens_by_infinity = false;
  template <class R>
  void operator()(Row<R> x, Row<R> y) const {
    const R most = greatest(x), shift = lessens_by_infinity || is_finite(most) ? most : R(0.0);
    map(y, x, [&](const R& a) { return exp(a - shift); });
    const R s = sum(y);
    map(y, y, [&](const R& a) { return a / s; });
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

template <class T>
std::vector<std::uint64_t> evaluated(const Numerics& numerics, const Tensor& x, const Layout& layout,
                                     const Softmax& formula = {}) {
  return bits_of<T>(slices(with(numerics), x.type(), x, layout.outer, layout.n, layout.inner, formula));
}

}  // namespace

TEMPLATE_TEST_CASE("slices: softmax by the estimate, exactly, and by an oracle", "[real]", Half, BFloat16, float,
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
        const Softmax formula{{}, lessens};
        const auto y = evaluated<TestType>({}, x, layout, formula);
        if (y != expected[lessens]) {
          ++wrong;
          UNSCOPED_INFO("kind " << kind << ", n " << layout.n << ", lessens " << lessens);
        }
        not_the_same += evaluated<TestType>({.threads = 2}, x, layout, formula) != y;
        not_the_same += evaluated<TestType>({.exact_only = true}, x, layout, formula) != y;
      }
    }
  CHECK(wrong == 0);
  CHECK(not_the_same == 0);
}

TEMPLATE_TEST_CASE("slices: nearly all is decided by the estimate, and counted", "[real]", Half, BFloat16, float) {
  Random random(3);
  for (const Data kind : {Data::normal, Data::wide, Data::constant, Data::masked, Data::infinite, Data::subnormal}) {
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
  Stats stats;
  const Tensor x = tensor<TestType>({2, 3}, {1, 2, 3, 1, kNaN, 2});
  evaluated<TestType>({.stats = &stats}, x, {2, 3, 1});
  CHECK(stats.exact == 3);
  CHECK(stats.estimated == 3);
}

TEST_CASE("slices: nothing to do", "[real]") {
  for (const Layout& layout : {Layout{0, 3, 2}, {2, 0, 3}, {2, 3, 0}}) {
    const Tensor x = tensor<float>({layout.outer, layout.n, layout.inner}, {});
    CHECK(evaluated<float>({.threads = 2}, x, layout).empty());
  }
}

namespace {

// Element by element.

struct Sum : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  R operator()(const R& a, const R& b) const {
    return a + b;
  }
};
struct Product : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  R operator()(const R& a, const R& b) const {
    return a * b;
  }
};
struct Quotient : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  R operator()(const R& a, const R& b) const {
    return a / b;
  }
};

struct Shapes {
  Dims a, b, y;
};
const Shapes kShapes[] = {{{}, {}, {}},
                          {{}, {5}, {5}},
                          {{2, 3, 4}, {3, 1}, {2, 3, 4}},
                          {{4, 1, 1, 2}, {3, 1, 1}, {4, 3, 1, 2}},
                          {{2, 1, 3, 1, 2}, {4, 1, 5, 1}, {2, 4, 3, 5, 2}},
                          {{0, 3}, {1, 3}, {0, 3}},
                          {{3, 700}, {700}, {3, 700}},
                          {{2, 1}, {2, 1500}, {2, 1500}},
                          {{2500}, {2500}, {2500}}};

/// Where element i of y finds its operand.
std::int64_t place(std::int64_t i, const Dims& x, const Dims& y) {
  std::int64_t at = 0, stride = 1;
  for (size_t a = 1; a <= y.size(); ++a) {
    const std::int64_t coordinate = i % y[y.size() - a];
    i /= y[y.size() - a];
    if (a > x.size()) continue;
    if (x[x.size() - a] != 1) at += coordinate * stride;
    stride *= x[x.size() - a];
  }
  return at;
}

/// How many elements of y = f(a, b) are not expected(a, b).
template <class T, class F, class Expected>
int wrong_elements(const Tensor& a, const Tensor& b, const Dims& shape, const F& f, const Expected& expected) {
  int wrong = 0;
  for (const int threads : {1, 2}) {
    const Tensor operands[] = {a, b};
    Stats stats;
    const Tensor y = elementwise(with({.stats = &stats, .threads = threads}), {a.type().dtype, shape}, operands, f);
    for (std::int64_t i = 0; i < y.count(); ++i) {
      const T p = a.values<T>()[static_cast<size_t>(place(i, a.shape(), shape))],
              q = b.values<T>()[static_cast<size_t>(place(i, b.shape(), shape))];
      wrong += !(y.values<T>()[static_cast<size_t>(i)] == expected(p, q));
    }
    wrong += stats.exact + stats.estimated != y.count();
  }
  return wrong;
}

/// The bits of an exact quotient, product or sum, rounded once; of zeros and what is not finite the processor's.
template <class T, class F>
struct Rounded {
  BitsOf<T> operator()(BitsOf<T> p, BitsOf<T> q) const {
    const double a = oracle::number<T>(p), b = oracle::number<T>(q), ieee = F()(a, b);
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(ieee) || a == 0 || b == 0 || F()(a, b) == 0)
      return to_bits(nearest<T>(ieee));
    return static_cast<BitsOf<T>>(oracle::nearest_bits<T>(Rational(F()(Rational(a), Rational(b)))));
  }
};

template <class T, class F>
int wrong_floats(Random& random, const Shapes& shapes) {
  const auto numbers = [&](const Dims& shape) {
    const Inputs kind = oracle::random_inputs(random);
    std::vector<double> x;
    for (std::int64_t i = 0; i < element_count(shape); ++i)
      x.push_back(oracle::random_number<T>(random, random.one_in(8) ? oracle::random_inputs(random) : kind));
    return tensor<T>(shape, x);
  };
  const Tensor operands[] = {numbers(shapes.a), numbers(shapes.b)};
  const Tensor y = elementwise(with({.threads = 2}), {kDType<T>, shapes.y}, operands, F());
  const auto a = bits_of<T>(operands[0]), b = bits_of<T>(operands[1]), bits = bits_of<T>(y);
  int wrong = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    const auto p = a[static_cast<size_t>(place(static_cast<std::int64_t>(i), shapes.a, shapes.y))],
               q = b[static_cast<size_t>(place(static_cast<std::int64_t>(i), shapes.b, shapes.y))];
    wrong += bits[i] != Rounded<T, F>()(static_cast<BitsOf<T>>(p), static_cast<BitsOf<T>>(q));
  }
  return wrong;
}

template <class Unit>
void check_integers(DType dtype) {
  Random random(5);
  const auto numbers = [&](const Dims& shape) {
    std::vector<Unit> x;
    for (std::int64_t i = 0; i < element_count(shape); ++i) x.push_back(static_cast<Unit>(random.bits()));
    return Tensor::of<Unit>(dtype, shape, x);
  };
  for (const Shapes& shapes : kShapes) {
    INFO(info(dtype).name);
    const Tensor a = numbers(shapes.a), b = numbers(shapes.b);
    const auto wide = [](Unit x) { return static_cast<std::uint64_t>(x); };
    CHECK(wrong_elements<Unit>(a, b, shapes.y, Sum(),
                               [&](Unit p, Unit q) { return static_cast<Unit>(wide(p) + wide(q)); }) == 0);
    CHECK(wrong_elements<Unit>(a, b, shapes.y, Product(),
                               [&](Unit p, Unit q) { return static_cast<Unit>(wide(p) * wide(q)); }) == 0);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("elementwise: one operation, rounded once, of all shapes", "[real]", Half, BFloat16, float, double) {
  Random random(4);
  for (const Shapes& shapes : kShapes)
    for (int round = 0; round < 3; ++round) {
      CAPTURE(shapes.a.size(), shapes.b.size(), round);
      CHECK(wrong_floats<TestType, Sum>(random, shapes) == 0);
      CHECK(wrong_floats<TestType, Product>(random, shapes) == 0);
      CHECK(wrong_floats<TestType, Quotient>(random, shapes) == 0);
    }
}

TEST_CASE("elementwise: integers of every width wrap", "[real]") {
  check_integers<std::int8_t>(DType::int8);
  check_integers<std::int16_t>(DType::int16);
  check_integers<std::int32_t>(DType::int32);
  check_integers<std::int64_t>(DType::int64);
  check_integers<std::uint8_t>(DType::uint8);
  check_integers<std::uint16_t>(DType::uint16);
  check_integers<std::uint32_t>(DType::uint32);
  check_integers<std::uint64_t>(DType::uint64);
}
