// SPDX-License-Identifier: Apache-2.0
#include "check/discover.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "run/load_case.h"

namespace discover_test {

using namespace opref::check;

namespace {

/// "name=path name=path", the paths below the folder.
std::string found(const TemporaryFolder& folder, const std::string& below = "") {
  const std::string path = folder.path().string() + below;
  std::string all;
  for (const FoundCase& one : discover(std::span(&path, 1)))
    all += format("{}{}={}", all.empty() ? "" : " ", one.name,
                  std::filesystem::path(one.path).lexically_relative(folder.path()).string());
  return all;
}

const std::string kCase = R"({"op_type": "LpPool"})";

}  // namespace

TEST_CASE("discover: each case of a file, under a name that finds it again", "[check]") {
  const TemporaryFolder folder;
  folder.write("plain.json", kCase);
  folder.write("opsets.json", R"({"op_type": "LpPool", "opset" : [ 2, 11 ]})");
  folder.write("list.json", "\xef\xbb\xbf \n[" + kCase + R"(, {"op_type": "LpPool", "opset": [1]}])");
  folder.write("attribute.json", R"({"op_type": "LpPool", "attributes": {"opset": [1, 2]}, "opset": 2})");
  const std::string list = "list#1=list.json#1 list#2#opset=1=list.json#2#opset=1";
  const std::string opsets = "opsets#opset=11=opsets.json#opset=11 opsets#opset=2=opsets.json#opset=2";
  CHECK(found(folder) == "attribute=attribute.json " + list + " " + opsets + " plain=plain.json");
  CHECK(found(folder, "/list.json") == list);
  CHECK(found(folder, "/list.json#2") == "list#2#opset=1=list.json#2#opset=1");
  CHECK(found(folder, "/opsets.json#opset=2") == "opsets#opset=2=opsets.json#opset=2");
  const std::string path = folder.path().string();
  for (const FoundCase& one : discover(std::span(&path, 1)))
    CHECK(read_case(one.path).graph.nodes.at(0).op_type == "LpPool");
}

TEST_CASE("discover: what cannot be read is one case, and said when it is judged", "[check]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"op_type": "LpPool", "opset": []})");
  folder.write("b.json", R"([{"op_type": "LpPool"}, [)");
  folder.write("c.json", R"({"op_type": "LpPool", "opset": [1, 1]})");
  CHECK(found(folder) == "a=a.json b=b.json c=c.json");
  for (const std::string_view text : {"", "\n", "\x80\x01rubbish", "op_type"}) {
    const TemporaryFolder broken;
    broken.write("a.json", text);
    CHECK(found(broken) == "a=a.json");
  }
  CHECK(found(folder, "/a.json#opset=1") == "a#opset=1=a.json#opset=1");
  folder.write("d.json", R"({"op_type": "LpPool", "opset": [1, 2]})");
  folder.write("model.onnx", "x");
  const auto error_of = [&](const std::string& path) {
    try {
      found(folder, path);
    } catch (const Error& error) {
      return format("{}: {}", name(error.fault()), error.message());
    }
    return std::string("no error");
  };
  CHECK(error_of("/d.json#opset=12") == "usage: there is no case #opset=12 in it, only #opset=1, #opset=2");
  folder.write("e.json", kCase);
  CHECK(error_of("/e.json#opset=12") == "usage: there is no case #opset=12 in it, it is one case");
  CHECK(error_of("/model.onnx#2").ends_with("model.onnx#2 names one of several cases, which only a .json holds"));
  const std::string none = (folder / "none.json#1").string();
  CHECK_THROWS_AS(discover(std::span(&none, 1)), Error);
}

TEST_CASE("discover: a manifest of golden cases is no case, nor is JSON that only speaks of operators", "[check]") {
  const TemporaryFolder folder;
  folder.write("manifest.json", R"({"opref": "1", "command" : "golden", "cases": [{"op_type": "LpPool"}]})");
  folder.write("schema.json", R"({"required": ["op_type"], "description": "a case says \"op_type\": its operator"})");
  folder.write("case.json", R"({"op_type": "LpPool", "source": "{\"each\": [1]}, \"command\": \"golden\""})");
  folder.write("attribute.json", R"({"op_type": "LpPool", "attributes": {"command": "golden"}})");
  CHECK(found(folder) == "attribute=attribute.json case=case.json");
}

TEST_CASE("discover: recipes are no cases", "[check]") {
  const TemporaryFolder folder;
  folder.write("z.json", R"({"op_type":"LpPool","opset":{"each":[1,2]}})");
  folder.write("a.json", R"({"op_type": "LpPool", "opset": {"each": [1, 2]}})");
  folder.write("b.json", R"({"op_type": "LpPool", "opset": "every"})");
  folder.write("c.json",
               R"({"op_type": "LpPool", "inputs": {"X": {"dtype": "every", "shape": [1], "fill": "normal"}}})");
  CHECK(found(folder).empty());
}

TEST_CASE("discover: cases of one name in two folders are told apart by them", "[check]") {
  const TemporaryFolder folder;
  for (const char* name : {"old/a", "new/a"}) std::filesystem::create_directories(folder / name);
  folder.write("old/a/x.json", kCase);
  folder.write("new/a/x.json", kCase);
  folder.write("new/a/y.json", kCase);
  const std::vector<std::string> paths{(folder.path() / "old" / "a").string(), (folder.path() / "new" / "a").string()};
  std::string names;
  for (const FoundCase& one : discover(paths)) names += one.name + " ";
  CHECK(names == "new/a/x new/a/y old/a/x ");
}

TEST_CASE("discover: a case of a file has the name of no other case", "[check]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"([{"op_type": "LpPool"}])");
  folder.write("a#1.json", kCase);
  try {
    found(folder);
    FAIL("two cases have one name");
  } catch (const Error& error) {
    CHECK(error.message().starts_with("two cases have the name 'a#1': "));
  }
}

TEST_CASE("discover: a part of a case is one, which is said when it is judged", "[check]") {
  const TemporaryFolder folder;
  const auto make = [&](const std::string& name) { std::filesystem::create_directories(folder / name); };
  for (const char* name :
       {"gap/test_data_set_0", "gap/test_data_set_1", "gap/test_data_set_4", "gap/test_data_set_6",
        "late/test_data_set_1", "bare", "modelless/test_data_set_0", "other/test_data_set_x", "empty"})
    make(name);
  for (const char* name :
       {"gap/model.onnx", "late/model.onnx", "bare/model.onnx", "modelless/test_data_set_0/output_0.pb"})
    folder.write(name, "");
  CHECK(found(folder) ==
        "bare=bare gap=gap gap#1=gap/test_data_set_1 gap#2=gap/test_data_set_2 gap#4=gap/test_data_set_4 "
        "gap#6=gap/test_data_set_6 late=late late#1=late/test_data_set_1 modelless=modelless");
}

TEST_CASE("discover: what may have been meant as a case and is none is told", "[check]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "real/in");
  std::filesystem::create_directory_symlink("real", folder / "linked");
  std::filesystem::create_symlink("plain.json", folder / "link.json");
  for (const char* name : {"plain.json", "upper.JSON"}) folder.write(name, kCase);
  for (const char* name : {"real/in/output_0.pb", "real/in/input_0.pb", "real/net.onnx", "notes.txt", "x.npy"})
    folder.write(name, "");
  const std::string path = folder.path().string();
  const Discovery all = discover_all(std::span(&path, 1));
  CHECK(all.cases.size() == 2);
  CHECK(all.passed_over == std::vector<std::string>{"linked (a link to a folder)",
                                                    "real/in/output_0.pb (no folder test_data_set_0)",
                                                    "real/net.onnx (not model.onnx)", "upper.JSON (not .json)"});
}

}  // namespace discover_test
