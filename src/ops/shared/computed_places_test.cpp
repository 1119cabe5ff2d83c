// SPDX-License-Identifier: Apache-2.0
// No kernel that rounds each step leaves what is said of its element between pixels; and some come near.
#include "ops/shared/computed_places.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "exact/real/simulated_testing.h"
#include "exact/real/with_kernel.h"

namespace computed_places_test {

using namespace opref::ops;

namespace {

using opref::exact::KernelModel;
using Draws = opref::exact::oracle::Random;
using opref::exact::oracle::Simulated;
using opref::exact::oracle::SimulatedKernel;

/// An axis of L pixels, of which a kernel makes places (o + 1/2)/scale - 1/2, scale = O/L.
struct Axis {
  Filter filter;
  std::int64_t L, O;
  bool divided = false;

  std::int64_t pixel(std::int64_t i) const { return std::clamp<std::int64_t>(i, 0, L - 1); }
  Rational place(std::int64_t o) const {
    const Rational half = Rational(1) / Rational(2);
    return (Rational(o) + half) / (Rational(O) / Rational(L)) - half;
  }
  ComputedPoint computed(std::int64_t o) const {
    const Faithful scale = computed_divisor(Rational(O) / Rational(L));
    const Faithful x = (Faithful::whole(o) + Faithful(0.5)) / scale - Faithful(0.5);
    return ComputedPoint(
        filter, {place(o), x}, [&](std::int64_t i) { return pixel(i); }, divided);
  }
  struct Tap {
    std::int64_t pixel;
    Simulated weight;
  };
  /// The same by a kernel, which divides by the scale or multiplies by its reciprocal.
  std::vector<Tap> simulated(std::int64_t o, bool by_reciprocal) const {
    const double stated = (Rational(O) / Rational(L)).nearby();
    const bool is_given = Faithful::kernel.holds(stated);
    const Simulated scale = is_given ? Simulated(stated) : Simulated::whole(O) / Simulated::whole(L),
                    at = Simulated::whole(o) + Simulated(0.5),
                    x = (by_reciprocal ? at * (Simulated(1.0) / scale) : at / scale) - Simulated(0.5);
    const double s = filter.s.nearby(), reach = (filter.mode == Resampling::cubic ? 2 : 1) / s;
    std::vector<Tap> taps;
    Simulated sum(0.0);
    for (double i = std::floor(x.v - reach) + 1; i <= std::floor(x.v + reach); ++i) {
      const Simulated d = abs(Simulated(i) - x) * Simulated(s);
      const Simulated a(filter.cubic_a.nearby());
      const Simulated weight = d.v < 1                                        ? filter.inner(d, a)
                               : d.v >= 2 || filter.mode != Resampling::cubic ? Simulated(0.0)
                                                                              : filter.outer(d, a);
      taps.push_back({pixel(static_cast<std::int64_t>(i)), weight});
      sum = sum + weight;
    }
    for (Tap& tap : taps)
      if (divided) tap.weight = tap.weight / sum;
    return taps;
  }
};

struct Image {
  std::int64_t rows, columns;
  std::vector<double> pixels;

  Image(Draws& random, std::int64_t of_rows, std::int64_t of_columns, double offset)
      : rows(of_rows), columns(of_columns) {
    for (std::int64_t i = 0; i < rows * columns; ++i)
      pixels.push_back(Simulated::nearest(offset + static_cast<double>(random.in(-1000000, 1000000)) * 1e-6));
  }
  double at(std::int64_t i) const { return pixels[static_cast<std::size_t>(i)]; }
};

/// The greatest part of its bound that an element of the image uses which some kernel resizes.
double greatest_share(const Image& image, const Axis& rows, const Axis& columns) {
  using Errors = SimulatedKernel::Errors;
  double greatest = 0;
  const std::array<std::int64_t, 2> strides{image.columns, 1};
  for (std::int64_t i = 0; i < rows.O; ++i)
    for (std::int64_t j = 0; j < columns.O; ++j) {
      const Faithful y = interpolated(std::array{rows.computed(i), columns.computed(j)}, strides, 0,
                                      [&](std::int64_t at) { return Faithful::input(image.at(at)); });
      REQUIRE(y.error() < HUGE_VAL);
      for (const Errors errors : {Errors::nearest, Errors::random, Errors::up, Errors::outward})
        for (const bool by_reciprocal : {false, true}) {
          Simulated::kernel.errors = errors;
          Simulated sum(0.0);
          for (const Axis::Tap& row : rows.simulated(i, by_reciprocal))
            for (const Axis::Tap& column : columns.simulated(j, by_reciprocal))
              sum = sum + Simulated(image.at(row.pixel * image.columns + column.pixel)) * (row.weight * column.weight);
          const double off = std::abs((sum.v - y.high()) - y.low());
          if (off > 0) greatest = std::max(greatest, off / y.error());
        }
    }
  return greatest;
}

}  // namespace

TEST_CASE("bound: no kernel that computes the places of pixels leaves it", "[bound]") {
  constexpr KernelModel kFloat32{}, kFloat16{.bits = 11, .smallest_subnormal = 0x1p-24, .smallest_normal = 0x1p-14};
  const Rational a = Rational(-3) / Rational(4);
  for (const KernelModel& model : {kFloat32, kFloat16}) {
    Faithful::kernel = model;
    Draws random(3);
    for (const double offset : {0.0, 100.0})
      for (const Resampling mode : {Resampling::linear, Resampling::cubic}) {
        INFO(model.bits << " bits, offset " << offset << (mode == Resampling::cubic ? ", cubic" : ""));
        const Image image(random, 7, 30, offset);
        const Filter filter{mode, a};
        const double larger = greatest_share(image, {filter, 7, 11}, {filter, 30, 47});
        CHECK(larger <= 1);
        CHECK(greatest_share(image, {filter, 7, 21}, {filter, 30, 45}) <= 1);  // by 3 and 1.5, which need no quotient
        // Narrower filters, whose weights are divided by their sum.
        const Rational s = Rational(13) / Rational(30);
        const double smaller = greatest_share(image, {filter, 7, 11}, {{mode, a, s}, 30, 13, true});
        CHECK(smaller <= 1);
        if (model.bits == 24) {
          CHECK(larger >= 0.05);
          CHECK(smaller >= 0.01);
        }
      }
  }
  Faithful::kernel = {};
}

TEST_CASE("bound: a simulated kernel has a place as it computes it, with the weights of that place", "[bound]") {
  const opref::exact::SimulatedKernel kernel;
  const opref::exact::WithKernel with_kernel({}, &kernel);
  const Rational exact = Rational(1000) + Rational(1) / Rational(3);
  const double own = 1000.0F + 1.0F / 3.0F;  // 1000.33331298828125
  const ComputedPlace place(exact, Faithful(exact.nearby()), 1e-3);
  CHECK(place.x == Rational::of(own));
  CHECK(place.error == 0);
  CHECK_FALSE(may_cross(place.x, place.error, exact));
  const ComputedPoint point({Resampling::linear}, place, [](std::int64_t i) { return i; });
  REQUIRE(point.taps().size() == 2);
  CHECK(point.taps()[1].pixel == 1001);
  CHECK(point.taps()[1].weight.high() == own - 1000);
  CHECK(point.taps()[0].weight.error() == 0);
  CHECK(point.moved() == 0);
  // What it cannot compute says nothing about the place.
  CHECK(ComputedPlace(exact, Faithful(HUGE_VAL, 0, 0)).x == exact);
}

TEST_CASE("bound: a place beside a tie has both of its nearest pixels", "[bound]") {
  const auto pixel = [](const Rational& x) { return x.rounded_even().clamped(0, 9); };
  const Rational half = Rational(1) / Rational(2), x = Rational(3) + half;
  const auto pixels = [&](const Rational& place, double error) {
    return nearest_pixels({place, Faithful(place.nearby(), 0, error)}, pixel);
  };
  CHECK(pixels(x, 0) == std::vector<std::int64_t>{4});
  CHECK(pixels(x, 1e-6) == std::vector<std::int64_t>{3, 4});
  CHECK(pixels(Rational(3), 1e-6) == std::vector<std::int64_t>{3});
  CHECK(pixels(Rational(3), 1.6) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  CHECK(pixels(Rational(3), 1e6).empty());
  const std::vector<std::vector<std::int64_t>> both{{3, 4}};
  const Faithful any =
      any_pixel(both, std::array<std::int64_t, 1>{1}, 0, [](std::int64_t at) { return at == 3 ? 1.0 : 5.0; });
  CHECK(any.high() - any.error() <= 1);
  CHECK(any.high() + any.error() >= 5);
  CHECK(any.error() <= 4.0001);
}

}  // namespace computed_places_test
