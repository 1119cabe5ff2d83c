// SPDX-License-Identifier: Apache-2.0
#include "compare/statistics.h"

#include <catch2/catch.hpp>

#include "compare/compare.h"
#include "report/record_json.h"

namespace opref::compare::statistics_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor tensor_of(DType dtype, const std::vector<T>& elements) {
  return Tensor::of<T>(dtype, Dims{static_cast<std::int64_t>(elements.size())}, elements);
}
Tensor floats(const std::vector<float>& elements) { return tensor_of(DType::float32, elements); }
Tensor doubles(const std::vector<double>& elements) { return tensor_of(DType::float64, elements); }

void check(const ErrorSummary& summary, double max, double mean, std::int64_t count) {
  CHECK(summary.max == max);
  CHECK(summary.mean == mean);
  CHECK(summary.count == count);
}

// The elements of a histogram's bins that are not empty.
std::vector<std::pair<std::string, std::int64_t>> bins(const UlpHistogram& histogram) {
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (size_t i = 0; i < histogram.bins.size(); ++i)
    if (histogram.bins[i] != 0) found.emplace_back(UlpHistogram::label(i), histogram.bins[i]);
  return found;
}

TEST_CASE("A distance falls into the bin that names it", "[compare]") {
  const auto label = [](std::uint64_t ulp) { return UlpHistogram::label(UlpHistogram::bin_of(ulp)); };
  CHECK(label(0) == "0");
  CHECK(label(1) == "1");
  CHECK(label(2) == "2");
  CHECK(label(3) == "3-4");
  CHECK(label(4) == "3-4");
  CHECK(label(5) == "5-8");
  CHECK(label(8) == "5-8");
  CHECK(label(9) == "9-16");
  CHECK(label(1025) == "1025-2048");
  CHECK(label(std::uint64_t{1} << 63) == "4611686018427387905-9223372036854775808");
  CHECK(label((std::uint64_t{1} << 63) + 1) == "9223372036854775809-18446744073709551615");
  CHECK(label(UINT64_MAX) == "9223372036854775809-18446744073709551615");
  CHECK(UlpHistogram::label(UlpHistogram::bin_of(std::nullopt)) == "none");
}

// By hand: 1 and 1.5 are 2^22 floats apart, 4 and 3 too, 0 and 0.25 are 0x3e800000 = 1048576000.
TEST_CASE("Errors are summed up over the elements that have them", "[compare]") {
  const Comparison c =
      compare_values(floats({1.5F, 2, 3, 0.25F, static_cast<float>(kNan)}), floats({1, 2, 4, 0, 1}), {});
  check(c.absolute, 1, 0.4375, 4);
  check(c.relative, 0.5, 0.25, 3);
  check(c.ulp, 1048576000, 264241152, 4);
  CHECK(bins(c.histogram) == std::vector<std::pair<std::string, std::int64_t>>{
                                 {"0", 1}, {"2097153-4194304", 2}, {"536870913-1073741824", 1}, {"none", 1}});
  CHECK(c.bit_equal == 1);
  CHECK(c.max_ulp == 1048576000);
}

TEST_CASE("What is equal but for its bits has no error", "[compare]") {
  const Comparison c = compare_values(doubles({kNan, kInfinity, -0.0, 3}), doubles({-kNan, kInfinity, 0.0, 3}),
                                      {.rule = Tolerance::Rule::ulp});
  CHECK(c.equal());
  check(c.absolute, 0, 0, 4);
  check(c.relative, 0, 0, 4);
  check(c.ulp, 0, 0, 4);
  const Comparison wrong = compare_values(doubles({kInfinity, 1}), doubles({-kInfinity, 1}), {});
  check(wrong.absolute, 0, 0, 1);
  check(wrong.ulp, 0, 0, 1);
}

TEST_CASE("Statistics of integers, bool, complex numbers and strings", "[compare]") {
  const Comparison integers = compare_values(tensor_of<std::int64_t>(DType::int64, {INT64_MIN, 7, 10}),
                                             tensor_of<std::int64_t>(DType::int64, {INT64_MAX, 7, 8}), {});
  check(integers.absolute, 0x1p64, 0x1p64 / 3, 3);                      // 2^64 - 1 and 2, rounded
  check(integers.relative, 0x1p64 / 0x1p63, (2 + 0.25) / 3, 3);         // over the double nearest to 2^63 - 1
  check(integers.ulp, 0x1p64, static_cast<double>(UINT64_MAX) / 3, 3);  // the sum, 2^64 + 1, rounded
  CHECK(integers.max_ulp == UINT64_MAX);
  const Comparison truth = compare_values(tensor_of<std::uint8_t>(DType::boolean, {1, 0, 1}),
                                          tensor_of<std::uint8_t>(DType::boolean, {0, 0, 1}), {});
  check(truth.absolute, 1, 1.0 / 3, 3);
  check(truth.ulp, 0, 0, 2);
  // Two complex numbers, each by its worse part.
  const auto complex = [](const std::vector<float>& parts) {
    return Tensor::of<float>(DType::complex64, Dims{static_cast<std::int64_t>(parts.size()) / 2}, parts);
  };
  const Comparison pairs = compare_values(complex({1.5F, 5, 1, 1}), complex({1, 4, 1, 1}), {});
  check(pairs.absolute, 1, 0.5, 2);
  check(pairs.relative, 0.5, 0.25, 2);
  check(pairs.ulp, 1 << 22, 1 << 21, 2);  // 4 and 5 are 2^21 floats apart
  const Comparison strings = compare_values(Tensor(Dims{2}, {"a", "b"}), Tensor(Dims{2}, {"a", "c"}), {});
  check(strings.absolute, 0, 0, 0);
  CHECK(bins(strings.histogram) == std::vector<std::pair<std::string, std::int64_t>>{{"0", 1}, {"none", 1}});
}

TEST_CASE("Means neither overflow nor lose small errors", "[compare]") {
  const Comparison large = compare_values(doubles({1.5e308, 1.5e308}), doubles({0, 0}), {});
  check(large.absolute, 1.5e308, 1.5e308, 2);
  const Comparison apart = compare_values(doubles({1.5e308}), doubles({-1.5e308}), {});
  CHECK(apart.absolute.count == 0);  // 3e308 is no double
  ErrorSum sum;                      // added up in order in double, each of the small ones would be lost
  sum.add(0x1p60);
  for (int i = 0; i < 1 << 20; ++i) sum.add(64);
  CHECK(sum.summary().mean == Approx((0x1p60 + 0x1p26) / ((1 << 20) + 1)).epsilon(1e-12));
  ErrorSum zeros;
  zeros.add_zeros(3);
  zeros.add(2);
  zeros.add(kInfinity);
  zeros.add(kNan);
  check(zeros.summary(), 2, 0.5, 4);
}

TEST_CASE("The 16 worst mismatches, the worst first", "[compare]") {
  std::vector<float> actual, expected(40, 0);
  for (int i = 0; i < 40; ++i) actual.push_back(static_cast<float>(i * 7 % 40));  // every number below 40 once
  const Comparison c =
      compare_values(floats(actual), floats(expected), {.rule = Tolerance::Rule::relative, .atol = 0.5});
  REQUIRE(c.worst_mismatches.size() == 16);
  for (size_t i = 0; i < 16; ++i) CHECK(c.worst_mismatches[i].absolute == static_cast<double>(39 - i));
  CHECK(c.worst->index == c.worst_mismatches[0].index);
  CHECK(c.mismatches == 39);
  // Of equally bad ones the first in C order; sequences by member.
  const Tensor ones = floats(std::vector<float>(20, 1)), twos = floats(std::vector<float>(20, 2));
  const Comparison equal = compare_values(ones, twos, {});
  for (size_t i = 0; i < 16; ++i) CHECK(equal.worst_mismatches[i].index == Dims{static_cast<std::int64_t>(i)});
  const Tensor three = floats({2, 3, 2}), two = floats({2, 2, 2});
  const auto sequence = [](std::vector<Tensor> values) { return Value(Sequence{DType::float32, std::move(values)}); };
  const Comparison both = compare_values(sequence({ones, three, ones}), sequence({twos, two, twos}), {});
  CHECK(both.mismatches == 41);
  REQUIRE(both.worst_mismatches.size() == 16);
  CHECK(both.worst_mismatches[15].place == "sequence element 0");
  const Comparison mixed = compare_values(sequence({three, ones}), sequence({two, twos}), {});
  CHECK(mixed.worst_mismatches[0].place == "sequence element 1");  // 2^23 floats apart, 3 from 2 only 2^22
  CHECK(mixed.where == std::vector<std::string>{});
}

TEST_CASE("Where mismatches lie is part of a comparison", "[compare]") {
  std::vector<float> actual(2 * 64, 0);
  for (size_t i = 63; i < actual.size(); i += 64) actual[i] = 1;
  const Tensor zeros = floats(std::vector<float>(128, 0)).reshaped(Dims{1, 2, 1, 64});
  const Tensor wrong = floats(actual).reshaped(Dims{1, 2, 1, 64});
  CHECK(compare_values(wrong, zeros, {}).where == std::vector<std::string>{"all 2 mismatches have axis 3 == 63"});
  CHECK(compare_values(Value(Sequence{DType::float32, {zeros, wrong}}), Value(Sequence{DType::float32, {zeros, zeros}}),
                       {})
            .where == std::vector<std::string>{"sequence element 1: all 2 mismatches have axis 3 == 63"});
  CHECK(compare_values(wrong, zeros, {.rule = Tolerance::Rule::relative, .atol = 1}).where.empty());
}

TEST_CASE("A comparison in JSON has every field", "[compare]") {
  const Tolerance tolerance{.rule = Tolerance::Rule::ulp, .ulp = 1};
  const std::string text =
      report::comparison_json(compare_values(floats({2, 1}), floats({1, 1}), tolerance), tolerance).text();
  const std::string mismatch =
      "{\n"
      "    \"index\": [0],\n"
      "    \"actual\": \"2\",\n"
      "    \"expected\": \"1\",\n"
      "    \"actual_bits\": \"0x40000000\",\n"
      "    \"expected_bits\": \"0x3f800000\",\n"
      "    \"absolute\": 1,\n"
      "    \"relative\": 1,\n"
      "    \"ulp\": 8388608\n"
      "  }";
  const auto has = [&](const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has("{\n  \"equal\": false,\n  \"rule\": \"1 ULP\",\n  \"count\": 2,\n  \"mismatches\": 1,\n  \"bit_equal\": 1,\n");
  has("\"within_one_ulp\": 1,\n  \"max_ulp\": 8388608,\n");
  has("\"absolute\": {\n    \"max\": 1,\n    \"mean\": 0.5,\n    \"count\": 2\n  },\n");
  has("\"ulp\": {\n    \"max\": 8388608,\n    \"mean\": 4194304,\n    \"count\": 2\n  },\n");
  has("\"histogram\": {\n    \"0\": 1,\n    \"4194305-8388608\": 1\n  },\n");
  has("\"where\": []\n");
  has("\"first\": " + mismatch);
  has("\"worst\": " + mismatch);
  has("\"worst_mismatches\": [");
  const std::string equal = report::comparison_json(compare_values(floats({1}), floats({1}), {}), {}).text();
  CHECK(equal.find("first") == std::string::npos);
  const std::string shape = report::comparison_json(compare_values(floats({1}), floats({1, 2}), {}), {}).text();
  CHECK(shape.find("\"reason\": \"shape [1], but [2] is expected\"") != std::string::npos);
}

}  // namespace
}  // namespace opref::compare::statistics_test
