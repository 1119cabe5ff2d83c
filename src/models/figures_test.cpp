// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "models/figures.h"

namespace figures_test {

using namespace opref::models;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Numbers flat(std::vector<double> values) { return {Dims{std::ssize(values)}, std::move(values)}; }

}  // namespace

TEST_CASE("decibels are ten times the logarithm of a ratio of powers", "[models]") {
  CHECK(decibels(1000) == Approx(30).margin(1e-12));
  CHECK(decibels(2) == Approx(10 * std::log10(2.0)).margin(1e-12));
  CHECK(decibels(0) == -kInf);
}

TEST_CASE("figures: equal elements have no error, NaN and infinities on one side alone are counted", "[models]") {
  const Figures figures = figures_of(flat({1, kNan, kInf, 2, kNan}), flat({1, kNan, kInf, 4, 3}));
  CHECK(figures.differ == 2);
  CHECK(figures.nonfinite == 1);
  CHECK(figures.max == 2);
  CHECK(figures.at == 3);
  CHECK(figures.sqnr() == -kInf);
  CHECK(figures_of(flat({3, 4}), flat({3, 4})).sqnr() == kInf);
  CHECK(figures_of(flat({1, 0}), flat({0, 0})).sqnr() == -kInf);
  CHECK_FALSE(figures_of(flat({1, 0}), flat({0, 0})).cosine().has_value());
  CHECK(figures_of(flat({11, 0}), flat({10, 0})).sqnr() == Approx(20).margin(1e-9));
}

TEST_CASE("one wrong channel of many shows in its slice", "[models]") {
  constexpr std::int64_t kChannels = 100, kElements = 16;
  Numbers y{Dims{kChannels, kElements}, std::vector<double>(kChannels * kElements, 1.0)}, x = y;
  Spread spread{std::vector<double>(y.values.size(), 1e-14), 1};
  for (size_t i = 0; i < kElements; ++i) x.values[7 * kElements + i] += 1e-6;
  CHECK(ratio_to_spread(x, y, spread, 0) == Approx(10).epsilon(1e-6));
  spread.squares.assign(y.values.size(), 0);
  CHECK(ratio_to_spread(x, y, spread, 0) == kInf);
  CHECK(ratio_to_spread(y, y, spread, 0) == 0);
}

TEST_CASE("a tensor is found by its sketch in its own order and with permuted axes", "[models]") {
  Numbers a{Dims{2, 3, 4, 1}, std::vector<double>(24)};
  for (size_t i = 0; i < 24; ++i) a.values[i] = std::sqrt(static_cast<double>(i)) - 2;
  const Dims to{4, 2, 1, 3};
  const std::vector<Layout> layouts = possible_layouts(a.shape, to);
  REQUIRE(layouts.size() == 1);
  const Numbers b = arranged(a, layouts.front(), to);
  CHECK(b.values[1] == a.values[4]);  // [0,0,0,1] there is [0,1,0,0] here
  CHECK(arranged_back(b, layouts.front(), a.shape).values == a.values);
  const Sketch own = sketch_of(a), other = sketch_of(b);
  CHECK(own.in_order != other.in_order);
  CHECK(own.in_any_order == other.in_any_order);
  const auto found = likeness_to(a, own, other);
  REQUIRE(found.has_value());
  CHECK(found->layout == layouts.front());
  CHECK(found->tolerance == 0);
  Numbers near = a;
  for (double& x : near.values) x *= 1 + 1e-5;
  const auto nearly = likeness_to(near, sketch_of(near), own);
  REQUIRE(nearly.has_value());
  CHECK(nearly->tolerance == kTolerances[2]);
  for (double& x : near.values) x *= 1.01;
  CHECK_FALSE(likeness_to(near, sketch_of(near), own).has_value());
}

TEST_CASE("numbers become integers of a scale to the nearest step, within the type", "[models]") {
  const Scale scale{0.5, 3};
  const Tensor tensor = tensor_of(flat({0, 0.75, -1, 1000}), {DType::int8, Dims{4}}, scale);
  const Numbers back = *numbers_of(tensor, scale);
  CHECK(back.values == std::vector<double>{0, 1, -1, (127 - 3) * 0.5});
  CHECK(numbers_of(tensor_of(flat({0.1}), {DType::float16, Dims{1}}))->values[0] == 0.0999755859375);
}

TEST_CASE("samples are spread over all elements", "[models]") {
  const auto places = sample_places(100000);
  CHECK(places.size() == 256);
  CHECK(std::ranges::is_sorted(places));
  CHECK(places.front() < 1000);
  CHECK(places.back() > 99000);
  CHECK(sample_places(3) == std::vector<std::int64_t>{0, 1, 2});
}

}  // namespace figures_test
