// SPDX-License-Identifier: Apache-2.0
// Values of JSON cases that are no tensors of inputs: tensors and graphs of attributes, sequences, optionals.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "io/numpy/print.h"
#include "io/onnx/onnx.h"

namespace values_test {

using namespace opref::io;

namespace {

Case case_of(std::string_view text, const std::filesystem::path& folder = ".") {
  const Json document = parse_json(text);
  return read_json_case(document.root(), {}, folder);
}

template <class Body>
std::string error_in(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.message());
  }
  return "no error";
}

std::string error_of(std::string_view text) {
  return error_in([&] { case_of(text); });
}

AttributeValue attribute_of(std::string_view value) {
  const std::string text = format(R"({}"op_type": "Op", "attributes": {}"a": {}{}{})", "{", "{", value, "}", "}");
  return std::get<AttributeValue>(case_of(text).graph.nodes.at(0).attributes.at(0).value);
}

std::string attribute_error(std::string_view value) {
  return error_of(format(R"({}"op_type": "Op", "attributes": {}"a": {}{}{})", "{", "{", value, "}", "}"));
}

std::string case_with(std::string_view input) {
  return format(R"({}"op_type": "Op", "inputs": {}"s": {}{}{})", "{", "{", input, "}", "}");
}

TensorSource input_of(std::string_view value, const std::filesystem::path& folder = ".") {
  return case_of(case_with(value), folder).inputs.at(0).source;
}

std::string input_error(std::string_view value) { return error_of(case_with(value)); }

/// Of a value that is well said, but cannot be loaded.
std::string load_error(std::string_view value, const std::filesystem::path& folder = ".") {
  const TensorSource source = input_of(value, folder);
  return error_in([&] { load(source); });
}

Sequence sequence_of(std::string_view value, const std::filesystem::path& folder = ".") {
  return std::get<Sequence>(load(input_of(value, folder)).value);
}

Optional optional_of(std::string_view value, const std::filesystem::path& folder = ".") {
  return std::get<Optional>(load(input_of(value, folder)).value);
}

}  // namespace

TEST_CASE("json: attributes that are tensors", "[json]") {
  const AttributeValue tensor = attribute_of(R"({"dtype": "int8", "data": [[1, -2]]})");
  CHECK(tensor.type == AttributeType::TENSOR);
  CHECK(to_text(tensor) == "int8[1,2]");
  CHECK(std::get<Tensor>(tensor.value).values<std::int8_t>()[1] == -2);
  CHECK(to_text(attribute_of(R"({"dtype": "float32", "shape": [0, 3], "data": []})")) == "float32[0,3]");
  const AttributeValue sparse = attribute_of(
      R"({"values": {"dtype": "float32", "data": [5]}, "indices": {"dtype": "int64", "data": [3]}, "shape": [2, 2]})");
  CHECK(sparse.type == AttributeType::SPARSE_TENSOR);
  CHECK(to_text(sparse) == "sparse float32[2,2]");
  CHECK(std::get<SparseTensor>(sparse.value).indices.values<std::int64_t>()[0] == 3);

  CHECK(attribute_error(R"({"data": [1]})") == "malformed: 'attributes.a' has no 'dtype'");
  CHECK(attribute_error(R"({"dtype": "int8"})") == "malformed: 'attributes.a' has no 'data'");
  CHECK(attribute_error(R"({"dtype": "int8", "data": [300]})").starts_with("malformed: 'attributes.a': "));
  CHECK(attribute_error(R"({"dtype": "int8", "data": [1], "file": "x.npy"})")
            .starts_with("malformed: unknown key 'attributes.a.file'"));
  CHECK(attribute_error(R"({"values": {"dtype": "int8", "data": [1]}, "shape": [2]})") ==
        "malformed: 'attributes.a' has 'values', but not both 'indices' and 'shape'");
}

TEST_CASE("json: what is stated of a sequence or an optional is stated of its tensors", "[json]") {
  // Elements of strings and of complex numbers are read as such.
  CHECK(sequence_of(R"({"sequence": [{"data": "a"}], "dtype": "string"})").elements.at(0).strings()[0] == "a");
  const Optional text = optional_of(R"({"optional": {"data": "a"}, "type": "string"})");
  CHECK(std::get<Tensor>(text.element).strings()[0] == "a");
  CHECK(optional_of(R"({"optional": {"sequence": []}, "type": "sequence of int8"})").dtype == DType::int8);
  CHECK(input_error(R"({"sequence": [{"dtype": "int8", "data": 1}], "dtype": "int16"})") ==
        "malformed: 'inputs.s.sequence[0]' is int8, but the sequence is one of int16");
  CHECK(input_error(R"({"sequence": [{"shape": [1], "fill": "ties"}], "dtype": "float32"})")
            .starts_with("malformed: 'inputs.s.sequence[0]': 'ties' is not a generator here (uniform, "));
}

TEST_CASE("json: values that files hold", "[json]") {
  const TemporaryFolder folder;
  const Tensor seven = Tensor::of<float>(DType::float32, Dims{1}, std::array<float, 1>{7});
  save_npz(folder / "t.npz", {{"x", seven}});
  folder.write("o.pb", onnx_value_bytes("o", Optional{DType::float32, Sequence{DType::float32, {seven}}}));
  const std::string list = R"({"sequence": [{"data": 1}, "t.npz:x"], "dtype": "float32"})";
  CHECK(sequence_of(list, folder.path()).elements.at(1).values<float>()[0] == 7);
  CHECK(std::get<Tensor>(optional_of(R"({"optional": "t.npz:x"})", folder.path()).element).values<float>()[0] == 7);
  CHECK(load_error(R"({"sequence": ["o.pb"]})", folder.path()) == "malformed: 's_0' is no tensor, but in a sequence");
  CHECK(load_error(R"({"optional": "o.pb"})", folder.path()) == "malformed: 's' is an optional in an optional");
}

TEST_CASE("values in words: sequences and optionals around the text of their tensors", "[json]") {
  const auto text = [](const Value& value) {
    return value_text(value, [](const Tensor& tensor) { return to_text(tensor.type()) + "\n"; });
  };
  const Tensor tensor = Tensor::of<float>(DType::float32, Dims{1}, std::array<float, 1>{7});
  const Sequence sequence{DType::float32, {tensor, tensor.reshaped(Dims{})}};
  CHECK(text(tensor) == "float32[1]\n");
  CHECK(text(sequence) == "sequence of float32, 2 elements\n[0] float32[1]\n[1] float32[]\n");
  CHECK(text(Sequence{DType::int8, {}}) == "sequence of int8, 0 elements\n");
  CHECK(text(Optional{DType::float32, tensor}) == "optional float32[1]\n");
  CHECK(text(Optional{DType::float32, sequence}).starts_with("optional sequence of float32, 2 elements\n"));
  CHECK(text(Optional{DType::int8, {}}) == "optional int8, empty\n");
}

}  // namespace values_test
