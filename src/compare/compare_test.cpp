// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "compare/compare_testing.h"
#include "core/error.h"
#include "core/map.h"

namespace opref::compare::compare_test {
namespace {

// Counted by hand in the formats' lists of values.

TEST_CASE("Distances are steps between values of the type", "[compare]") {
  CHECK(ulp_between(DType::float32, 0x40000000, 0x3f800000) == 8388608);
  CHECK(ulp_between(DType::float32, 0x80000000, 0) == 0);
  CHECK(ulp_between(DType::float32, 1, 0x80000001) == 2);
  CHECK(ulp_between(DType::float16, 0xfbff, 0x7bff) == 2 * 31743);
  CHECK(ulp_between(DType::bfloat16, 0x3f80, 0x3f7f) == 1);
  CHECK(ulp_between(DType::float64, 0xffefffffffffffff, 0x7fefffffffffffff) == 0xffdffffffffffffe);
  CHECK(ulp_between(DType::float8_e4m3fn, 0x7e, 0xfe) == 252);
  CHECK(ulp_between(DType::float8_e4m3fnuz, 0x7f, 0xff) == 254);
  CHECK(ulp_between(DType::float8_e4m3fnuz, 0x81, 0x01) == 2);  // between them only 0: 0x80 is NaN
  CHECK(ulp_between(DType::float8_e5m2, 0x7b, 0x00) == 123);
  CHECK(ulp_between(DType::float8_e8m0fnu, 0, 254) == 254);
  CHECK(ulp_between(DType::float4_e2m1fn, 0xf, 0x7) == 14);
  CHECK(ulp_between(DType::int8, 0x80, 0x7f) == 255);
  CHECK(ulp_between(DType::int4, 0x8, 0x7) == 15);
  CHECK(ulp_between(DType::uint2, 3, 0) == 3);
  CHECK(ulp_between(DType::int64, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1) == ~std::uint64_t{0});
  CHECK(ulp_between(DType::uint64, 0, ~std::uint64_t{0}) == ~std::uint64_t{0});
  CHECK(ulp_between(DType::float32, 0x7f800000, 0x7f7fffff) == std::nullopt);
  CHECK(ulp_between(DType::float32, 0x7fc00000, 0x7f800000) == std::nullopt);
  CHECK(ulp_between(DType::boolean, 1, 0) == std::nullopt);
}

TEST_CASE("The greatest number of ULP does not pass everything", "[compare]") {
  const Tolerance most = within_ulp(INT64_MAX);
  CHECK(passes(int64s({INT64_MAX}), int64s({0}), most));
  CHECK_FALSE(passes(int64s({INT64_MAX}), int64s({-1}), most));
  CHECK_FALSE(passes(vector_of<std::uint64_t>(DType::uint64, {UINT64_MAX}),
                     vector_of<std::uint64_t>(DType::uint64, {0}), most));
  CHECK(passes(kMax, 0, most));
  CHECK_FALSE(passes(kMax, -kMax, most));
  CHECK_FALSE(passes(kInfinity, kMax, most));
  CHECK_FALSE(passes(kInfinity, -kInfinity, most));
  CHECK_FALSE(passes(kNan, 1, most));
}

// What other comparators get wrong.
TEST_CASE("No rule lets a value through because of what is expected", "[compare]") {
  for (const Tolerance& tolerance :
       {exactly(), within_ulp(4), relative(1e-3, 1e-7), relative(10, 1e300), relative(kMax, kMax)}) {
    INFO(to_text(tolerance));
    for (const double wrong : {0.0, 1.0, kMax, -kInfinity, kNan}) CHECK_FALSE(passes(wrong, kInfinity, tolerance));
    for (const double wrong : {0.0, 1.0, kMax, kInfinity}) CHECK_FALSE(passes(wrong, kNan, tolerance));
    CHECK_FALSE(passes(kNan, 0, tolerance));
    CHECK_FALSE(passes(kInfinity, kMax, tolerance));
    CHECK(passes(kInfinity, kInfinity, tolerance));
    CHECK(passes(-kInfinity, -kInfinity, tolerance));
    CHECK(passes(kNan, -kNan, tolerance));
    CHECK_FALSE(passes(floats({1}), vector_of<std::int32_t>(DType::int32, {1}), tolerance));
  }
  for (const Tolerance& tolerance : {exactly(), within_ulp(4), relative(0.5, 4)}) {
    INFO(to_text(tolerance));
    CHECK_FALSE(passes(5, 0, tolerance));
    for (const DType dtype : {DType::uint8, DType::uint16, DType::uint32, DType::uint64, DType::uint4})
      CHECK_FALSE(passes(from_codes(dtype, {5}), from_codes(dtype, {0}), tolerance));
  }
  const std::int64_t large = std::int64_t{1} << 53;
  for (const Tolerance& tolerance : {exactly(), within_ulp(0), relative(0, 0), relative(0, 0.999)}) {
    INFO(to_text(tolerance));
    CHECK_FALSE(passes(int64s({large + 1}), int64s({large}), tolerance));
    CHECK_FALSE(passes(int64s({large}), int64s({large + 1}), tolerance));
  }
  CHECK(passes(int64s({large + 1}), int64s({large}), within_ulp(1)));
  // Absolute and relative error are added up, not tried one after the other, nor is one of them enough to fail.
  CHECK(passes(1.75, 1, relative(0.5, 0.25)));
  CHECK_FALSE(passes(1.76, 1, relative(0.5, 0.25)));
  CHECK(passes(100.5, 100, relative(0.01, 0.25)));
  CHECK(passes(0.25, 0, relative(0.01, 0.25)));
  // The allowance follows the expected value, not the actual one.
  CHECK(passes(1, 2, relative(0.5, 0)));
  CHECK_FALSE(passes(2, 1, relative(0.5, 0)));
}

// The official ONNX rule, which `--rtol 1e-3 --atol 1e-7` states, next to the rules that see what it lets through.
TEST_CASE("What ONNX's official rule lets through", "[compare]") {
  const Tolerance official = relative(1e-3, 1e-7);
  for (const Tolerance& tolerance : {exactly(), within_ulp(4)}) {
    INFO(to_text(tolerance));
    CHECK_FALSE(passes(1e-8, 9e-8, tolerance));
    CHECK_FALSE(passes(floats({1e-8F}), floats({9e-8F}), tolerance));
  }
  CHECK(passes(1e-8, 9e-8, official));  // the user's atol says so
  CHECK_FALSE(passes(1e-8, 9e-8, relative(1e-3, 0)));
  // Types are the rule's business too, and integers have no rounding: 2^53 + 1 is another number.
  const std::int64_t large = std::int64_t{1} << 53;
  CHECK_FALSE(passes(floats({7}), vector_of<std::int32_t>(DType::int32, {7}), official));
  CHECK_FALSE(passes(int64s({large + 1}), int64s({large}), official));
}

TEST_CASE("The relative rule rounds nothing", "[compare]") {
  const auto below = [](double x) { return std::nextafter(x, 0); };
  // 3 times the double next to 1/3 is 1 - 2^-54, and 1 in double arithmetic.
  CHECK_FALSE(passes(4, 3, relative(1.0 / 3, 0)));
  CHECK(passes(4, 3, relative(std::nextafter(1.0 / 3, 1), 0)));
  // |1 + 2^-60| is more than 1, but rounds to it.
  CHECK_FALSE(passes(1, -0x1p-60, relative(0, 1)));
  CHECK(passes(1, 0x1p-60, relative(0, 1)));
  CHECK(passes(1, 0, relative(0, 1)));
  CHECK_FALSE(passes(1, 0, relative(0, below(1))));
  // 0.1 is a little more than 1/10.
  CHECK(passes(11, 10, relative(0.1, 0)));
  CHECK_FALSE(passes(11, 10, relative(below(0.1), 0)));
  CHECK_FALSE(passes(1.1, 1, relative(0, 0.1)));
  // Found by a search with Python's fractions.Fraction: plain double arithmetic decides the opposite of each.
  CHECK_FALSE(
      passes(-0x1.3d0b7ccce17f3p+3, -0x1.fffc99fad25eep+0, relative(0x1.e2bf77ff9c744p+1, 0x1.75b8f6bacbe2ap-2)));
  CHECK_FALSE(
      passes(0x1.e135e01c8f939p+1, -0x1.260340e18aac4p+1, relative(0x1.19c5a53d59784p+1, 0x1.0000000000003p+0)));
  CHECK(passes(-0x1.9b17814821dbep+3, -0x1.49a01fd72627dp+1, relative(0x1.f36ea1d890940p+1, 0x1.c9ac2c42b1014p-3)));
  CHECK(passes(0x1.9752b93bf2a52p+1, -0x1.e2f9ede0f8e02p+0, relative(0x1.410c6e715ff21p+1, 0x1.58e6c68737634p-2)));
  // At both ends of the range: the difference and the allowance overflow, the product underflows.
  CHECK(passes(kMax, -kMax, relative(2, 0)));
  CHECK_FALSE(passes(kMax, -kMax, relative(below(2), 0)));
  CHECK(passes(kMax, -kMax, relative(1, kMax)));
  CHECK_FALSE(passes(kMax, -kMax, relative(1, below(kMax))));
  CHECK(passes(0x1p-1074, 0, relative(0, 0x1p-1074)));
  CHECK_FALSE(passes(0x1p-1073, 0x1p-1074, relative(0.75, 0)));
  CHECK_FALSE(passes(0, 0x1p-1074, relative(0.75, 0)));
  CHECK_FALSE(passes(0, 0x1p-1074, relative(below(1), 0)));
  CHECK(passes(0, 0x1p-1074, relative(1, 0)));
  CHECK(passes(0.0, -0.0, relative(0, 0)));
}

TEST_CASE("Integers have no rtol", "[compare]") {
  const Tolerance official = relative(1e-3, 1e-7);
  CHECK_FALSE(passes(int64s({815730752}), int64s({815730721}), official));
  CHECK_FALSE(passes(int64s({1}), int64s({0}), relative(10, 10)));
  CHECK(passes(int64s({815730721}), int64s({815730721}), official));
  CHECK_FALSE(passes(int64s({815730752}), vector_of<std::int32_t>(DType::int32, {815730721}), any_dtype(official)));
  CHECK(passes(doubles({815730752}), int64s({815730721}), any_dtype(official)));  // floating numbers have one
  CHECK(to_text(rule_for(DType::int8, DType::uint8, any_dtype(official))) == "exact, any dtype");
  CHECK(to_text(rule_for(DType::boolean, DType::boolean, official)) == "exact");
  CHECK(to_text(rule_for(DType::int64, DType::int64, within_ulp(3))) == "3 ULP");
  CHECK(to_text(rule_for(DType::complex64, DType::complex64, official)) == "rtol 0.001, atol 1e-07");
}

TEST_CASE("An atol above most expected numbers is told", "[compare]") {
  const auto small = [](const Tensor& actual, const Tensor& expected) {
    return compare_values(actual, expected, relative(1e-3, 1e-7)).below_atol;
  };
  CHECK(small(doubles({0, 0, 0, 1}), doubles({1e-9, -1e-7, 0, 1})) == 2);  // of 3 that are not 0
  CHECK(small(doubles({0, 0, 1, 1}), doubles({1e-9, -1e-7, 1, 1})) == 0);  // half of them
  CHECK(small(doubles({1e-9, 1e-9}), doubles({1e-9, 1e-9})) == 0);         // nothing differs
  CHECK(small(doubles({0}), doubles({kNan})) == 0);
  CHECK(compare_values(doubles({0}), doubles({1e-9}), exactly()).below_atol == 0);
  Comparison comparison = compare_values(doubles({0, 0}), doubles({1e-9, 2e-9}), relative(1e-3, 1e-7));
  CHECK(
      below_atol_text(comparison) ==
      "2 expected numbers, most of those that are not 0, are no greater than atol: this rule cannot tell them from 0");
  comparison.below_atol = 0;
  CHECK(below_atol_text(comparison).empty());
}

TEST_CASE("The counts say how far elements are apart", "[compare]") {
  const Tensor expected = floats({1, 1, 1, -0.0F, std::nanf("1"), 1, 5});
  const Tensor actual = floats({1, 0x1.000002p0F, 0x1.000004p0F, 0, std::nanf("2"), -1, 5});
  const Comparison comparison = compare_values(actual, expected, within_ulp(1));
  CHECK_FALSE(comparison.equal());
  CHECK(comparison.count == 7);
  CHECK(comparison.mismatches == 2);
  CHECK(comparison.bit_equal == 2);
  CHECK(comparison.within_one_ulp == 5);
  CHECK(comparison.max_ulp == 2 * 0x3f800000);
  CHECK(comparison.first->index == Dims{2});
  CHECK(comparison.worst->index == Dims{5});
  CHECK(comparison.worst->absolute == 2);
  CHECK(comparison.worst->relative == 2);
  CHECK(compare_values(actual, expected, exactly()).mismatches == 4);
  CHECK(compare_values(actual, expected, exactly(true)).mismatches == 5);
}

TEST_CASE("The worst mismatch is the worst by the rule's own measure", "[compare]") {
  const Tensor expected = doubles({1e-300, 1e10, 1, 1, 0});
  const Tensor actual = doubles({2e-300, 2e10, 1.5, 1.25, 0.5});
  const auto worst = [](const Tensor& a, const Tensor& e, const Tolerance& tolerance) {
    return compare_values(a, e, tolerance).worst->index[0];
  };
  CHECK(worst(actual, expected, within_ulp(0)) == 4);       // all values below 0.5 lie between
  CHECK(worst(actual, expected, relative(0, 0.1)) == 1);    // by the difference
  CHECK(worst(actual, expected, relative(0.1, 0)) == 4);    // nothing is allowed beside 0
  CHECK(worst(actual, expected, relative(0.1, 0.1)) == 1);  // 1e10 / (0.1 + 1e9)
  CHECK(worst(actual, expected, relative(0, 0)) == 1);      // all without allowance: by the difference
  for (const Tolerance& tolerance : {exactly(), within_ulp(3), relative(0, 0), relative(0.1, 0.1)}) {
    const Comparison comparison =
        compare_values(doubles({1e308, 1, 1, 1, 1}), doubles({-1e308, 1, kInfinity, kNan, 1}), tolerance);
    CHECK(comparison.first->index == Dims{0});
    CHECK(comparison.worst->index == Dims{2});
    CHECK(comparison.worst->absolute == kInfinity);
    CHECK(comparison.worst->ulp == std::nullopt);
  }
}

TEST_CASE("Errors of a mismatch are rounded once", "[compare]") {
  const auto mismatch = [](const Tensor& a, const Tensor& e) { return compare_values(a, e, exactly()).first.value(); };
  CHECK(mismatch(int64s({INT64_MAX}), int64s({INT64_MAX - 3})).absolute == 3);
  CHECK(mismatch(int64s({INT64_MIN}), int64s({INT64_MAX})).absolute == 0x1p64);
  CHECK(mismatch(int64s({INT64_MAX}), int64s({-1025})).absolute == 0x1p63);  // 2^63 + 1024, halfway to 2^63 + 2048
  CHECK(mismatch(doubles({1}), doubles({-0x1p-54})).absolute == 1);
  CHECK(mismatch(doubles({1}), doubles({0})).relative == kInfinity);
  CHECK(mismatch(doubles({0.0}), doubles({-0.0})).absolute == 0);
  CHECK(mismatch(doubles({0.0}), doubles({-0.0})).relative == 0);
  CHECK(mismatch(doubles({3}), doubles({-4})).relative == 1.75);
}

TEST_CASE("Complex numbers are compared by parts", "[compare]") {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const auto pair = [](DType dtype, double real, double imaginary) {
    if (dtype == DType::complex128)
      return from_codes(dtype, {std::bit_cast<std::uint64_t>(real), std::bit_cast<std::uint64_t>(imaginary)});
    return from_codes(dtype, {std::bit_cast<std::uint32_t>(static_cast<float>(real)),
                              std::bit_cast<std::uint32_t>(static_cast<float>(imaginary))});
  };
  const std::vector<double> parts = {nan, infinity, -infinity, 0.0, -0.0, 1, 1.5, -1};
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const DType part = dtype == DType::complex64 ? DType::float32 : DType::float64;
    const auto part_of = [part](double value) {
      return part == DType::float64 ? doubles({value}) : floats({static_cast<float>(value)});
    };
    for (const Tolerance& tolerance : {exactly(), within_ulp(0), relative(0, 0.5), relative(0.6, 0)})
      for (const double r : parts)
        for (const double i : parts)
          for (const double er : {1.0, static_cast<double>(nan), 0.0})
            for (const double ei : {-0.0, -static_cast<double>(nan), static_cast<double>(infinity), 1.5}) {
              const bool both =
                  passes(part_of(r), part_of(er), tolerance) && passes(part_of(i), part_of(ei), tolerance);
              if (passes(pair(dtype, r, i), pair(dtype, er, ei), tolerance) == both) continue;
              FAIL_CHECK(name(dtype) << " " << to_text(tolerance) << " " << r << " " << i << ", expected " << er << " "
                                     << ei);
            }
  }
  const Comparison comparison =
      compare_values(from_codes(DType::complex64, {0x3f800000, 0x3f800000, 0, 0x3f800002}),
                     from_codes(DType::complex64, {0x3f800000, 0x3f800001, 0, 0x3f800000}), exactly());
  CHECK(comparison.count == 2);
  CHECK(comparison.mismatches == 2);
  CHECK(comparison.within_one_ulp == 1);
  CHECK(comparison.max_ulp == 2);
  CHECK(comparison.worst->index == Dims{1});
  CHECK(comparison.worst->actual_bits == "0x00000000 0x3f800002");
  // Two NaNs in one part add nothing to the other's error.
  const Codes other_nan = {0x7fc00001, 0x40000000};
  const auto one = compare_values(from_codes(DType::complex64, {0x7fc00000, 0x3f800000}),
                                  from_codes(DType::complex64, other_nan), exactly())
                       .first.value();
  CHECK(one.absolute == 1);
  CHECK(one.ulp == 8388608);
  const auto same = compare_values(from_codes(DType::complex64, {0x7fc00001, 0x3f800000}),
                                   from_codes(DType::complex64, other_nan), exactly(true))
                        .first.value();
  CHECK(same.absolute == 1);
  CHECK(same.ulp == 8388608);
}

TEST_CASE("Strings are compared exactly by every rule", "[compare]") {
  const Tensor expected(Dims{3}, {"a", "", "long enough to live on the heap"});
  for (const Tolerance& tolerance : {exactly(), within_ulp(100), relative(10, 10)}) {
    CHECK(passes(expected, Tensor(Dims{3}, {"a", "", "long enough to live on the heap"}), tolerance));
    const Comparison comparison =
        compare_values(Tensor(Dims{3}, {"a", "b\n", "long enough to live on the heap."}), expected, tolerance);
    CHECK(comparison.mismatches == 2);
    CHECK(comparison.bit_equal == 1);
    CHECK(comparison.first->index == Dims{1});
    CHECK(comparison.first->actual == "'b\\x0a'");
    CHECK(comparison.first->expected == "''");
    CHECK(comparison.worst->index == Dims{1});
  }
}

TEST_CASE("Every mismatch of a large tensor is found", "[compare]") {
  const std::int64_t count = 9001;
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.kind == Kind::string) continue;
    const std::int64_t parts = type.kind == Kind::complex ? 2 : 1;
    Codes expected(static_cast<size_t>(count * parts), 0);
    Codes actual = expected;
    const std::vector<std::int64_t> places = {1, 4095, 4096, 8191, 8192, 9000};
    for (const std::int64_t place : places) actual[static_cast<size_t>(place * parts + parts - 1)] = 1;
    INFO(type.name);
    const Comparison comparison =
        compare_values(from_codes(type.dtype, actual), from_codes(type.dtype, expected), exactly());
    CHECK(comparison.count == count);
    CHECK(comparison.mismatches == 6);
    CHECK(comparison.bit_equal == count - 6);
    CHECK(comparison.first->index == Dims{1});
    for (const std::int64_t place : places) {
      Codes one = expected;
      one[static_cast<size_t>(place * parts)] = 1;
      CHECK(compare_values(from_codes(type.dtype, one), from_codes(type.dtype, expected), exactly()).first->index ==
            Dims{place});
    }
  }
}

TEST_CASE("Unused bits of packed types do not count", "[compare]") {
  const std::byte actual[] = {std::byte{0x21}, std::byte{0x53}}, expected[] = {std::byte{0x21}, std::byte{0xa3}};
  for (const DType dtype : {DType::int4, DType::uint4, DType::float4_e2m1fn}) {
    CHECK(passes(Tensor::copy_of({dtype, Dims{3}}, actual), Tensor::copy_of({dtype, Dims{3}}, expected), exactly()));
    CHECK_FALSE(
        passes(Tensor::copy_of({dtype, Dims{4}}, actual), Tensor::copy_of({dtype, Dims{4}}, expected), exactly()));
  }
}

TEST_CASE("Types and shapes must agree", "[compare]") {
  const auto reason = [](const Tensor& a, const Tensor& e, const Tolerance& tolerance) {
    const Comparison comparison = compare_values(a, e, tolerance);
    CHECK_FALSE(comparison.equal());
    CHECK(comparison.count == 0);
    return comparison.reason;
  };
  const Tensor a = floats({1, 2}).reshaped(Dims{1, 2}), b = doubles({1, 2, 3}).reshaped(Dims{1, 3});
  CHECK(reason(a, doubles({1, 2}).reshaped(Dims{1, 2}), exactly()) == "dtype float32, but float64 is expected");
  CHECK(reason(a, floats({1, 2, 3}).reshaped(Dims{1, 3}), exactly()) == "shape [1,2], but [1,3] is expected");
  CHECK(reason(a, b, exactly()) == "dtype float32, but float64 is expected; shape [1,2], but [1,3] is expected");
  CHECK(reason(a, b, any_dtype(exactly())) == "shape [1,2], but [1,3] is expected");
  CHECK(reason(a, floats({1, 2}), relative(1, 1)) == "shape [1,2], but [2] is expected");
  CHECK(reason(floats({1}), floats({1}).reshaped(Dims{}), exactly()) == "shape [1], but [] is expected");
  CHECK(reason(floats({}), floats({}).reshaped(Dims{0, 3}), exactly()) == "shape [0], but [0,3] is expected");
  const Tolerance any = any_dtype(relative(1, 1));
  CHECK(reason(floats({1}), from_codes(DType::complex64, {0, 0}), any) == "dtype float32, but complex64 is expected");
  CHECK(reason(Tensor(Dims{1}, {"1"}), floats({1}), any) == "dtype string, but float32 is expected");
  CHECK(reason(floats({1}), Tensor(Dims{1}, {"1"}), any) == "dtype float32, but string is expected");
  CHECK(passes(floats({}), floats({}), exactly()));
  CHECK(passes(floats({7}).reshaped(Dims{}), floats({7}).reshaped(Dims{}), exactly()));
}

TEST_CASE("where dtypes alone differ, the comparison says so", "[compare]") {
  using enum Comparison::Obstacle;
  const auto obstacle = [](const Value& a, const Value& e) { return compare_values(a, e, exactly()).obstacle; };
  CHECK(obstacle(floats({1}), doubles({1})) == dtypes);
  CHECK(obstacle(Sequence{DType::float32, {floats({1})}}, Sequence{DType::float32, {doubles({1})}}) == dtypes);
  CHECK(obstacle(floats({1}), doubles({1, 2})) == other);
  CHECK(obstacle(floats({1}), floats({1, 2})) == other);
  CHECK(obstacle(floats({1}), Sequence{DType::float64, {}}) == other);
}

TEST_CASE("Values of different types are compared as numbers", "[compare]") {
  const auto int32s = [](std::int32_t value) { return vector_of<std::int32_t>(DType::int32, {value}); };
  const Tolerance exact = any_dtype(exactly()), one = any_dtype(within_ulp(1));
  CHECK(passes(floats({16777216}), int32s(16777216), exact));
  CHECK_FALSE(passes(floats({16777216}), int32s(16777217), exact));
  CHECK(passes(floats({16777216}), int32s(16777217), one));
  CHECK_FALSE(passes(floats({16777218}), int32s(16777216), one));
  CHECK_FALSE(passes(doubles({0.1}), floats({0.1F}), exact));
  CHECK(passes(doubles({0.1}), floats({0.1F}), one));
  CHECK_FALSE(passes(doubles({0.1}), floats({0.1F}), any_dtype(within_ulp(0))));
  CHECK(passes(doubles({0.1}), floats({0.1F}), any_dtype(relative(1e-7, 0))));
  CHECK_FALSE(passes(doubles({0.1}), floats({0.1F}), any_dtype(relative(1e-9, 0))));
  CHECK(passes(doubles({0x1p63}), int64s({INT64_MAX}), any_dtype(relative(0, 1))));
  CHECK_FALSE(passes(doubles({0x1p63}), int64s({INT64_MAX}), any_dtype(relative(0, 0.99))));
  CHECK_FALSE(passes(doubles({0x1p63}), int64s({INT64_MAX}), any_dtype(within_ulp(INT64_MAX))));  // no int64
  CHECK_FALSE(passes(int64s({INT64_MAX}), doubles({0x1p63}), exact));
  CHECK(passes(int64s({INT64_MAX}), doubles({0x1p63}), one));
  CHECK(passes(int64s({INT64_MIN}), doubles({-0x1p63}), exact));
  CHECK_FALSE(passes(doubles({1e300}), int64s({INT64_MAX}), any_dtype(within_ulp(INT64_MAX))));
  CHECK_FALSE(passes(doubles({-1e300}), int64s({INT64_MIN}), any_dtype(within_ulp(INT64_MAX))));
  CHECK_FALSE(passes(doubles({0.5}), from_codes(DType::uint8, {0}), exact));
  CHECK_FALSE(passes(doubles({0.5}), from_codes(DType::uint8, {1}), exact));
  CHECK_FALSE(passes(doubles({-0.5}), from_codes(DType::uint8, {0}), any_dtype(within_ulp(100))));
  CHECK(passes(doubles({0.5}), from_codes(DType::uint8, {0}), one));
  CHECK(passes(doubles({254.5}), from_codes(DType::uint8, {255}), one));
  CHECK_FALSE(passes(doubles({255.5}), from_codes(DType::uint8, {255}), one));
  CHECK(passes(from_codes(DType::boolean, {1}), floats({1}), exact));
  CHECK_FALSE(passes(floats({0.5}), from_codes(DType::boolean, {1}), one));
  CHECK_FALSE(passes(floats({0}), from_codes(DType::boolean, {1}), one));
  CHECK_FALSE(passes(doubles({1e300}), from_codes(DType::float16, {0x7bff}), any_dtype(within_ulp(INT64_MAX))));
  CHECK(passes(doubles({1e300}), from_codes(DType::float16, {0x7bff}), any_dtype(relative(0, 1e300))));
  CHECK_FALSE(passes(doubles({0}), from_codes(DType::float8_e8m0fnu, {0}), any_dtype(within_ulp(INT64_MAX))));
  CHECK(passes(from_codes(DType::complex64, {0x3f800000, 0}), from_codes(DType::complex128, {0x3ff0000000000000, 0}),
               exact));
  CHECK_FALSE(passes(from_codes(DType::complex64, {0x3f800000, 0}),
                     from_codes(DType::complex128, {0x3ff0000000000000, 1}), exact));
}

TEST_CASE("Bit-equal across types means the same value", "[compare]") {
  const Comparison comparison =
      compare_values(floats({1, 2.5F, 3, -0.0F}), doubles({1, 2.5, 4, 0}), any_dtype(within_ulp(0)));
  CHECK(comparison.count == 4);
  CHECK(comparison.bit_equal == 2);
  CHECK(comparison.within_one_ulp == 3);
  CHECK(comparison.mismatches == 1);
  CHECK(comparison.max_ulp == std::uint64_t{1} << 51);  // from 3 to 4 in steps of 2^-51
}

TEST_CASE("Special values of different types", "[compare]") {
  const Tolerance exact = any_dtype(exactly());
  Tolerance strict = exact;
  strict.strict_nan = true;
  const Tensor half_nan = from_codes(DType::float16, {0x7e00}), infinity = floats({static_cast<float>(kInfinity)});
  for (const Tolerance& tolerance : {exact, any_dtype(within_ulp(9)), any_dtype(relative(9, 9))}) {
    CHECK(passes(half_nan, doubles({kNan}), tolerance));
    CHECK(passes(infinity, doubles({kInfinity}), tolerance));
    CHECK_FALSE(passes(infinity, doubles({-kInfinity}), tolerance));
    CHECK_FALSE(passes(infinity, int64s({INT64_MAX}), tolerance));
    CHECK_FALSE(passes(half_nan, int64s({0}), tolerance));
    CHECK_FALSE(passes(int64s({0}), half_nan, tolerance));
    CHECK_FALSE(passes(doubles({1e300}), infinity, tolerance));
    CHECK_FALSE(passes(infinity, from_codes(DType::float8_e4m3fn, {0x7e}), tolerance));
  }
  CHECK_FALSE(passes(half_nan, doubles({kNan}), strict));
  CHECK_FALSE(passes(doubles({-0.0}), floats({0}), exact));
  CHECK(passes(doubles({-0.0}), floats({-0.0F}), exact));
  CHECK(passes(doubles({-0.0}), floats({0}), any_dtype(within_ulp(0))));
  CHECK(passes(doubles({-0.0}), int64s({0}), exact));
  CHECK(passes(int64s({0}), doubles({-0.0}), exact));
  CHECK(passes(doubles({-0.0}), from_codes(DType::float8_e4m3fnuz, {0}), exact));
}

TEST_CASE("Sequences and optionals are compared member by member", "[compare]") {
  const auto list = [](std::vector<Tensor> elements) { return Sequence{DType::float32, std::move(elements)}; };
  const auto sequence = [&](std::vector<Tensor> elements) { return Value(list(std::move(elements))); };
  const auto optional = [](const auto& element) { return Value(Optional{DType::float32, element}); };
  const Tensor one(floats({1, 2})), other(floats({1, 3}));
  const Value none{Optional{}};
  CHECK(compare_values(sequence({one, other}), sequence({one, other}), exactly()).equal());
  CHECK(compare_values(sequence({one, other}), sequence({one, other}), exactly()).count == 4);
  CHECK(compare_values(sequence({}), sequence({}), exactly()).equal());
  CHECK_FALSE(compare_values(sequence({}), Value(Sequence{DType::int8, {}}), exactly()).equal());
  CHECK(compare_values(none, none, exactly()).equal());
  CHECK(compare_values(optional(one), optional(one), exactly()).equal());

  const Comparison comparison = compare_values(sequence({one, one}), sequence({one, other}), exactly());
  CHECK(comparison.mismatches == 1);
  CHECK(comparison.count == 4);
  CHECK(comparison.first->place == "sequence element 1");
  CHECK(comparison.first->index == Dims{1});
  CHECK(comparison.worst->place == comparison.first->place);
  CHECK_FALSE(compare_values(optional(one), optional(other), exactly()).equal());
  CHECK(compare_values(optional(list({one})), optional(list({other})), exactly()).first->place == "sequence element 0");
  // The worst of all members.
  const Comparison second = compare_values(sequence({one, one}), sequence({other, floats({100, 2})}), exactly());
  CHECK(second.first->place == "sequence element 0");
  CHECK(second.worst->place == "sequence element 1");

  const auto reason = [](const Value& a, const Value& e) {
    const Comparison result = compare_values(a, e, exactly());
    CHECK_FALSE(result.equal());
    return result.reason;
  };
  CHECK(reason(sequence({one}), sequence({one, one})) == "a sequence of length 1, but length 2 is expected");
  CHECK(reason(sequence({}), none) == "a sequence, but an optional is expected");
  CHECK(reason(one, sequence({one})) == "a tensor, but a sequence is expected");
  CHECK(reason(none, optional(one)) == "an optional without a value, but one with a value is expected");
  CHECK(reason(optional(one), none) == "an optional with a value, but one without is expected");
  CHECK(reason(optional(one), optional(list({one}))) == "a tensor, but a sequence is expected");
  CHECK(reason(sequence({one, one}), sequence({one, doubles({1, 2})})) ==
        "dtype float32, but float64 is expected in sequence element 1");
}

TEST_CASE("Maps are compared by key", "[compare]") {
  const auto map = [](std::vector<std::string> keys, std::initializer_list<float> values) {
    const Dims shape{std::ssize(keys)};
    return map_of({shape, std::move(keys)}, floats(values));
  };
  const auto list = [](std::vector<Map> all) {
    MapSequence maps{DType::string, DType::float32};
    for (const Map& one : all) maps.push_back(one);
    return Value(maps);
  };
  const Map one = map({"a", "b"}, {1, 2}), turned = map({"b", "a"}, {2, 1});
  CHECK(compare_values(one, turned, exactly()).equal());
  CHECK(compare_values(one, turned, exactly()).count == 2);
  CHECK(compare_values(map({}, {}), map({}, {}), exactly()).equal());
  const Comparison differs = compare_values(one, map({"b", "a"}, {3, 1}), exactly());
  CHECK(differs.mismatches == 1);
  CHECK(differs.first->place == "[\"b\"]");
  CHECK(differs.where.empty());
  CHECK(compare_values(one, map({"b", "a"}, {2.0000002F, 1}), within_ulp(1)).equal());
  CHECK(describe(differs, exactly()).find("first [\"b\"]: actual 2, expected 3 (0x40000000, 0x40400000)") !=
        std::string::npos);
  const Comparison second = compare_values(list({one, one}), list({one, map({"a", "b"}, {5, 9})}), exactly());
  CHECK(second.mismatches == 2);
  CHECK(second.count == 4);
  CHECK(second.first->place == "[1][\"a\"]");
  CHECK(second.worst->place == "[1][\"a\"]");

  const auto reason = [](const Value& a, const Value& e) {
    const Comparison result = compare_values(a, e, exactly());
    CHECK_FALSE(result.equal());
    return result.reason;
  };
  CHECK(reason(one, map({"a"}, {1})) == "the key \"b\" is there, but not expected");
  CHECK(reason(map({"a"}, {1}), map({"c", "a", "d"}, {1, 1, 1})) == "the keys \"c\", \"d\" are missing");
  CHECK(reason(map({"x"}, {1}), one) == "the keys \"a\", \"b\" are missing, the key \"x\" is there, but not expected");
  CHECK(reason(list({one}), list({map({"a"}, {1})})) == "the key \"b\" is there, but not expected in [0]");
  CHECK(reason(list({one}), list({one, one})) == "a sequence of 1 map, but 2 are expected");
  CHECK(reason(list({}), list({one})) == "a sequence of 0 maps, but one is expected");
  CHECK(reason(one, floats({1, 2})) == "a map, but a tensor is expected");
  CHECK(reason(one, list({one})) == "a map, but a sequence of maps is expected");
  CHECK(reason(MapSequence{DType::int64, DType::float32}, list({})) ==
        "an empty seq(map(int64,float)), but seq(map(string,float)) is expected");
  CHECK(reason(one, map_of(int64s({1, 2}), floats({1, 2}))) == "keys of type string, but int64 is expected");
  CHECK(reason(one, map_of(one.keys, doubles({1, 2}))) == "dtype float32, but float64 is expected");
}

TEST_CASE("A tolerance must make sense", "[compare]") {
  const auto refused = [](const Tolerance& tolerance) -> std::string {
    try {
      compare_values(floats({1}), floats({1}), tolerance);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      return error.message();
    }
    return "";
  };
  CHECK(refused(within_ulp(-1)) == "the tolerance is -1 ULP, but must be >= 0");
  CHECK(refused(relative(-0.5, 0)) == "rtol is -0.5, but must be finite and >= 0");
  CHECK(refused(relative(kNan, 0)) == "rtol is nan, but must be finite and >= 0");
  CHECK(refused(relative(0, -1e-9)) == "atol is -1e-09, but must be finite and >= 0");
  CHECK(refused(relative(0, kNan)) == "atol is nan, but must be finite and >= 0");
  CHECK(refused(relative(0, kInfinity)) == "atol is inf, but must be finite and >= 0");
  CHECK(refused({.rule = Rule::ulp, .ulp = 1, .strict_nan = true}) ==
        "NaN payloads can be compared by the exact rule only");
  CHECK(refused(relative(0, 0)).empty());
  CHECK(refused(within_ulp(0)).empty());
}

TEST_CASE("A comparison is told in a few lines", "[compare]") {
  CHECK(to_text(exactly()) == "exact");
  CHECK(to_text(exactly(true)) == "exact, strict NaN");
  CHECK(to_text(within_ulp(4)) == "4 ULP");
  CHECK(to_text(any_dtype(relative(1e-3, 1e-7))) == "rtol 0.001, atol 1e-07, any dtype");

  const Tensor expected = floats({1, 1, 1, 4}).reshaped(Dims{2, 2});
  const Tensor actual = floats({1, 2, 1, 1}).reshaped(Dims{2, 2});
  const auto told = [](const Tensor& a, const Tensor& e, const Tolerance& tolerance) {
    return describe(compare_values(a, e, tolerance), tolerance);
  };
  CHECK(told(actual, expected, exactly()) ==
        "  2 of 4 elements differ (exact)\n"
        "  first [0,1]: actual 2, expected 1 (0x40000000, 0x3f800000), 8388608 ULP\n"
        "  worst [1,1]: actual 1, expected 4 (0x3f800000, 0x40800000), 16777216 ULP\n"
        "  max error 3 absolute, 1 relative, 16777216 ULP; mean 1, 0.4375, 6.291e+06\n"
        "  ULP 0: 2, above 1024: 2\n"
        "  all 2 mismatches have axis 1 == 1");
  CHECK(told(actual, expected, relative(0, 2)) ==
        "  1 of 4 elements differs (rtol 0, atol 2)\n"
        "  first [1,1]: actual 1, expected 4 (0x3f800000, 0x40800000), absolute error 3,\n"
        "    relative 0.75\n"
        "  max error 3 absolute, 1 relative, 16777216 ULP; mean 1, 0.4375, 6.291e+06\n"
        "  ULP 0: 2, above 1024: 2");
  // Off by 3 of 4 and by 1 of 1: by the rule the second is worse, and of an error where 0 is right the share has no
  // end.
  CHECK(told(floats({1, 2, 1}), floats({4, 1, 0}), relative(0.5, 0)) ==
        "  3 of 3 elements differ (rtol 0.5, atol 0)\n"
        "  first [0]: actual 1, expected 4 (0x3f800000, 0x40800000), absolute error 3,\n"
        "    relative 0.75\n"
        "  furthest beyond the rule [2]: actual 1, expected 0 (0x3f800000, 0x00000000),\n"
        "    absolute error 1, relative inf\n"
        "  max error 3 absolute, inf relative, 1065353216 ULP; mean 1.667, inf, 3.635e+08\n"
        "  ULP above 1024: 3");
  CHECK(told(floats({INFINITY, 2, NAN, INFINITY}), floats({1, 1, 1, INFINITY}), exactly())
            .find("  max error Inf or NaN (2 of 4 elements), of the others 1 absolute, 1 relative,\n") !=
        std::string::npos);
  CHECK(told(floats({INFINITY, 1}), floats({1, INFINITY}), exactly())
            .find("\n  max error Inf or NaN (2 of 2 elements)\n") != std::string::npos);
  CHECK(told(floats({NAN}), floats({1}), relative(1, 1)) ==
        "  1 of 1 element differs (rtol 1, atol 1)\n  first [0]: actual NaN, expected 1 (0x7fc00000, 0x3f800000)");
  CHECK(told(actual, actual, exactly()) == "  4 elements agree (exact)");
  CHECK(told(floats({1}), floats({1}), within_ulp(2)) == "  1 element agrees (2 ULP)");
  CHECK(told(floats({1, 1, 1}), floats({1, 0x1.000002p0F, 0x1.000004p0F}), within_ulp(2)) ==
        "  3 elements agree (2 ULP): 1 bit-equal, 2 within 1 ULP, at most 2 ULP");
  CHECK(told(floats({1}), expected, exactly()) == "  shape [1], but [2,2] is expected");
  CHECK(told(from_codes(DType::boolean, {1}), from_codes(DType::boolean, {0}), within_ulp(5))
            .find("ULP)\n  first [0]:") != std::string::npos);
  CHECK(told(from_codes(DType::int4, {7}), from_codes(DType::int4, {0xf}), exactly()) ==
        "  1 of 1 element differs (exact)\n  first [0]: actual 7, expected -1 (0x7, 0xf), 8 ULP");
  CHECK(told(from_codes(DType::uint2, {3}), from_codes(DType::uint2, {1}), exactly()) ==
        "  1 of 1 element differs (exact)\n  first [0]: actual 3, expected 1 (0x3, 0x1), 2 ULP");
  CHECK(told(Tensor(Dims{1}, {"a"}), Tensor(Dims{1}, {"b"}), relative(1, 1)) ==
        "  1 of 1 element differs (rtol 1, atol 1)\n  first [0]: actual 'a', expected 'b'");
}

}  // namespace
}  // namespace opref::compare::compare_test
