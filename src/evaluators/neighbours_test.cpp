// SPDX-License-Identifier: Apache-2.0
// Neighbours against the geometry that they come from, and what vector loops make of them against definitions.
#include "evaluators/neighbours.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <set>

#include "evaluators/bands.h"
#include "evaluators/select.h"
#include "evaluators/sum.h"
#include "evaluators/taps.h"
#include "exact/oracle_testing.h"

namespace opref::evaluators::neighbours_test {
namespace {

using oracle::Random;
using Places = std::vector<std::int64_t>;

/// An array, the elements of Y that are made of it, and which of them are neighbours.
struct Geometry {
  std::string name;
  std::int64_t x, y;
  std::function<TermPlaces(std::int64_t i)> terms;
  Neighbours neighbours;
};

Geometry windows(const std::string& name, const Dims& L, const Dims& k, const Dims& s, const Dims& d, const Dims& pads,
                 std::int64_t planes) {
  Dims O = L;
  for (size_t a = 0; a < L.size(); ++a) O[a] = (L[a] + 2 * pads[a] - ((k[a] - 1) * d[a] + 1)) / s[a] + 1;
  const auto taps = std::make_shared<Taps>(window_axes(L, k, O, s, d, pads));
  const std::int64_t plane = element_count(O), x_plane = element_count(L);
  const auto terms = [=](std::int64_t i) {
    TermPlaces places;
    for (const Tap& tap : taps->of(i % plane)) places.add({i / plane * x_plane + tap.x});
    return places;
  };
  return {name, planes * x_plane, planes * plane, terms, taps->neighbours(planes)};
}

/// Columns (planes, kernel, blocks), each element of which goes to the place in an image that its block has.
Geometry columns(const std::string& name, const Dims& image, const Dims& k, const Dims& s, const Dims& d,
                 const Dims& pads, std::int64_t planes) {
  Dims blocks = image;
  for (size_t a = 0; a < image.size(); ++a) blocks[a] = (image[a] + 2 * pads[a] - ((k[a] - 1) * d[a] + 1)) / s[a] + 1;
  const auto taps = std::make_shared<Taps>(transposed_axes(blocks, k, image, s, d, pads));
  const std::int64_t plane = element_count(image), count = element_count(blocks), x_plane = count * element_count(k);
  const auto terms = [=](std::int64_t i) {
    TermPlaces places;
    for (const Tap& tap : taps->of(i % plane)) places.add({i / plane * x_plane + tap.w * count + tap.x});
    return places;
  };
  return {name, planes * x_plane, planes * plane, terms, taps->neighbours(planes, x_plane)};
}

Geometry reduction(const std::string& name, const Dims& shape, const std::set<size_t>& axes) {
  Dims kept, kept_strides, reduced, reduced_strides;
  const Dims strides = strides_of(shape);
  for (size_t a = 0; a < shape.size(); ++a) {
    (axes.contains(a) ? reduced : kept).push_back(shape[a]);
    (axes.contains(a) ? reduced_strides : kept_strides).push_back(strides[a]);
  }
  const Strided places(kept, kept_strides), along(reduced, reduced_strides);
  const auto terms = [=](std::int64_t i) {
    TermPlaces found;
    along.each(places(i), [&](const Run& run) { found.add(run); });
    return found;
  };
  return {name, element_count(shape), element_count(kept), terms, Neighbours(places)};
}

std::vector<Geometry> geometries() {
  return {windows("3x3, strides 2", {11, 14}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 5),
          windows("3x3", {7, 40}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, 3),
          windows("3 of 3000", {3000}, {3}, {1}, {1}, {1}, 2),
          windows("5, dilated, strides 3", {101}, {5}, {3}, {2}, {4}, 4),
          windows("as large as planes", {7, 7}, {7, 7}, {1, 1}, {1, 1}, {0, 0}, 40),
          windows("larger than planes", {5, 6}, {9, 3}, {1, 1}, {1, 1}, {4, 1}, 33),
          windows("in space", {5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {2, 1, 1}, {1, 1, 1}, 3),
          windows("one row, wide", {2, 300}, {2, 70}, {1, 1}, {1, 1}, {0, 0}, 2),
          windows("rows that change their phase", {9, 15}, {2, 2}, {1, 2}, {1, 1}, {0, 0}, 2),
          columns("columns of 3x3", {20, 30}, {3, 3}, {1, 1}, {1, 1}, {0, 1}, 3),
          columns("columns of 3x2, strides 2x3", {21, 40}, {3, 2}, {2, 3}, {1, 1}, {1, 0}, 4),
          columns("columns, dilated", {60}, {4}, {2}, {3}, {5}, 4),
          columns("columns, of which some do not meet", {90}, {2}, {5}, {2}, {0}, 4),
          reduction("first", {40, 70}, {0}),
          reduction("first of long rows", {6, 3000}, {0}),
          reduction("last, long", {30, 200}, {1}),
          reduction("last, short", {300, 7}, {1}),
          reduction("last of three", {40, 3, 9}, {1, 2}),
          reduction("outer and inner", {5, 7, 40}, {0, 2}),
          reduction("outer and inner, short", {9, 30, 4}, {0, 2}),
          reduction("middle", {6, 50, 3}, {1}),
          reduction("all", {20, 30}, {0, 1}),
          reduction("none of size 1", {4, 1, 5}, {1})};
}

Places listed(const TermPlaces& terms) {
  Places places;
  for (std::int64_t t = 0; t < terms.count(); ++t) places.push_back(terms[t]);
  return places;
}
Places moved(Places places, std::int64_t by) {
  for (std::int64_t& place : places) place += by;
  return places;
}

/// f(y, x) for each element of a box: its position, and how far its terms lie from the first one's.
void each_element(const NeighbourBox& box, const std::function<void(std::int64_t, std::int64_t)>& f) {
  Dims shape;
  for (const NeighbourAxis& axis : box.axes) shape.push_back(axis.size);
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    const Dims at = coordinates(i, shape);
    std::int64_t y = box.first, x = 0;
    for (size_t a = 0; a < at.size(); ++a) y += at[a] * box.axes[a].y, x += at[a] * box.axes[a].x;
    f(y, x);
  }
}

std::vector<BoxTerms> boxes_of(const Geometry& g) {
  std::vector<BoxTerms> boxes;
  for (const NeighbourBox& box : g.neighbours.boxes()) boxes.emplace_back(box, g.terms(box.first));
  return boxes;
}

}  // namespace

TEST_CASE("neighbours: each element has one box, and the terms of the box's first element so far on",
          "[evaluators][sum]") {
  for (const Geometry& g : geometries()) {
    INFO(g.name);
    std::vector<int> times(static_cast<size_t>(g.y));
    for (const NeighbourBox& box : g.neighbours.boxes()) {
      const Places first = listed(g.terms(box.first));
      each_element(box, [&](std::int64_t y, std::int64_t x) {
        ++times[static_cast<size_t>(y)];
        CHECK(listed(g.terms(y)) == moved(first, x));
      });
    }
    CHECK(times == std::vector<int>(static_cast<size_t>(g.y), 1));
  }
}

TEST_CASE("neighbours: of geometries with many edges nothing is known", "[evaluators][sum]") {
  const Dims one{1, 1};
  const Taps edges(window_axes({50, 50}, {99, 99}, {50, 50}, one, one, {49, 49}));
  CHECK(edges.neighbours(1).boxes().empty());
  CHECK(edges.neighbours(0).boxes().empty());
  CHECK(edges.neighbours(8).boxes().size() == 2500);
  CHECK(Taps(transposed_axes({3000}, {3}, {6001}, {2}, {1}, {0})).neighbours(1).boxes().empty());
}

TEST_CASE("bands: loops read each element's terms, in order", "[evaluators][sum]") {
  std::set<Reading> readings;
  for (const Geometry& g : geometries())
    for (const int threads : {1, 2, 8}) {
      INFO(g.name << ", " << threads << " threads");
      const std::vector<BoxTerms> boxes = boxes_of(g);
      std::vector<Places> found(static_cast<size_t>(g.y));
      std::int64_t last_y = -1;
      for (const Band& band : bands_of(boxes, threads)) {
        const BoxTerms& box = boxes[band.box];
        readings.insert(box.reading);
        CHECK(band.size() <= kMostOfABand);
        CHECK(band.y > last_y);
        last_y = band.y;
        if (box.reading == Reading::along || box.terms.count() == 0) {
          for (std::int64_t j = 0; j < band.size(); ++j)
            found[static_cast<size_t>(band.y_of(j))] = moved(listed(box.terms), band.x_of(j));
          continue;
        }
        Places buffer;  // of places themselves
        const auto read = [&](const Run& run, std::int64_t* to) {
          for (std::int64_t k = 0; k < run.count; ++k) to[k] = run.from + k * run.step;
        };
        for_each_term_row(
            box, band, buffer, read,
            [&](const std::int64_t* numbers, const TermRows& rows, Begun begun, std::int64_t first, std::int64_t t) {
              for (std::int64_t r = 0; r < rows.rows; ++r)
                for (std::int64_t i = 0; i < rows.count; ++i) {
                  Places& to = found[static_cast<size_t>(band.y_of(first + r * rows.count + i))];
                  CHECK(std::ssize(to) == t);
                  CHECK((begun == Begun::yes) == (t > 0));
                  for (const std::int64_t at : rows.at) to.push_back(numbers[at + r * rows.row_step + i]);
                }
            });
      }
      for (std::int64_t i = 0; i < g.y; ++i) CHECK(found[static_cast<size_t>(i)] == listed(g.terms(i)));
    }
  CHECK(readings.size() == 3);
}

namespace {

Call call_of(const Numerics& numerics) {
  Call call;
  call.set_numerics(numerics);
  return call;
}

/// Numbers of a type: few different ones, so that there are ties, with zeros of both signs, infinities and NaN here and
/// there.
Tensor mixed(DType dtype, std::int64_t count, Random& random, bool is_special) {
  return tensor_of_bits({dtype, {count}}, [&](std::int64_t) -> std::uint64_t {
    if (!is_floating(dtype))
      return static_cast<std::uint64_t>(random.in(0, 1) == 0 ? random.in(-3, 3) : random.in(-200, 200));
    constexpr double kSpecial[] = {NAN, -NAN, HUGE_VAL, -HUGE_VAL, 0.0, -0.0, 0.0, -0.0};
    const double number = is_special && random.in(0, 9) == 0
                              ? kSpecial[random.in(0, 7)]
                              : std::ldexp(static_cast<double>(random.in(-90, 90)), static_cast<int>(random.in(-4, 2)));
    if (dtype == DType::float16) return to_bits(nearest<Half>(number));
    if (dtype == DType::bfloat16) return to_bits(nearest<BFloat16>(number));
    return dtype == DType::float32 ? std::uint64_t{to_bits(static_cast<float>(number))} : to_bits(number);
  });
}

bool same_bytes(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

constexpr DType kNumbers[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                              DType::int8,    DType::uint8,   DType::int16,    DType::uint16,
                              DType::int32,   DType::uint32,  DType::int64,    DType::uint64};

}  // namespace

TEST_CASE("select: of neighbours the same is chosen as one by one", "[evaluators][sum]") {
  Random random(3);
  for (const Geometry& g : geometries())
    for (const DType dtype : kNumbers)
      for (const bool is_special : {false, true}) {
        const Tensor x = mixed(dtype, g.x, random, is_special);
        const auto candidates = [&](std::int64_t i, Best& best) {
          const TermPlaces places = g.terms(i);
          for (const Run& run : places.runs()) best.consider(run);
        };
        const Call call = call_of({.threads = static_cast<int>(random.in(1, 2))});
        const Output y(call, TensorType{dtype, {g.y}}), at(call, TensorType{DType::int64, {g.y}});
        const Extreme extreme = random.in(0, 1) == 0 ? Extreme::greatest : Extreme::least;
        const Tie tie = random.in(0, 1) == 0 ? Tie::first : Tie::last;
        const auto number = [](std::int64_t, std::int64_t position) { return position; };
        INFO(g.name << ", " << name(dtype));
        for (const Zeros zeros : {Zeros::ordered, Zeros::equal}) {
          const Selection each(y, x, zeros, extreme, tie, candidates),
              rows(y, x, zeros, extreme, tie, candidates, g.neighbours);
          const Tensor fill = neutral(dtype, extreme);
          CHECK(same_bytes(rows.values(y, fill), each.values(y, fill)));
          CHECK(same_bytes(rows.places(at, number), each.places(at, number)));
        }
      }
}

TEST_CASE("select: of no elements nothing is chosen, whatever their neighbours are", "[evaluators][sum]") {
  const Tensor x = Tensor::of<float>(DType::float32, {0}, std::vector<float>{});
  const Call call = call_of({});
  const Selection none(
      Output(call, TensorType{DType::int64, {0}}), x, Zeros::equal, Extreme::greatest, Tie::first,
      [](std::int64_t, Best&) {}, Neighbours(Strided({3, 4}, {0, 0})));
  none.all({});
}

TEST_CASE("sum: of neighbours the same as one by one", "[evaluators][sum]") {
  Random random(4);
  for (const Geometry& g : geometries())
    for (const DType dtype : kNumbers)
      for (const bool is_special : {false, true})
        for (const bool are_squares : {false, true}) {
          const Tensor X = mixed(dtype, g.x, random, is_special);
          const Elements x(X);
          const bool is_mean = random.in(0, 1) == 0 && !are_squares;
          const auto terms = [&](std::int64_t i, auto& sum) {
            const TermPlaces places = g.terms(i);
            for (const Run& run : places.runs()) are_squares ? sum.add(x[run], x[run]) : sum.add(x[run]);
            if (is_mean && places.count() > 0) sum.scale({1, places.count()});
          };
          const Integers how{is_mean ? Integers::Rounding::truncate : Integers::Rounding::wrap};
          const Call exact = call_of({.exact_only = true}), both = call_of({.threads = 2});
          const TensorType type{dtype, {g.y}};
          INFO(g.name << ", " << name(dtype) << (are_squares ? ", squares" : is_mean ? ", means" : ""));
          CHECK(same_bytes(sum(Output(both, type), dtype, terms, g.neighbours, how),
                           sum(Output(exact, type), dtype, terms, how)));
        }
}

TEST_CASE("norm: of neighbours the same as one by one", "[evaluators][sum]") {
  Random random(5);
  for (const Geometry& g : geometries())
    for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64})
      for (const double p : {1.0, 2.0, 3.0}) {
        const Tensor X = mixed(dtype, g.x, random, random.in(0, 1) == 0);
        const Elements x(X);
        const auto terms = [&](std::int64_t i, auto& sum) {
          const TermPlaces places = g.terms(i);
          for (const Run& run : places.runs()) sum.add(x[run]);
        };
        const Call exact = call_of({.exact_only = true}), both = call_of({.threads = 2});
        const TensorType type{dtype, {g.y}};
        INFO(g.name << ", " << name(dtype) << ", p = " << p);
        CHECK(same_bytes(norm(Output(both, type), p, terms, g.neighbours), norm(Output(exact, type), p, terms)));
      }
}

TEST_CASE("sum: ties of means are decided where no addition lost anything", "[evaluators][sum]") {
  // Of four floats of one exponent a quarter of the means are ties.
  Random random(6);
  std::vector<float> numbers;
  for (int i = 0; i < 4000; ++i) numbers.push_back(static_cast<float>(random.in(1 << 23, (1 << 24) - 1)));
  const Tensor X = Tensor::of<float>(DType::float32, {std::ssize(numbers)}, numbers);
  const Elements x(X);
  const Geometry g = reduction("", {1000, 4}, {1});
  const auto mean = [&](std::int64_t i, auto& sum) { sum.add(x[Run{4 * i, 4}]), sum.scale({1, 4}); };
  Stats stats;
  const Call call = call_of({.stats = &stats});
  sum(Output(call, TensorType{DType::float32, {1000}}), DType::float32, mean, g.neighbours);
  CHECK(stats.estimated == 1000);
  CHECK(stats.exact == 0);
}

TEST_CASE("sum, norm: a term that an addition in double loses decides a tie", "[evaluators][sum]") {
  constexpr std::int64_t kElements = 9, kT = 3355445;  // (3t)² + (4t)² = (5t)², and 5t has 25 bits
  for (const std::int64_t terms : {3, 70, 700})
    for (const bool is_last : {false, true})
      for (const bool is_norm : {false, true}) {
        const std::vector<float> first =
            is_norm ? std::vector<float>{3 * kT, 4 * kT, 0x1p-60F} : std::vector<float>{1, 0x1p-24F, 0x1p-80F};
        const Dims shape = is_last ? Dims{kElements, terms} : Dims{terms, kElements};
        std::vector<float> numbers(static_cast<size_t>(kElements * terms));
        for (std::int64_t i = 0; i < kElements; ++i)
          for (std::int64_t t = 0; t < 3; ++t)
            numbers[static_cast<size_t>(is_last ? i * terms + t : t * kElements + i)] = first[static_cast<size_t>(t)];
        const Tensor X = Tensor::of<float>(DType::float32, {std::ssize(numbers)}, numbers);
        const Elements x(X);
        const Geometry g = reduction("", shape, {is_last ? 1U : 0U});
        const auto definition = [&](std::int64_t i, auto& sum) {
          const TermPlaces places = g.terms(i);
          for (const Run& run : places.runs()) sum.add(x[run]);
        };
        const Call call = call_of({});
        const Output y(call, TensorType{DType::float32, {kElements}});
        const Tensor found =
            is_norm ? norm(y, 2, definition, g.neighbours) : sum(y, DType::float32, definition, g.neighbours);
        INFO(terms << " terms" << (is_last ? ", along" : "") << (is_norm ? ", norms" : ""));
        for (const float element : found.values<float>()) CHECK(element == (is_norm ? 16777226.0F : 1 + 0x1p-23F));
      }
}

}  // namespace opref::evaluators::neighbours_test
