// SPDX-License-Identifier: Apache-2.0
#include "evaluators/weighted_sums.h"

#include <catch2/catch.hpp>

#include "evaluators/programs.h"
#include "evaluators/real_testing.h"

namespace weighted_sums_test {

using namespace opref::evaluators;

namespace {

/// Y (N, 3, 5, M) from X (N, M, 3): two terms have weights along the places' axes, quotients by 3 or wholes; that of
/// the last one is 1.
std::vector<CoordinateTerm> terms(double divisor) {
  std::vector<CoordinateTerm> all{{1, {}}, {0, {}}, {1, std::vector<Bounded>(5, 1.0)}};
  for (int i = 0; i < 5; ++i) all[0].weights.push_back(Bounded(2.0 * i - 4) / Bounded(divisor));
  for (int i = 0; i < 3; ++i) all[1].weights.push_back(Bounded(3.0 * i - 3) / Bounded(divisor));
  return all;
}
template <class T>
Tensor affine(const Tensor& x, double divisor, const Numerics& numerics) {
  const std::int64_t N = x.shape()[0], M = x.shape()[1];
  const Elements X(x);
  const auto definition = [&]<class R>(std::int64_t i, const Reader<R>& read) {
    const auto [n, a, b, m] = split(i, 3, 5, M);
    const auto number = [&, row = (n * M + m) * 3](std::int64_t t) { return read(X, row + t); };
    const R first = number(0) * R::whole(2 * b - 4), second = number(1) * R::whole(3 * a - 3);
    return (first + second + number(2) * R(divisor)) / R(divisor);
  };
  return real(Output(with(numerics), TensorType{x.dtype(), {N, 3, 5, M}}), definition, {},
              rows_of_coordinates(x, Dims{3, 5}, terms(divisor)));
}

}  // namespace

TEMPLATE_TEST_CASE("weighted sums: rows of coordinates have their exact sums", "[real]", float, Half, BFloat16) {
  oracle::Random random(4);
  for (const double divisor : {3.0, 4.0})
    for (const std::int64_t M : {1, 2, 3}) {
      const std::int64_t N = 40;
      std::vector<double> numbers;
      for (std::int64_t i = 0; i < N * M * 3; ++i) numbers.push_back(random.normal());
      numbers[7] = HUGE_VAL, numbers[2] = 0;
      const Tensor x = tensor<TestType>({N, M, 3}, numbers);
      Stats stats;
      const Tensor y = affine<TestType>(x, divisor, {.stats = &stats, .threads = 2});
      CHECK(bits_of<TestType>(y) == bits_of<TestType>(affine<TestType>(x, divisor, {.exact_only = true})));
      CHECK(stats.estimated + stats.exact == y.count());
    }
}

TEST_CASE("weighted sums: what is not known of coordinates leaves elements to the definition", "[real]") {
  const TensorType type{DType::float32, {1, 1, 1}};
  const auto sum = [&](double error) {
    // 1 + 2^-24 is a tie.
    const Tensor x = tensor<float>({1, 1, 2}, {1, 0x1p-24});
    bool served = false;
    const auto seven = []<class R>(std::int64_t, const Reader<R>&) { return R(7.0); };
    const Rows rows = rows_of_coordinates(x, Dims{1}, {{0, {1.0}}, {0, {Bounded(1.0, error)}}});
    const Tensor y = real(Output(with({}), type), seven, {}, [&](RowTarget& target) { return served = rows(target); });
    return std::pair(y.values<float>()[0], served);
  };
  CHECK(sum(0) == std::pair(1.0F, true));
  CHECK(sum(0x1p-50) == std::pair(7.0F, true));
  CHECK(sum(0x1p-49) == std::pair(7.0F, false));
}

}  // namespace weighted_sums_test
