// SPDX-License-Identifier: Apache-2.0
#include "symbols/declared.h"

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/onnx/onnx.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/survey.h"
#include "system/file.h"

namespace declared_test {

using namespace opref::symbols;

namespace {

namespace fs = std::filesystem;

/// A model file of ONNX text.
fs::path model_of(const TemporaryFolder& folder, const std::string& text) {
  const Graph graph = read_onnx_text("<ir_version: 8, opset_import: [\"\" : 17]> " + text).graph;
  FileWriter file(folder / "model.onnx");
  write_onnx_model(file, graph, {});
  file.commit();
  return folder / "model.onnx";
}

const std::string kPair =
    "g (float[N,3] x, float[N,3] z) => (float[M,3] y) { h = Concat <axis : int = 0> (x, z) y = Relu (h) }";

::onnx::ModelProto read_model(const fs::path& file) {
  ::onnx::ModelProto model;
  REQUIRE(model.ParseFromString(content_of(file)));
  return model;
}

/// As onnx.checker with full_check: by its inferred types too.
void check_in_full(const fs::path& file) {
  ::onnx::ModelProto model = read_model(file);
  ::onnx::checker::check_model(model);
  ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(), {true, 1, false});
}

/// Of the inner tensor, "N,3": its dims.
std::string inner_dims(const ::onnx::ModelProto& model, int place = 0) {
  REQUIRE(model.graph().value_info_size() > place);
  std::string text;
  for (const auto& dim : model.graph().value_info(place).type().tensor_type().shape().dim())
    text += (text.empty() ? "" : ",") + (dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param());
  return text;
}

std::map<std::string, std::string> properties_of(const ::onnx::ModelProto& model) {
  std::map<std::string, std::string> properties;
  for (const auto& entry : model.metadata_props()) properties[entry.key()] = entry.value();
  return properties;
}

ValueInfo tensor(const std::string& name, std::vector<DeclaredDim> dims) {
  return {name, "", DType::float32, std::move(dims)};
}

DeclaredDim symbol(std::string text) { return {{}, std::move(text), ""}; }

/// What numbers give.
DeclaredTypes known_types(const Bound& bound) {
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, bound.options, warnings);
  survey(bound.graph, environment, bound.options);
  DeclaredTypes types;
  declare_known(types, environment);
  declare_given_values(types, bound, environment);
  return types;
}

std::string refused(const std::string& node, const std::vector<std::string>& arguments, const fs::path& file) {
  try {
    require_declarable(bind_case(read_case(node), arguments), file);
  } catch (const Error& error) {
    return std::string(name(error.fault())) + ": " + error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("declared: numbers are written so that ONNX's checker takes them in full", "[symbols]") {
  const TemporaryFolder folder;
  const std::string model = model_of(folder, kPair);
  const Bound bound = bind_case(read_case(model), std::vector<std::string>{"x=float32[2,3]", "z=float32[5,3]"});
  CHECK(write_declared(bound, known_types(bound), SizeNames::expressions, folder / "typed.onnx").empty());
  const ::onnx::ModelProto typed = read_model(folder / "typed.onnx");
  CHECK_NOTHROW(check_in_full(folder / "typed.onnx"));
  CHECK(inner_dims(typed) == "7,3");
  CHECK(typed.metadata_props_size() == 0);
  CHECK(typed.graph().output(0).type().tensor_type().shape().dim(0).dim_value() == 7);
  CHECK(read_case((folder / "typed.onnx").string()).graph.declared.size() == 1);
}

TEST_CASE("declared: expressions, rules and the basis", "[symbols]") {
  const TemporaryFolder folder;
  const Bound bound = bind_case(read_case(model_of(folder, kPair)));
  DeclaredTypes types;
  for (const char* name : {"x", "z"}) types.tensors.emplace(name, tensor(name, {symbol("N"), {3, "", ""}}));
  for (const char* name : {"h", "y"}) types.tensors.emplace(name, tensor(name, {symbol("2*N"), {3, "", ""}}));
  types.rules = {"N >= 2", "N % 3 = 0"};
  types.basis = "tried at 20 sizes";
  write_declared(bound, types, SizeNames::expressions, folder / "a.onnx");
  write_declared(bound, types, SizeNames::expressions, folder / "b.onnx");
  CHECK(content_of(folder / "a.onnx") == content_of(folder / "b.onnx"));
  CHECK_NOTHROW(check_in_full(folder / "a.onnx"));
  CHECK(inner_dims(read_model(folder / "a.onnx")) == "2*N,3");
  CHECK(properties_of(read_model(folder / "a.onnx")) ==
        std::map<std::string, std::string>{{"opref.rules", "N >= 2\nN % 3 = 0"}, {"opref.basis", "tried at 20 sizes"}});
}

TEST_CASE("declared: identifiers stand for expressions, and none of them is a symbol's", "[symbols]") {
  const TemporaryFolder folder;
  const Bound bound = bind_case(read_case(model_of(folder, kPair)));
  DeclaredTypes types;
  for (const char* name : {"x", "z"}) types.tensors.emplace(name, tensor(name, {symbol("d2"), symbol("d2+1")}));
  for (const char* name : {"h", "y"}) types.tensors.emplace(name, tensor(name, {symbol("2*d2"), symbol("d2+1")}));
  write_declared(bound, types, SizeNames::identifiers, folder / "a.onnx");
  const ::onnx::ModelProto model = read_model(folder / "a.onnx");
  CHECK(inner_dims(model) == "d3,d1");
  CHECK(model.graph().input(0).type().tensor_type().shape().dim(0).dim_param() == "d2");
  CHECK(properties_of(model) == std::map<std::string, std::string>{{"opref.sizes", "d1 = d2+1\nd3 = 2*d2"}});
  CHECK_NOTHROW(check_in_full(folder / "a.onnx"));
}

TEST_CASE("declared: values that were given are rules", "[symbols]") {
  const TemporaryFolder folder;
  const std::string model =
      model_of(folder, "g (float[6] x, int64[2] to) => (float[?,?] y) { h = Reshape (x, to) y = Relu (h) }");
  const Bound bound = bind_case(read_case(model), std::vector<std::string>{"x=float32[6]", "to=[2,3]"});
  write_declared(bound, known_types(bound), SizeNames::expressions, folder / "a.onnx");
  CHECK(inner_dims(read_model(folder / "a.onnx")) == "2,3");
  CHECK(properties_of(read_model(folder / "a.onnx")) ==
        std::map<std::string, std::string>{{"opref.rules", "to has the values that were given"}});
}

TEST_CASE("declared: what is no model of its own is refused", "[symbols]") {
  const TemporaryFolder folder;
  const std::string model = model_of(folder, kPair);
  CHECK(refused(model, {}, "a.onnx") == "no error");
  CHECK(refused(model, {"x=float32[2,3]"}, "a.onnx") == "no error");
  CHECK(refused(model, {}, "a.pb") == "usage: a model with types is a file NAME.onnx");
  CHECK(refused(model, {"h=float32[2,3]"}, "a.onnx") ==
        "usage: 'h' is given, but is no input: the file with types keeps what the model makes of it");
  const std::string none = "only the file of an ONNX model in protobuf can be written with types, and";
  CHECK(refused("Relu", {"X=float32[2]"}, "a.onnx") == "usage: " + none + " the command line is none");
  const std::string text = folder.write("m.onnxtxt", "<ir_version: 8, opset_import: [\"\" : 17]> " + kPair).string();
  CHECK(refused(text, {}, "a.onnx").starts_with("usage: " + none));
  fs::create_directories(folder / "case/test_data_set_0");
  fs::copy(model, folder / "case/model.onnx");
  CHECK(refused((folder / "case").string(), {}, "a.onnx").starts_with("usage: " + none));
}

TEST_CASE("declared: data beside the model are asked for beside the file", "[symbols]") {
  const TemporaryFolder folder;
  ::onnx::ModelProto model = read_model(model_of(folder, kPair));
  ::onnx::TensorProto& data = *model.mutable_graph()->add_initializer();
  data.set_name("w");
  data.set_data_type(::onnx::TensorProto::FLOAT);
  data.add_dims(1);
  data.set_data_location(::onnx::TensorProto::EXTERNAL);
  data.add_external_data()->set_key("location");
  data.mutable_external_data(0)->set_value("w.bin");
  folder.write("w.bin", "abcd");
  const std::string file = folder.write("external.onnx", model.SerializeAsString()).string();
  const Bound bound = bind_case(read_case(file));
  CHECK(write_declared(bound, {}, SizeNames::expressions, folder / "a.onnx").empty());
  fs::create_directories(folder / "elsewhere");
  const auto warnings = write_declared(bound, {}, SizeNames::expressions, folder / "elsewhere/a.onnx");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("a.onnx looks for its data in w.bin beside itself") != std::string::npos);
}

TEST_CASE("declared: a file that cannot be written whole is not there", "[symbols]") {
  const TemporaryFolder folder;
  const std::string file = model_of(folder, kPair).string();
  const Bound bound = bind_case(read_case(file));
  folder.write("model.onnx", "no model");
  CHECK_THROWS_AS(write_declared(bound, {}, SizeNames::expressions, folder / "a.onnx"), Error);
  CHECK(folder.entries() == 1);
}

}  // namespace declared_test
