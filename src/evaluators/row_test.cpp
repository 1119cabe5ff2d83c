// SPDX-License-Identifier: Apache-2.0
#include "evaluators/row.h"

#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "evaluators/slices.h"
#include "exact/oracle_testing.h"

namespace row_test {

using namespace opref::evaluators;
using namespace opref::evaluators;
using oracle::Random;
using oracle::Rational;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A multiple of 2^-1200.
mpz_class fixed(double x) {
  const Scaled parts = scaled(x);
  mpz_class number(parts.significand);
  number <<= static_cast<mp_bitcnt_t>(parts.exponent + 1200);
  return parts.negative ? mpz_class(-number) : number;
}

Bounded sum_of(const std::vector<double>& v, const std::vector<double>& e) {
  BoundedSum sum(v.size());
  for (size_t i = 0, n; i < v.size(); i += n) {
    n = std::min(v.size() - i, SliceMemory::kPart);
    sum.add(&v[i], &e[i], n);
  }
  return sum.total();
}

/// |y - Σ (x ± its error)| / y.e at worst; infinite where y.e is 0 and must not be.
double use_of_sum(std::vector<double> x, std::vector<double> e) {
  const Bounded y = sum_of(x, e);
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

// Likewise, but lost when the lanes are added: the first one meets one 2^-113 at each halving.
TEST_CASE("sums of bounded numbers: the last additions count", "[real]") {
  std::vector<double> x(48);
  for (size_t k = 0; k < 16; ++k) x[k] = 1, x[32 + k] = -1;
  x[16] = 0x1p-60;
  for (const size_t k : {1, 2, 4, 8}) x[16 + k] = 0x1p-113;
  const double use = use_of_sum(x);
  CHECK(use <= 1);
  CHECK(use > 0.2);
}

// Only what the lanes lose when they are added: 2^-60, 2^-120, which is lost beside it, and -2^-60.
TEST_CASE("sums of bounded numbers: losses of the last additions count by their magnitude", "[real]") {
  std::vector<double> x(16);
  x[0] = 1, x[8] = 0x1p-60, x[4] = 0x1p-120, x[2] = -0x1p-60;
  CHECK(use_of_sum(x) <= 1);
}

TEST_CASE("sums of bounded numbers: exact where nothing is lost, nothing known of what is not finite", "[real]") {
  std::vector<double> x, zeros(1000);
  for (int i = 0; i < 1000; ++i) x.push_back(i % 7 - 3 + 0x1p-20 * i);
  const Bounded y = sum_of(x, zeros);
  CHECK(y.e == 0);
  CHECK(y.v == 0x1p-20 * 999 * 500 - 3);  // 142 times -3 … 3, and then -3 … 2
  for (const double special : {kNaN, kInfinity, -kInfinity, 0x1.fffffffffffffp1023}) {
    x[500] = x[516] = special;
    const Bounded z = sum_of(x, zeros);
    CHECK(!(std::isfinite(z.v) && std::isfinite(z.e)));
  }
}

TEST_CASE("sums of pairs: rows of every kind, also number by number", "[real]") {
  Random random(4);
  double worst = 0, worst_of_two = 0;
  for (const std::int64_t n : {0, 1, 15, 16, 17, 300, 5000})
    for (const bool is_exact : {false, true}) {
      std::vector<double> v, l, e;
      mpz_class sum = 0, errors = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        v.push_back(std::ldexp(random.normal(), static_cast<int>(random.in(-60, 20))));
        l.push_back(is_exact ? 0 : v.back() * 0x1p-54 * random.normal() / 8);
        e.push_back(is_exact ? 0 : std::ldexp(std::abs(v.back()), static_cast<int>(random.in(-120, -100))));
        sum += fixed(v.back()) + fixed(l.back()), errors += fixed(e.back());
      }
      const auto use = [](const mpz_class& error, double of) {
        return error == 0 ? 0 : of == 0 ? kInfinity : Rational(error, fixed(of)).get_d();
      };
      PairedSum pairs;
      pairs.add(v.data(), is_exact ? nullptr : l.data(), is_exact ? nullptr : e.data(), v.size());
      const Paired y = pairs.total();
      worst = std::max(worst, use(abs(sum - fixed(y.h) - fixed(y.l)) + errors, y.e));
      std::vector<double> h = v, low = l, all = e;
      row_add(v.data(), is_exact ? nullptr : l.data(), is_exact ? nullptr : e.data(), v.size(), h.data(), low.data(),
              all.data());
      for (size_t i = 0; i < v.size(); ++i) {
        const mpz_class off = 2 * (fixed(v[i]) + fixed(l[i])) - fixed(h[i]) - fixed(low[i]);
        worst_of_two = std::max(worst_of_two, use(abs(off) + 2 * fixed(e[i]), all[i]));
      }
    }
  CHECK(worst <= 1);
  CHECK(worst > 0.1);
  CHECK(worst_of_two <= 1);
}

TEST_CASE("estimates: the ends of what is settled", "[real]") {
  const auto finished = [](Sign sign, double v, double e) { return finish_estimate(sign, {v, e}, 1.0); };
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
  const Bounded below = finish_estimate(Sign::as_input, {0x1p-1000, 0x3p-1000}, -5);
  CHECK((below.v == -tiny.v && below.e == tiny.e));
  const Bounded unknown = finished(Sign::unknown, 0x1p-1000, 0x3p-1000);
  CHECK(unknown.v - unknown.e < 0);
  const Bounded wide = finished(Sign::positive, 1, 2);  // no zero rounds there
  CHECK(wide.v - wide.e < 0);
}

namespace {

/// |y - Σ x| / y.e of numbers x that are known but for each.rel and each.abs: of those that are wrong by all of it.
double use_of_quick_sum(const std::vector<double>& v, const std::vector<double>& true_x, const StaticBound& each) {
  QuickSum sum(each, v.size());
  for (size_t i = 0, n; i < v.size(); i += n) {
    n = std::min(v.size() - i, SliceMemory::kPart);
    sum.add(&v[i], n);
  }
  const Bounded y = sum.total();
  mpz_class off = -fixed(y.v);
  for (const double one : true_x) off += fixed(one);
  if (y.e == 0) return off == 0 ? 0 : kInfinity;
  return std::isfinite(y.e) ? Rational(mpz_class(abs(off)), fixed(y.e)).get_d() : 0;
}
StaticBound range_of(const std::vector<double>& x) {
  RowRange range;
  range.add(x.data(), x.size());
  return {range.least, range.most, 0x1p-1000};
}

}  // namespace

TEST_CASE("quick sums: rows of every kind", "[real]") {
  Random random(4);
  double worst = 0;
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 33, 300, 5000, 100000})
    for (int kind = 0; kind < 5; ++kind) {
      std::vector<double> x;
      for (std::int64_t i = 0; i < n; ++i) {
        const double one = random.normal();
        x.push_back(kind == 0   ? one
                    : kind == 1 ? std::ldexp(one, static_cast<int>(random.in(-60, 60)))
                    : kind == 2 ? (i == n / 2 ? 0x1p40 : one)
                    : kind == 3 ? std::abs(one)
                                : 1 + std::ldexp(one, -30));
      }
      worst = std::max(worst, use_of_quick_sum(x, x, range_of(x)));
    }
  CHECK(worst <= 1);
}

// All numbers are wrong by all that the bound allows, in one direction.
TEST_CASE("quick sums: what the numbers inherit counts", "[real]") {
  for (const bool is_positive : {false, true}) {
    std::vector<double> x, v;
    for (int i = 0; i < 1000; ++i) {
      x.push_back(is_positive || i % 2 == 0 ? 1 + i * 0x1p-10 : -1 - i * 0x1p-10);
      v.push_back(x.back() + std::abs(x.back()) * 0x1p-42);
    }
    StaticBound each = range_of(x);
    each.rel = 0x1p-42;
    const double relative = use_of_quick_sum(v, x, each);
    CHECK(relative <= 1);
    CHECK(relative > (is_positive ? 0.9 : 0.4));
    each.rel = 0, each.abs = 0x1p-41;
    for (size_t i = 0; i < x.size(); ++i) v[i] = x[i] + 0x1p-41;
    const double absolute = use_of_quick_sum(v, x, each);
    CHECK(absolute <= 1);
    CHECK(absolute > 0.9);
  }
}

// Each rest is nearly half a place and of one sign; adding them loses what it can.
TEST_CASE("quick sums: roundings of the rests count", "[real]") {
  const double third = 1.0 / 3;
  std::vector<double> x(64000, third);
  x[0] = 1;
  CHECK(use_of_quick_sum(x, x, range_of(x)) <= 1);
}

TEST_CASE("quick sums: nothing is known of what is not finite, zero of zeros", "[real]") {
  const StaticBound zeros(0.0, 0.0, 0x1p-149);
  QuickSum none(zeros, 10);
  CHECK(none.is_known());
  CHECK((none.total().v == 0 && none.total().e == 0));
  CHECK_FALSE(QuickSum(StaticBound::unknown(), 10).is_known());
  CHECK_FALSE(QuickSum(StaticBound(-kInfinity, 1, 0x1p-149), 10).is_known());
  CHECK(std::isinf(QuickSum(StaticBound::unknown(), 10).total().e));
}

TEST_CASE("ranges of rows: NaN is passed over, and told", "[real]") {
  for (const size_t n : {1, 15, 16, 40, 1000})
    for (const size_t at : {size_t{0}, n / 2, n - 1}) {
      std::vector<double> x(n, 1);
      x[at] = kNaN;
      RowRange range;
      range.add(x.data(), n);
      CHECK(range.has_nan);
      x[at] = -kInfinity;
      RowRange low;
      low.add(x.data(), n);
      CHECK((!low.has_nan && low.least == -kInfinity && low.most == (n == 1 ? -kInfinity : 1)));
    }
}

TEST_CASE("slices: memory for what is kept, until the next one", "[real]") {
  std::vector<double> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor x = Tensor::of<double>(DType::float64, {10, 100}, numbers);
  const SliceOperand columns = Slicing::along({10, 100}, {0}).operand(x),
                     rows = Slicing::along({10, 100}, {1}).operand(x);
  SliceMemory memory(100);
  for (const std::int64_t slice : {0, 5}) {
    memory.move_to(slice);
    CHECK(memory.numbers(columns).number(9) == static_cast<double>(slice + 900));
    CHECK(memory.numbers(columns).part(4, 6)[5] == static_cast<double>(slice + 900));
    CHECK(memory.numbers(rows).part(0, 100)[99] == static_cast<double>(slice * 100 + 99));
    CHECK(memory.numbers(rows, 2).part(0, 100)[99] == 299);
    std::size_t kept = 0, bytes = 0;
    while (memory.room(100) != nullptr) ++kept;
    CHECK(kept >= 8);
    CHECK(kept <= 100);
    CHECK(memory.room(SIZE_MAX) == nullptr);
    for (const long precision : {96, 192, 24576})
      for (Interval::precision = precision; memory.has_room_for_intervals(1000);)
        bytes += 1000 * (sizeof(Interval) + 2 * static_cast<std::size_t>(precision) / 8);
    CHECK(bytes > std::size_t{8} << 20);
    CHECK(bytes < std::size_t{24} << 20);
  }
}

// An operand that all slices share is read once; one that is too long for that a part at a time.
TEST_CASE("slices: operands that repeat", "[real]") {
  const std::int64_t n = GENERATE(3, 5000, 200000);
  std::vector<double> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor shared = Tensor::of<double>(DType::float64, {n}, numbers);
  const Slicing slicing = Slicing::along({2, n}, {1});
  const SliceOperand x = slicing.broadcast(shared);
  SliceMemory memory(n);
  const auto last = static_cast<size_t>(n - 1);
  for (const std::int64_t slice : {0, 1}) {
    memory.move_to(slice);
    SliceNumbers& row = memory.numbers(x);
    CHECK(row.part(0, 3)[2] == 2);
    CHECK(row.part(last, 1)[0] == static_cast<double>(last));
    CHECK(row.range().most == static_cast<double>(last));
  }
}

}  // namespace row_test
