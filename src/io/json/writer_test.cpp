// SPDX-License-Identifier: Apache-2.0
// What is written as JSON.
#include <bit>
#include <catch2/catch.hpp>
#include <limits>

#include "io/json/json_testing.h"
#include "io/json/parse.h"
#include "io/literal.h"

namespace writer_test {

using namespace opref::io;

TEST_CASE("json: what was read is written again, digits and all", "[json]") {
  const std::string text = R"({
  "decimal": 1.50,
  "huge": 1e400,
  "list": [
    null,
    true,
    "\"quoted\"",
    [],
    {
      "a": -0
    }
  ]
}
)";
  const Json document = parse_json(text);
  Json copy, items = Json::list();
  const JsonValue stated = document.root().find("list").value();
  for (const JsonValue item : stated) items.append(item);
  copy.set("decimal", *document.root().find("decimal")).set("huge", *document.root().find("huge"));
  copy.set("list", *document.root().find("list"));
  CHECK(copy.text() == text);
  copy.set("list", std::move(items));
  CHECK(copy.text() == text);
}

TEST_CASE("json: a document is written in order and indented", "[json]") {
  Json writer;
  writer.set("op", "LpPool").set("count", 3).set("exact", true).set("ratio", 0.1).set("whole", 2.0);
  writer.set("big", INT64_MIN)
      .set("bytes", size_t{5})
      .set("none", nullptr)
      .set("shape", Dims{1, 3, 32})
      .set("scalar", Dims{});
  const std::vector<std::string> names = {"X", "W"};
  writer.set("names", names);
  Json inner, list = Json::list(), empty;
  inner.set("a", 1);
  list.append("x").append(std::move(inner)).append(Json::list());
  writer.set("list", std::move(list)).set("empty", std::move(empty)).set("count", 4);
  CHECK(writer.text() == R"({
  "op": "LpPool",
  "count": 4,
  "exact": true,
  "ratio": 0.1,
  "whole": 2,
  "big": -9223372036854775808,
  "bytes": 5,
  "none": null,
  "shape": [1, 3, 32],
  "scalar": [],
  "names": ["X", "W"],
  "list": [
    "x",
    {
      "a": 1
    },
    []
  ],
  "empty": {}
}
)");
  CHECK(Json().text() == "{}\n");
  CHECK(Json::list().text() == "[]\n");
  CHECK(parse_error_of([] { Json().append("x"); }) == "internal: an object of JSON has no items");
  CHECK(parse_error_of([] { Json::list().set("x", 1); }) == "internal: a list of JSON has no member 'x'");
}

TEST_CASE("json: an object of many members replaces one that is set again", "[json]") {
  Json writer;
  for (int i = 0; i < 50; ++i) {
    writer.set(format("k{}", i), i).set("k7", "seven").set(format("k{}", i / 2), i);
  }
  const Json document = parse_json(writer.text());
  CHECK(document.root().size() == 50);
  for (const JsonValue member : document.root()) {
    const int number = std::stoi(std::string(member.key().substr(1)));
    const int last = number < 25 ? 2 * number + 1 : number;
    CHECK(member.text() == (number == 7 ? "seven" : std::to_string(last)));
  }
}

TEST_CASE("json: a list stands on one line of at most 100 characters", "[json]") {
  const auto lines = [](size_t items, const std::string& last) {
    std::vector<std::string> values(items, "0");
    values.push_back(last);
    Json writer;
    writer.set("v", values);
    const std::string text = writer.text();
    return std::count(text.begin(), text.end(), '\n');
  };
  // 8 for `  "v": [`, 17 times 5 for `"0", `, 5 for `"123"`, `]` and room for a comma: 100.
  CHECK(lines(17, "123") == 3);
  CHECK(lines(17, "1234") == 3 + 19);
}

TEST_CASE("json: numbers that JSON cannot write are strings", "[json]") {
  Json writer;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  writer.set("a", std::numeric_limits<double>::quiet_NaN()).set("b", kInfinity).set("c", -kInfinity).set("d", -0.0);
  CHECK(writer.text() == R"({
  "a": "NaN",
  "b": "Inf",
  "c": "-Inf",
  "d": -0
}
)");
}

TEST_CASE("json: strings hold any bytes", "[json]") {
  Json writer;
  writer.set("quote\"", "back\\ line\n tab\t null");
  writer.set("bytes", std::string_view("a\xff\xc3(\0\x01", 6)).set("umlaut", "\xc3\xa4");
  writer.set("key\xff", 1).set("key\xfe", 2);
  CHECK(writer.text() ==
        "{\n"
        "  \"quote\\\"\": \"back\\\\ line\\n tab\\t null\",\n"
        "  \"bytes\": \"a\xef\xbf\xbd\xef\xbf\xbd(\\u0000\\u0001\",\n"
        "  \"umlaut\": \"\xc3\xa4\",\n"
        "  \"key\xef\xbf\xbd\": 2\n"
        "}\n");
}

TEST_CASE("json: attribute values", "[json]") {
  Json writer;
  const std::int64_t ones[] = {1, 2};
  const std::vector<std::int64_t> ints = {-1, INT64_MAX};
  const std::vector<float> floats = {0.5F, std::numeric_limits<float>::infinity()};
  const std::vector<std::string> strings = {"a", "\""};
  writer.set("int", AttributeValue::of(std::int64_t{2})).set("float", AttributeValue::of(1.7F));
  writer.set("string", AttributeValue::of(std::string("SAME_UPPER"))).set("ints", AttributeValue::of(ints));
  writer.set("floats", AttributeValue::of(floats)).set("strings", AttributeValue::of(strings));
  writer.set("graph", AttributeValue{AttributeType::GRAPH, Opaque{}});
  writer.set("tensor", AttributeValue{AttributeType::TENSOR, Tensor::of<std::int64_t>(DType::int64, {2}, ones)});
  // 1.7 as float32 is 14260634 / 2^23 = 1.7000000476837158203125.
  CHECK(writer.text() == R"_({
  "int": 2,
  "float": 1.7000000476837158,
  "string": "SAME_UPPER",
  "ints": [-1, 9223372036854775807],
  "floats": [0.5, "Inf"],
  "strings": ["a", "\""],
  "graph": "(GRAPH)",
  "tensor": {
    "dtype": "int64",
    "shape": [2],
    "data": [1, 2]
  }
}
)_");
}

TEST_CASE("json: tensors are nested lists", "[json]") {
  const std::int32_t numbers[] = {1, -2, 3, 4};
  Json writer;
  writer.set("a", Tensor::of<std::int32_t>(DType::int32, {2, 2}, numbers));
  writer.set("b", Tensor::of<std::int32_t>(DType::int32, {}, std::span(numbers).first(1)));
  writer.set("c", Tensor::of<std::int32_t>(DType::int32, {1000, 0}, {}));
  const std::uint16_t halves[] = {0x3c00, 0x8000, 0x7e00, 0xfc00, 0x7e01};  // 1, -0, NaN, -Inf, NaN with a payload
  writer.set("d", Tensor::of<std::uint16_t>(DType::float16, {5}, halves));
  writer.set("e", Tensor({2}, std::vector<std::string>{"1", "a\""}));
  CHECK(writer.text() == R"({
  "a": [
    [1, -2],
    [3, 4]
  ],
  "b": 1,
  "c": [],
  "d": [1, -0, "NaN", "-Inf", "0x7e01"],
  "e": ["1", "a\""]
}
)");
}

TEST_CASE("json: a written tensor is read back to the same bits", "[json]") {
  const auto round_trip = [](const Tensor& written) {
    Json x, inputs, document;
    x.set("dtype", name(written.dtype())).set("shape", written.shape()).set("data", written);
    inputs.set("X", std::move(x));
    document.set("op_type", "A").set("inputs", std::move(inputs));
    const TensorSource source = read(document.text()).inputs.at(0).source;
    const Tensor back = make_tensor(*source.literal(), source.dtype.value());
    CHECK(back.type() == written.type());
    if (written.dtype() == DType::string)
      CHECK(std::ranges::equal(back.strings(), written.strings()));
    else
      CHECK(std::ranges::equal(back.bytes(), written.bytes()));
  };
  std::vector<std::uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  // Every 16-bit pattern: subnormals, -0, infinities and all NaN payloads among them.
  round_trip(Tensor::of<std::uint16_t>(DType::float16, {256, 256}, halves));
  round_trip(Tensor::of<std::uint16_t>(DType::bfloat16, {65536}, halves));
  const std::uint32_t floats[] = {0,          0x80000000, 1,          0x80000001, 0x7f7fffff, 0x7f800000, 0xff800000,
                                  0x7fc00000, 0xffc00000, 0x7fc00001, 0x7f800001, 0x3dcccccd, 0x00800000, 0x4b800001};
  round_trip(Tensor::of<std::uint32_t>(DType::float32, {2, 7}, floats));
  const std::uint64_t doubles[] = {1, 0x8000000000000000, 0x7fefffffffffffff, 0x7ff0000000000001, 0x3fb999999999999a};
  round_trip(Tensor::of<std::uint64_t>(DType::float64, {5, 1}, doubles));
  const std::int64_t integers[] = {0, -1, INT64_MIN, INT64_MAX, (std::int64_t{1} << 53) + 1};
  round_trip(Tensor::of<std::int64_t>(DType::int64, {5}, integers));
  const std::uint64_t large[] = {UINT64_MAX};
  round_trip(Tensor::of<std::uint64_t>(DType::uint64, {}, large));
  const std::uint8_t truths[] = {0, 1};
  round_trip(Tensor::of<std::uint8_t>(DType::boolean, {2}, truths));
  const std::uint32_t complex[] = {0x3fc00000, 0x80000000, 0x7f800000, 0x7fc00001, 0x7fc00000, 0xbf800000};
  round_trip(Tensor::of<std::uint32_t>(DType::complex64, {3}, complex));
  round_trip(Tensor::of<float>(DType::float32, {2, 0, 3}, {}));
  round_trip(Tensor({2, 1}, std::vector<std::string>{"NaN", "\n\xc3\xa4\\"}));
}

TEST_CASE("json: a value is set from another document, from its own, and copied", "[json]") {
  Json json, list = Json::list();
  list.append(std::vector<std::string>{"b"}).append(nullptr);
  json.set("a", 1).set("list", list).set("a", *json.root().find("list")).set("list", json);
  CHECK(json.line() == R"({"a": [["b"],null],"list": {"a": [["b"],null],"list": [["b"],null]}})"
                       "\n");
  const Json copy = json;
  json.set("a", "x");
  CHECK(copy.root().find("a")->size() == 2);
  CHECK(Json(*json.root().find("list")->find("a")).line() == "[[\"b\"],null]\n");
  CHECK(json.root().find("list")->find("list")->path() == "list.list");
}

}  // namespace writer_test
