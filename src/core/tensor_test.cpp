// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"

namespace core_tensor_test {

using namespace opref::core;

TEST_CASE("the table of types has every ONNX type, by its number", "[core]") {
  CHECK(onnx_dtypes().size() == 28);
  CHECK(onnx_number(DType::int2) == 26);
  CHECK_THROWS_WITH(onnx_number(DType::uint1), "ONNX has no type uint1");
  CHECK(dtype_from_onnx(1) == DType::float32);
  CHECK(dtype_from_onnx(16) == DType::bfloat16);
  CHECK(dtype_from_onnx(26) == DType::int2);
  CHECK_THROWS_AS(dtype_from_onnx(0), Error);
  CHECK(dtype_from_onnx(28) == DType::float6_e3m2fn);
  CHECK_THROWS_AS(dtype_from_onnx(29), Error);
  CHECK_THROWS_AS(dtype_from_onnx((std::int64_t{1} << 32) + 1), Error);
  CHECK(dtype_named("float16") == DType::float16);
  CHECK_FALSE(dtype_named("half"));
  CHECK_THROWS_WITH(parse_dtype("flaot32"), "'flaot32' is not a dtype, did you mean 'float32'?");
}

TEST_CASE("sizes in bytes; packed types round up", "[core]") {
  CHECK(byte_size({DType::float32, Dims{2, 3}}) == 24);
  CHECK(byte_size({DType::complex128, Dims{3}}) == 48);
  CHECK(byte_size({DType::int4, Dims{3}}) == 2);
  CHECK(byte_size({DType::uint2, Dims{5}}) == 2);
  CHECK(byte_size({DType::float6_e2m3fn, Dims{4}}) == 3);
  CHECK(byte_size({DType::float6_e3m2fn, Dims{5}}) == 4);
  CHECK(byte_size({DType::float64, Dims{}}) == 8);
  CHECK(byte_size({DType::float64, Dims{0, 5}}) == 0);
  CHECK_THROWS_AS(byte_size({DType::float64, Dims{INT64_MAX}}), Error);
  CHECK_THROWS_AS(byte_size({DType::uint8, Dims{INT64_MAX, 2}}), Error);
}

TEST_CASE("bits behind the last element are zeros whatever the memory held", "[core]") {
  allocate_by([](std::size_t bytes, Zeros) {
    Memory memory{std::shared_ptr<std::byte>(new std::byte[bytes], std::default_delete<std::byte[]>()), false};
    std::fill_n(memory.data.get(), bytes, std::byte{0xa5});
    return memory;
  });
  TensorBuilder odd({DType::int4, Dims{3}}, Content::any), sixths({DType::float6_e2m3fn, Dims{5}}, Content::any);
  TensorBuilder none({DType::uint2, Dims{0}}, Content::any);
  allocate_by(fresh_memory);
  CHECK(odd.bytes()[0] == std::byte{0xa5});
  CHECK(odd.bytes()[1] == std::byte{0});
  CHECK(sixths.bytes()[3] == std::byte{0});
  CHECK(none.bytes().empty());
}

TEST_CASE("shapes are computed in checked arithmetic", "[core]") {
  CHECK(Dims{1, 2} + Dims{3, 4} == Dims{4, 6});
  CHECK(Dims{3, 4} * (Dims{2, 5} - 1) == Dims{3, 16});
  CHECK(join(Dims{1, 2}, Dims{3}) == Dims{1, 2, 3});
  CHECK(element_count(Dims{}) == 1);
  CHECK(element_count(Dims{INT64_MAX, INT64_MAX, 0}) == 0);
  CHECK_THROWS_AS(element_count(Dims{-1, 2}), Error);
  CHECK_THROWS_WITH(Dims{INT64_MAX} * Dims{2}, "9223372036854775807 * 2 does not fit into 64 bits");
  CHECK_THROWS_AS(Dims{INT64_MIN} - 1, Error);
  try {
    Dims{3, 4} + Dims{2, INT64_MAX};
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.text() ==
          "4 + 9223372036854775807 does not fit into 64 bits\n  in axis 1 of [3,4] and [2,9223372036854775807]");
  }
  CHECK(coordinates(7, Dims{2, 5}) == Dims{1, 2});
  CHECK(position(Dims{1, 2}, Dims{2, 5}) == 7);
  CHECK(to_text(Dims{1, 3}) == "[1,3]");
  CHECK_THROWS_WITH(Dims::filled(17, 1), "rank 17 is more than 16");
}

TEST_CASE("a tensor of strings and one of numbers", "[core]") {
  const Tensor words(Dims{2}, {"a", "b"});
  CHECK(words.strings()[1] == "b");
  CHECK_THROWS_AS(words.bytes(), Error);
  const std::vector<float> values{1, 2};
  const Tensor numbers = Tensor::of<float>(DType::float32, Dims{2}, values);
  CHECK(numbers.values<float>()[1] == 2);
  CHECK(to_text(numbers.type()) == "float32[2]");
  CHECK_THROWS_AS(Tensor::of<float>(DType::float32, Dims{3}, values), Error);
}

namespace {

Tensor number(std::int64_t value) { return Tensor::of<std::int64_t>(DType::int64, {}, std::array{value}); }

std::vector<std::int64_t> numbers_in(const TensorList& list) {
  std::vector<std::int64_t> numbers;
  for (const Tensor& tensor : list) numbers.push_back(tensor.values<std::int64_t>()[0]);
  return numbers;
}

}  // namespace

TEST_CASE("a list of tensors does what a vector does, whatever becomes of its copies", "[core]") {
  const Random random(1);
  std::vector<std::int64_t> expected;
  TensorList list;
  std::vector<std::pair<TensorList, std::vector<std::int64_t>>> kept;
  for (std::int64_t i = 0; i < 6000; ++i) {
    const size_t place = random.below(static_cast<std::uint32_t>(expected.size() + 1), i);
    // Grows to a thousand, shrinks to nothing, and grows again.
    const bool grows = (random.below(4, i, 1) == 0) == (i / 2000 == 1);
    if (grows || expected.empty()) {
      const size_t at = i % 5 == 0 ? expected.size() : place;
      list.insert(at, number(i));
      expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(at), i);
    } else {
      const size_t at = place % expected.size();
      list.erase(at);
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (i % 400 == 7) kept.emplace_back(list, expected);
  }
  kept.emplace_back(list, expected);
  for (const auto& [copy, numbers] : kept) {
    CHECK(copy.size() == numbers.size());
    CHECK(copy.empty() == numbers.empty());
    CHECK(numbers_in(copy) == numbers);
    std::vector<std::int64_t> in_parts;
    copy.each_part([&](const void*, std::span<const Tensor> part) {
      for (const Tensor& tensor : part) in_parts.push_back(tensor.values<std::int64_t>()[0]);
      return true;
    });
    CHECK(in_parts == numbers);
  }
  const TensorList at_once(std::vector<Tensor>(list.begin(), list.end()));
  CHECK(numbers_in(at_once) == expected);
  CHECK_THROWS_AS(list.at(list.size()), Error);
}

namespace {

std::set<const void*> parts_of(const TensorList& list) {
  std::set<const void*> parts;
  list.each_part([&](const void* part, std::span<const Tensor>) { return parts.insert(part).second; });
  return parts;
}

}  // namespace

TEST_CASE("a changed copy of a list shares all parts with it but those on the way to the change", "[core]") {
  TensorList list;
  for (std::int64_t i = 0; i < 100000; ++i) list.push_back(number(i));
  const std::set<const void*> parts = parts_of(list);
  CHECK(parts.size() > 2000);
  for (const size_t place : {0, 50000, 100000}) {
    TensorList copy = list;
    copy.insert(place, number(-1));
    const auto is_new = [&](const void* part) { return !parts.contains(part); };
    CHECK(std::ranges::count_if(parts_of(copy), is_new) <= 20);
  }
  CHECK(list[50000].values<std::int64_t>()[0] == 50000);
}

}  // namespace core_tensor_test
