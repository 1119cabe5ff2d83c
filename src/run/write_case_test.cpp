// SPDX-License-Identifier: Apache-2.0
#include "run/write_case.h"

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/json/cases.h"
#include "io/json/parse.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "system/file.h"

using namespace opref::run;

namespace fs = std::filesystem;

namespace {

Bound ready(const std::string& node, const std::vector<std::string>& bindings = {},
            std::optional<std::int64_t> opset = {}) {
  return bind_case(read_case(node), bindings, {.attributes = {}, .nodes = {}, .opset = opset});
}

::onnx::ModelProto model_in(const fs::path& file) {
  ::onnx::ModelProto model;
  const FileBytes bytes = read_file(file);
  REQUIRE(model.ParseFromArray(bytes.bytes.data(), static_cast<int>(bytes.bytes.size())));
  return model;
}

std::string message(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a subgraph's sparse initializer is evaluated and written as the dense one", "[run]") {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(16);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  graph.add_input()->set_name("c");
  graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::BOOL);
  graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  graph.add_output()->set_name("y");
  ::onnx::NodeProto& choice = *graph.add_node();
  choice.set_op_type("If");
  choice.add_input("c");
  choice.add_output("y");
  for (const char* name : {"then_branch", "else_branch"}) {
    ::onnx::AttributeProto& attribute = *choice.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    ::onnx::GraphProto& branch = *attribute.mutable_g();
    branch.set_name(name);
    ::onnx::SparseTensorProto& sparse = *branch.add_sparse_initializer();
    sparse.mutable_values()->set_name("s");
    sparse.mutable_values()->set_data_type(::onnx::TensorProto::FLOAT);
    sparse.mutable_values()->add_dims(1);
    sparse.mutable_values()->add_float_data(5);
    sparse.mutable_indices()->set_data_type(::onnx::TensorProto::INT64);
    sparse.mutable_indices()->add_dims(1);
    sparse.mutable_indices()->add_int64_data(1);
    sparse.add_dims(3);
    ::onnx::NodeProto& add = *branch.add_node();
    add.set_op_type("Add");
    for (int i = 0; i < 2; ++i) add.add_input("s");
    add.add_output("z");
    branch.add_output()->set_name("z");
  }
  const TemporaryFolder folder;
  const std::string file = folder.write("model.onnx", model.SerializeAsString()).string();
  const auto result = [](const std::string& node, std::int64_t max_bytes) {
    const Bound bound = ready(node, {"c=true:bool"});
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, bound.options, warnings);
    EvaluationOptions options = bound.options;
    options.max_bytes = max_bytes;
    run_graph(bound.graph, environment, options);
    const auto values = environment.find("y")->second.tensor().values<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> expected{0, 10, 0};
  CHECK(result(file, 1000) == expected);
  CHECK(message([&] { result(file, 11); }) == "float32[3] takes 12 bytes, but the limit leaves 11");
  const Bound bound = ready(file, {"c=true:bool"});
  CHECK(result(write_case(bound, bound.options, fs::path(folder.path())).model.string(), 1000) == expected);
}

TEST_CASE("JSON cases become models that ONNX's checker accepts", "[run]") {
  int checked = 0;
  for (const char* op : {"LpPool", "ConvTranspose", "MaxUnpool"})
    for (const auto& entry : fs::directory_iterator(fs::path(OPREF_SOURCE_DIR) / "testdata/ai.onnx" / op)) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() != ".json" || name == "bad.json" || name == "mistakes.json" || name == "recipe.json")
        continue;
      const Json document = parse_json(read_file(entry.path()).text());
      for (const JsonCase& one : json_cases(document)) {
        INFO(entry.path() << one.name);
        const Bound loaded = ready(entry.path().string() + one.name);
        if (loaded.graph.opset_import.at("") > 17) continue;  // ONNX 1.12 knows no newer one
        const TemporaryFolder folder;
        const CaseFiles files = write_case(loaded, loaded.options, folder.path());
        CHECK(files.model == folder / "model.onnx");
        CHECK(files.inputs == folder / "test_data_set_0");
        CHECK_NOTHROW(::onnx::checker::check_model(model_in(files.model)));
        ++checked;
      }
    }
  CHECK(checked > 100);
}

TEST_CASE("a model states what the case states, no more, typed by the schema", "[run]") {
  const TemporaryFolder folder;
  const Bound loaded =
      ready("Y = LpPool <kernel_shape = [2], strides = [2], p = 1> (X)", {"X=[[[1,-2,3,4]]]:float32"}, 18);
  write_case(loaded, {}, folder.path());
  const ::onnx::ModelProto model = model_in(folder / "model.onnx");
  REQUIRE(model.opset_import_size() == 1);
  CHECK(model.opset_import(0).version() == 18);
  CHECK(model.ir_version() == 8);
  const ::onnx::NodeProto& node = model.graph().node(0);
  REQUIRE(node.attribute_size() == 3);  // not ceil_mode, dilations … with their defaults
  CHECK(node.attribute(0).type() == ::onnx::AttributeProto::INTS);
  CHECK(node.attribute(2).type() == ::onnx::AttributeProto::INT);
  CHECK(node.attribute(2).i() == 1);
  const ::onnx::TypeProto::Tensor& output = model.graph().output(0).type().tensor_type();
  CHECK(output.elem_type() == ::onnx::TensorProto::FLOAT);
  REQUIRE(output.shape().dim_size() == 3);
  CHECK(output.shape().dim(2).dim_value() == 2);
  CHECK(message([&] {
          write_case(ready("Y = LpPool <kernel_shape = [2]> (X)", {"X=float32[1,1,4]"}), {}, folder / ".");
        }) == "input 'X' has no values to hand to a backend");
}

TEST_CASE("a data type that a case names is written as its number", "[run]") {
  TemporaryFolder folder;
  for (const char* name : {"float16", "FLOAT16", "half"}) {
    const fs::path file =
        folder.write("cast.json", format(R"({{"op_type": "Cast", "opset": 21, "attributes": {{"to": "{}"}},
                               "inputs": {{"input": {{"dtype": "float32", "data": [1]}}}}}})",
                                         name));
    write_case(ready(file.string()), {}, folder.path());
    const ::onnx::ModelProto model = model_in(folder / "model.onnx");
    REQUIRE(model.graph().node(0).attribute_size() == 1);
    CHECK(model.graph().node(0).attribute(0).type() == ::onnx::AttributeProto::INT);
    CHECK(model.graph().node(0).attribute(0).i() == ::onnx::TensorProto::FLOAT16);
  }
}

TEST_CASE("a model has the IR version of the ONNX release that its opset came with", "[run]") {
  // opset and IR version of helper.VERSION_TABLE in the Python package onnx 1.23.2
  for (const auto& [opset, ir_version] : std::map<std::int64_t, std::int64_t>{{1, 3},
                                                                              {8, 3},
                                                                              {9, 4},
                                                                              {10, 5},
                                                                              {11, 6},
                                                                              {12, 7},
                                                                              {14, 7},
                                                                              {15, 8},
                                                                              {18, 8},
                                                                              {19, 9},
                                                                              {20, 9},
                                                                              {21, 10},
                                                                              {22, 10},
                                                                              {23, 11},
                                                                              {24, 12},
                                                                              {25, 13},
                                                                              {26, 13},
                                                                              {27, 13},
                                                                              {28, 14}}) {
    INFO(opset);
    const TemporaryFolder folder;
    write_case(ready("Y = LpPool <kernel_shape = [2], p = 2> (X)", {"X=[[[1,-2,3,4]]]:float32"}, opset), {},
               folder.path());
    CHECK(model_in(folder / "model.onnx").ir_version() == ir_version);
  }
}

TEST_CASE("initializers of a text model stay initializers", "[run]") {
  const TemporaryFolder folder;
  const Bound loaded = ready(
      "<ir_version: 7, opset_import: [\"\" : 11]> g (float[1,1,2] X) => (float[1,1,4] Y)"
      " <int64[1,1,2] I = {1, 2}> { Y = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I) }",
      {"X=[[[5,6]]]"});
  write_case(loaded, {}, folder.path());
  const ::onnx::ModelProto model = model_in(folder / "model.onnx");
  CHECK(model.graph().input_size() == 1);
  REQUIRE(model.graph().initializer_size() == 1);
  CHECK(model.graph().initializer(0).name() == "I");
  CHECK_NOTHROW(::onnx::checker::check_model(model));
}

TEST_CASE("a node that is to be refused is written all the same", "[run]") {
  const TemporaryFolder folder;
  Bound bad = ready("MaxUnpool", {"X=[[[5,6]]]:float32", "I=[[[1,99]]]"}, 11);
  bad.graph.nodes[0].attributes.push_back({"kernel_shape", Untyped{{{"two", true}}, true}});
  bad.graph.nodes[0].attributes.push_back({"speed", Untyped{{{"1.5", false}}, false}});
  write_case(bad, {}, folder.path());
  const ::onnx::ModelProto model = model_in(folder / "model.onnx");
  const ::onnx::NodeProto& node = model.graph().node(0);
  REQUIRE(node.attribute_size() == 2);
  CHECK(node.attribute(0).type() == ::onnx::AttributeProto::STRINGS);
  CHECK(node.attribute(1).type() == ::onnx::AttributeProto::FLOAT);
  CHECK(node.attribute(1).f() == 1.5f);
}

TEST_CASE("a node of OpenVINO becomes a layer of the version in force", "[run]") {
  const TemporaryFolder folder;
  const Bound loaded =
      ready(std::string(OPREF_SOURCE_DIR) + "/testdata/openvino/GroupConvolutionBackpropData/cases.json#4", {}, 8);
  const CaseFiles files = write_case(loaded, {}, folder.path());
  CHECK(files.model == folder / "layer.xml");
  CHECK(files.inputs == folder.path());
  const std::string xml = content_of(files.model);
  CHECK(xml.find("type=\"GroupConvolutionBackpropData\" version=\"opset1\"") != std::string::npos);
  CHECK(fs::exists(folder / "data.npy"));
  const Bound again = ready(folder.path().string());
  std::vector<std::string> warnings;
  Environment first = load_inputs(loaded, {}, warnings), second = load_inputs(again, {}, warnings);
  run_graph(loaded.graph, first, {});
  run_graph(again.graph, second, {});
  const Tensor &a = first.at("output").tensor(), &b = second.at("output").tensor();
  CHECK(a.type() == b.type());
  CHECK(std::ranges::equal(a.bytes(), b.bytes()));
}

TEST_CASE("tensors of a variadic parameter are several inputs of a model", "[run]") {
  const TemporaryFolder folder;
  const std::string file = folder
                               .write("c.json", R"({"op_type": "Concat", "opset": 13, "attributes": {"axis": 0},
      "inputs": {"inputs": [{"dtype": "float32", "data": [1, 2]}, {"data": [3]}]}})")
                               .string();
  const CaseFiles files = write_case(ready(file), {}, folder.path());
  const ::onnx::ModelProto model = model_in(files.model);
  REQUIRE(model.graph().node(0).input_size() == 2);
  CHECK(model.graph().node(0).input(1) == "inputs_1");
  CHECK(model.graph().input_size() == 2);
  CHECK(fs::exists(files.inputs / "input_1.pb"));
  CHECK_NOTHROW(::onnx::checker::check_model(model));
}
