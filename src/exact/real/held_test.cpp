// SPDX-License-Identifier: Apache-2.0
#include "exact/real/held.h"

#include <catch2/catch.hpp>

namespace opref::exact::held_test {
namespace {

constexpr DType kFloats[] = {DType::float32, DType::float16, DType::bfloat16};

/// Whether float32 is right for a formula of x and z of these types.
template <class F>
bool is_right(DType x, DType z, DType y, const F& f) {
  Held::begin(y);
  return Held::is_right(f(Held::any(x), Held::any(z)));
}

}  // namespace

TEST_CASE("held: one operation of one type", "[real]") {
  for (const DType type : kFloats) {
    CHECK(is_right(type, type, type, [](const Held& x, const Held& z) { return x + z; }));
    CHECK(is_right(type, type, type, [](const Held& x, const Held& z) { return x * z; }));
    CHECK(is_right(type, type, type, [](const Held& x, const Held& z) { return x / z; }));
    CHECK(is_right(type, type, type, [](const Held& x, const Held&) { return sqrt(x) + Held(-0.0); }));
    CHECK(is_right(type, type, type, [](const Held& x, const Held& z) { return floor_mod(x, z); }));
    CHECK(is_right(type, type, type, [](const Held& x, const Held& z) { return max(abs(x), floor(z)) - z; }));
    CHECK(is_right(type, type, DType::boolean, [](const Held& x, const Held& z) { return x < z; }));
  }
}

TEST_CASE("held: what is rounded is not rounded again, nor compared", "[real]") {
  for (const DType type : kFloats) {
    CHECK(!is_right(type, type, type, [](const Held& x, const Held& z) { return x + z + x; }));
    CHECK(!is_right(type, type, type, [](const Held& x, const Held& z) { return floor(x / z); }));
    CHECK(!is_right(type, type, type, [](const Held& x, const Held& z) { return fmod(x / z, x); }));
    CHECK(!is_right(type, type, DType::boolean, [](const Held& x, const Held& z) { return x + z < z; }));
    CHECK(!is_right(type, type, type, [](const Held& x, const Held& z) {
      return choose(
          x + z < z, [&] { return x; }, [&] { return z; });
    }));
  }
  // 3·x of bfloat16's 8 bits has 10, but of float32's 24.
  const auto tripled = [](const Held& x, const Held& z) { return Held(3.0) * x + z; };
  CHECK(!is_right(DType::float32, DType::float32, DType::float32, tripled));
  CHECK(!is_right(DType::bfloat16, DType::bfloat16, DType::bfloat16, tripled));
}

TEST_CASE("held: numbers of other types, and constants", "[real]") {
  const auto product = [](const Held& x, const Held& z) { return x * z; };
  // 2^-25 + 2^-120 is 2^-25 in float32, a tie of float16's.
  const auto sum = [](const Held& x, const Held& z) { return x + z; };
  CHECK(!is_right(DType::bfloat16, DType::bfloat16, DType::float16, sum));
  CHECK(is_right(DType::int8, DType::float16, DType::float16, sum));
  CHECK(is_right(DType::float32, DType::float16, DType::float32, product));
  CHECK(is_right(DType::int8, DType::float16, DType::float16, product));  // 8 and 11 bits
  CHECK(is_right(DType::uint8, DType::bfloat16, DType::bfloat16, product));
  CHECK(!is_right(DType::uint16, DType::float16, DType::float16, product));  // 27, rounded twice
  CHECK(!is_right(DType::float32, DType::float16, DType::float16, product));
  for (const double alpha : {0.5, 0.75, 3.0}) {
    const auto scaled = [=](const Held& x, const Held&) { return Held(alpha) * x; };
    for (const DType type : kFloats) CHECK(is_right(type, type, type, scaled));
  }
  const auto by_float = [](const Held& x, const Held&) { return Held(static_cast<double>(0.01F)) * x; };
  CHECK(is_right(DType::float32, DType::float32, DType::float32, by_float));
  CHECK(!is_right(DType::float16, DType::float16, DType::float16, by_float));
  for (const DType type : kFloats)
    CHECK(!is_right(type, type, type, [](const Held& x, const Held&) { return max(Held(0.01), x); }));
  // 2^-24·2^-125 is a number of float32, half of it is none.
  const auto scaled_by = [](double c) { return [=](const Held& x, const Held& z) { return x * z * Held(c); }; };
  CHECK(is_right(DType::uint8, DType::float16, DType::float16, scaled_by(0x1p-125)));
  CHECK(!is_right(DType::uint8, DType::float16, DType::float16, scaled_by(0x1p-126)));
}

TEST_CASE("held: integers are whole, and a quotient that is rounded to float32 is a number", "[real]") {
  const auto quantized = [](std::optional<DType> precision) {
    return [=](const Held& x, const Held& z) { return round(rounded_to(quotient_to_odd(x, z), precision)) + z; };
  };
  CHECK(!is_right(DType::float32, DType::float32, DType::int8, quantized(DType::float32)));  // z is not whole
  const auto of_whole = [](const Held& x, const Held& z) {
    return round(rounded_to(x / Held(3.0), DType::float32)) + z;
  };
  for (const DType zero : {DType::int8, DType::uint8, DType::int16, DType::uint16})
    CHECK(is_right(DType::float32, zero, zero, of_whole));
  CHECK(is_right(DType::int8, DType::int8, DType::int8, quantized(DType::float32)));
  CHECK(!is_right(DType::int8, DType::int8, DType::int8, quantized(DType::float16)));
  CHECK(!is_right(DType::int8, DType::int8, DType::int8, quantized(std::nullopt)));
  CHECK(!is_right(DType::int8, DType::int8, DType::float16, quantized(DType::float32)));  // rounded twice from 2^24 on
  CHECK(!is_right(DType::float32, DType::float32, DType::int8, [](const Held& x, const Held&) { return x; }));
}

}  // namespace opref::exact::held_test
