// SPDX-License-Identifier: Apache-2.0
#include "exact/storage.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace opref::exact::storage_test {
namespace {

/// `count` elements of a tensor from `first` on, as their type's storage S.
template <class S, class Element>
std::vector<S> part(DType dtype, const std::vector<Element>& elements, std::size_t first, std::size_t count) {
  const Tensor tensor =
      Tensor::of<Element>(dtype, {static_cast<std::int64_t>(elements.size())}, std::span<const Element>(elements));
  return with_storage(dtype, [&]<class Storage>(Storage) {
    REQUIRE(std::is_same_v<Storage, S>);
    return with_element<S>(dtype, [&]<class E>(E) {
      const auto from = tensor.values<E>().subspan(first, count);
      return std::vector<S>(from.begin(), from.end());
    });
  });
}

}  // namespace

TEST_CASE("elements are widened without loss", "[exact][storage]") {
  using U16 = std::uint16_t;
  CHECK(part<float, U16>(DType::float16, {0, 0x3c00, 0xfbff, 0x0001}, 1, 3) == std::vector<float>{1, -65504, 0x1p-24F});
  CHECK(std::signbit(part<float, U16>(DType::float16, {0x8000}, 0, 1)[0]));
  CHECK(std::isnan(part<float, U16>(DType::float16, {0x7e01}, 0, 1)[0]));
  CHECK(part<float, U16>(DType::bfloat16, {0x3f80, 0x0001, 0xff80}, 0, 3) ==
        std::vector<float>{1, 0x1p-133F, -INFINITY});
  CHECK(part<float, float>(DType::float32, {1, 2, 3}, 1, 1) == std::vector<float>{2});
  CHECK(part<double, double>(DType::float64, {1, 2, 3}, 2, 1) == std::vector<double>{3});
  CHECK(part<std::int64_t, std::int8_t>(DType::int8, {-128, 127, -1}, 0, 3) ==
        std::vector<std::int64_t>{-128, 127, -1});
  CHECK(part<std::int64_t, std::int16_t>(DType::int16, {-32768, 5}, 0, 2) == std::vector<std::int64_t>{-32768, 5});
  CHECK(part<std::int64_t, std::int32_t>(DType::int32, {7, INT32_MIN}, 1, 1) == std::vector<std::int64_t>{INT32_MIN});
  CHECK(part<std::int64_t, std::int64_t>(DType::int64, {INT64_MIN}, 0, 1) == std::vector<std::int64_t>{INT64_MIN});
  CHECK(part<std::uint64_t, std::uint8_t>(DType::uint8, {255, 1}, 0, 2) == std::vector<std::uint64_t>{255, 1});
  CHECK(part<std::uint64_t, U16>(DType::uint16, {65535}, 0, 1) == std::vector<std::uint64_t>{65535});
  CHECK(part<std::uint64_t, std::uint32_t>(DType::uint32, {UINT32_MAX}, 0, 1) ==
        std::vector<std::uint64_t>{UINT32_MAX});
  CHECK(part<std::uint64_t, std::uint64_t>(DType::uint64, {UINT64_MAX}, 0, 1) ==
        std::vector<std::uint64_t>{UINT64_MAX});
}

TEST_CASE("each type has one storage, or none", "[exact][storage]") {
  for (const DType dtype : {DType::boolean, DType::int4, DType::uint4, DType::int2, DType::uint2, DType::string,
                            DType::complex64, DType::float8_e4m3fn, DType::float4_e2m1fn}) {
    CAPTURE(to_text(dtype));
    try {
      with_storage(dtype, [](auto) {});
      CHECK(false);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::unsupported);
      CHECK(error.message() == "arithmetic on " + to_text(dtype) + " is not supported");
    }
  }
}

}  // namespace opref::exact::storage_test
