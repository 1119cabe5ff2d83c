// SPDX-License-Identifier: Apache-2.0
// Transforms against bins in pairs, these against intervals: bounds hold, and a part of them does not.
#include "fast/transform.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "exact/oracle_testing.h"
#include "exact/real/interval.h"
#include "exact/real/real_number.h"
#include "exact/real/with_precision.h"
#include "fast/spectrum_bin.h"

namespace opref::fast::transform_test {
namespace {

using exact::Interval, exact::Pair, exact::RealNumber, exact::TurnTable;
using oracle::Random;

/// In [0, 1), of 53 bits whatever its size.
double fraction(Random& random) { return std::sqrt(static_cast<double>(random.bits() >> 11) * 0x1p-53); }

/// cos(2πe/M)
Interval cosine(std::int64_t e, std::int64_t M) {
  return cos(Interval(2.0) * pi(Interval(1.0)) * Interval::whole(e) / Interval::whole(M));
}
double distance(const Pair& a, const Interval& b) {
  return magnitude(RealNumber(a.h) + RealNumber(a.l) - RealNumber(b.low())).nearest_double();
}

/// Real parts, then imaginary ones.
using Line = std::vector<double>;
Line line_of(std::size_t N, Random& random, bool is_tone) {
  Line x(2 * N);
  const double size = 1 + fraction(random), turns = std::floor(fraction(random) * static_cast<double>(N));
  for (std::size_t n = 0; n < N; ++n) {
    const double angle = 2 * M_PI * turns * static_cast<double>(n) / static_cast<double>(N);
    x[n] = is_tone ? size * std::cos(angle) : fraction(random) * random.sign();
    x[N + n] = is_tone ? size * std::sin(angle) : fraction(random) * random.sign();
  }
  return x;
}

/// How wrong the worst bin of some lines is, as a part of its bound: without slack.
double worst(const TransformPlan& plan, std::size_t lanes, Random& random, bool is_tone) {
  const std::size_t N = plan.N;
  std::vector<double> numbers, x(2 * lanes * plan.length), y(x.size()), squares(lanes);
  for (std::size_t l = 0; l < lanes; ++l) {
    const Line line = line_of(N, random, is_tone);
    numbers.insert(numbers.end(), line.begin(), line.end());
  }
  const double* const bins = transform(plan, lanes, numbers.data(), false, x.data(), y.data(), squares.data());
  double most = 0;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double bound = plan.roundings * 0x1p-53 * plan.gain * std::sqrt(squares[l]);
    for (std::size_t k = 0; k < N; ++k) {
      const SpectrumBin bin = spectrum_bin(plan.table, static_cast<std::int64_t>(N), static_cast<std::int64_t>(k),
                                           &numbers[2 * l * N], &numbers[(2 * l + 1) * N]);
      most = std::max({most, std::abs(bins[2 * lanes * k + l] - bin.re.h - bin.re.l) / bound,
                       std::abs(bins[2 * lanes * k + lanes + l] - bin.im.h - bin.im.l) / bound});
    }
  }
  return most;
}

/// Of many lines, one by one and side by side.
double worst(const TransformPlan& plan, Random& random) {
  double most = 0;
  for (const std::size_t lanes : {std::size_t{1}, transform_lanes()})
    for (std::size_t turn = 0; turn < 40 + 4000 / plan.N; ++turn)
      most = std::max(most, worst(plan, lanes, random, turn % 4 != 0));
  return most;
}

}  // namespace

TEST_CASE("transforms: no bin is wrong by more than its bound, some by a part of it", "[rows][release]") {
  Random random(3);
  struct Part {
    std::int64_t N;
    double least;
  };
  for (const Part& part :
       {Part{2, 1 / 20.0}, Part{3, 1 / 20.0}, Part{4, 1 / 20.0}, Part{8, 1 / 20.0}, Part{16, 1 / 20.0},
        Part{25, 1 / 40.0}, Part{60, 1 / 40.0}, Part{64, 1 / 40.0}, Part{77, 1 / 60.0}, Part{400, 1 / 80.0},
        Part{512, 1 / 60.0}, Part{61, 1 / 250.0}, Part{67, 1 / 100.0}, Part{134, 1 / 100.0}, Part{251, 1 / 100.0}}) {
    CAPTURE(part.N);
    const double found = worst(TransformPlan(part.N), random);
    CHECK(found <= 1);
    CHECK(found >= part.least);
  }
}

TEST_CASE("transforms: a turn that is wrong in its 40th bit shows", "[rows]") {
  Random random(5);
  for (const std::int64_t N : {16, 60, 67}) {
    TransformPlan plan(N);
    plan.turns[3].re += 0x1p-40;
    CAPTURE(N);
    CHECK(worst(plan, random) > 1);
  }
}

TEST_CASE("turns: cosines and sines of all parts of a turn as pairs", "[rows]") {
  const exact::WithPrecision precision(256);
  double worst = 0;
  for (const std::int64_t M : {4, 8, 12, 20, 28, 64, 420, 1000, 4096}) {
    const TurnTable table(M);
    int exact = 0;
    for (std::int64_t e = 0; e < M; ++e) {
      const Interval c = cosine(e, M);
      const bool is_exact = 4 * e % M == 0 || (6 * e % M == 0 && 2 * e % M != 0);
      exact += is_exact && (table.cosine(e).l != 0 || table.cosine(e).h != std::round(2 * table.cosine(e).h) / 2);
      if (4 * e % M != 0) worst = std::max(worst, distance(table.cosine(e), c) / std::abs(table.cosine(e).h));
      CHECK(table.sine(e).h == table.cosine((e + M - M / 4) % M).h);
    }
    CHECK(exact == 0);
  }
  CHECK(worst <= 0x1p-102);
  CHECK(worst >= 0x1p-105);
}

TEST_CASE("bins in pairs are within their error, and not within a part of it", "[rows]") {
  const exact::WithPrecision precision(256);
  Random random(7);
  double most = 0;
  for (const std::int64_t N : {1, 3, 8, 67, 129}) {
    const TurnTable table(N % 4 == 0 ? N : 4 * N);
    for (int turn = 0; turn < 8; ++turn) {
      const bool is_real = turn % 2 == 0;
      Line x = line_of(static_cast<std::size_t>(N), random, turn % 4 < 2);
      if (is_real) std::fill(x.begin() + N, x.end(), 0.0);
      for (std::int64_t k = 0; k < N; k += 1 + N / 8) {
        const SpectrumBin bin =
            spectrum_bin(table, N, k, x.data(), is_real ? nullptr : &x[static_cast<std::size_t>(N)]);
        Interval re(0.0), im(0.0);
        for (std::int64_t n = 0; n < N; ++n) {
          const Interval a(x[static_cast<std::size_t>(n)]), b(x[static_cast<std::size_t>(N + n)]);
          const Interval c = cosine(k * n % N, N), s = cosine((4 * (k * n % N) + 3 * N) % (4 * N), 4 * N);
          re = re + a * c + b * s, im = im + b * c - a * s;
        }
        most = std::max({most, distance(bin.re, re) / bin.error, distance(bin.im, im) / bin.error});
      }
    }
  }
  CHECK(most <= 1);
  CHECK(most >= 1 / 500.0);
}

}  // namespace opref::fast::transform_test
