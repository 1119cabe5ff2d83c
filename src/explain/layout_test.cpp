// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.h"

#include <catch2/catch.hpp>

#include "core/index.h"
#include "core/text.h"
#include "exact/element_text.h"
#include "exact/rounding.h"

namespace layout_test {

using namespace opref::explain;

namespace {

/// Element i is f(its coordinates).
template <class F>
Tensor made(const Dims& shape, const F& f) {
  TensorBuilder tensor({DType::float32, shape});
  for (std::int64_t i = 0; i < element_count(shape); ++i)
    tensor.values<float>()[static_cast<size_t>(i)] = static_cast<float>(f(coordinates(i, shape)));
  return std::move(tensor).finish();
}
double number(const Dims& at) {
  double n = 1;
  for (const std::int64_t i : at) n = 7 * n + static_cast<double>(i * i + i);
  return n;
}

std::string layout(const Tensor& right, const Tensor& actual) {
  const auto found = layouts(
      right, actual, [&](std::int64_t i, std::int64_t k) { return element_text(right, i) == element_text(actual, k); });
  if (found.empty()) return "";
  const auto& [name, left, told] = found.front();
  return left == 0 ? name : format("{}; {} left", name, left);
}

}  // namespace

TEST_CASE("right values that stand elsewhere are recognised", "[explain][layout]") {
  const Dims shape{2, 3, 4};
  const Tensor right = made(shape, number);
  CHECK(layout(right, right).empty());
  CHECK(layout(right, made(shape, [](Dims at) { return at[2] == 3 ? 0 : number(at); })) == "not written: 0 at [:,:,3]");
  CHECK(layout(right, made(shape, [](Dims at) { return at[1] >= 1 && at[0] == 0 ? -1 : number(at); })) ==
        "not written: -1 at [0,1:3,:]");
  CHECK(layout(right, made(shape, [](const Dims&) { return 0; })) == "not written: 0 everywhere");
  // Anything may make an output of one number, or one that is NaN.
  CHECK(layout(right, made(shape, [](const Dims&) { return 5; })).empty());
  CHECK(layout(right, made(shape, [](Dims at) { return at[2] == 3 ? NAN : number(at); })).empty());
  // No box: two of its elements are right.
  CHECK(layout(right, made(shape, [](Dims at) { return at[2] == 3 && at[1] != 1 ? 0 : number(at); })).empty());

  const auto moved = [&](size_t axis, std::int64_t by) {
    return made(shape, [=](Dims at) {
      at[axis] -= by;
      return at[axis] < 0 || at[axis] >= shape[axis] ? 0 : number(at);
    });
  };
  CHECK(layout(right, moved(2, 1)) == "shifted by 1 along axis 2; 6 left");
  CHECK(layout(right, moved(1, -2)) == "shifted by -2 along axis 1; 16 left");
  CHECK(layout(right, made(shape, [&](Dims at) {
                 at[0] = 1 - at[0];
                 return number(at);
               })) == "in reverse order along axis 0");

  const Dims wide{2, 9};
  const Tensor row = made(wide, number);
  const auto along = [&](std::int64_t by, bool comes_back) {
    return made(wide, [=](Dims at) {
      at[1] -= by;
      if (comes_back) at[1] = (at[1] + wide[1]) % wide[1];
      return at[1] < 0 || at[1] >= wide[1] ? 0 : number(at);
    });
  };
  CHECK(layout(row, along(3, false)) == "shifted by 3 along axis 1; 6 left");
  CHECK(layout(row, along(-4, false)) == "shifted by -4 along axis 1; 8 left");
  // More than half is lost: too little is left to tell.
  CHECK(layout(row, along(5, false)).empty());
  CHECK(layout(row, along(3, true)) == "rotated by 3 along axis 1");
  CHECK(layout(row, along(-4, true)) == "rotated by -4 along axis 1");
  CHECK(layout(row, made(wide, [&](const Dims& at) {
                 const std::int64_t from = position(at, wide) - 2;
                 return from < 0 ? 0 : number(coordinates(from, wide));
               })) == "shifted by 2 elements in memory; 2 left");

  CHECK(layout(made({2, 6}, number), made({2, 6}, [](Dims at) {
                 at[1] = at[1] % 3 * 2 + at[1] / 3;
                 return number(at);
               })) == "3 groups interleaved along axis 1");

  const Dims turned{3, 4, 2};
  const auto transposed = [](const Dims& at) { return number({at[2], at[0], at[1]}); };
  CHECK(layout(right, made(turned, transposed)) == "transposed: 1,2,0");
  CHECK(layout(right, made(shape, [&](const Dims& at) {
                 return transposed(coordinates(position(at, shape), turned));
               })) == "written in the order of a transpose 1,2,0");
  CHECK(layout(right, made({6, 4}, [&](const Dims& at) {
                 return number(coordinates(position(at, Dims{6, 4}), shape));
               })) == "the right values in the shape [6,4]");
}

TEST_CASE("two differing elements, or equal ones, are no layout", "[explain][layout]") {
  const Tensor right = made({4}, number);
  CHECK(layout(right, made({4}, [](Dims at) { return at[0] >= 2 ? 0 : number(at); })).empty());
  const Tensor ones = made({2, 3}, [](const Dims&) { return 1; });
  CHECK(layout(ones, made({3, 2}, [](const Dims&) { return 1; })).empty());
  // One element that disproves a cause disproves it.
  const Tensor many = made({5, 6}, number);
  CHECK(layout(many, made({5, 6},
                          [](Dims at) {
                            if (at[0] == 4 && at[1] == 5) return 0.5;
                            at[1] -= 1;
                            return at[1] < 0 ? 0 : number(at);
                          }))
            .empty());
}

}  // namespace layout_test
