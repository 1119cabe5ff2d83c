// SPDX-License-Identifier: Apache-2.0
#include "exact/convert.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace exact_convert_test {

using namespace opref::exact;

namespace {

std::uint64_t bits(double x, DType to, const Conversion& how = {}) { return converted(Number::of(x), to, how); }
std::string problem(const auto& f) {
  try {
    f();
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::invalid);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("float8 by the table of Cast's page", "[exact]") {
  const Conversion wraps{.saturates = false}, older{.infinity_is_nan_without = true};
  CHECK(bits(464, DType::float8_e4m3fn) == 0x7e);  // a tie to the even 448
  CHECK(bits(464, DType::float8_e4m3fn, wraps) == 0x7e);
  CHECK(bits(465, DType::float8_e4m3fn) == 0x7e);
  CHECK(bits(465, DType::float8_e4m3fn, wraps) == 0x7f);
  CHECK(bits(-HUGE_VAL, DType::float8_e4m3fn) == 0xfe);
  CHECK(bits(248, DType::float8_e4m3fnuz, wraps) == 0x80);
  CHECK(bits(248, DType::float8_e4m3fnuz) == 0x7f);
  CHECK(bits(HUGE_VAL, DType::float8_e4m3fnuz) == 0x7f);
  CHECK(bits(HUGE_VAL, DType::float8_e4m3fnuz, older) == 0x80);
  CHECK(bits(-1e-9, DType::float8_e4m3fnuz) == 0x00);  // it has no -0
  CHECK(bits(61440, DType::float8_e5m2, wraps) == 0x7c);
  CHECK(bits(61440, DType::float8_e5m2) == 0x7b);
  CHECK(bits(61439, DType::float8_e5m2, wraps) == 0x7b);
}

TEST_CASE("powers of two by round_mode", "[exact]") {
  using Power = Conversion::Power;
  CHECK(bits(3, DType::float8_e8m0fnu) == 129);
  CHECK(bits(4, DType::float8_e8m0fnu) == 129);
  CHECK(bits(3, DType::float8_e8m0fnu, {.power = Power::down}) == 128);
  CHECK(bits(3, DType::float8_e8m0fnu, {.power = Power::nearest}) == 129);
  CHECK(bits(2.5, DType::float8_e8m0fnu, {.power = Power::nearest}) == 128);
  CHECK(bits(0x1p-130, DType::float8_e8m0fnu) == 0);
  CHECK(bits(0x1p-130, DType::float8_e8m0fnu, {.saturates = false}) == 0xff);
  CHECK(bits(HUGE_VAL, DType::float8_e8m0fnu) == 0xfe);
  CHECK(bits(-1, DType::float8_e8m0fnu) == 0xff);
  CHECK(bits(-3, DType::float8_e8m0fnu, {.negative = Conversion::Negative::magnitude}) == 129);
}

TEST_CASE("integers beyond the range, of fractions and of no number", "[exact]") {
  using Beyond = Conversion::Beyond;
  using Fraction = Conversion::Fraction;
  CHECK(bits(300, DType::int8) == 44);
  CHECK(bits(-9, DType::int4) == 7);
  CHECK(bits(0x1p70, DType::int64) == 0);
  CHECK(bits(NAN, DType::int32) == 0);
  CHECK(bits(300, DType::int8, {.beyond = Beyond::saturate}) == 127);
  CHECK(bits(-300, DType::int8, {.beyond = Beyond::saturate}) == 0x80);
  CHECK(bits(-1, DType::uint8, {.beyond = Beyond::saturate}) == 0);
  CHECK(bits(0x1p64, DType::uint64, {.beyond = Beyond::saturate}) == ~std::uint64_t{0});
  CHECK(bits(0x1p63, DType::int64, {.beyond = Beyond::minimum}) == std::uint64_t{1} << 63);
  CHECK(bits(-128.9, DType::int8, {.beyond = Beyond::minimum}) == 0x80);
  CHECK(bits(2.5, DType::int8, {.fraction = Fraction::nearest}) == 2);
  CHECK(bits(3.5, DType::int8, {.fraction = Fraction::nearest}) == 4);
  CHECK(bits(0x1p-70, DType::int8, {.fraction = Fraction::nearest}) == 0);
  CHECK(bits(0.5000000001, DType::int8, {.fraction = Fraction::nearest}) == 1);
  CHECK(problem([] { bits(300, DType::int8, {.beyond = Beyond::reject}); }) == "300 is beyond the range of int8");
  CHECK(problem([] { bits(1.5, DType::int8, {.fraction = Fraction::reject}); }) == "1.5 is no whole number");
}

TEST_CASE("texts that are numbers, and numbers as texts", "[exact]") {
  CHECK(converted("18446744073709551617", DType::int64, {}) == 1);
  CHECK(converted("-1e1", DType::int8, {}) == 0xf6);
  CHECK(converted("1e99999999999999999999", DType::int64, {}) == 0);  // beyond MPFR's exponents
  CHECK(converted("1e99999999999999999999", DType::float32, {}) == 0x7f800000);
  CHECK(converted("1e999999999", DType::int64, {}) == 0);
  CHECK(converted("-iNf", DType::float32, {}) == 0xff800000);
  CHECK(converted("1.000488281250000000000000000001", DType::float16, {}) == 0x3c01);
  for (const char* text : {"", " 1", "1 ", "0x1", "1e", ".", "+-1", "infinity"})
    CHECK(problem([&] { converted(text, DType::float32, {}); }).ends_with("is no number"));
  CHECK(converted_to_text(DType::float32, 0x501502f9, {}) == "10000000000");
  CHECK(converted_to_text(DType::float32, 0x80000000, {}) == "-0");
  CHECK(converted_to_text(DType::int8, 0x80, {}) == "-128");
  CHECK(converted_to_text(DType::float32, 0x3f800000, {.digits = Conversion::Digits::repr}) == "1.0");
  CHECK(converted_to_text(DType::float64, 0x3fb999999999999a, {.digits = Conversion::Digits::eight}) == "0.1");
  CHECK(converted_to_text(DType::boolean, 1, {.truth_is_word = true}) == "True");
}

}  // namespace exact_convert_test
