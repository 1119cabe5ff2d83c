// SPDX-License-Identifier: Apache-2.0
// The numbers of Faithful's simulated kernels.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "exact/real/faithful.h"

namespace opref::exact::simulated_kernel_test {
namespace {

/// While it lives, the thread's numbers are those of a simulated kernel.
class Simulating {
 public:
  explicit Simulating(std::uint32_t run, const KernelModel& model = {}) : kernel_{.run = run} {
    Faithful::kernel = model;
    Faithful::simulated = &kernel_;
  }
  Simulating(const Simulating&) = delete;
  Simulating& operator=(const Simulating&) = delete;
  ~Simulating() {
    Faithful::kernel = {};
    Faithful::simulated = nullptr;
  }

 private:
  SimulatedKernel kernel_;
};

constexpr KernelModel kFloat16{.bits = 11, .smallest_subnormal = 0x1p-24, .smallest_normal = 0x1p-14};

double sum_of(std::uint32_t run, const std::vector<double>& x) {
  const Simulating simulating(run);
  FaithfulSum sum;
  for (const double one : x) sum.add(Faithful(one));
  return sum.total().high();
}

}  // namespace

TEST_CASE("a simulated kernel rounds each operation to the nearest number of its type", "[bound]") {
  const Simulating simulating(0);
  const auto is = [](const Faithful& x, double y) { return x.high() == y && x.low() == 0 && x.error() == 0; };
  // 1 + 2^-24 and 1 + 3·2^-24 are ties beside 1, which is even, and 1 + 2^-22.
  CHECK(is(Faithful(1.0) + Faithful(0x1p-24), 1));
  CHECK(is(Faithful(1.0) + Faithful(0x3p-24), 1 + 0x1p-22));
  CHECK(is(Faithful(1.0) - Faithful(0x1p-24), 1 - 0x1p-24));
  // (1 + 2^-23)² = 1 + 2^-22 + 2^-46
  CHECK(is(square(Faithful(1 + 0x1p-23)), 1 + 0x1p-22));
  CHECK(is(Faithful(0x1.8p-149) * Faithful(1.0), 0x1p-148));  // 2 places of 1.5, a tie
  CHECK(is(Faithful(1.0) / Faithful(4.0), 0.25));
  CHECK(is(round(Faithful(2.5)), 2));
  CHECK(is(rounded_to(Faithful(1 + 0x1p-11 + 0x1p-20), DType::float16), 1 + 0x1p-10));
  CHECK(is(choose(
               Faithful(1.0) < Faithful(2.0), [] { return Faithful(3.0); }, [] { return Faithful(4.0); }),
           3));
}

TEST_CASE("a simulated kernel's powers overflow, and a number over infinity is 0", "[bound]") {
  const Simulating simulating(0);
  for (const double x : {90.0, 709.0, 712.0, 1e9, HUGE_VAL}) {  // the greatest float32 is e^88.7
    CAPTURE(x);
    CHECK(exp(Faithful(x)).high() == HUGE_VAL);
    const Faithful logistic = Faithful(1.0) / (Faithful(1.0) + exp(Faithful(x)));
    CHECK((logistic.high() == 0 && logistic.error() == 0));
    CHECK(max(logistic, Faithful(0x1p-20)).high() == 0x1p-20);
  }
  CHECK(std::isnan((Faithful(HUGE_VAL) / Faithful(HUGE_VAL)).high()));
}

TEST_CASE("a simulated kernel of float16 rounds to 11 bits, and below 2^-14 to multiples of 2^-24", "[bound]") {
  const Simulating simulating(0, kFloat16);
  CHECK((Faithful(1.0) + Faithful(0x1p-11)).high() == 1);
  CHECK((Faithful(1.0) + Faithful(0x3p-11)).high() == 1 + 0x1p-9);
  CHECK((Faithful(0x1p-14) * Faithful(0.75 + 0x1p-10)).high() == 0x1p-14 * 0.75 + 0x1p-24);
}

TEST_CASE("simulated kernels add in order, reversed, and from drawn places on", "[bound]") {
  CHECK(sum_of(0, {1, 0x1p-24, 0x1p-24}) == 1);
  CHECK(sum_of(1, {1, 0x1p-24, 0x1p-24}) == 1 + 0x1p-23);
  std::vector<double> many(64, 0x1p-24);
  many[31] = 1;
  std::vector<double> sums;
  for (std::uint32_t run = 2; run < 10; ++run) sums.push_back(sum_of(run, many));
  for (const double sum : sums) {  // k of 63 small ones before the great one make k·2^-24
    CHECK(sum >= 1);
    CHECK(sum <= 1 + 63 * 0x1p-24);
  }
  CHECK(*std::ranges::max_element(sums) > *std::ranges::min_element(sums));
  CHECK(sum_of(5, {}) == 0);
}

TEST_CASE("functions of simulated kernels are off by their ULP, always alike for the same result", "[bound]") {
  double greatest = 0;
  int others = 0;
  for (int k = -400; k < 400; ++k) {
    const double x = k / 64.0, right = std::exp(x);
    const auto power = [x](std::uint32_t run) {
      const Simulating simulating(run);
      return exp(Faithful(x)).high();
    };
    const double y = power(0);
    CHECK(y == static_cast<double>(static_cast<float>(y)));
    CHECK(y == power(0));
    others += y != power(1) ? 1 : 0;
    const double off = std::abs(y - right) / (0x1p-23 * right);
    CHECK(off <= 3);
    greatest = std::max(greatest, off);
  }
  CHECK(greatest > 2);
  CHECK(others > 400);
}

}  // namespace opref::exact::simulated_kernel_test
