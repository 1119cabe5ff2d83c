// Values of JSON cases that are no tensors of inputs: tensors and graphs of attributes, sequences.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/json.h"
#include "io/json_tree.h"
#include "io/print.h"

using namespace opref;

namespace {

Case case_of(std::string_view text, const std::filesystem::path& folder = ".") {
  const JsonDocument document = parse_json(text);
  return read_json_case(document.root(), {}, folder);
}

std::string error_of(std::string_view text) {
  try {
    case_of(text);
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.message());
  }
  return "no error";
}

AttributeValue attribute_of(std::string_view value) {
  const std::string text = format(R"({}"op_type": "Op", "attributes": {}"a": {}{}{})", "{", "{", value, "}", "}");
  return std::get<AttributeValue>(case_of(text).graph.nodes.at(0).attributes.at(0).value);
}

std::string attribute_error(std::string_view value) {
  return error_of(format(R"({}"op_type": "Op", "attributes": {}"a": {}{}{})", "{", "{", value, "}", "}"));
}

std::string input_error(std::string_view value) {
  return error_of(format(R"({}"op_type": "Op", "inputs": {}"s": {}{}{})", "{", "{", value, "}", "}"));
}

}  // namespace

TEST_CASE("json: attributes that are tensors") {
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

TEST_CASE("json: sequences") {
  const TemporaryFolder folder;
  save_npz(folder / "t.npz", {{"x", Tensor::of<float>(DType::float32, Dims{1}, std::array<float, 1>{7})}});
  const Case loaded = case_of(R"({"op_type": "Op",
      "inputs": {"s": {"sequence": [{"data": [1, 2]}, "t.npz:x", {"dtype": "float32", "data": 3}], "dtype": "float32"},
                 "e": {"sequence": [], "dtype": "string"},
                 "t": {"sequence": [{"data": "a"}], "dtype": "string"}}})",
                              folder.path());
  const auto sequence = [&](size_t i) { return std::get<Sequence>(load(loaded.inputs.at(i).source).value); };
  REQUIRE(sequence(0).elements.size() == 3);
  CHECK(sequence(0).dtype == DType::float32);
  CHECK(sequence(0).elements[0].shape() == Dims{2});
  CHECK(sequence(0).elements[1].values<float>()[0] == 7);
  CHECK(sequence(0).elements[2].shape().empty());
  CHECK(sequence(1).elements.empty());
  CHECK(sequence(1).dtype == DType::string);
  CHECK(sequence(2).elements.at(0).strings()[0] == "a");

  CHECK(input_error(R"({"sequence": [{"data": 1}]})").find("dtype") != std::string::npos);
  CHECK(input_error(R"({"sequence": {"data": 1}, "dtype": "int8"})")
            .starts_with("malformed: 'inputs.s.sequence' is an object"));
  CHECK(input_error(R"({"sequence": [{"dtype": "int8", "data": 1}], "dtype": "int16"})") ==
        "malformed: 'inputs.s.sequence[0]' is int8, but the sequence is one of int16");
  CHECK(input_error(R"({"sequence": [{"shape": [1], "fill": "iota"}], "dtype": "int16"})").starts_with("malformed: "));
  CHECK(input_error(R"({"sequence": [], "dtype": "int16", "data": 1})")
            .starts_with("malformed: unknown key 'inputs.s.data'"));
}

TEST_CASE("values in words: sequences and optionals around the text of their tensors") {
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
