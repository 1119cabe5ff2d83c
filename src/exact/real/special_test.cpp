// SPDX-License-Identifier: Apache-2.0
#include "exact/real/special.h"

#include <catch2/catch.hpp>
#include <vector>

#include "exact/real/interval.h"
#include "exact/real/with_precision.h"

namespace special_test {

using namespace opref::exact;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kNumbers{kNaN, kInfinity, -kInfinity, 0.0,       -0.0,  1,  -1,
                                   2,    -3,        0x1p-1074,  -0x1p1000, 1e300, 0.1};

/// Whether what is known of a number holds of this one.
bool holds(const Special& known, const Interval& y) {
  double v = 0;
  const bool is_settled = settle(y, v);
  switch (known.kind) {
    case Special::Kind::known:
      return is_settled &&
             (std::isnan(known.v) ? std::isnan(v) : v == known.v && std::signbit(v) == std::signbit(known.v));
    case Special::Kind::positive:
      return y.sign().value_or(1) == 1 && !y.is_nan() &&
             !(y.is_point() && !y.is_finite());  // or beyond MPFR's exponents
    case Special::Kind::finite:
      return !y.is_nan() && !(y.is_point() && !y.is_finite());
    case Special::Kind::anything:
      return true;
  }
  return false;
}
/// What may be known of a number, in all ways.
std::vector<Special> seen(double x) {
  std::vector<Special> seen{x, Special::Kind::anything};
  if (std::isfinite(x)) seen.push_back(Special::Kind::finite);
  if (std::isfinite(x) && x > 0) seen.push_back(Special::Kind::positive);
  return seen;
}
template <class F>
int wrong(const F& f) {
  const WithPrecision precision(96);
  int wrong = 0;
  for (const double a : kNumbers)
    for (const double b : kNumbers) {
      const Interval y = f(Interval(a), Interval(b));
      for (const Special& as : seen(a))
        for (const Special& bs : seen(b))
          if (!holds(f(as, bs), y)) {
            ++wrong;
            UNSCOPED_INFO(a << " seen as " << static_cast<int>(as.kind) << ", " << b << " as "
                            << static_cast<int>(bs.kind));
          }
    }
  return wrong;
}

}  // namespace

TEST_CASE("special numbers: what is known holds of the number", "[real]") {
  CHECK(wrong([](const auto& a, const auto& b) { return a + b; }) == 0);
  CHECK(wrong([](const auto& a, const auto& b) { return a - b; }) == 0);
  CHECK(wrong([](const auto& a, const auto& b) { return a * b; }) == 0);
  CHECK(wrong([](const auto& a, const auto& b) { return a / b; }) == 0);
  CHECK(wrong([](const auto& a, const auto&) { return sqrt(a); }) == 0);
  CHECK(wrong([](const auto& a, const auto&) { return exp(a); }) == 0);
  CHECK(wrong([](const auto& a, const auto&) { return log(a); }) == 0);
  CHECK(wrong([](const auto& a, const auto&) { return log1p(a); }) == 0);
  CHECK(wrong([](const auto& a, const auto&) { return square(a); }) == 0);
  CHECK(wrong([](const auto& a, const auto&) { return abs(a); }) == 0);
  CHECK(wrong([](const auto& a, const auto& b) {
          return choose(
              a < b, [&] { return b; }, [&] { return a; });
        }) == 0);
}

TEST_CASE("special numbers: what takes no arithmetic is known", "[real]") {
  const Special positive = Special::Kind::positive, finite = Special::Kind::finite, nan = kNaN, infinite = kInfinity;
  CHECK((finite + nan).is_nan());
  CHECK((finite - infinite).is(-kInfinity));
  CHECK((infinite - infinite).is_nan());
  CHECK((positive / infinite).is(0));
  CHECK((infinite / positive).is(kInfinity));
  CHECK((nan * Special(Special::Kind::anything)).is_nan());
  CHECK(exp(Special(-kInfinity)).is(0));
  CHECK(log(infinite).is(kInfinity));
  CHECK(log(Special(-3)).is_nan());
  CHECK(log(Special(0)).is(-kInfinity));
  CHECK(exp(finite).is_positive());
  CHECK((positive + positive).is_positive());
}

}  // namespace special_test
