// SPDX-License-Identifier: Apache-2.0
#include "core/map.h"

#include <array>
#include <catch2/catch.hpp>

#include "core/value_type.h"

namespace map_test {

using namespace opref::core;

namespace {

template <class T, size_t n>
Tensor list(DType dtype, const std::array<T, n>& elements) {
  return Tensor::of<T>(dtype, Dims{static_cast<std::int64_t>(n)}, elements);
}
Tensor words(std::vector<std::string> texts) {
  const Dims shape{std::ssize(texts)};
  return {shape, std::move(texts)};
}
Tensor floats(std::vector<float> elements) {
  return Tensor::of<float>(DType::float32, Dims{std::ssize(elements)}, elements);
}

std::string text_of(const Map& map) {
  std::string text;
  for (size_t i = 0; i < static_cast<size_t>(map.keys.count()); ++i) text += key_text(map.keys, i) + " ";
  return text;
}

}  // namespace

TEST_CASE("maps: keys are put into order, and their values with them", "[core]") {
  const Map signs = map_of(list<std::int8_t>(DType::int8, std::array<std::int8_t, 3>{5, -128, 0}), floats({1, 2, 3}));
  CHECK(text_of(signs) == "-128 0 5 ");
  CHECK(signs.values.values<float>()[0] == 2);
  CHECK(signs.values.values<float>()[2] == 1);
  const Map large = map_of(list<std::uint64_t>(DType::uint64, std::array<std::uint64_t, 3>{UINT64_MAX, 1, 1ULL << 63}),
                           floats({1, 2, 3}));
  CHECK(text_of(large) == "1 9223372036854775808 18446744073709551615 ");
  const Map texts = map_of(words({"b", "\xc3\xa9", "", "a", "B"}), floats({1, 2, 3, 4, 5}));
  CHECK(text_of(texts) == "\"\" \"B\" \"a\" \"b\" \"\xc3\xa9\" ");
  const Tensor ordered = words({"a", "b"});
  CHECK(map_of(ordered, floats({1, 2})).keys.identity() == ordered.identity());
  CHECK(text_of(map_of(words({}), floats({}))).empty());
}

TEST_CASE("maps: values of any type are moved, packed ones and strings too", "[core]") {
  const Tensor keys = list<std::int64_t>(DType::int64, std::array<std::int64_t, 3>{3, 1, 2});
  const Tensor fours = Tensor::copy_of({DType::uint4, Dims{3}}, std::array{std::byte{0xba}, std::byte{0x0c}});
  const Map map = map_of(keys, fours);
  CHECK(map.values.bytes()[0] == std::byte{0xcb});
  CHECK(map.values.bytes()[1] == std::byte{0x0a});
  const Tensor sixths = Tensor::copy_of({DType::float6_e2m3fn, Dims{3}},
                                        std::array{std::byte{0x81}, std::byte{0x30}, std::byte{0x00}});  // 1, 2, 3
  const Map of_sixths = map_of(keys, sixths);
  CHECK(of_sixths.values.bytes()[0] == std::byte{0xc2});  // 2, 3, 1
  CHECK(of_sixths.values.bytes()[1] == std::byte{0x10});
  CHECK(map_of(keys, words({"x", "y", "z"})).values.strings()[0] == "y");
}

TEST_CASE("maps: a key that is there twice is refused, and one that is no key", "[core]") {
  CHECK_THROWS_WITH(map_of(words({"a", "b", "a"}), floats({1, 2, 3})), "the key \"a\" is there twice");
  CHECK_THROWS_AS(map_of(floats({1}), floats({1})), Error);
  CHECK_THROWS_AS(map_of(words({"a"}), floats({1, 2})), Error);
  for (const DType dtype : {DType::boolean, DType::float32, DType::int4, DType::uint2}) CHECK_FALSE(is_key_type(dtype));
  for (const DType dtype : {DType::string, DType::int8, DType::uint64, DType::int64}) CHECK(is_key_type(dtype));
}

TEST_CASE("maps: a key is found by its order", "[core]") {
  const Map map = map_of(words({"c", "a", "b"}), floats({1, 2, 3}));
  const Tensor asked = words({"b", "x", "", "c"});
  CHECK(place_of(map, asked, 0) == 1);
  CHECK_FALSE(place_of(map, asked, 1));
  CHECK_FALSE(place_of(map, asked, 2));
  CHECK(place_of(map, asked, 3) == 2);
}

TEST_CASE("maps: types and their texts", "[core]") {
  const Map map = map_of(words({"a"}), floats({1}));
  MapSequence maps{DType::string, DType::float32};
  CHECK(to_text(type_of(Value(map))) == "map(string,float)");
  CHECK(to_text(type_of(Value(maps))) == "seq(map(string,float))");
  CHECK(type_of(Value(map)) != ValueType(Form::map, DType::float32, DType::int64));
  for (const char* text : {"map(int64,float)", "seq(map(string,double))", "map(uint8,float16)", "float32",
                           "sequence of int8", "optional sequence of string"}) {
    INFO(text);
    REQUIRE(parse_kind(text));
    CHECK(kind_text(*parse_kind(text)) == text);
  }
  CHECK(parse_kind("seq( map(int64, tensor(float)) )") == ValueType(Form::map_sequence, DType::float32, DType::int64));
  CHECK(parse_kind("map(string,float32)") == ValueType(Form::map, DType::float32, DType::string));
  for (const char* text : {"map(float,float)", "map(int64)", "map(int64,seq(float))", "seq(float)", "map(,)", "map()",
                           "seq(seq(map(int64,float)))", "map(bool,float)", "", "map(int64,map(int64,float))"}) {
    INFO(text);
    CHECK_FALSE(parse_kind(text));
  }
  // Bits of keys and values.
  CHECK(same_bits(Value(map), Value(map_of(words({"a"}), floats({1})))));
  CHECK_FALSE(same_bits(Value(map), Value(map_of(words({"b"}), floats({1})))));
  CHECK_FALSE(same_bits(Value(map), Value(map_of(words({"a"}), floats({2})))));
  maps.push_back(map);
  CHECK(maps.size() == 1);
  CHECK(maps[0].keys.strings()[0] == "a");
  CHECK(byte_size(Value(maps)) == 2 * kSequenceElementBytes + 4 + static_cast<std::int64_t>(sizeof(std::string)));
}

}  // namespace map_test
