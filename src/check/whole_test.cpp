// SPDX-License-Identifier: Apache-2.0
#include "check/whole.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "system/folder.h"

namespace check_whole_test {

using namespace opref::check;

namespace {

Case of_two_outputs(CaseFormat format) {
  Case read{};
  read.format = format;
  read.graph.inputs.push_back({"x", "", {}, {}});
  for (const char* name : {"y", "z"}) read.graph.outputs.push_back({name, "", {}, {}});
  return read;
}

/// Why a case of these files is not whole; empty if it is.
std::string lack(const Case& read, std::initializer_list<const char*> files) {
  const TemporaryFolder folder;
  for (const char* name : files) {
    make_folder((folder / name).parent_path());
    folder.write(name, "");
  }
  try {
    require_whole(read, folder.path());
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.message());
  }
  return "";
}

}  // namespace

TEST_CASE("whole: a case expects all outputs of its model or none, and no other", "[check]") {
  const Case read = of_two_outputs(CaseFormat::onnx_folder);
  CHECK(lack(read, {"test_data_set_0/input_0.pb", "test_data_set_0/output_0.pb", "test_data_set_0/output_1.pb"}) == "");
  CHECK(lack(read, {"test_data_set_0/input_0.pb"}) == "");
  CHECK(lack(read, {"test_data_set_0/output_0.pb"}) ==
        "malformed: output_1.pb is missing beside output_0.pb: a case expects all outputs of its model, or none");
  CHECK(lack(read, {"test_data_set_0/output_1.pb"}) ==
        "malformed: output_0.pb is missing beside output_1.pb: a case expects all outputs of its model, or none");
  for (const std::string name : {"output_2.pb", "output_0.npy", "output_00.pb", "output_"})
    CHECK(lack(read,
               {"test_data_set_0/output_0.pb", "test_data_set_0/output_1.pb", ("test_data_set_0/" + name).c_str()}) ==
          "malformed: " + name + " is no file of an output: these are output_0.pb, output_1.pb");
  CHECK(lack(read, {"test_data_set_0/output_2.pb"}) ==
        "malformed: output_2.pb is no file of an output: these are output_0.pb, output_1.pb");
  CHECK(lack(read, {"model.onnx"}) == "malformed: there is no folder test_data_set_0 beside model.onnx");
}

TEST_CASE("whole: of a layer each array is an input's or an output's", "[check]") {
  const Case read = of_two_outputs(CaseFormat::openvino_layer);
  CHECK(lack(read, {"layer.xml", "x.npy", "y.npy", "z.npy", "notes"}) == "");
  CHECK(lack(read, {"layer.xml", "x.npy"}) == "");
  CHECK(lack(read, {"layer.xml", "x.npy", "z.npy"}) ==
        "malformed: y.npy is missing beside z.npy: a case expects all outputs of its model, or none");
  CHECK(lack(read, {"layer.xml", "x.npy", "w.npy"}) ==
        "malformed: w.npy is no file of an output: these are y.npy, z.npy");
}

TEST_CASE("whole: cases that are no folder, or must be refused, are not looked at", "[check]") {
  Case read = of_two_outputs(CaseFormat::json);
  CHECK(lack(read, {"test_data_set_0/output_7.pb"}) == "");
  read.format = CaseFormat::onnx_folder;
  read.expect_error = ExpectedError{};
  CHECK(lack(read, {"test_data_set_0/output_7.pb"}) == "");
}

}  // namespace check_whole_test
