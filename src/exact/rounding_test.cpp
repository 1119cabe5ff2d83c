// SPDX-License-Identifier: Apache-2.0
#include "exact/rounding.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace opref::exact::rounding_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A 16-bit pattern's value straight from the definition of IEEE 754-2019, 3.4.
double by_definition(unsigned bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int field = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const double magnitude = field == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                      : std::ldexp(1 + std::ldexp(fraction, -fraction_bits), field - bias);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

/// Every finite pattern, its midpoint to the next and one double place beside both; `want` is the pattern of the
/// nearest.
template <class T>
int mismatches(DType dtype, int exponent_bits) {
  int bad = 0;
  for (unsigned pattern = 0; pattern < infinity_bits<T>; ++pattern) {
    const double value = by_definition(pattern, exponent_bits);
    const double next = by_definition(pattern + 1, exponent_bits);
    const double midpoint = (value + next) / 2;
    const std::array<std::pair<double, unsigned>, 5> tests{{{value, pattern},
                                                            {std::nextafter(value, kInfinity), pattern},
                                                            {std::nextafter(midpoint, 0), pattern},
                                                            {midpoint, pattern + (pattern & 1)},
                                                            {std::nextafter(midpoint, kInfinity), pattern + 1}}};
    for (const auto& [number, want] : tests) {
      for (const unsigned sign : {0U, 0x8000U}) {
        const double signed_number = sign != 0 ? -number : number;
        const Scaled parts = scaled(signed_number);
        bad += to_bits(nearest<T>(signed_number)) != (want | sign);
        bad += to_bits(encode<T>(parts.negative, parts.significand, parts.exponent)) != (want | sign);
        bad += encode_bits(dtype, parts.negative, parts.significand, parts.exponent) != (want | sign);
      }
    }
  }
  return bad;
}

template <class T>
int wrong_widenings(DType dtype, int exponent_bits) {
  int bad = 0;
  for (unsigned pattern = 0; pattern <= 0xffff; ++pattern) {
    const double value = widen(from_bits<T>(static_cast<BitsOf<T>>(pattern)));
    const double by_dtype = floating_value(dtype, pattern);
    const unsigned magnitude = pattern & 0x7fff;
    if (magnitude > infinity_bits<T>) {
      bad += !std::isnan(value) || !std::isnan(by_dtype) || to_bits(nearest<T>(value)) != to_bits(quiet_nan<T>());
      continue;
    }
    const double expected = magnitude == infinity_bits<T> ? (pattern == magnitude ? kInfinity : -kInfinity)
                                                          : by_definition(pattern, exponent_bits);
    bad += to_bits(value) != to_bits(expected) || to_bits(by_dtype) != to_bits(expected);
    bad += to_bits(nearest<T>(value)) != pattern;
  }
  return bad;
}

}  // namespace

TEST_CASE("every f16 and bf16 value, midpoint and neighbouring double rounds to the nearest, ties to even", "[exact]") {
  CHECK(mismatches<Half>(DType::float16, 5) == 0);
  CHECK(mismatches<BFloat16>(DType::bfloat16, 8) == 0);
}

TEST_CASE("widen is exact and nearest inverts it", "[exact]") {
  CHECK(wrong_widenings<Half>(DType::float16, 5) == 0);
  CHECK(wrong_widenings<BFloat16>(DType::bfloat16, 8) == 0);
}

TEST_CASE("overflow begins half a place above the largest finite number", "[exact]") {
  CHECK(to_bits(nearest<Half>(std::nextafter(65520.0, 0))) == 0x7bff);
  CHECK(to_bits(nearest<Half>(65520.0)) == 0x7c00);
  CHECK(to_bits(nearest<Half>(-kInfinity)) == 0xfc00);
  CHECK(to_bits(nearest<Half>(1e300)) == 0x7c00);
  CHECK(to_bits(nearest<BFloat16>(0x1.ffp127)) == 0x7f80);
  CHECK(to_bits(nearest<BFloat16>(std::nextafter(0x1.ffp127, 0))) == 0x7f7f);
  CHECK(to_bits(nearest<float>(0x1.ffffffp127)) == 0x7f800000);
  CHECK(to_bits(nearest<float>(std::nextafter(0x1.ffffffp127, 0))) == 0x7f7fffff);
  CHECK(to_bits(nearest<Half>(std::nan(""))) == 0x7e00);
}

TEST_CASE("float and double round as the hardware does", "[exact]") {
  for (const double value :
       {1.0, 0.1, -0.1, 1e-40, 1e-46, 0x1.000001p0, 0x1.000003p0, 0x1p-150, 0x1.8p-149, 3e38, 1e39}) {
    CHECK(to_bits(nearest<float>(value)) == to_bits(static_cast<float>(value)));
    CHECK(to_bits(nearest<double>(value)) == to_bits(value));
  }
  // 2^64 - 1 of 64 bits, and a sticky bit below a tie.
  CHECK(encode<double>(false, ~std::uint64_t{0}, 0) == 0x1p64);
  CHECK(encode<double>(false, (std::uint64_t{1} << 63) + 1024, 0) == 0x1p63);
  CHECK(encode<double>(false, (std::uint64_t{1} << 63) + 1025, 0) == 0x1.0000000000001p63);
  CHECK(encode<double>(true, 0, 100) == 0.0);
  CHECK(std::signbit(encode<double>(true, 0, 100)));
  CHECK(encode<double>(false, 1, 5000) == kInfinity);
  CHECK(encode<double>(false, 1, -5000) == 0);
  CHECK(encode<double>(false, 3, -1075) == 0x1p-1073);
  // All 64 bits below float16's last place, 2^-24: a tie, a little more, and half of that.
  CHECK(to_bits(encode<Half>(false, std::uint64_t{1} << 63, -88)) == 0);
  CHECK(to_bits(encode<Half>(false, (std::uint64_t{1} << 63) + 1, -88)) == 1);
  CHECK(to_bits(encode<Half>(false, (std::uint64_t{1} << 63) + 1, -89)) == 0);
}

namespace {

/// Patterns 00 to 7f as float16 numbers, by ml_dtypes 0.6: arange(128, dtype=uint8).view(T).astype(float16).
struct Table {
  DType dtype;
  unsigned finite;  ///< patterns 0 to finite-1 are finite
  std::string_view float16;
};

constexpr Table kTables[] = {{DType::float8_e4m3fn, 127,
                              "000018001c001e00200021002200230024002480250025802600268027002780"
                              "28002880290029802a002a802b002b802c002c802d002d802e002e802f002f80"
                              "3000308031003180320032803300338034003480350035803600368037003780"
                              "38003880390039803a003a803b003b803c003c803d003d803e003e803f003f80"
                              "4000408041004180420042804300438044004480450045804600468047004780"
                              "48004880490049804a004a804b004b804c004c804d004d804e004e804f004f80"
                              "5000508051005180520052805300538054005480550055805600568057005780"
                              "58005880590059805a005a805b005b805c005c805d005d805e005e805f007e00"},
                             {DType::float8_e4m3fnuz, 128,
                              "0000140018001a001c001d001e001f0020002080210021802200228023002380"
                              "2400248025002580260026802700278028002880290029802a002a802b002b80"
                              "2c002c802d002d802e002e802f002f8030003080310031803200328033003380"
                              "3400348035003580360036803700378038003880390039803a003a803b003b80"
                              "3c003c803d003d803e003e803f003f8040004080410041804200428043004380"
                              "4400448045004580460046804700478048004880490049804a004a804b004b80"
                              "4c004c804d004d804e004e804f004f8050005080510051805200528053005380"
                              "5400548055005580560056805700578058005880590059805a005a805b005b80"},
                             {DType::float8_e5m2, 124,
                              "00000100020003000400050006000700080009000a000b000c000d000e000f00"
                              "10001100120013001400150016001700180019001a001b001c001d001e001f00"
                              "20002100220023002400250026002700280029002a002b002c002d002e002f00"
                              "30003100320033003400350036003700380039003a003b003c003d003e003f00"
                              "40004100420043004400450046004700480049004a004b004c004d004e004f00"
                              "50005100520053005400550056005700580059005a005b005c005d005e005f00"
                              "60006100620063006400650066006700680069006a006b006c006d006e006f00"
                              "70007100720073007400750076007700780079007a007b007c007e007e007e00"},
                             {DType::float8_e5m2fnuz, 128,
                              "000000800100018002000280030003800400050006000700080009000a000b00"
                              "0c000d000e000f0010001100120013001400150016001700180019001a001b00"
                              "1c001d001e001f0020002100220023002400250026002700280029002a002b00"
                              "2c002d002e002f0030003100320033003400350036003700380039003a003b00"
                              "3c003d003e003f0040004100420043004400450046004700480049004a004b00"
                              "4c004d004e004f0050005100520053005400550056005700580059005a005b00"
                              "5c005d005e005f0060006100620063006400650066006700680069006a006b00"
                              "6c006d006e006f0070007100720073007400750076007700780079007a007b00"}};

double entry(const Table& table, unsigned pattern) {
  const auto bits = std::stoul(std::string(table.float16.substr(size_t{4} * pattern, 4)), nullptr, 16);
  return by_definition(static_cast<unsigned>(bits), 5);
}

std::uint64_t rounded(DType dtype, double value) {
  const Scaled parts = scaled(value);
  return encode_bits(dtype, parts.negative, parts.significand, parts.exponent);
}

}  // namespace

TEST_CASE("8-bit floats have the values that ml_dtypes gives them", "[exact]") {
  for (const Table& table : kTables) {
    CAPTURE(to_text(table.dtype));
    for (unsigned pattern = 0; pattern < table.finite; ++pattern) {
      CAPTURE(pattern);
      CHECK(floating_value(table.dtype, pattern) == entry(table, pattern));
      if (pattern != 0) CHECK(floating_value(table.dtype, pattern | 0x80) == -entry(table, pattern));
    }
  }
  CHECK(std::isnan(floating_value(DType::float8_e4m3fn, 0x7f)));
  CHECK(std::isnan(floating_value(DType::float8_e4m3fn, 0xff)));
  CHECK(std::signbit(floating_value(DType::float8_e4m3fn, 0x80)));
  CHECK(std::isnan(floating_value(DType::float8_e4m3fnuz, 0x80)));
  CHECK(std::isnan(floating_value(DType::float8_e5m2fnuz, 0x80)));
  CHECK(floating_value(DType::float8_e5m2, 0x7c) == kInfinity);
  CHECK(floating_value(DType::float8_e5m2, 0xfc) == -kInfinity);
  for (const unsigned pattern : {0x7dU, 0x7eU, 0x7fU, 0xfdU, 0xfeU, 0xffU})
    CHECK(std::isnan(floating_value(DType::float8_e5m2, pattern)));
}

TEST_CASE("8-bit floats round to the nearest, ties to even", "[exact]") {
  for (const Table& table : kTables) {
    CAPTURE(to_text(table.dtype));
    for (unsigned pattern = 0; pattern + 1 < table.finite; ++pattern) {
      CAPTURE(pattern);
      const double value = entry(table, pattern);
      const double midpoint = (value + entry(table, pattern + 1)) / 2;
      CHECK(rounded(table.dtype, value) == pattern);
      CHECK(rounded(table.dtype, std::nextafter(midpoint, 0)) == pattern);
      CHECK(rounded(table.dtype, midpoint) == pattern + (pattern & 1));
      CHECK(rounded(table.dtype, std::nextafter(midpoint, kInfinity)) == pattern + 1);
      CHECK(rounded(table.dtype, -std::nextafter(midpoint, kInfinity)) == ((pattern + 1) | 0x80));
    }
  }
}

TEST_CASE("formats without infinity saturate; encode_finite tells", "[exact]") {
  const auto finite = [](DType dtype, double value) {
    const Scaled parts = scaled(value);
    return encode_finite(dtype, parts.negative, parts.significand, parts.exponent);
  };
  // The largest numbers are 448, 240 and 57344; half a place above them are 464 (even: 448), 248 and 61440.
  CHECK(finite(DType::float8_e4m3fn, 464) == 0x7e);
  CHECK(finite(DType::float8_e4m3fn, std::nextafter(464.0, 1e3)) == std::nullopt);
  CHECK(rounded(DType::float8_e4m3fn, 465) == 0x7e);
  CHECK(rounded(DType::float8_e4m3fn, -1e30) == 0xfe);
  CHECK(finite(DType::float8_e4m3fnuz, std::nextafter(248.0, 0)) == 0x7f);
  CHECK(finite(DType::float8_e4m3fnuz, 248) == std::nullopt);
  CHECK(rounded(DType::float8_e4m3fnuz, -248) == 0xff);
  CHECK(finite(DType::float8_e5m2fnuz, std::nextafter(61440.0, 0)) == 0x7f);
  CHECK(finite(DType::float8_e5m2fnuz, 61440) == std::nullopt);
  CHECK(rounded(DType::float8_e5m2, std::nextafter(61440.0, 0)) == 0x7b);
  CHECK(rounded(DType::float8_e5m2, 61440) == 0x7c);
  CHECK(finite(DType::float8_e5m2, 61440) == std::nullopt);
  CHECK(finite(DType::float64, 1e300) == to_bits(1e300));
}

TEST_CASE("zeros keep their sign where the format has two", "[exact]") {
  CHECK(rounded(DType::float8_e4m3fn, -0.0) == 0x80);
  CHECK(rounded(DType::float8_e5m2, -1e-30) == 0x80);
  CHECK(rounded(DType::float8_e4m3fnuz, -0.0) == 0);
  CHECK(rounded(DType::float8_e5m2fnuz, -1e-30) == 0);
  CHECK(rounded(DType::float16, -1e-30) == 0x8000);
}

TEST_CASE("float4_e2m1fn has the values that ml_dtypes 0.6 gives it", "[exact]") {
  const std::vector<double> values = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned pattern = 0; pattern < 8; ++pattern) {
    CHECK(to_bits(floating_value(DType::float4_e2m1fn, pattern)) == to_bits(values[pattern]));
    CHECK(to_bits(floating_value(DType::float4_e2m1fn, pattern | 8)) == to_bits(-values[pattern]));
    CHECK(rounded(DType::float4_e2m1fn, -values[pattern]) == (pattern | 8));
  }
  CHECK(rounded(DType::float4_e2m1fn, 0.25) == 0);
  CHECK(rounded(DType::float4_e2m1fn, 0.75) == 2);
  CHECK(rounded(DType::float4_e2m1fn, 2.5) == 4);
  CHECK(rounded(DType::float4_e2m1fn, 5) == 6);
  CHECK(rounded(DType::float4_e2m1fn, 5.5) == 7);
  CHECK(rounded(DType::float4_e2m1fn, -100) == 15);
}

TEST_CASE("float6: every pattern is a number", "[exact]") {
  // OCP microscaling formats 1.0, table 2: e2m3 from 0.125 to 7.5, e3m2 from 0.0625 to 28, neither NaN nor infinity.
  for (const auto& [dtype, fraction_bits, least, most] :
       {std::tuple(DType::float6_e2m3fn, 3, 0.125, 7.5), std::tuple(DType::float6_e3m2fn, 2, 0.0625, 28.0)}) {
    for (unsigned pattern = 0; pattern < 32; ++pattern) {
      const double value = floating_value(dtype, pattern);
      const double step = std::ldexp(least, std::max(1, static_cast<int>(pattern >> fraction_bits)) - 1);
      if (pattern < 31) CHECK(floating_value(dtype, pattern + 1) == value + step);
      CHECK(rounded(dtype, value) == pattern);
      CHECK(rounded(dtype, value + 0.49 * step) == pattern);
      CHECK(to_bits(floating_value(dtype, pattern | 32)) == to_bits(-value));
    }
    CHECK(floating_value(dtype, 0) == 0);
    CHECK(floating_value(dtype, 31) == most);
    CHECK(rounded(dtype, -1e9) == 63);
    CHECK(nan_of(dtype) == std::nullopt);
    CHECK(infinity_of(dtype, false) == std::nullopt);
  }
}

TEST_CASE("float8_e8m0fnu is the powers of two from 2^-127 to 2^127", "[exact]") {
  for (int pattern = 0; pattern < 255; ++pattern) {
    const double value = std::ldexp(1.0, pattern - 127);
    CHECK(floating_value(DType::float8_e8m0fnu, static_cast<unsigned>(pattern)) == value);
    CHECK(rounded(DType::float8_e8m0fnu, value) == static_cast<unsigned>(pattern));
    if (pattern == 254) continue;
    CHECK(rounded(DType::float8_e8m0fnu, std::nextafter(1.5 * value, 0)) == static_cast<unsigned>(pattern));
    // One significant bit, 1, is odd; so a tie goes to the greater power, as in ml_dtypes 0.6 and ONNX's Cast.
    CHECK(rounded(DType::float8_e8m0fnu, 1.5 * value) == static_cast<unsigned>(pattern + 1));
  }
  CHECK(std::isnan(floating_value(DType::float8_e8m0fnu, 0xff)));
  CHECK(rounded(DType::float8_e8m0fnu, 1e-300) == 0);
  CHECK(rounded(DType::float8_e8m0fnu, 0) == 0xff);
  CHECK(rounded(DType::float8_e8m0fnu, -2) == 0xff);
  CHECK(rounded(DType::float8_e8m0fnu, 0x1p128) == 0xfe);
}

TEST_CASE("the computed NaN and the infinities of each format", "[exact]") {
  // NaNs: ml_dtypes 0.6 and numpy 2.4.6, array([nan], T).
  CHECK(nan_of(DType::float16) == 0x7e00);
  CHECK(nan_of(DType::bfloat16) == 0x7fc0);
  CHECK(nan_of(DType::float32) == 0x7fc00000);
  CHECK(nan_of(DType::float64) == 0x7ff8000000000000);
  CHECK(nan_of(DType::float8_e4m3fn) == 0x7f);
  CHECK(nan_of(DType::float8_e5m2) == 0x7e);
  CHECK(nan_of(DType::float8_e4m3fnuz) == 0x80);
  CHECK(nan_of(DType::float8_e5m2fnuz) == 0x80);
  CHECK(nan_of(DType::float8_e8m0fnu) == 0xff);
  CHECK(nan_of(DType::float4_e2m1fn) == std::nullopt);
  CHECK(infinity_of(DType::float8_e5m2, true) == 0xfc);
  CHECK(infinity_of(DType::float16, false) == 0x7c00);
  CHECK(infinity_of(DType::float64, true) == 0xfff0000000000000);
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e4m3fnuz, DType::float8_e5m2fnuz, DType::float8_e8m0fnu,
                            DType::float4_e2m1fn})
    CHECK(infinity_of(dtype, false) == std::nullopt);
}

TEST_CASE("elements are found in packed and in wide tensors", "[exact]") {
  const std::array<std::uint8_t, 2> bytes{0xe4, 0x5b};
  const Tensor twos = Tensor::of<std::uint8_t>(DType::uint2, {7}, bytes);
  const std::array<std::uint64_t, 7> expected{0, 1, 2, 3, 3, 2, 1};
  for (int i = 0; i < 7; ++i) CHECK(element_bits(twos, i) == expected[static_cast<size_t>(i)]);
  const Tensor fours = Tensor::of<std::uint8_t>(DType::float4_e2m1fn, {3}, bytes);
  CHECK(floating_element(fours, 0) == 2);
  CHECK(floating_element(fours, 1) == -4);
  CHECK(floating_element(fours, 2) == -1.5);
  const std::array<std::uint8_t, 4> sixes{0xc8, 0x1f, 0x4c, 0x20};
  const Tensor e2m3 = Tensor::of<std::uint8_t>(DType::float6_e2m3fn, {5}, sixes);
  const std::array<double, 5> values{1, -7.5, 0.125, 2.75, -0.0};
  for (int i = 0; i < 5; ++i) CHECK(to_bits(floating_element(e2m3, i)) == to_bits(values[static_cast<size_t>(i)]));
  const std::array<std::uint16_t, 2> halves{0x3c00, 0xc100};
  CHECK(floating_element(Tensor::of<std::uint16_t>(DType::float16, {2}, halves), 1) == -2.5);
  CHECK(element_bits(Tensor::of<std::uint16_t>(DType::int16, {2}, halves), 1) == 0xc100);
  CHECK(floating_element(Tensor::of<std::uint16_t>(DType::bfloat16, {2}, halves), 1) == -8);
  const std::array<double, 2> doubles{1, -0.1};
  CHECK(floating_element(Tensor::of<double>(DType::float64, {2}, doubles), 1) == -0.1);
  CHECK(element_bits(Tensor::of<double>(DType::complex64, {2}, doubles), 1) == to_bits(-0.1));
  CHECK_THROWS_AS(element_bits(Tensor::of<double>(DType::complex128, {1}, doubles), 0), Error);
  CHECK_THROWS_AS(floating_value(DType::int8, 0), Error);
}

}  // namespace opref::exact::rounding_test
