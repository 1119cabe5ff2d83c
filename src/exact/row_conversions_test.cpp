// SPDX-License-Identifier: Apache-2.0
// Vector loops against the scalar rounding routine, and against what the types' bits say.
#include "exact/row_conversions.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "exact/oracle_testing.h"

namespace opref::exact::row_conversions_test {
namespace {

using oracle::Random;

/// Numbers of all sizes, those half-way between two T and next to these, special ones.
template <class T>
std::vector<double> numbers() {
  Random random(11);
  std::vector<double> x{0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan(""), 0x1p-149, 0x1p-1074, 1e300};
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double a = widen(from_bits<T>(static_cast<BitsOf<T>>(bits)));
    const double b = widen(from_bits<T>(static_cast<BitsOf<T>>(bits + 1)));
    const double middle = a / 2 + b / 2;
    for (const double y : {a, middle, std::nextafter(middle, HUGE_VAL), std::nextafter(middle, -HUGE_VAL),
                           static_cast<double>(std::nextafter(static_cast<float>(middle), HUGE_VALF)),
                           static_cast<double>(std::nextafter(static_cast<float>(middle), -HUGE_VALF))})
      x.push_back(y);
  }
  for (int i = 0; i < 20000; ++i) x.push_back(std::ldexp(random.normal(), static_cast<int>(random.in(-160, 130))));
  return x;
}
template <class T>
bool is_nan(T x) {
  return widen(x) != widen(x);
}

template <class T>
void check_nearest() {
  const std::vector<double> x = numbers<T>();
  const std::vector<float> floats(x.begin(), x.end());
  std::vector<T> y(x.size());
  const auto wrong = [&](const auto& from) {
    int count = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      count += to_bits(y[i]) != to_bits(nearest<T>(static_cast<double>(from[i]))) ? 1 : 0;
    return count;
  };
  row_nearest(x.data(), x.size(), y.data());
  CHECK(wrong(x) == 0);
  row_nearest(floats.data(), x.size(), y.data());
  CHECK(wrong(floats) == 0);
}

/// Of numbers that are known as floats: half-way between two T they are doubtful, but where they are exact.
template <class T>
void check_rounded() {
  const std::vector<double> x = numbers<T>();
  const std::vector<float> rounded(x.begin(), x.end());
  std::vector<T> y(x.size());
  int wrong = 0, too_many = 0;
  for (const std::int32_t is_inexact : {0, 1}) {
    const std::vector<std::int32_t> inexact(x.size(), is_inexact);
    std::vector<std::int32_t> doubts(x.size(), 0);
    const std::size_t count = row_nearest_of_rounded(rounded.data(), inexact.data(), x.size(), y.data(), doubts.data());
    CHECK((is_inexact == 0 ? count == 0 : count > 0x10000));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double number = is_inexact != 0 ? x[i] : static_cast<double>(rounded[i]);
      if (doubts[i] == 0 && to_bits(y[i]) != to_bits(nearest<T>(number))) ++wrong;
      const auto below = nearest<T>(std::nextafter(static_cast<double>(rounded[i]), -HUGE_VAL)),
                 above = nearest<T>(std::nextafter(static_cast<double>(rounded[i]), HUGE_VAL));
      if (doubts[i] != 0 && to_bits(below) == to_bits(above)) ++too_many;
    }
  }
  CHECK(wrong == 0);
  CHECK(too_many == 0);
}

template <class T>
int wrong_floats() {
  std::vector<T> x(0x10000);
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    if constexpr (std::is_integral_v<T>)
      x[i] = static_cast<T>(i);
    else
      x[i] = from_bits<T>(static_cast<std::uint16_t>(i));
  row_floats(x.data(), x.size(), y.data());
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double number = 0;
    if constexpr (std::is_integral_v<T>)
      number = x[i];
    else
      number = widen(x[i]);
    if (number == number ? static_cast<double>(y[i]) != number || std::signbit(y[i]) != std::signbit(number)
                         : y[i] == y[i])
      ++wrong;
  }
  return wrong;
}

template <class T>
int wrong_integers(double of_nan) {
  std::vector<float> x{0.0F, -0.0F, HUGE_VALF, -HUGE_VALF, std::numeric_limits<float>::quiet_NaN(), 1e30F, -1e30F};
  for (int i = -70000; i < 70000; i += 7) x.push_back(static_cast<float>(i));
  std::vector<T> y(x.size());
  row_clamped(x.data(), x.size(), static_cast<float>(of_nan), y.data());
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double number = x[i] == x[i] ? static_cast<double>(x[i]) : of_nan;
    const double most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    wrong += static_cast<double>(y[i]) != std::min(most, std::max(least, number)) ? 1 : 0;
  }
  return wrong;
}
template <class T>
int wrong_low_bits() {
  Random random(12);
  std::vector<float> x{0.0F, -0.5F, 255.9F, -255.9F, 0x1.fffffep30F, -0x1.fffffep30F};
  for (int i = 0; i < 3000; ++i)
    x.push_back(static_cast<float>(std::ldexp(random.normal(), static_cast<int>(random.in(-3, 28)))));
  std::vector<T> y(x.size());
  row_truncated(x.data(), x.size(), y.data());
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += y[i] != static_cast<T>(static_cast<std::int64_t>(x[i])) ? 1 : 0;
  return wrong;
}

}  // namespace

TEST_CASE("row conversions: the nearest number of a narrower type", "[exact]") {
  check_nearest<Half>();
  check_nearest<BFloat16>();
  float y[3];
  const double x[] = {-std::nan(""), 1 + 0x1p-24, -0.0};
  row_nearest(x, 3, y);
  CHECK((to_bits(y[0]) == 0x7fc00000 && y[1] == 1 && std::signbit(y[2])));
}
TEST_CASE("row conversions: of a number that is known as a float", "[exact]") {
  check_rounded<Half>();
  check_rounded<BFloat16>();
}
TEST_CASE("row conversions: floats of narrower types", "[exact]") {
  CHECK(wrong_floats<Half>() == 0);
  CHECK(wrong_floats<BFloat16>() == 0);
  CHECK(wrong_floats<std::int8_t>() == 0);
  CHECK(wrong_floats<std::uint8_t>() == 0);
  CHECK(wrong_floats<std::int16_t>() == 0);
  CHECK(wrong_floats<std::uint16_t>() == 0);
}
TEST_CASE("row conversions: integers", "[exact]") {
  CHECK(wrong_integers<std::int8_t>(-128) == 0);
  CHECK(wrong_integers<std::uint8_t>(0) == 0);
  CHECK(wrong_integers<std::int16_t>(0) == 0);
  CHECK(wrong_integers<std::uint16_t>(0) == 0);
  CHECK(wrong_low_bits<std::uint8_t>() == 0);
  CHECK(wrong_low_bits<std::uint16_t>() == 0);
  CHECK(wrong_low_bits<std::uint32_t>() == 0);
  CHECK(wrong_low_bits<std::uint64_t>() == 0);
  const float x[] = {0.0F, -0.0F, 0x1p-149F, std::numeric_limits<float>::quiet_NaN()};
  std::uint8_t truths[4];
  row_truths(x, 4, truths);
  CHECK((truths[0] == 0 && truths[1] == 0 && truths[2] == 1 && truths[3] == 1));
}

}  // namespace opref::exact::row_conversions_test
