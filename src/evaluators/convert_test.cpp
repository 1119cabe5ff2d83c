// SPDX-License-Identifier: Apache-2.0
// Rows, one element, threads: all are the table of exact/convert.
#include "evaluators/convert.h"

#include <catch2/catch.hpp>

#include "evaluators/real_testing.h"

namespace evaluators_convert_test {

using namespace opref::evaluators;

namespace {

constexpr std::int64_t kCount = 2500;  // more than a row

Tensor patterns(DType dtype, std::uint64_t seed) {
  std::uint64_t state = seed;
  return tensor_of_bits({dtype, {kCount}}, [&](std::int64_t) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const int width = info(dtype).bits;
    const std::uint64_t bits = state >> (64 - width);
    return dtype == DType::boolean ? bits & 1 : bits;
  });
}

}  // namespace

TEST_CASE("conversions by rows are those of each element", "[evaluators]") {
  const std::vector<DType> types{DType::float16, DType::bfloat16, DType::float32,       DType::float64,
                                 DType::int8,    DType::int64,    DType::uint16,        DType::uint64,
                                 DType::boolean, DType::int4,     DType::float8_e4m3fn, DType::float4_e2m1fn};
  for (const DType from : types)
    for (const DType to : types)
      for (const Conversion& how : {Conversion{}, Conversion{.beyond = Conversion::Beyond::saturate}}) {
        if (from == to) continue;
        const Tensor x = patterns(from, 7);
        const Tensor y = convert(Output(with({.threads = 3}), TensorType{to, {kCount}}), x, how);
        INFO(to_text(from) << " " << to_text(to));
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < kCount; ++i)
          wrong += element_bits(y, i) != converted(number_of(from, element_bits(x, i)), to, how);
        CHECK(wrong == 0);
      }
}

TEST_CASE("conversions of numbers that integers hold", "[evaluators]") {
  oracle::Random random(3);
  std::vector<double> numbers{0.0, -0.0, 0.5, -0.5, 2147483520.0, -2147483520.0};
  while (std::ssize(numbers) < kCount)
    numbers.push_back(std::ldexp(random.normal(), static_cast<int>(random.in(-2, 27))));
  const auto check = [&](const Tensor& x) {
    for (const DType to : {DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32, DType::uint32,
                           DType::int64, DType::uint64, DType::boolean, DType::float64, DType::float32}) {
      if (to == x.dtype()) continue;
      const Tensor y = convert(Output(with({}), TensorType{to, {kCount}}), x);
      INFO(to_text(x.dtype()) << " " << to_text(to));
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < kCount; ++i)
        wrong += element_bits(y, i) != converted(number_of(x.dtype(), element_bits(x, i)), to, {});
      CHECK(wrong == 0);
    }
  };
  check(tensor<float>({kCount}, numbers));
  check(tensor<BFloat16>({kCount}, numbers));
  for (double& x : numbers) x = std::clamp(x, -65504.0, 65504.0);
  check(tensor<Half>({kCount}, numbers));
}

TEST_CASE("conversions of many numbers to types of few bits, by a table", "[evaluators]") {
  constexpr std::int64_t kMany = 1 << 18;
  std::uint64_t state = 5;
  const Tensor x = tensor_of_bits({DType::float32, {kMany}}, [&](std::int64_t i) -> std::uint64_t {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t fraction = state >> 41;  // of half of them only leading bits, or all and the last one
    if (i % 2 == 0) return state >> 32;
    const std::uint64_t leading = fraction & 0x7c0000;
    return ((state >> 20) & 0x80000000) | (127 - 18 + (state >> 50) % 36) << 23 | leading | (i % 4 == 1 ? 0 : 1);
  });
  const auto how = GENERATE(Conversion{}, Conversion{.saturates = false},
                            Conversion{.power = Conversion::Power::nearest, .small_nan = Conversion::SmallNan::zero},
                            Conversion{.power = Conversion::Power::down, .negative = Conversion::Negative::magnitude});
  for (const DType to : {DType::float8_e4m3fn, DType::float8_e5m2, DType::float8_e8m0fnu, DType::float4_e2m1fn,
                         DType::float6_e2m3fn, DType::float6_e3m2fn}) {
    const Tensor y = convert(Output(with({.threads = 2}), TensorType{to, {kMany}}), x, how);
    INFO(to_text(to));
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < kMany; i += 1 + i % 3)
      wrong += element_bits(y, i) != converted(number_of(DType::float32, element_bits(x, i)), to, how);
    CHECK(wrong == 0);
  }
}

TEST_CASE("one element is converted alone", "[evaluators]") {
  const Tensor x = tensor<float>({3}, {1.5, 300, -2});
  const Tensor y = convert(Output(with({.only = 1}), TensorType{DType::int8, {3}}), x);
  CHECK(std::vector<std::int8_t>(y.values<std::int8_t>().begin(), y.values<std::int8_t>().end()) ==
        std::vector<std::int8_t>{0, 44, 0});
}

}  // namespace evaluators_convert_test
