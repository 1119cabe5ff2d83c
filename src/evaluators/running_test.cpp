// SPDX-License-Identifier: Apache-2.0
// Running sums and products against each element's own sum and product.
#include "evaluators/running.h"

#include <catch2/catch.hpp>

#include "evaluators/real_testing.h"
#include "exact/exact_sum.h"

namespace running_test {

using namespace opref::evaluators;

TEST_CASE("running sums are the sums of their terms, from both ends", "[evaluators]") {
  oracle::Random random(1);
  std::vector<double> numbers;
  for (int i = 0; i < 24; ++i)
    numbers.push_back(std::ldexp(static_cast<double>(random.in(-100, 100)), static_cast<int>(random.in(-40, 40))));
  const Dims shape{2, 4, 3};
  const Tensor x = tensor<float>(shape, numbers);
  for (const bool exclusive : {false, true})
    for (const bool reverse : {false, true}) {
      const Tensor y = running_sums(Output(with({.threads = 2}), TensorType{DType::float32, shape}), x,
                                    {.axis = 1, .exclusive = exclusive, .reverse = reverse});
      for (std::int64_t i = 0; i < 24; ++i) {
        const std::int64_t outer = i / 12, j = i / 3 % 4, in = i % 3;
        ExactSum sum;
        for (std::int64_t k = 0; k < 4; ++k)
          if ((reverse ? k > j : k < j) || (k == j && !exclusive))
            sum.add(static_cast<double>(x.values<float>()[static_cast<size_t>(outer * 12 + k * 3 + in)]));
        CHECK(to_bits(y.values<float>()[static_cast<size_t>(i)]) == to_bits(sum.round<float>()));
      }
    }
}

TEST_CASE("running sums: parts of long lines, ties, and what is not finite", "[evaluators]") {
  oracle::Random random(2);
  const Dims shape{2, 1300, 2};
  std::vector<double> numbers;
  for (int i = 0; i < 2 * 1300 * 2; ++i) {
    // Of about as many bits as float32 has: half of the sums are ties, some by what an addition in double loses.
    const int exponent = random.in(0, 20) == 0 ? -76 : -16;
    numbers.push_back(std::ldexp(static_cast<double>(random.in(-(1 << 23), 1 << 23)), exponent));
  }
  numbers[1200] = HUGE_VAL, numbers[2 * 1300 + 2000] = NAN;
  const auto check = [&]<class T>(T) {
    const Tensor x = tensor<T>(shape, numbers);
    const TensorType type{oracle::kDType<T>, shape};
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        const Running how{.axis = 1, .exclusive = exclusive, .reverse = reverse};
        Stats stats;
        const Tensor both = running_sums(Output(with({.stats = &stats, .threads = 2}), type), x, how);
        CHECK(bits_of<T>(both) == bits_of<T>(running_sums(Output(with({.exact_only = true}), type), x, how)));
        CHECK(stats.estimated + stats.exact == x.count());
        CHECK(stats.estimated > 0);
      }
  };
  check(float{}), check(Half{}), check(BFloat16{}), check(double{});
}

TEST_CASE("running products overflow nowhere on the way", "[evaluators]") {
  const Tensor x = tensor<float>({5}, {0x1p100, 0x1p100, 0x1p-100, -0.0, HUGE_VAL});
  const Tensor y = running_products(Output(with({}), TensorType{DType::float32, {5}}), x, {.axis = 0});
  CHECK(bits_of<float>(y) == bits_of<float>(tensor<float>({5}, {0x1p100, HUGE_VAL, 0x1p100, -0.0, NAN})));
}

TEST_CASE("running products: parts of long lines, ties, and what is not finite", "[evaluators]") {
  oracle::Random random(3);
  const Dims shape{3, 700, 2};
  std::vector<double> numbers;
  // Half of the products stay small, the others go beyond all that floats hold, and come back.
  for (int i = 0; i < 3 * 700 * 2; ++i)
    numbers.push_back(i < 1400 ? (random.in(0, 4) == 0   ? -1.5
                                  : random.in(0, 4) == 0 ? 0x1.000002p0
                                                         : 1)
                               : random.normal() * (i % 1400 < 700 ? 0.25 : 16));
  numbers[2900] = 0, numbers[3901] = HUGE_VAL, numbers[4001] = NAN;
  const auto check = [&]<class T>(T) {
    const Tensor x = tensor<T>(shape, numbers);
    const TensorType type{oracle::kDType<T>, shape};
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        const Running how{.axis = 1, .exclusive = exclusive, .reverse = reverse};
        Stats stats;
        const Tensor both = running_products(Output(with({.stats = &stats, .threads = 2}), type), x, how);
        CHECK(bits_of<T>(both) == bits_of<T>(running_products(Output(with({.exact_only = true}), type), x, how)));
        CHECK(stats.estimated + stats.exact == x.count());
        if constexpr (!std::is_same_v<T, double>) CHECK(stats.estimated > x.count() / 3);
      }
  };
  check(float{}), check(Half{}), check(BFloat16{});
}

TEST_CASE("a running sum reads a line once", "[evaluators]") {
  constexpr std::int64_t kMany = 1 << 20;  // by definition 5·10^11 additions
  const Tensor x = tensor<float>({kMany}, std::vector<double>(kMany, 1));
  const Tensor y = running_sums(Output(with({}), TensorType{DType::float32, {kMany}}), x, {.axis = 0});
  CHECK(y.values<float>()[kMany - 1] == static_cast<float>(kMany));
}

}  // namespace running_test
