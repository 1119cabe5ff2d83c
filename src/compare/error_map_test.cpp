// SPDX-License-Identifier: Apache-2.0
#include "compare/error_map.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"

namespace opref::compare::error_map_test {
namespace {

using Cells = std::vector<std::uint8_t>;
using Indices = std::vector<std::int64_t>;

Tensor floats(const Dims& shape, const std::vector<std::pair<Dims, float>>& elements, float rest = 1) {
  std::vector<float> values(static_cast<size_t>(element_count(shape)), rest);
  for (const auto& [at, value] : elements) values[static_cast<size_t>(position(at, shape))] = value;
  return Tensor::of<float>(DType::float32, shape, values);
}

TEST_CASE("A cell tells the distance and whether the element passes", "[compare]") {
  const Dims shape{2, 3, 2, 4};
  // Plane 1: 1 ULP, which passes, and 3 ULP. Plane 4: NaN, and 2 (2^23 ULP). Plane 5: 1 ULP only.
  const Tensor actual = floats(shape, {{{0, 1, 0, 1}, 0x1.000002p0F},
                                       {{0, 1, 1, 3}, 0x1.000006p0F},
                                       {{1, 1, 0, 0}, std::nanf("")},
                                       {{1, 1, 1, 2}, 2},
                                       {{1, 2, 0, 0}, 0x1.000002p0F}});
  const ErrorMap map = error_map(actual, floats(shape, {}), {.rule = Tolerance::Rule::ulp, .ulp = 1}).value();
  CHECK(map.outer == Dims{2, 3});
  CHECK(map.rows == 2);
  CHECK(map.columns == 4);
  CHECK(map.row_step == 1);
  CHECK(map.column_step == 1);
  CHECK(map.planes == 2);
  CHECK(map.plane_indices == Indices{1, 4});
  CHECK(map.cells == Cells{0, 1, 0, 0, 0, 0, 0, 128 + 2, 128 + 65, 0, 0, 0, 0, 0, 128 + 24, 0});
  CHECK_FALSE(error_map(actual, floats(shape, {}), {.rule = Tolerance::Rule::relative, .atol = -0.0}) == std::nullopt);
  const Dims one{1, 1, 2, 4};
  CHECK(error_map(floats(one, {{{0, 0, 0, 0}, 2}}), floats(one, {}), {.rule = Tolerance::Rule::relative, .atol = 1}) ==
        std::nullopt);
}

TEST_CASE("A map has at most 32 planes of 128x128 cells", "[compare]") {
  const Dims shape{40, 300, 129};
  std::vector<std::pair<Dims, float>> wrong;
  for (std::int64_t n = 3; n < 40; ++n) wrong.push_back({{n, n, 128}, 2});
  wrong.push_back({{3, 5, 128}, 0x1.000002p0F});  // better than its neighbour in the same cell
  wrong.push_back({{3, 299, 0}, 3});
  const ErrorMap map = error_map(floats(shape, wrong), floats(shape, {}), {}).value();
  CHECK(map.row_step == 3);
  CHECK(map.column_step == 2);
  CHECK(map.planes == 32);
  CHECK(map.plane_indices.front() == 3);
  CHECK(map.plane_indices.back() == 34);
  REQUIRE(map.cells.size() == size_t{32} * 100 * 65);
  CHECK(map.cells[1 * 65 + 64] == 128 + 24);  // row 3, column 128
  CHECK(map.cells[99 * 65] == 128 + 24);      // 3 is 1.5 * 2^23 floats above 1
  CHECK(map.cells[100 * 65 + 1 * 65 + 64] == 128 + 24);
}

TEST_CASE("By the bound, the elements that are beyond it fail", "[compare]") {
  const Tensor expected = Tensor::of<std::int8_t>(DType::int8, {4}, std::vector<std::int8_t>{0, 0, 0, 0});
  const Tensor actual = Tensor::of<std::int8_t>(DType::int8, {4}, std::vector<std::int8_t>{0, 1, 3, -1});
  const Tolerance bound{.rule = Tolerance::Rule::bound};
  CHECK(error_map(actual, expected, bound, Indices{2}).value().cells == Cells{0, 1, 128 + 2, 1});
  CHECK(error_map(floats({3}, {{{1}, 2}, {{2}, 4}}), floats({3}, {}), bound, Indices{1}).value().cells ==
        Cells{0, 128 + 24, 25});
}

TEST_CASE("Maps of tensors of every rank and type", "[compare]") {
  const ErrorMap row = error_map(floats({3}, {{{1}, 2}}), floats({3}, {}), {}).value();
  CHECK(row.outer == Dims{});
  CHECK(row.rows == 1);
  CHECK(row.columns == 3);
  CHECK(row.cells == Cells{0, 128 + 24, 0});
  const ErrorMap scalar = error_map(floats({}, {{{}, 2}}), floats({}, {}), {}).value();
  CHECK(scalar.cells == Cells{128 + 24});
  CHECK(scalar.plane_indices == Indices{0});
  const ErrorMap strings = error_map(Tensor(Dims{2}, {"a", "b"}), Tensor(Dims{2}, {"a", "c"}), {}).value();
  CHECK(strings.cells == Cells{0, 128 + 65});
  // Zeros of two signs are different bits, 0 ULP apart.
  CHECK(error_map(floats({1}, {{{0}, -0.0F}}), floats({1}, {}, 0), {}).value().cells == Cells{128});
  const std::byte packed[] = {std::byte{0x21}, std::byte{0x43}}, other[] = {std::byte{0x21}, std::byte{0x53}};
  const auto nibbles = [](std::span<const std::byte> bytes) {
    return Tensor::copy_of({DType::int4, Dims{2, 2}}, bytes);
  };
  CHECK(error_map(nibbles(other), nibbles(packed), {}).value().cells == Cells{0, 0, 0, 128 + 1});

  CHECK(error_map(floats({1}, {}), floats({2}, {}), {}) == std::nullopt);
  CHECK(error_map(floats({0, 3}, {}), floats({0, 3}, {}), {}) == std::nullopt);
  CHECK(error_map(floats({1}, {}), Tensor(Dims{1}, {"1"}), {}) == std::nullopt);
  CHECK_THROWS_AS(error_map(floats({1}, {}), floats({1}, {}), {.rule = Tolerance::Rule::ulp, .ulp = -1}), Error);
}

}  // namespace
}  // namespace opref::compare::error_map_test
