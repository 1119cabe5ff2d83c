// SPDX-License-Identifier: Apache-2.0
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <climits>

#include "io/onnx/onnx.h"
#include "io/onnx/testing.h"

namespace onnx_test {

using namespace opref::io;

namespace {

namespace fs = std::filesystem;

// Made with onnx 1.23.2 (make_model, ir_version 8, opset_import {"": 13, "ai.onnx.ml": 3}): Y = MatMul(X, W) with float
// X[N,2], float Y of no stated rank, and the initializer W = [[1,2],[3,4]], which is a graph input too.
constexpr std::string_view kModel =
    "080812003a6d0a150a01580a01571201591a026d6d22064d61744d756c1201672a1b0802080210014201574a100000803f0000004000004040"
    "0000"
    "80405a140a0158120f0a0d080112090a0312014e0a0208025a130a0157120e0a0c080112080a0208020a02080262090a015912040a02080142"
    "040a"
    "00100d420e0a0a61692e6f6e6e782e6d6c1003";
// make_node("LpPool", ["X"], ["Y"], kernel_shape=[3,3], p=2, auto_pad="SAME_UPPER", alpha=0.5, name="pool1")
constexpr std::string_view kNode =
    "0a01581201591a05706f6f6c3122064c70506f6f6c2a0f0a05616c706861150000003fa001012a190a086175746f5f706164220a53414d455f"
    "5550"
    "504552a001032a150a0c6b65726e656c5f736861706540034003a001072a080a01701802a00102";

::onnx::ModelProto model_proto() {
  ::onnx::ModelProto model;
  REQUIRE(model.ParseFromString(from_hex(kModel)));
  return model;
}

Case read(const google::protobuf::Message& message, const fs::path& folder = ".") {
  return read_onnx(file_of(message.SerializeAsString()), folder);
}

std::string error_of_file(const std::string& bytes) {
  return error_of([&] { read_onnx(file_of(bytes), "."); });
}

/// The attribute 'a' of a node that has only this.
Attribute attribute_of(::onnx::AttributeProto proto) {
  proto.set_name("a");
  ::onnx::NodeProto node;
  node.set_op_type("Op");
  node.add_output("Y");
  *node.add_attribute() = std::move(proto);
  return read(node).graph.nodes.at(0).attributes.at(0);
}

AttributeValue value_of(::onnx::AttributeProto proto) {
  return std::get<AttributeValue>(attribute_of(std::move(proto)).value);
}

}  // namespace

TEST_CASE("onnx: a model", "[onnx]") {
  const Case loaded = read_onnx(file_of(from_hex(kModel)), ".");
  CHECK(loaded.format == CaseFormat::onnx_model);
  const Graph& graph = loaded.graph;
  CHECK(graph.name == "g");
  CHECK(graph.opset_import == decltype(graph.opset_import){{"", 13}, {"ai.onnx.ml", 3}});
  REQUIRE(graph.nodes.size() == 1);
  CHECK(to_text(graph.nodes[0]) == "node 'mm' (MatMul)");
  CHECK(graph.nodes[0].inputs == std::vector<std::string>{"X", "W"});
  CHECK(graph.nodes[0].outputs == std::vector<std::string>{"Y"});

  REQUIRE(graph.inputs.size() == 1);  // W has a value
  CHECK(graph.inputs[0].name == "X");
  CHECK(graph.inputs[0].dtype == DType::float32);
  REQUIRE(graph.inputs[0].dims->size() == 2);
  CHECK(graph.inputs[0].dims->at(0).symbol == "N");
  CHECK(!graph.inputs[0].dims->at(0).size);
  CHECK(graph.inputs[0].dims->at(1).size == 2);
  REQUIRE(graph.outputs.size() == 1);
  CHECK(graph.outputs[0].dtype == DType::float32);
  CHECK(!graph.outputs[0].dims);

  REQUIRE(loaded.inputs.size() == 1);
  CHECK(loaded.inputs[0].name == "W");
  const Value w = loaded.inputs[0].source.loaded()->decode();
  CHECK(to_text(w.tensor()->type()) == "float32[2,2]");
  CHECK(w.tensor()->values<float>()[3] == 4.0f);
}

TEST_CASE("onnx: initializers outlive what they were read from, and are read when asked for", "[onnx]") {
  std::function<Value(std::int64_t)> decode;
  {
    const Case loaded = read_onnx(file_of(from_hex(kModel)), ".");
    decode = loaded.inputs.at(0).source.loaded()->read;
  }
  CHECK(error_of([&] { decode(3); }).starts_with("system: float32"));
  const Value w = decode(INT64_MAX);
  decode = nullptr;
  CHECK(w.tensor()->values<float>()[0] == 1.0f);

  ::onnx::ModelProto model = model_proto();
  model.mutable_graph()->mutable_initializer(0)->set_data_type(99);
  auto& sparse = *model.mutable_graph()->add_sparse_initializer();
  sparse.mutable_values()->set_name("S");
  sparse.mutable_values()->set_data_type(::onnx::TensorProto::FLOAT);
  for (const float value : {5.0f, 7.0f}) sparse.mutable_values()->add_float_data(value);
  sparse.mutable_values()->add_dims(2);
  sparse.mutable_indices()->set_data_type(::onnx::TensorProto::INT64);
  for (const int index : {1, 2}) sparse.mutable_indices()->add_int64_data(index);
  sparse.mutable_indices()->add_dims(2);
  for (const int size : {2, 2}) sparse.add_dims(size);
  {
    const Case read_whole = read(model);
    const Value value = read_whole.inputs.at(1).source.loaded()->decode(16);
    const std::vector<float> expected{0, 5, 7, 0};
    CHECK(value.tensor()->shape() == Dims{2, 2});
    CHECK(std::ranges::equal(value.tensor()->values<float>(), expected));
    CHECK(error_of([&] { read_whole.inputs.at(1).source.loaded()->decode(15); }) ==
          "system: float32[2,2] takes 16 bytes, but the limit leaves 15");
  }
  sparse.mutable_indices()->set_int64_data(1, 4);
  const Case broken = read(model);
  CHECK(error_of([&] { broken.inputs.at(0).source.loaded()->decode(); }) ==
        "unsupported: ONNX data type 99 is not known");
  CHECK(error_of([&] { broken.inputs.at(1).source.loaded()->decode(); }) ==
        "malformed: the initializer 'S': index 1 of the sparse tensor is 4, but it has 4 elements");
  sparse.mutable_values()->set_name("W");
  CHECK(error_of([&] { read(model); }) == "malformed: two initializers have the name 'W'");
}

TEST_CASE("onnx: opset_import", "[onnx]") {
  ::onnx::ModelProto model = model_proto();
  model.clear_opset_import();
  CHECK(read(model).graph.opset_import == std::map<std::string, std::int64_t, std::less<>>{{"", 1}});
  const auto import = [&](const std::string& domain, std::int64_t version) {
    ::onnx::OperatorSetIdProto& opset = *model.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(version);
  };
  import("ai.onnx", 22);
  import("", 22);
  CHECK(read(model).graph.opset_import == std::map<std::string, std::int64_t, std::less<>>{{"", 22}});
  import("", 21);
  CHECK(error_of([&] { read(model); }) ==
        "malformed: opset_import has version 22 and version 21 of the domain 'ai.onnx'");
}

TEST_CASE("onnx: declared types", "[onnx]") {
  ::onnx::ModelProto model = model_proto();
  const auto declare = [&](const std::string& name) {
    ::onnx::ValueInfoProto& info = *model.mutable_graph()->add_value_info();
    info.set_name(name);
    return info.mutable_type();
  };
  declare("sequence")->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(1);
  declare("optional")
      ->mutable_optional_type()
      ->mutable_elem_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(11);
  ::onnx::TypeProto& map = *declare("map");
  map.mutable_map_type()->set_key_type(7);
  map.mutable_map_type()->mutable_value_type()->mutable_tensor_type()->set_elem_type(1);
  declare("sparse")->mutable_sparse_tensor_type()->set_elem_type(1);
  declare("nothing");
  ::onnx::TypeProto::Tensor& tensor = *declare("tensor")->mutable_tensor_type();
  tensor.set_elem_type(22);
  auto* dim = tensor.mutable_shape()->add_dim();
  dim->set_dim_value(-1);
  dim->set_denotation("DATA_BATCH");
  declare("unknown")->mutable_tensor_type()->set_elem_type(99);

  const std::vector<ValueInfo> declared = read(model).graph.declared;
  REQUIRE(declared.size() == 7);
  CHECK(declared[0].type_text.empty());
  CHECK(to_text(declared[0]) == "sequence of float32");
  CHECK(declared[0].form == Form::sequence);
  CHECK(to_text(declared[1]) == "optional sequence of float64");
  CHECK(declared[2].type_text.empty());
  CHECK(declared[2].form == Form::map);
  CHECK(to_text(declared[2]) == "map(int64,float)");
  CHECK(declared[3].type_text == "sparse_tensor(float)");
  CHECK(!declared[3].dtype);
  CHECK(declared[4].type_text.empty());
  CHECK(!declared[4].dtype);
  CHECK(declared[5].dtype == DType::int4);
  CHECK(!declared[5].dims->at(0).size);  // -1 is no size
  CHECK(declared[5].dims->at(0).denotation == "DATA_BATCH");
  CHECK(!declared[6].dtype);
}

TEST_CASE("onnx: a node", "[onnx]") {
  const Case loaded = read_onnx(file_of(from_hex(kNode)), ".");
  CHECK(loaded.format == CaseFormat::onnx_node);
  CHECK(loaded.graph.opset_import.empty());
  REQUIRE(loaded.graph.nodes.size() == 1);
  const Node& node = loaded.graph.nodes[0];
  CHECK(to_text(node) == "node 'pool1' (LpPool)");
  REQUIRE(node.attributes.size() == 4);
  std::string text;
  for (const Attribute& attribute : node.attributes) {
    const auto& value = std::get<AttributeValue>(attribute.value);
    text += attribute.name + ":" + to_text(value.type) + "=" + to_text(value) + " ";
  }
  CHECK(text == "alpha:FLOAT=0.5 auto_pad:STRING=SAME_UPPER kernel_shape:INTS=[3,3] p:INT=2 ");
}

TEST_CASE("onnx: what a node stands for, as its doc_string says", "[onnx]") {
  ::onnx::ModelProto model = model_proto();
  auto& node = *model.mutable_graph()->mutable_node(0);
  node.set_doc_string("in place of Conv 'a', Relu 'b'");
  CHECK(read(model).graph.nodes[0].in_place_of == "Conv 'a', Relu 'b'");
  node.set_doc_string("File \"model.py\", line 7, in forward");
  CHECK(read(model).graph.nodes[0].in_place_of.empty());
}

TEST_CASE("onnx: attributes", "[onnx]") {
  ::onnx::AttributeProto proto;
  proto.set_type(::onnx::AttributeProto::INT);
  CHECK(std::get<std::int64_t>(value_of(proto).value) == 0);  // proto3 writers leave zeros out
  proto.set_f(1.5f);
  CHECK(error_of([&] { value_of(proto); }) == "malformed: attribute 'a' has type INT, but a value of type FLOAT");
  proto.clear_type();  // as before IR version 2
  CHECK(std::get<float>(value_of(proto).value) == 1.5f);
  proto.Clear();
  proto.add_ints(1);
  CHECK(value_of(proto).type == AttributeType::INTS);
  proto.Clear();
  CHECK(std::get<Untyped>(attribute_of(proto).value).is_list);

  proto.set_type(::onnx::AttributeProto::GRAPH);
  proto.mutable_g();
  CHECK(value_of(proto).type == AttributeType::GRAPH);
  CHECK(std::get<std::shared_ptr<const Graph>>(value_of(proto).value)->nodes.empty());

  proto.Clear();
  proto.set_type(::onnx::AttributeProto::TENSOR);
  proto.mutable_t()->set_data_type(::onnx::TensorProto::INT64);
  proto.mutable_t()->add_dims(1);
  // Its data are missing: an error only where it is asked for.
  CHECK(std::get<Opaque>(value_of(proto).value).why->message() ==
        "int64[1] takes 1 value in int64_data, but there are 0");
  proto.mutable_t()->add_int64_data(5);
  CHECK(std::get<Tensor>(value_of(proto).value).values<std::int64_t>()[0] == 5);

  proto.Clear();
  proto.set_type(::onnx::AttributeProto::STRINGS);
  proto.add_strings("\xff\xfe");
  CHECK(std::get<std::vector<std::string>>(value_of(proto).value).at(0) == "\xff\xfe");
}

TEST_CASE("onnx: fields of a newer ONNX are told", "[onnx]") {
  ::onnx::NodeProto node;
  node.set_op_type("Neg");
  node.add_output("Y");
  CHECK(read_onnx(in_memory(node.SerializeAsString()), ".").warnings.empty());
  node.mutable_unknown_fields()->AddVarint(9000, 1);
  CHECK(read_onnx(in_memory(node.SerializeAsString()), ".").warnings ==
        std::vector<std::string>{"fields that ONNX 1.23 does not know were ignored: field 9000 of NodeProto"});
}

TEST_CASE("onnx: what is neither a model nor a node", "[onnx]") {
  CHECK(error_of_file("") == "malformed: neither an ONNX model nor a node: no graph.node and no op_type");
  CHECK(error_of_file("no message") ==
        "malformed: neither an ONNX model nor a node: 10 bytes do not parse as protobuf");
  CHECK(error_of_file(std::string("\x08\x08\x3a\x7f", 4) + "abc") ==
        "malformed: neither an ONNX model nor a node: 7 bytes do not parse as protobuf; they begin as a model, but end "
        "within a field: the file may be cut off");
  ::onnx::NodeProto node;
  node.set_op_type("\xff op");
  node.add_output("Y");
  CHECK(error_of_file(node.SerializeAsString()) ==
        "malformed: neither an ONNX model nor a node: the op_type would be '\\xff op'");
  node.set_op_type("Op");
  node.clear_output();
  CHECK(error_of_file(node.SerializeAsString()) ==
        "malformed: neither an ONNX model nor a node: the node Op has no output");
  ::onnx::ModelProto model = model_proto();
  model.mutable_graph()->clear_node();
  model.set_producer_name("producer");                                            // in a node this would be an output,
  model.set_domain("domain");                                                     // and this the op_type
  CHECK(read_onnx(file_of(model.SerializeAsString()), ".").graph.nodes.empty());  // but it is a model
  // Only the size of this file is looked at.
  const FileBytes huge{nullptr, {static_cast<const std::byte*>(nullptr), size_t{1} << 31}};
  CHECK(error_of([&] { read_onnx(huge, "."); }) ==
        "unsupported: the file has 2147483648 bytes, but protobuf reads at most 2147483647");
}

TEST_CASE("onnx: a model and a node cut off anywhere, or with one byte changed", "[onnx]") {
  int cases = 0, errors = 0;
  const auto try_to_read = [&](const std::string& bytes) {
    const std::string error = error_of([&] {
      for (const NamedSource& input : read_onnx(file_of(bytes), ".").inputs) input.source.loaded()->decode();
    });
    (error == "no error" ? cases : errors)++;
  };
  for (const std::string_view hex : {kModel, kNode}) {
    const std::string whole = from_hex(hex);
    for (size_t length = 0; length < whole.size(); ++length) try_to_read(whole.substr(0, length));
    for (size_t place = 0; place < whole.size(); ++place) {
      for (const int flip : {1, 4, 16, 128, 255}) {
        std::string changed = whole;
        changed[place] = static_cast<char>(changed[place] ^ flip);
        try_to_read(changed);
      }
    }
  }
  CHECK(cases > 0);
  CHECK(errors > 0);
}

TEST_CASE("onnx: external data stay inside the model's folder", "[onnx]") {
  const TemporaryFolder outer;
  outer.write("secret.bin", "12345678");
  fs::create_directories(outer / "model/data");
  outer.write("model/data/w.bin", std::string("\x01\x00\x00\x80\x3f\x00\x00\x00\x40\x02", 10));
  fs::create_symlink("../secret.bin", outer / "model/link.bin");
  fs::create_symlink("data/w.bin", outer / "model/inner.bin");
  const fs::path folder = outer / "model";
  ::onnx::ModelProto model = model_proto();
  ::onnx::TensorProto& tensor = *model.mutable_graph()->mutable_initializer(0);
  const auto read_tensor = [&](std::initializer_list<std::pair<std::string, std::string>> entries) {
    tensor.clear_dims();
    tensor.add_dims(2);
    tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
    tensor.clear_external_data();
    for (const auto& [key, value] : entries) {
      ::onnx::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return read(model, folder).inputs.at(0).source.loaded()->decode();
  };
  // The offset is odd: the floats are copied to an aligned place.
  for (const std::string path : {"data/w.bin", "./data/w.bin", "inner.bin"}) {
    const Value value = read_tensor({{"location", path}, {"offset", "1"}, {"length", "8"}});
    CHECK(value.tensor()->values<float>()[1] == 2.0f);
    CHECK(files_of(read(model, folder).inputs.at(0).source) == std::vector{folder / path});
  }
  CHECK(read_tensor({{"location", "data/w.bin"}, {"offset", "1"}}).tensor()->values<float>()[0] == 1.0f);

  const std::string absolute = (folder / "data/w.bin").string();
  for (const std::string& path : {std::string("../secret.bin"), std::string("data/../../secret.bin"),
                                  std::string("link.bin"), absolute, std::string(), std::string("data/w.bin\0", 11)}) {
    CHECK(error_of([&] {
            read_tensor({{"location", path}});
          }) == "malformed: the external data's location '" + printable(path) + "' is not inside the model's folder");
  }
  const auto error_of_entries = [&](std::initializer_list<std::pair<std::string, std::string>> entries) {
    return error_of([&] { read_tensor(entries); });
  };
  CHECK(error_of_entries({{"location", "data"}}) ==
        "system: the external data's location 'data' is not a regular file");
  CHECK(error_of_entries({{"location", "none.bin"}}).starts_with("system: "));
  CHECK(error_of_entries({{"location", "data/w.bin"}, {"offset", "3"}}) ==
        "malformed: the external data are 8 bytes from byte 3, but 'data/w.bin' has 10");
  CHECK(error_of_entries({{"location", "data/w.bin"}, {"offset", "11"}, {"length", "0"}}) ==
        "malformed: the external data are 0 bytes from byte 11, but 'data/w.bin' has 10");
  CHECK(error_of_entries({{"location", "data/w.bin"}, {"length", "9223372036854775807"}, {"offset", "1"}}) ==
        "malformed: the external data are 9223372036854775807 bytes from byte 1, but 'data/w.bin' has 10");
  CHECK(error_of_entries({{"location", "data/w.bin"}, {"length", "4"}}) ==
        "malformed: float32[2] takes 8 bytes, but the external data have 4");
  CHECK(error_of_entries({{"location", "data/w.bin"}, {"offset", "-1"}}) ==
        "malformed: the external data's offset is '-1', but must be a number of bytes");
  CHECK(error_of_entries({{"location", "data/w.bin"}, {"length", "8 "}}) ==
        "malformed: the external data's length is '8 ', but must be a number of bytes");
  tensor.set_data_type(::onnx::TensorProto::STRING);
  CHECK(error_of_entries({{"location", "data/w.bin"}}) == "malformed: a string tensor cannot have external data");
}

TEST_CASE("onnx: a subgraph with what is its own, written and read again", "[onnx]") {
  ::onnx::NodeProto node;
  node.set_op_type("Op");
  node.add_output("y");
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("body");
  attribute.set_type(::onnx::AttributeProto::GRAPH);
  ::onnx::GraphProto& body = *attribute.mutable_g();
  body.set_name("b");
  ::onnx::NodeProto& inner = *body.add_node();
  inner.set_op_type("Add");
  for (const char* name : {"w", "x"}) inner.add_input(name);
  inner.add_output("z");
  for (const char* name : {"w", "i"}) body.add_input()->set_name(name);
  body.add_output()->set_name("z");
  ::onnx::TensorProto& held = *body.add_initializer();
  held.set_name("w");
  held.set_data_type(::onnx::TensorProto::INT64);
  held.add_int64_data(5);
  ::onnx::TensorProto& broken = *body.add_initializer();
  broken.set_name("broken");
  broken.set_data_type(::onnx::TensorProto::INT64);
  body.add_sparse_initializer()->mutable_values()->set_name("s");

  const Node read_node = read_onnx(file_of(node.SerializeAsString()), ".").graph.nodes.at(0);
  const Graph* graph = subgraph(read_node.attributes.at(0));
  REQUIRE(graph != nullptr);
  CHECK(graph->name == "b");
  CHECK(to_text(graph->nodes.at(0)) == "node Add");
  REQUIRE(graph->inputs.size() == 1);  // w has a value
  CHECK(graph->inputs[0].name == "i");
  CHECK(graph->outputs.at(0).name == "z");
  REQUIRE(graph->initializers.size() == 3);
  CHECK(std::get<Tensor>(graph->initializers[0].value).values<std::int64_t>()[0] == 5);
  CHECK(std::get<Opaque>(graph->initializers[1].value).why->message() ==
        "int64[] takes 1 value in int64_data, but there are 0");
  CHECK(std::get<Opaque>(graph->initializers[2].value).why->message() ==
        "the initializer 's': the tensor's data_type is UNDEFINED");

  Graph whole{"", {read_node}, {}, {}, {}, {{"", 16}}};
  CHECK(error_of([&] { model_bytes(whole, {}); }) == "malformed: int64[] takes 1 value in int64_data, but there are 0");
  Graph copy = *graph;
  copy.initializers.resize(1);
  std::get<AttributeValue>(whole.nodes[0].attributes[0].value).value = std::make_shared<const Graph>(copy);
  const Case again = read_onnx(file_of(model_bytes(whole, {})), ".");
  const Graph* written = subgraph(again.graph.nodes.at(0).attributes.at(0));
  CHECK(written->nodes.at(0).inputs == std::vector<std::string>{"w", "x"});
  CHECK(written->initializers.at(0).name == "w");
  CHECK(written->inputs.size() == 1);
}

TEST_CASE("onnx: subgraphs nest, but not without end", "[onnx]") {
  const auto nested = [](int depth) {
    ::onnx::NodeProto node;
    ::onnx::NodeProto* at = &node;
    for (int i = 0; i <= depth; ++i) {
      at->set_op_type("Op");
      at->add_output("y");
      if (i == depth) break;
      ::onnx::AttributeProto& attribute = *at->add_attribute();
      attribute.set_name("body");
      attribute.set_type(::onnx::AttributeProto::GRAPH);
      at = attribute.mutable_g()->add_node();
    }
    return node.SerializeAsString();
  };
  CHECK(error_of_file(nested(kDeepestGraph)) == "no error");
  CHECK(error_of_file(nested(kDeepestGraph + 1)) == "malformed: subgraphs are nested more than 50 deep");
  CHECK(error_of_file(nested(kDeepestGraph)) == "no error");  // the error before left nothing behind
  CHECK(error_of_file(nested(500)).starts_with("malformed: neither an ONNX model nor a node: "));
}

TEST_CASE("onnx: sparse tensors of attributes", "[onnx]") {
  ::onnx::AttributeProto proto;
  proto.set_type(::onnx::AttributeProto::SPARSE_TENSOR);
  ::onnx::SparseTensorProto& sparse = *proto.mutable_sparse_tensor();
  for (::onnx::TensorProto* tensor : {sparse.mutable_values(), sparse.mutable_indices()}) {
    tensor->set_data_type(::onnx::TensorProto::INT64);
    tensor->add_dims(1);
    tensor->add_int64_data(2);
  }
  for (const std::int64_t size : {2, 3}) sparse.add_dims(size);
  CHECK(to_text(value_of(proto)) == "sparse int64[2,3]");
  CHECK(std::get<SparseTensor>(value_of(proto).value).indices.values<std::int64_t>()[0] == 2);
  sparse.mutable_indices()->clear_int64_data();
  CHECK(std::get<Opaque>(value_of(proto).value).why->fault() == Fault::malformed);
}

}  // namespace onnx_test
