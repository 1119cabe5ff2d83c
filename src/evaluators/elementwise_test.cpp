// SPDX-License-Identifier: Apache-2.0
#include "evaluators/elementwise.h"

#include <catch2/catch.hpp>

#include "evaluators/real_testing.h"
#include "system/memory_testing.h"

namespace elementwise_test {

using namespace opref::evaluators;
using oracle::Inputs;
using oracle::kDType;
using oracle::Random;
using oracle::Rational;

namespace {

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

struct Raised : RealFormula<2> {
  template <class R>
  R operator()(const R& a, const R& b) const {
    return pow(a, b);
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
                          {{2500}, {2500}, {2500}},
                          {{3, 4200}, {3, 1}, {3, 4200}}};

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
    const Tensor y = elementwise(Output(with({.stats = &stats, .threads = threads}), TensorType{a.type().dtype, shape}),
                                 operands, f);
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
  const Tensor y = elementwise(Output(with({.threads = 2}), TensorType{kDType<T>, shapes.y}), operands, F());
  const auto a = bits_of<T>(operands[0]), b = bits_of<T>(operands[1]), bits = bits_of<T>(y);
  int wrong = 0;
  // Of many a sample that meets every lane: exact fractions take long.
  const size_t step = bits.size() < 200 ? 1 : kSanitized ? 31 : 5;
  for (size_t i = 0; i < bits.size(); i += step) {
    const auto p = a[static_cast<size_t>(place(static_cast<std::int64_t>(i), shapes.a, shapes.y))],
               q = b[static_cast<size_t>(place(static_cast<std::int64_t>(i), shapes.b, shapes.y))];
    wrong += bits[i] != Rounded<T, F>()(static_cast<BitsOf<T>>(p), static_cast<BitsOf<T>>(q));
  }
  return wrong;
}

struct Shifted : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  std::uint64_t width;
  template <class R>
  R operator()(const R& a, const R& b) const {
    return shift_right(shift_left(a, b, width), b, width);
  }
};
struct IsLess : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  template <class R>
  Truth operator()(const R& a, const R& b) const {
    return a < b;
  }
};

/// The same of Python's integers: a·2^b modulo 2^width as the type has it, divided by 2^b and rounded down.
template <class Unit>
Unit shifted(Unit a, Unit b) {
  constexpr int kWidth = std::numeric_limits<std::make_unsigned_t<Unit>>::digits;
  __extension__ using Wide = __int128;
  if (b < 0 || b >= kWidth) return 0;
  const auto left = static_cast<Unit>(static_cast<Wide>(a) * (Wide{1} << b));
  Wide quotient = left / (Wide{1} << b);
  if (quotient * (Wide{1} << b) > left) --quotient;
  return static_cast<Unit>(quotient);
}

template <class Unit>
void check_integers(DType dtype) {
  Random random(5);
  const auto numbers = [&](const Dims& shape) {
    std::vector<Unit> x;
    for (std::int64_t i = 0; i < element_count(shape); ++i)
      x.push_back(static_cast<Unit>(random.one_in(2) ? random.bits() % 70 : random.bits()));
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
    const Shifted shift{{}, static_cast<std::uint64_t>(info(dtype).bits)};
    CHECK(wrong_elements<Unit>(a, b, shapes.y, shift, shifted<Unit>) == 0);
    const Tensor operands[] = {a, b};
    const Tensor y =
        elementwise(Output(with({.threads = 2}), TensorType{DType::boolean, shapes.y}), operands, IsLess());
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < y.count(); ++i)
      wrong += (y.values<std::uint8_t>()[static_cast<size_t>(i)] != 0) !=
               (a.values<Unit>()[static_cast<size_t>(place(i, shapes.a, shapes.y))] <
                b.values<Unit>()[static_cast<size_t>(place(i, shapes.b, shapes.y))]);
    CHECK(wrong == 0);
  }
}

struct Less : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  Truth operator()(const R& a, const R& b) const {
    return a < b;
  }
};
struct Greater : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  R operator()(const R& a, const R& b) const {
    return max(a, b);
  }
};
/// Of numbers of different types.
struct Dequantized : RealFormula<3> {
  static constexpr bool one_operation = true;
  template <class R>
  R operator()(const R& x, const R& scale, const R& zero) const {
    return product_to_odd(x - zero, scale);
  }
};
struct Quantized : RealFormula<3> {
  static constexpr bool one_operation = true;
  template <class R>
  R operator()(const R& x, const R& scale, const R& zero) const {
    return round(rounded_to(quotient_to_odd(x, scale), DType::float32)) + zero;
  }
};
constexpr std::int64_t kMany = 5000;
/// Bits of numbers of all sizes, NaN and infinities among them; or numbers of few bits.
Tensor any_numbers(DType dtype, std::uint64_t seed) {
  Random random(seed);
  return tensor_of_bits({dtype, {kMany}}, [&](std::int64_t) -> std::uint64_t {
    const std::uint64_t bits = random.bits() >> (64 - info(dtype).bits);
    if (info(dtype).kind != Kind::floating || random.one_in(3)) return bits;
    const Scaled x = scaled(std::round(random.normal() * 64) / 4);
    return encode_bits(dtype, x.negative, x.significand, x.exponent);
  });
}
enum class By : std::uint8_t { any, doubles };
template <class F>
std::vector<std::byte> bytes_of(DType y, const std::vector<Tensor>& x, const F& f, const Conversion& how = {},
                                By by = By::any) {
  ElementFormula formula = without_type(f);
  formula.result = how;
  if (by == By::doubles) formula.single = nullptr;
  const Tensor result =
      elementwise(Output(with({.threads = 2}), TensorType{y, {kMany}}), std::span<const Tensor>(x), formula);
  return {result.bytes().begin(), result.bytes().end()};
}
/// Whether the formula is worked out in float32, and gives what it gives in doubles.
template <class F>
bool is_as_in_doubles(DType y, const std::vector<Tensor>& x, const F& f, const Conversion& how = {}) {
  std::vector<DType> types;
  for (const Tensor& operand : x) types.push_back(operand.dtype());
  return is_single<F>(&f, types, y) && bytes_of(y, x, f, how) == bytes_of(y, x, f, how, By::doubles);
}

}  // namespace

TEMPLATE_TEST_CASE("elementwise: truths and folds in the type itself", "[real]", Half, BFloat16, float) {
  const DType dtype = kDType<TestType>;
  const std::vector<Tensor> x{any_numbers(dtype, 1), any_numbers(dtype, 2), any_numbers(dtype, 3)};
  const auto number = [&](size_t k, std::int64_t i) { return floating_value(dtype, element_bits(x[k], i)); };
  const std::vector<std::byte> truths = bytes_of(DType::boolean, {x[0], x[1]}, Less());
  int wrong = 0;
  for (std::int64_t i = 0; i < kMany; ++i)
    wrong += (truths[static_cast<size_t>(i)] == std::byte{1}) != (number(0, i) < number(1, i)) ? 1 : 0;
  CHECK(wrong == 0);
  for (size_t count = 1; count <= 3; ++count) {
    const Tensor y = folded(Output(with({}), TensorType{dtype, {kMany}}), std::span(x).first(count), Greater());
    for (std::int64_t i = 0; i < kMany; ++i) {
      double most = number(0, i);
      for (size_t k = 1; k < count; ++k) {
        const double other = number(k, i);
        if (most != most || other < most || (other == most && !std::signbit(most))) continue;
        most = other;
      }
      wrong += element_bits(y, i) != to_bits(nearest<TestType>(most)) ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("elementwise: numbers of different types in float32, as in doubles", "[real]") {
  for (const DType x : {DType::int8, DType::uint8, DType::int16, DType::uint16}) {
    const auto same = [&](DType scale, DType y) {
      const std::vector<Tensor> operands{any_numbers(x, 1), any_numbers(scale, 2), any_numbers(x, 3)};
      INFO(info(x).name << " times " << info(scale).name << " as " << info(y).name);
      CHECK(is_as_in_doubles(y, operands, Dequantized()));
    };
    same(DType::float32, DType::float32);
    for (const DType y : {DType::float16, DType::bfloat16, DType::float32})
      if (info(x).bits == 8) same(DType::float16, y), same(DType::bfloat16, y);
  }
  for (const DType y : {DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int4})
    for (const DType x : {DType::float32, DType::float16, DType::bfloat16}) {
      const DType zero = y == DType::int4 ? DType::int8 : y;
      const std::vector<Tensor> operands{any_numbers(x, 4), any_numbers(DType::float32, 5), any_numbers(zero, 6)};
      for (const bool nan_is_least : {false, true}) {
        const Conversion how{.beyond = Conversion::Beyond::saturate, .nan_is_least = nan_is_least};
        INFO(info(x).name << " as " << info(y).name);
        CHECK(is_as_in_doubles(y, operands, Quantized(), how));
      }
    }
}

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

TEST_CASE("elementwise: a special number has its own result with each other operand", "[real]") {
  const Tensor operands[] = {tensor<float>({4}, {INFINITY, INFINITY, -INFINITY, -INFINITY}),
                             tensor<float>({4}, {1, -1, 1, 2})};
  const Tensor y = elementwise(Output(with({}), {DType::float32, {4}}), operands, Raised());
  const auto values = y.values<float>();
  CHECK((values[0] == INFINITY && values[1] == 0 && values[2] == -INFINITY && values[3] == INFINITY));
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

}  // namespace elementwise_test
