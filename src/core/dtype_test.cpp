// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace dtype_test {

using namespace opref::core;

TEST_CASE("dtypes have one name, and are understood by others", "[core]") {
  constexpr std::pair<std::string_view, DType> kMeant[] = {
      {"float", DType::float32},
      {"double", DType::float64},
      {"half", DType::float16},
      {"f16", DType::float16},
      {"f32", DType::float32},
      {"f64", DType::float64},
      {"bf16", DType::bfloat16},
      {"fp16", DType::float16},
      {"fp32", DType::float32},
      {"fp64", DType::float64},
      {"float32", DType::float32},
      {"int8", DType::int8},
      {"bool", DType::boolean},
      {"float8e5m2fnuz", DType::float8_e5m2fnuz},
      {"float4e2m1", DType::float4_e2m1fn},  // ONNX's
  };
  for (const auto& [text, dtype] : kMeant) {
    INFO(text);
    CHECK(dtype_meant(text) == dtype);
    CHECK(parse_dtype(text) == dtype);
    CHECK(dtype_named(text).has_value() == (name(dtype) == text));  // files have the canonical names only
  }
  CHECK_FALSE(dtype_meant("Float").has_value());
  CHECK_FALSE(dtype_meant("").has_value());
  CHECK_THROWS_WITH(parse_dtype("flaot"), "'flaot' is not a dtype, did you mean 'float'?");
  CHECK_THROWS_WITH(parse_dtype("flaot32"), "'flaot32' is not a dtype, did you mean 'float32'?");
  CHECK_THROWS_WITH(parse_dtype("q8"), "'q8' is not a dtype");
}

}  // namespace dtype_test
