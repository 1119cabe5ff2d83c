// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "ops/two_tiers_testing.h"

namespace opref::ops::onnx_range_test {
namespace {

/// Range's rows give what its exact tier gives: start + i·delta, rounded once.
template <class T>
void check_rows(std::int64_t opset, double start, double delta, std::int64_t count) {
  const T first = nearest<T>(start), step = nearest<T>(delta);
  const double limit = widen(first) + widen(step) * (static_cast<double>(count) - 0.5);
  const auto results = two_tiers::results_of(
      {"",
       "Range",
       opset,
       {},
       {two_tiers::floats<T>({}, {start}), two_tiers::floats<T>({}, {limit}), two_tiers::floats<T>({}, {delta})}});
  INFO(start << " " << delta << " " << count);
  CHECK(results[0] == results[1]);
}

template <class T>
void check_type(std::int64_t opset) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  check_rows<T>(opset, 0, 1, 3000);  // of narrow types many are ties
  check_rows<T>(opset, -0.0, -1, 20);
  check_rows<T>(opset, -4, 0.125, 70);  // through zero
  check_rows<T>(opset, 1, 0x1p-9, 2000);
  for (int k = 0; k < 20; ++k) check_rows<T>(opset, 10 * normal(random), normal(random), 300);
}

}  // namespace

TEST_CASE("Range: rows are as exact as single elements", "[Range]") {
  check_type<Half>(27);
  check_type<BFloat16>(27);
  check_type<float>(11);
  check_type<double>(11);
}
}  // namespace opref::ops::onnx_range_test
