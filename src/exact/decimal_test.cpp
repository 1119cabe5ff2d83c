// SPDX-License-Identifier: Apache-2.0
#include "exact/decimal.h"

#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <cstdio>

#include "exact/rounding.h"

namespace opref::exact::decimal_test {
namespace {

/// All digits of a double, by the C library.
std::string all_digits(double value) {
  std::string text(400, '\0');
  text.resize(static_cast<size_t>(std::snprintf(text.data(), text.size(), "%.200f", value)));
  return text.substr(0, text.find_last_not_of('0') + 1);
}

/// A decimal just below one that ends with a non-zero digit; it has 20 digits more.
std::string just_below(std::string digits) {
  if (digits.back() == '.') digits += "0";
  size_t i = digits.size() - 1;
  while (digits[i] == '0' || digits[i] == '.') {
    if (digits[i] == '0') digits[i] = '9';
    --i;
  }
  --digits[i];
  return digits + std::string(20, '9');
}

std::string just_above(const std::string& digits) { return digits + std::string(40, '0') + "1"; }

/// Decimals at and closely around the midpoints above every `step`th pattern; they differ from the midpoint after the
/// digits of a double, so rounding through one fails.
int wrong_at_midpoints(DType dtype, unsigned infinity, unsigned step) {
  int bad = 0;
  for (unsigned pattern = 0; pattern + 1 < infinity; pattern += step) {
    const double midpoint = (floating_value(dtype, pattern) + floating_value(dtype, pattern + 1)) / 2;
    const std::string digits = all_digits(midpoint);
    bad += decimal_bits(dtype, false, digits) != pattern + (pattern & 1);
    bad += decimal_bits(dtype, false, just_below(digits)) != pattern;
    bad += decimal_bits(dtype, false, just_above(digits)) != pattern + 1;
  }
  return bad;
}

std::string shortest(DType dtype, std::uint64_t bits) { return shortest_decimal(dtype, bits).scientific(); }

}  // namespace

TEST_CASE("decimals around midpoints are rounded once", "[exact]") {
  CHECK(wrong_at_midpoints(DType::float16, 0x7c00, 3) == 0);
  CHECK(wrong_at_midpoints(DType::bfloat16, 0x7f80, 5) == 0);
  CHECK(wrong_at_midpoints(DType::float8_e4m3fn, 0x7f, 1) == 0);
  CHECK(wrong_at_midpoints(DType::float8_e4m3fnuz, 0x80, 1) == 0);
  CHECK(wrong_at_midpoints(DType::float8_e5m2, 0x7c, 1) == 0);
  CHECK(wrong_at_midpoints(DType::float8_e5m2fnuz, 0x80, 1) == 0);
  CHECK(wrong_at_midpoints(DType::float4_e2m1fn, 8, 1) == 0);
}

TEST_CASE("hard decimals of each kind", "[exact]") {
  // 1 + 2^-11 is the midpoint between the float16 numbers 3c00 and 3c01.
  CHECK(decimal_bits(DType::float16, false, "1.00048828125") == 0x3c00);
  CHECK(decimal_bits(DType::float16, false, "1.0004882812500000000000000000000000000000001") == 0x3c01);
  CHECK(decimal_bits(DType::float16, true, "1.00146484374999999999999999999999999999999999") == 0xbc01);
  CHECK(decimal_bits(DType::float16, true, "1.00146484375") == 0xbc02);
  // Half of the smallest subnormal, 2^-25.
  CHECK(decimal_bits(DType::float16, false, "2.98023223876953125e-8") == 0);
  CHECK(decimal_bits(DType::float16, false, "2.980232238769531250000000000000000000000000001e-8") == 1);
  CHECK(decimal_bits(DType::float16, true, "1e-400") == 0x8000);
  CHECK(decimal_bits(DType::float16, false, "65519.999999999999999999999999999999999999999") == 0x7bff);
  CHECK(decimal_bits(DType::float16, false, "65520") == 0x7c00);
  CHECK(decimal_bits(DType::float16, true, "1e400") == 0xfc00);
  CHECK(decimal_bits(DType::bfloat16, false, "1.00390625") == 0x3f80);
  CHECK(decimal_bits(DType::bfloat16, false, "1.003906250000000000000000000000000000000000001") == 0x3f81);
  // 2^-134 is half of bfloat16's smallest subnormal.
  CHECK(decimal_bits(DType::bfloat16, false, "4.5917748078995605780028770985e-41") == 0);
  CHECK(decimal_bits(DType::bfloat16, false, "4.5917748078995605780028770986e-41") == 1);
  // 1 + 2^-24: as a double it is a tie, so a detour through float64 would give 1.
  CHECK(decimal_bits(DType::float32, false, "1.000000059604644775390625") == 0x3f800000);
  CHECK(decimal_bits(DType::float32, false, "1.00000005960464477539062500000000000000000001") == 0x3f800001);
  CHECK(decimal_bits(DType::float64, false, "1.00000000000000011102230246251565404236316680908203125") == to_bits(1.0));
  CHECK(decimal_bits(DType::float64, false, "1.00000000000000011102230246251565404236316680908203126") ==
        to_bits(1.0) + 1);
  CHECK(decimal_bits(DType::float32, false, "1e39") == 0x7f800000);
  CHECK(decimal_bits(DType::float32, true, "1e-60") == 0x80000000);
  CHECK(decimal_bits(DType::float64, false, "4.9e-324") == 1);
  CHECK(decimal_bits(DType::float64, true, "1e400") == 0xfff0000000000000);
}

TEST_CASE("formats without infinity refuse what does not round to a finite number", "[exact]") {
  CHECK(decimal_bits(DType::float8_e4m3fn, false, "464") == 0x7e);
  CHECK(decimal_bits(DType::float8_e4m3fn, false, "464.00000000000000000000000000000000000000001") == std::nullopt);
  CHECK(decimal_bits(DType::float4_e2m1fn, true, "6.9999999999999999999999999999999999999999") == 0xf);
  CHECK(decimal_bits(DType::float4_e2m1fn, true, "7") == std::nullopt);
  CHECK(decimal_bits(DType::float8_e8m0fnu, false, "0") == std::nullopt);
  CHECK(decimal_bits(DType::float8_e8m0fnu, false, "2.99999999999999999999999999999999") == 0x80);
}

TEST_CASE("reading leaves the rounding mode as it was", "[exact]") {
  for (const int mode : {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD}) {
    std::fesetround(mode);
    const auto half = decimal_bits(DType::float16, false, "0.1");
    const auto single = decimal_bits(DType::float32, false, "0.1");
    const auto wide = decimal_bits(DType::float64, false, "0.3");
    const int after = std::fegetround();
    std::fesetround(FE_TONEAREST);
    CHECK(after == mode);
    CHECK(half == 0x2e66);
    CHECK(single == 0x3dcccccd);
    CHECK(wide == 0x3fd3333333333333);
  }
}

TEST_CASE("the shortest decimals are those of numpy 2.4.6", "[exact]") {
  // numpy.format_float_scientific(x, trim='-', exp_digits=2)
  CHECK(shortest(DType::float16, 0x2e66) == "1e-01");
  CHECK(shortest(DType::float16, 0x0001) == "6e-08");
  CHECK(shortest(DType::float16, 0x7bff) == "6.55e+04");
  CHECK(shortest(DType::float16, 0x5cb1) == "3.002e+02");
  CHECK(shortest(DType::float16, 0x2400) == "1.563e-02");
  CHECK(shortest(DType::float16, 0x5876) == "1.428e+02");  // 142.75, as near to 142.7
  CHECK(shortest(DType::float16, 0x5872) == "1.422e+02");  // 142.25, as near to 142.3
  CHECK(shortest(DType::float16, 0) == "0e+00");
  CHECK(shortest(DType::float32, 0x3dcccccd) == "1e-01");
  CHECK(shortest(DType::float32, 1) == "1e-45");
  CHECK(shortest(DType::float32, 0x7f7fffff) == "3.4028235e+38");
  CHECK(shortest(DType::float64, 1) == "5e-324");
  CHECK(shortest(DType::float64, 0x4415af1d78b58c40) == "1e+20");
  // Worked out with exact fractions: a power of two reaches further up than down.
  CHECK(shortest(DType::bfloat16, 0x5f80) == "1.85e+19");
  CHECK(shortest(DType::float8_e4m3fn, 0x20) == "1.3e-01");
  CHECK(shortest(DType::float8_e4m3fn, 0x7e) == "4.5e+02");
}

TEST_CASE("decimals are laid out fixed and scientific", "[exact]") {
  CHECK(Decimal{"12345", 2}.fixed() == "123.45");
  CHECK(Decimal{"12345", 4}.fixed() == "12345");
  CHECK(Decimal{"12", 3}.fixed() == "1200");
  CHECK(Decimal{"12", -3}.fixed() == "0.0012");
  CHECK(Decimal{"1", 0}.fixed() == "1");
  CHECK(Decimal{"12345", 2}.scientific() == "1.2345e+02");
  CHECK(Decimal{"1", -5}.scientific() == "1e-05");
  CHECK(Decimal{"25", 123}.scientific() == "2.5e+123");
  CHECK(Decimal{"12345", 2}.fixed_fraction() == 2);
  CHECK(Decimal{"12", 3}.fixed_fraction() == 0);
  CHECK(Decimal{"12", -3}.fixed_fraction() == 4);
  CHECK(Decimal{"12", -3}.scientific_fraction() == 1);
  CHECK(fixed_text(0.125, 2) == "0.12");
  CHECK(fixed_text(0.375, 2) == "0.38");
  CHECK(scientific_text(1234.5, 6) == "1.234500e+03");
  CHECK(fixed_text(1e300, 0).size() == 301);
}

}  // namespace opref::exact::decimal_test
