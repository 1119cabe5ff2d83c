// SPDX-License-Identifier: Apache-2.0
#include "run/copy_case.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "run/load_case.h"
#include "system/folder.h"

namespace copy_case_test {

using namespace opref::run;

namespace fs = std::filesystem;

namespace {

void put_outside(::onnx::TensorProto& tensor, const std::string& name, const std::string& location) {
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(1);
  tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
  ::onnx::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value(location);
}

/// y = x + w, with w in one file, and what a subgraph has in another.
::onnx::ModelProto model_outside() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(16);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  for (::onnx::ValueInfoProto* value : {graph.add_input(), graph.add_output()}) {
    value->set_name(value == &graph.input(0) ? "x" : "y");
    value->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  }
  put_outside(*graph.add_initializer(), "w", "data/w.bin");
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("If");
  node.add_input("x");
  node.add_output("y");
  ::onnx::AttributeProto& branch = *node.add_attribute();
  branch.set_name("then_branch");
  branch.set_type(::onnx::AttributeProto::GRAPH);
  put_outside(*branch.mutable_g()->add_initializer(), "v", "v.bin");
  put_outside(*branch.mutable_g()->add_initializer(), "out", "link.bin");
  put_outside(*branch.mutable_g()->add_initializer(), "gone", "none.bin");
  put_outside(*branch.mutable_g()->add_initializer(), "up", "../secret.bin");
  // A copy of these would lie outside, over the case's own file, among its tensors, or among what is returned.
  put_outside(*branch.mutable_g()->add_initializer(), "round", "../case/v.bin");
  put_outside(*branch.mutable_g()->add_initializer(), "expected", "test_data_set_0/output_0.pb");
  put_outside(*branch.mutable_g()->add_initializer(), "returned", "outputs/w.bin");
  return model;
}

std::vector<std::string> all_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& file : files_below(folder)) names.push_back(file.lexically_relative(folder).generic_string());
  return names;
}

}  // namespace

TEST_CASE("a case folder is copied with its external data and without what it expects", "[run][backend]") {
  const TemporaryFolder root;
  for (const char* folder :
       {"case/data", "case/outputs", "case/test_data_set_0", "case/test_data_set_3", "copy", "copy-3"})
    make_folder(root / folder);
  root.write("case/model.onnx", model_outside().SerializeAsString());
  for (const char* file : {"case/data/w.bin", "case/v.bin", "secret.bin", "case/expect_error.json", "case/notes",
                           "case/outputs/w.bin", "case/test_data_set_0/input_0.pb", "case/test_data_set_0/output_0.pb",
                           "case/test_data_set_3/input_0.pb", "case/test_data_set_3/output_0.pb"})
    root.write(file, file);
  fs::create_symlink("../secret.bin", root / "case/link.bin");
  Case loaded{};
  loaded.format = CaseFormat::onnx_folder;
  const std::vector<std::string> wanted = {"data/w.bin", "model.onnx", "test_data_set_0/input_0.pb", "v.bin"};
  const auto files = copy_case(loaded, root / "case", root / "copy");
  REQUIRE(files);
  CHECK(files->model == root / "copy/model.onnx");
  CHECK(files->inputs == root / "copy/test_data_set_0");
  CHECK(all_in(root / "copy") == wanted);
  CHECK(content_of(root / "copy/model.onnx") == content_of(root / "case/model.onnx"));
  CHECK(content_of(root / "case/v.bin") == "case/v.bin");
  root.write("copy/test_data_set_0/input_0.pb", "changed");
  root.write("copy/data/w.bin", "changed");
  CHECK(content_of(root / "case/test_data_set_0/input_0.pb") == "case/test_data_set_0/input_0.pb");
  CHECK(content_of(root / "case/data/w.bin") == "case/data/w.bin");
  // Another data set has the same names: nothing tells them apart.
  REQUIRE(copy_case(loaded, root / "case/test_data_set_3", root / "copy-3"));
  CHECK(all_in(root / "copy-3") == wanted);
  CHECK(content_of(root / "copy-3/test_data_set_0/input_0.pb") == "case/test_data_set_3/input_0.pb");
}

TEST_CASE("a layer is copied without its outputs, a case that is no folder not at all", "[run][backend]") {
  const TemporaryFolder root;
  make_folder(root / "case");
  make_folder(root / "copy");
  for (const char* file : {"case/layer.xml", "case/x.npy", "case/y.npy", "case/notes"}) root.write(file, file);
  Case loaded{};
  loaded.format = CaseFormat::openvino_layer;
  loaded.graph.inputs.push_back({"x", "", {}, {}});
  loaded.graph.outputs.push_back({"y", "", {}, {}});
  const auto files = copy_case(loaded, root / "case", root / "copy");
  REQUIRE(files);
  CHECK(files->inputs == root / "copy");
  CHECK(all_in(root / "copy") == std::vector<std::string>{"layer.xml", "x.npy"});
  CHECK_FALSE(copy_case(loaded, root / "case/layer.xml", root / "copy"));
  loaded.format = CaseFormat::json;
  CHECK_FALSE(copy_case(loaded, root / "case", root / "copy"));
}

}  // namespace copy_case_test
