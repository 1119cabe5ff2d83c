// SPDX-License-Identifier: Apache-2.0
// Rows, one element, threads: all are the table of exact/convert.
#include "evaluators/convert.h"

#include <catch2/catch.hpp>

#include "evaluators/real_testing.h"

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

TEST_CASE("one element is converted alone", "[evaluators]") {
  const Tensor x = tensor<float>({3}, {1.5, 300, -2});
  const Tensor y = convert(Output(with({.only = 1}), TensorType{DType::int8, {3}}), x);
  CHECK(std::vector<std::int8_t>(y.values<std::int8_t>().begin(), y.values<std::int8_t>().end()) ==
        std::vector<std::int8_t>{0, 44, 0});
}
