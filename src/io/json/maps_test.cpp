// SPDX-License-Identifier: Apache-2.0
#include "io/json/maps.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "core/map.h"
#include "io/folder_testing.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/numpy/print.h"
#include "io/onnx/onnx.h"

namespace maps_test {

using namespace opref::io;

namespace {

template <class Body>
std::string error_in(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.message());
  }
  return "no error";
}

std::string member(std::string_view text) {
  return error_in([&] { read_map_document(text); });
}

std::string text_of(const Value& value) {
  return value_text(value, [](const Tensor& tensor) { return to_text(tensor.type()) + "\n"; });
}

/// The input of a case that is stated so, once it is loaded.
Value loaded(std::string_view value, const std::filesystem::path& folder = ".") {
  const std::string text = "{\"op_type\": \"Op\", \"inputs\": {\"X\": " + std::string(value) + "}}";
  const Json document = parse_json(text);
  return load(read_json_case(document.root(), {}, folder).inputs.at(0).source).value;
}

}  // namespace

TEST_CASE("json: maps", "[json]") {
  const Value map = read_map_document(R"j({"map": {"c": 8, "a": 4}, "type": "map(string,int64)"})j");
  CHECK(to_text(type_of(map)) == "map(string,int64)");
  CHECK(std::get<Map>(map).values.values<std::int64_t>()[0] == 4);
  const std::string written = map_member_json(map).text();
  CHECK(written == "{\n  \"map\": {\n    \"a\": 4,\n    \"c\": 8\n  },\n  \"type\": \"map(string,int64)\"\n}\n");
  CHECK(same_bits(read_map_document(written), map));
  const std::string special =
      R"j({"map": [{"-1": "NaN", "0": "0xffc00001", "7": -0.0}, {"2": "-Inf"}, {}], "type": "seq(map(int64,float))"})j";
  const Value maps = read_map_document(special);
  CHECK(std::get<MapSequence>(maps).size() == 3);
  CHECK(same_bits(read_map_document(map_member_json(maps).text()), maps));
  CHECK(text_of(maps) ==
        "seq(map(int64,float))[3]\nsha256 " + sha256_of_maps(maps) +
            "\n[0] {\"-1\": \"NaN\", \"0\": \"0xffc00001\", \"7\": -0}\n[1] {\"2\": \"-Inf\"}\n[2] {}\n");
  CHECK(text_of(map) == "map(string,int64)\nsha256 " + sha256_of_maps(map) + "\n{\"a\": 4, \"c\": 8}\n");
  const Json type = type_json(type_of(maps));
  CHECK(type.line() == "{\"form\": \"sequence of maps\",\"key\": \"int64\",\"dtype\": \"float32\"}\n");
  for (const DTypeInfo& dtype : onnx_dtypes()) {
    if (dtype.kind == Kind::complex) continue;
    INFO(dtype.name);
    const Value one =
        read_maps(parse_json("{\"k\": " + std::string(dtype.kind == Kind::string ? "\"x\"" : "1") + "}").root(),
                  ValueType(Form::map, dtype.dtype, DType::string));
    CHECK(same_bits(read_map_document(map_member_json(one).text()), one));
  }
}

TEST_CASE("json: maps that are none", "[json]") {
  CHECK(member(R"j({"map": {"a": 1}})j") == "malformed: the document has no 'type'");
  CHECK(member("[1]").starts_with("malformed: the JSON is no value"));
  CHECK(member(R"j({"map": {"a": 1}, "type": "float32"})j") ==
        "malformed: 'type' is 'float32', but a map's type is written as map(string,float) or seq(map(int64,float))");
  CHECK(member(R"j({"map": {"a": 1}, "type": "map(int64,float)"})j") ==
        "malformed: 'map.a' has a key that is no integer in decimal digits, as \"-3\" is");
  for (const char* key : {"01", "+1", "1.0", "-0", "", " 1", "1e3", "0x1", "-"}) {
    INFO(key);
    CHECK(member(format(R"j({{"map": {{"{}": 1}}, "type": "map(int64,float)"}})j", key)).starts_with("malformed: "));
  }
  CHECK(
      member(R"j({"map": {"9223372036854775808": 1}, "type": "map(int64,float)"})j").find("does not fit into int64") !=
      std::string::npos);
  CHECK(member(R"j({"map": {"256": 1}, "type": "map(uint8,float)"})j").find("does not fit into uint8") !=
        std::string::npos);
  CHECK(member(R"j({"map": {"a": [1]}, "type": "map(string,float)"})j").starts_with("malformed: 'map.a' is a list"));
  CHECK(member(R"j({"map": {"a": "x"}, "type": "map(string,float)"})j").starts_with("malformed: 'map.a' is 'x'"));
  CHECK(member(R"j({"map": {"a": 1.5}, "type": "map(string,int64)"})j").find("1.5 is not an integer") !=
        std::string::npos);
  CHECK(member(R"j({"map": [{"a": 1}], "type": "map(string,float)"})j").starts_with("malformed: 'map' is a list"));
  CHECK(
      member(R"j({"map": {"a": 1}, "type": "seq(map(string,float))"})j").starts_with("malformed: 'map' is an object"));
  CHECK(member(R"j({"map": {"a": 1, "a": 2}, "type": "map(string,float)"})j").starts_with("malformed: "));
  CHECK(member(R"j({"map": {}, "type": "map(string,float)", "x": 1})j").starts_with("malformed: "));
}

TEST_CASE("json: a map of two lists", "[json]") {
  const TemporaryFolder folder;
  const Value map =
      loaded(R"j({"keys": {"dtype": "int64", "data": [3, -1]}, "values": {"dtype": "float32", "data": [1, 2]}})j");
  CHECK(to_text(type_of(map)) == "map(int64,float)");
  CHECK(std::get<Map>(map).values.values<float>()[0] == 2);
  const Value made = loaded(
      R"j({"keys": {"dtype": "string", "data": ["x", "y"]}, "values": {"dtype": "int64", "shape": [2], "fill": "iota"}})j");
  CHECK(to_text(type_of(made)) == "map(string,int64)");
  const auto error = [&](std::string_view value) { return error_in([&] { loaded(value); }); };
  CHECK(error(R"j({"keys": {"dtype": "int64", "data": [3, 3]}, "values": {"dtype": "float32", "data": [1, 2]}})j") ==
        "malformed: the key 3 is there twice");
  CHECK(error(R"j({"keys": {"dtype": "int64", "data": [3]}, "values": {"dtype": "float32", "data": [1, 2]}})j") ==
        "malformed: 'X' has keys of int64[1] and values of float32[2], but a map has a list of integers or strings "
        "and a "
        "list of as many values");
  CHECK(error(R"j({"keys": {"dtype": "float32", "data": [3]}, "values": {"dtype": "float32", "data": [1]}})j")
            .starts_with("malformed: 'X' has keys of float32[1]"));
  CHECK(error(R"j({"keys": {"dtype": "int64", "data": [3]}})j") == "malformed: 'inputs.X' has no 'values'");
  CHECK(error(R"j({"keys": {"dtype": "int64", "shape": [1]}, "values": {"dtype": "float32", "data": [1]}})j") ==
        "malformed: 'inputs.X.keys' has no values, but is in a map");
}

TEST_CASE("maps in files: the .pb says itself what it is, or what is stated beside it", "[io]") {
  const TemporaryFolder folder;
  const Value map = read_map_document(R"j({"map": {"a": 4}, "type": "map(string,int64)"})j");
  MapSequence none{DType::string, DType::float64};
  const auto write = [&](const char* file, const Value& value) {
    FileWriter writer(folder / file);
    write_onnx_value(writer, "v", value);
    writer.commit();
    return TensorSource::of_file((folder / file).string());
  };
  TensorSource source = write("map.pb", map);
  CHECK(same_bits(load(source).value, map));
  source.form = Form::map;
  source.key = DType::string;
  source.dtype = DType::int64;
  CHECK(same_bits(load(source).value, map));
  source.key = DType::int64;
  CHECK(error_in([&] { load(source); }) == "usage: the file has map(string,int64), but map(int64,int64) is stated");
  TensorSource empty = write("none.pb", none);
  CHECK(load(empty).is_open_without_elements);
  empty.form = Form::map_sequence;
  empty.key = DType::string;
  empty.dtype = DType::float64;
  CHECK(type_of(load(empty).value) == type_of(Value(none)));
  MapSequence two{DType::string, DType::int64};
  two.push_back(std::get<Map>(map));
  two.push_back(std::get<Map>(map));
  CHECK(same_bits(load(write("two.pb", two)).value, two));
}

}  // namespace maps_test
