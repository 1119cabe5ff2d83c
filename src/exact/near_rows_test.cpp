// SPDX-License-Identifier: Apache-2.0
#include "exact/near_rows.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "exact/oracle_testing.h"

namespace near_rows_test {

using namespace opref::exact;
using oracle::Random;

namespace {

/// Whether what settle_near_row says of v ± e holds: both ends of what is decided round to it.
template <class T>
bool is_right(double v, double relative, double absolute, bool& is_open) {
  T y{};
  std::uint32_t open = 0;
  double row[32] = {v};
  T out[32] = {};
  std::uint32_t flags[32] = {};
  settle_near_row(row, relative, absolute, 1, out, flags);
  y = out[0], open = flags[0], is_open = open != 0;
  const double e = std::abs(v) * relative + absolute;
  return is_open ||
         (to_bits(nearest<T>(v - std::copysign(e, v))) == to_bits(y) &&
          to_bits(nearest<T>(v + std::copysign(e, v))) == to_bits(y)) ||
         (e == 0 && to_bits(nearest<T>(v)) == to_bits(y));
}

}  // namespace

TEMPLATE_TEST_CASE("near rows: what is decided is right, and little is open", "[rows]", Half, BFloat16, float) {
  Random random(5);
  int wrong = 0, open = 0;
  for (int i = 0; i < 200000; ++i) {
    const double v = std::ldexp(random.normal(), static_cast<int>(random.in(-30, 14)));
    const double near =
        random.one_in(2) ? v : oracle::rounded<TestType>(v) * (1 + std::ldexp(1.0, -Format<TestType>::precision));
    bool is_open = false;
    wrong += !is_right<TestType>(near, 0x1p-44, random.one_in(2) ? 0 : 0x1p-80, is_open);
    open += is_open && near == v;
  }
  CHECK(wrong == 0);
  CHECK(open < 20);
}

TEMPLATE_TEST_CASE("near rows: zeros keep their signs, what crosses zero is open", "[rows]", Half, BFloat16, float) {
  bool is_open = false;
  for (const double zero : {0.0, -0.0}) {
    CHECK(is_right<TestType>(zero, 0x1p-44, 0, is_open));
    CHECK_FALSE(is_open);
    is_right<TestType>(zero, 0x1p-44, 0x1p-140, is_open);
    CHECK(is_open);
  }
  for (const double odd : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    is_right<TestType>(odd, 0x1p-44, 0, is_open);
    CHECK(is_open);
  }
  CHECK(is_right<TestType>(0x1p300, 0x1p-44, 0, is_open));
}

}  // namespace near_rows_test
