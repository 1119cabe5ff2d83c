// SPDX-License-Identifier: Apache-2.0
#include "io/generate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "exact/rounding.h"

namespace generate_test {

using namespace opref::io;

namespace {

std::vector<double> reals(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(floating_element(tensor, i));
  return values;
}

Tensor made(std::string_view generator, DType dtype, std::int64_t count, std::uint64_t seed = 1) {
  return generate({std::string(generator), seed}, "X", {dtype, Dims{count}});
}

double mean_of(const std::vector<double>& values, double power) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value, power);
  return sum / static_cast<double>(values.size());
}

constexpr std::array kFloats = {DType::float16, DType::bfloat16, DType::float32, DType::float64};

}  // namespace

TEST_CASE("the key is a hash of seed and name", "[generators]") {
  // printf '7 X' | sha256sum begins with 15dbda19d39e06ae
  CHECK(stream_of(7, "X").draw(5, 2, 1) == philox({5, 0, 2, 1}, {0xd39e06ae, 0x15dbda19}));
}

TEST_CASE("an element depends on seed, name and index alone", "[generators]") {
  for (const char* generator : {"uniform", "normal", "integers", "special", "bits"}) {
    INFO(generator);
    const Tensor small = made(generator, DType::float32, 10), large = made(generator, DType::float32, 1000);
    CHECK(std::ranges::equal(small.values<std::uint32_t>(), large.values<std::uint32_t>().first(10)));
    const Tensor shaped = generate({generator, 1}, "X", {DType::float32, Dims{2, 5}});
    CHECK(std::ranges::equal(small.bytes(), shaped.bytes()));
    CHECK_FALSE(std::ranges::equal(small.bytes(), made(generator, DType::float32, 10, 2).bytes()));
    CHECK_FALSE(std::ranges::equal(small.bytes(), generate({generator, 1}, "W", {DType::float32, Dims{10}}).bytes()));
  }
}

TEST_CASE("uniform: multiples of 2^-p in [-1, 1)", "[generators]") {
  for (const DType dtype : kFloats) {
    INFO(name(dtype));
    const double unit = std::ldexp(1.0, -precision_of(dtype));
    const std::vector<double> values = reals(made("uniform", dtype, 20000));
    for (const double value : values) {
      REQUIRE((value >= -1 && value < 1));
      REQUIRE(std::fmod(value, unit) == 0);
    }
    // Standard deviations of the means: 0.0041, 0.0021.
    CHECK(std::abs(mean_of(values, 1)) < 0.02);
    CHECK(std::abs(mean_of(values, 2) - 1.0 / 3) < 0.01);
    CHECK(*std::ranges::min_element(values) < -0.99);
    CHECK(*std::ranges::max_element(values) > 0.98);
  }
  CHECK(precision_of(DType::float16) == 11);
  CHECK(precision_of(DType::bfloat16) == 8);
  CHECK(precision_of(DType::float32) == 24);
  CHECK(precision_of(DType::float64) == 53);
  std::set<std::uint8_t> bytes;
  const Tensor all = made("uniform", DType::uint8, 20000);
  for (const std::uint8_t byte : all.values<std::uint8_t>()) bytes.insert(byte);
  CHECK(bytes.size() == 256);
}

TEST_CASE("normal: mean 0, variance 1, the fourth moment of twelve uniforms, all the bits that a type has",
          "[generators]") {
  for (const DType dtype : kFloats) {
    INFO(name(dtype));
    const std::vector<double> values = reals(made("normal", dtype, 50000));
    // Standard deviations of the means: 0.0045, 0.0061, 0.041. The fourth moment is 3 - 1.2/12 = 2.9.
    CHECK(std::abs(mean_of(values, 1)) < 0.02);
    CHECK(std::abs(mean_of(values, 2) - 1) < 0.03);
    CHECK(std::abs(mean_of(values, 4) - 2.9) < 0.2);
    CHECK(*std::ranges::max_element(values) > 3);
    CHECK(*std::ranges::max_element(values) <= 6);
    std::int64_t odd = 0;
    const Tensor tensor = made("normal", dtype, 2000);
    for (std::int64_t i = 0; i < 2000; ++i) odd += static_cast<std::int64_t>(element_bits(tensor, i) & 1);
    CHECK(odd > 900);
    CHECK(odd < 1100);
  }
}

TEST_CASE("normal is the sum of 12 words less its mean, rounded once", "[generators]") {
  const Random random = stream_of(1, "X");
  const Tensor tensor = made("normal", DType::float32, 100);
  for (std::int64_t i = 0; i < 100; ++i) {
    std::int64_t sum = 0;
    for (std::uint32_t number = 0; number < 3; ++number)
      for (const std::uint32_t word : random.draw(i, number)) sum += word;
    const std::int64_t centred = 2 * sum - 12 * std::int64_t{UINT32_MAX};  // exact in a double
    CHECK(tensor.values<float>()[static_cast<size_t>(i)] ==
          static_cast<float>(std::ldexp(static_cast<double>(centred), -33)));
  }
}

TEST_CASE("integers, iota", "[generators]") {
  const auto counts = [](DType dtype) {
    std::map<std::int64_t, int> counted;
    const Tensor tensor = made("integers", dtype, 17000);
    for (const std::int8_t value : tensor.values<std::int8_t>()) ++counted[value];
    return counted;
  };
  for (const auto& [dtype, least] : {std::pair(DType::int8, -8), {DType::uint8, 0}}) {
    const auto counted = counts(dtype);
    CHECK(counted.begin()->first == least);
    CHECK(counted.rbegin()->first == least + 16);
    CHECK(counted.size() == 17);
    for (const auto& [value, count] : counted) CHECK(std::abs(count - 1000) < 150);
  }
  CHECK(counts(DType::boolean).size() == 2);
  for (const double value : reals(made("integers", DType::bfloat16, 100))) {
    CHECK(std::abs(value) <= 8);
    CHECK(std::trunc(value) == value);
  }
  CHECK(reals(made("iota", DType::float16, 3)) == std::vector<double>{0, 1, 2});
  CHECK(floating_element(made("iota", DType::bfloat16, 300), 257) == 256);  // rounded: 257 has 9 bits
  CHECK(made("iota", DType::uint8, 300).values<std::uint8_t>()[299] == 43);
  const Tensor packed = made("iota", DType::uint4, 20);
  CHECK(element_bits(packed, 3) == 3);
  CHECK(element_bits(packed, 18) == 2);
}

TEST_CASE("quantized: normal with 3 on the greatest number, without the least one, unsigned around the middle",
          "[generators]") {
  const Random random = stream_of(1, "X");
  const Tensor tensor = made("quantized", DType::int8, 20000), positive = made("quantized", DType::uint8, 20000);
  std::set<int> seen;
  for (std::int64_t i = 0; i < 20000; ++i) {
    double sum = 0;  // each term is exact in a double
    for (std::uint32_t number = 0; number < 3; ++number)
      for (const std::uint32_t word : random.draw(i, number)) sum += word - UINT32_MAX / 2.0;
    const double expected = std::clamp(std::round(std::ldexp(sum, -32) * 127 / 3), -127.0, 127.0);
    const int value = tensor.values<std::int8_t>()[static_cast<size_t>(i)];
    REQUIRE(value == expected);
    REQUIRE(positive.values<std::uint8_t>()[static_cast<size_t>(i)] == value + 128);
    seen.insert(value);
  }
  CHECK(*seen.begin() == -127);
  CHECK(*seen.rbegin() == 127);
  CHECK(seen.size() > 240);
  const auto refused = [](DType dtype) {
    try {
      made("quantized", dtype, 2);
    } catch (const Error& error) {
      return error.message() + "; " + error.way_out().argument;
    }
    return std::string();
  };
  CHECK(refused(DType::int4).empty());
  CHECK(refused(DType::int32) ==
        "the generator 'quantized' has no values of type int32; uniform, integers, iota, zeros, ones, special, bits");
  CHECK(
      refused(DType::float32).starts_with("the generator 'quantized' has no values of type float32; uniform, normal,"));
}

TEST_CASE("special: one of 16, each of its values", "[generators]") {
  for (const DType dtype : kFloats) {
    INFO(name(dtype));
    const Tensor tensor = made("special", dtype, 16000), normal = made("normal", dtype, 16000);
    const std::uint64_t infinity = *infinity_of(dtype, false), sign = std::uint64_t{1} << (info(dtype).bits - 1);
    const std::set<std::uint64_t> expected = {*nan_of(dtype), infinity,     infinity | sign,      0, sign, 1,
                                              1 | sign,       infinity - 1, (infinity - 1) | sign};
    std::map<std::uint64_t, int> found;
    for (std::int64_t i = 0; i < 16000; ++i)
      if (element_bits(tensor, i) != element_bits(normal, i)) ++found[element_bits(tensor, i)];
    for (const auto& [bits, count] : found) {
      CHECK(expected.contains(bits));
      CHECK(std::abs(count - 1000 / 9) < 60);
    }
    CHECK(found.size() == expected.size());
  }
  const Tensor integers = made("special", DType::int16, 2000);
  CHECK(std::ranges::count(integers.values<std::int16_t>(), INT16_MIN) > 5);
  CHECK(std::ranges::count(integers.values<std::int16_t>(), INT16_MAX) > 5);
}

TEST_CASE("bits: every pattern of a narrow type as often, also packed", "[generators]") {
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.kind == Kind::string || type.bits > 8) continue;
    INFO(type.name);
    const size_t patterns = type.kind == Kind::boolean ? 2 : size_t{1} << type.bits;
    const std::int64_t each = 400;
    const Tensor tensor = made("bits", type.dtype, each * static_cast<std::int64_t>(patterns));
    std::map<std::uint64_t, std::int64_t> counted;
    for (std::int64_t i = 0; i < tensor.count(); ++i) ++counted[element_bits(tensor, i)];
    CHECK(counted.size() == patterns);
    CHECK(counted.rbegin()->first == patterns - 1);
    for (const auto& [pattern, count] : counted) CHECK(std::abs(count - each) < 100);  // five standard deviations
  }
}

TEST_CASE("bits: each bit of a wide element is set in half of them, those of both parts of a complex number",
          "[generators]") {
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.bits <= 8) continue;
    INFO(type.name);
    const Tensor tensor = made("bits", type.dtype, 2000);
    const size_t bytes = static_cast<size_t>(type.bits / 8);
    for (int bit = 0; bit < type.bits; ++bit) {
      std::int64_t set = 0;
      for (size_t i = 0; i < 2000; ++i)
        set += std::to_integer<int>(tensor.bytes()[i * bytes + static_cast<size_t>(bit / 8)] >> (bit % 8)) & 1;
      CHECK(std::abs(set - 1000) < 112);  // five standard deviations
    }
  }
  const Tensor half = made("bits", DType::float16, 20000);
  std::set<std::uint64_t> nans;
  for (std::int64_t i = 0; i < 20000; ++i)
    if (std::isnan(floating_element(half, i))) nans.insert(element_bits(half, i));
  CHECK(nans.size() > 300);
}

TEST_CASE("bits: the low bits of an element's draw; the draw's two halves are a complex number", "[generators]") {
  const Random random = stream_of(1, "X");
  const Tensor words = made("bits", DType::uint64, 5), complex = made("bits", DType::complex128, 5),
               small = made("bits", DType::complex64, 5);
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto at = static_cast<size_t>(i);
    const std::uint64_t low = word64(random.draw(i), 0), high = word64(random.draw(i), 1);
    CHECK(words.values<std::uint64_t>()[at] == low);
    CHECK(complex.values<std::uint64_t>()[2 * at] == low);
    CHECK(complex.values<std::uint64_t>()[2 * at + 1] == high);
    CHECK(small.values<std::uint32_t>()[2 * at] == static_cast<std::uint32_t>(low));
    CHECK(small.values<std::uint32_t>()[2 * at + 1] == static_cast<std::uint32_t>(high));
  }
}

TEST_CASE("bits of strings: words of 0 to 3 letters, each length and letter as often", "[generators]") {
  const Tensor tensor = made("bits", DType::string, 8000);
  std::map<size_t, int> lengths;
  std::map<std::string, int> letters;
  for (const std::string& word : tensor.strings()) {
    size_t length = 0;
    for (size_t at = 0; at < word.size(); ++length) {
      const size_t bytes = static_cast<unsigned char>(word[at]) < 0x80 ? 1 : 2;
      ++letters[word.substr(at, bytes)];
      at += bytes;
    }
    ++lengths[length];
  }
  CHECK(lengths.size() == 4);
  CHECK(lengths.rbegin()->first == 3);
  for (const auto& [length, count] : lengths) CHECK(std::abs(count - 2000) < 200);
  CHECK(letters.size() == 8);
  CHECK(letters.contains("é"));
  for (const auto& [letter, count] : letters) CHECK(std::abs(count - 1500) < 200);
  CHECK(std::ranges::equal(made("bits", DType::string, 10).strings(), tensor.strings().first(10)));
}

TEST_CASE("generators say which types they have no values of", "[generators]") {
  const auto message = [](std::string_view generator, DType dtype) {
    try {
      require_generates(generator, dtype);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  CHECK(message("normal", DType::int8) == "the generator 'normal' has no values of type int8");
  CHECK(message("uniform", DType::complex64) == "the generator 'uniform' has no values of type complex64");
  CHECK(message("uniform", DType::string) == "the generator 'uniform' has no values of type string");
  CHECK(message("special", DType::boolean) == "the generator 'special' has no values of type bool");
  CHECK(message("uniform", DType::float8_e4m3fn).empty());
  // No crash for any type that is taken.
  for (const DTypeInfo& type : all_dtypes())
    for (const std::string_view generator : generator_names())
      if (message(generator, type.dtype).empty()) CHECK(made(generator, type.dtype, 33).count() == 33);
}

TEST_CASE("a case's seed is a hash of the recipe's seed and the case's name", "[generators]") {
  // printf '1 lp_pool_18_f16_2d_k3_s2_ceil' | sha256sum begins with 8bc72791
  CHECK(case_seed(1, "lp_pool_18_f16_2d_k3_s2_ceil") == 0x8bc72791);
  CHECK(case_seed(2, "lp_pool_18_f16_2d_k3_s2_ceil") != case_seed(1, "lp_pool_18_f16_2d_k3_s2_ceil"));
}

TEST_CASE("a generator's name is known, or the nearest is offered", "[generators]") {
  CHECK(is_generator("special"));
  CHECK_FALSE(is_generator("ties"));
  try {
    generate({"normall"}, "X", {DType::float32, Dims{2}});
    FAIL();
  } catch (const Error& error) {
    CHECK(error.text() ==
          "'normall' is not a generator here (uniform, normal, integers, quantized, iota, zeros, ones, special, "
          "bits), did you mean 'normal'?");
  }
}

}  // namespace generate_test
