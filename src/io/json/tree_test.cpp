// SPDX-License-Identifier: Apache-2.0
// What is a JSON document, and the values in it.
#include "io/json/tree.h"
#include "io/json/parse.h"

#include <catch2/catch.hpp>

#include "io/json/json_testing.h"

namespace tree_test {

using namespace opref::io;

TEST_CASE("json: what is no JSON is malformed, with line and column", "[json]") {
  CHECK(case_error("") ==
        "malformed: line 1, column 1: syntax error while parsing value - unexpected end of input; expected '[', '{', "
        "or a literal");
  CHECK(case_error("{\"op_type\": }") ==
        "malformed: line 1, column 13: syntax error while parsing value - unexpected '}'; expected '[', '{', or a "
        "literal");
  CHECK(case_error("{\n  \"op_type\": \"A\",\n  \"inputs\": {\"X\" 5}\n}") ==
        "malformed: line 3, column 18: syntax error while parsing object separator - unexpected number literal; "
        "expected ':'");
  CHECK(case_error("{\"op_type\": \"A\"\n") ==
        "malformed: line 2, column 1: syntax error while parsing object - unexpected end of input; expected '}'");
  CHECK(case_error("{\"op_type\": \"A\"} x") ==
        "malformed: line 1, column 18: syntax error while parsing value - invalid literal; last read: '\"A\"} x'; "
        "expected end of input");
  CHECK(case_error("\xef\xbb\xbf{\"op_type\": }") ==
        "malformed: line 1, column 13: syntax error while parsing value - unexpected '}'; expected '[', '{', or a "
        "literal");
  CHECK(case_error("{\"opset\": NaN}") ==
        "malformed: line 1, column 11: syntax error while parsing value - invalid literal; last read: '\"opset\": N'; "
        "NaN and infinities are texts: \"NaN\", \"Inf\", \"-Inf\"");
  CHECK(case_error("{\"opset\": 1,\n}").ends_with("; the comma before it has to go"));
  CHECK(case_error("{\"axes\": [1, ]}").ends_with("; the comma before it has to go"));
  CHECK(case_error("{\"opset\": 1 // the newest\n}").ends_with("; JSON has no comments"));
  CHECK(case_error("{\"opset\": 1 # the newest\n}").ends_with("; JSON has no comments"));
  CHECK(case_error("{\"opset\": 012}") ==
        "malformed: line 1, column 13: syntax error while parsing object - unexpected number literal; expected '}'");
  CHECK(case_error("{\"op_type\": \"a\xff\"}") ==
        "malformed: line 1, column 15: syntax error while parsing value - invalid string: ill-formed UTF-8 byte; last "
        "read: '\"a\\xff'");
  CHECK(case_error("{\"op_type\": \"A\"} // comment") ==
        "malformed: line 1, column 18: syntax error while parsing value - invalid literal; last read: '\"A\"} /'; "
        "expected end of input; JSON has no comments");
  CHECK(case_error(std::string_view("{\"op_type\": \"A\"}\n\0garbage", 25)) ==
        "malformed: line 2, column 1: there is a null byte");
  CHECK(case_error("{\"op_type\": \"Relu\", \"opset\": 1e99999}") ==
        "malformed: 'opset' is 1e99999, but must be an integer from 1 to 28");
}

TEST_CASE("json: a key that is there twice", "[json]") {
  CHECK(case_error(R"({"op_type": "A", "opset": 1, "op_type": "B"})") == "malformed: the key 'op_type' is there twice");
  CHECK(case_error(R"({"op_type": "A", "inputs": {"X": {"dtype": "int8", "data": [1], "dtype": "int8"}}})") ==
        "malformed: the key 'inputs.X.dtype' is there twice");
  CHECK(parse_error_of([] { parse_json(R"([[], [{"a": 1}, {"b": [], "b": {}}]])"); }) ==
        "malformed: the key '[1][1].b' is there twice");
  CHECK(parse_error_of([] { is_onnx_json(parse_json(R"({"a": 1, "\u0061": 2})")); }) ==
        "malformed: the key 'a' is there twice");
}

TEST_CASE("json: nesting is bounded", "[json]") {
  CHECK(parse_error_of([] { parse_json(std::string(64, '[') + std::string(64, ']')); }) == "no error");
  const std::string rule = "malformed: lists and objects are nested more than 64 deep";
  CHECK(parse_error_of([] { parse_json(std::string(65, '[') + std::string(65, ']')); }) == rule);
  CHECK(case_error(std::string(1000000, '[')) == rule);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK(case_error(objects) == rule);
}

TEST_CASE("json: values know their place", "[json]") {
  const Json document = parse_json(R"({"a": [1, [true, {"b": {}, "c": -2.50}], "x"], "d": null})");
  const JsonValue list = document.root().find("a").value();
  std::vector<std::string> paths, texts;
  for (const JsonValue item : list) paths.push_back(item.path()), texts.emplace_back(item.text());
  CHECK(paths == std::vector<std::string>{"a[0]", "a[1]", "a[2]"});
  CHECK(texts == std::vector<std::string>{"1", "", "x"});
  const JsonValue object = *++(*++list.begin()).begin();
  CHECK(object.path() == "a[1][1]");
  CHECK(object.size() == 2);
  CHECK(object.find("c").value().path() == "a[1][1].c");
  CHECK(object.find("c").value().text() == "-2.50");
  CHECK(object.find("b").value().size() == 0);
  CHECK_FALSE(object.find("d").has_value());
  CHECK_FALSE(list.find("b").has_value());
  CHECK(document.root().find("d").value().kind() == JsonKind::null);
}

TEST_CASE("json: a document that takes more memory than is read", "[json]") {
  const std::string text = "[1,[],{\"a\": null}]";
  size_t least = 0;
  while (parse_error_of([&] { parse_json(text, least); }) != "no error") ++least;
  CHECK(least == 5 * 64 + 2);  // five values and keys before the last one, and what is written of them
  CHECK(parse_error_of([&] { parse_json(text, least - 1); }) ==
        format("unsupported: the text has 18 bytes, but its values take more than the {} in memory that opref reads",
               least - 1));
}

}  // namespace tree_test
