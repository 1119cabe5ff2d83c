// SPDX-License-Identifier: Apache-2.0
#include "backend/output_files.h"

#include <catch2/catch.hpp>

#include "io/folder_testing.h"
#include "system/file.h"

namespace output_files_test {

using namespace opref::backend;
using Catch::Contains;

namespace {

Graph two_outputs() {
  Graph graph;
  graph.inputs.resize(1);
  graph.inputs[0].name = "X";
  graph.outputs.resize(2);
  graph.outputs[0].name = "Y";
  graph.outputs[1].name = "Z";
  return graph;
}

OutputFiles files(const TemporaryFolder& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    FileWriter file(folder / name);
    file.commit();
  }
  return {folder / "", two_outputs()};
}

}  // namespace

TEST_CASE("output files: each output has one, by number or by name", "[backend][judge]") {
  const TemporaryFolder folder;
  const OutputFiles found = files(folder, {"output_0.pb", "Z.npy", "X.npy", "input_0.npy", "log.txt"});
  CHECK(found.of(0) == folder / "output_0.pb");
  CHECK(found.of(1) == folder / "Z.npy");
  CHECK(found.any() == "output_0.pb");
  CHECK(found.surplus() == "");
}

TEST_CASE("output files: none are missing ones", "[backend][judge]") {
  const TemporaryFolder folder;
  const OutputFiles found = files(folder, {"notes.txt"});
  CHECK_FALSE(found.of(0));
  CHECK_FALSE(found.of(1));
  CHECK(found.any() == "");
  CHECK(OutputFiles(folder / "nowhere", two_outputs()).any() == "");
}

TEST_CASE("output files: what is no output of the model, and a second file of one, is named", "[backend][judge]") {
  for (const char* name : {"output_2.npy", "output_0.npy", "Y.npy", "mask.npy"}) {
    const TemporaryFolder folder;
    const OutputFiles found = files(folder, {"output_0.pb", "output_1.pb", name});
    CHECK(found.of(0) == folder / "output_0.pb");
    CHECK_THAT(found.surplus(), Contains(std::string("also ") + name + ","));
  }
  const TemporaryFolder folder;
  CHECK(files(folder, {"mask.npy"}).any() == "mask.npy");
}

TEST_CASE("output files: a sequence is an .npz or a folder", "[backend]") {
  const TemporaryFolder folder;
  for (const char* name : {"Y", "output_1", "X", "input_0", "logs"}) std::filesystem::create_directory(folder / name);
  const OutputFiles found = files(folder, {"X.npz", "trace.npz"});
  CHECK(found.of(0) == folder / "Y");
  CHECK(found.of(1) == folder / "output_1");
  CHECK(found.surplus() == "");
  const OutputFiles again = files(folder, {"output_0.npz"});
  CHECK(again.of(0) == folder / "output_0.npz");
  CHECK_THAT(again.surplus(), Contains("also Y/,"));
}

TEST_CASE("output files: whether a folder may hold any", "[backend]") {
  for (const char* name : {"output_0.pb", "Y.npy", "Y.npz", "Y/0.npy", "Y/0.pb"}) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "Y");
    folder.write("Y/other", "");
    CHECK_FALSE(may_hold_outputs(folder.path()));
    folder.write(name, "");
    CHECK(may_hold_outputs(folder.path()));
  }
  const TemporaryFolder folder;
  CHECK_FALSE(may_hold_outputs(folder.path()));
  std::filesystem::create_directory(folder / "Y");
  CHECK(may_hold_outputs(folder.path()));
}

}  // namespace output_files_test
