// SPDX-License-Identifier: Apache-2.0
#include "golden/golden.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/json/json.h"
#include "io/json/parse.h"

namespace golden_merge_test {

using namespace opref::golden;

namespace fs = std::filesystem;

namespace {

/// p = 0 is refused.
constexpr const char* kRecipe = R"({
  "op_type": "LpPool", "opset": {"each": [2, 22]}, "attributes": {"kernel_shape": [2], "p": {"each": [0, 1, 2, 3]}},
  "inputs": {"X": {"dtype": {"each": ["float32", "float64"]}, "shape": {"each": [[1, 2, 5], [1, 1, 9000]]}, "fill": "normal"}}
})";

GoldenRequest request(const Shard& shard = {}, const std::string& recipe = kRecipe) {
  GoldenRequest asked;
  asked.recipes.push_back({"r.json", "", std::make_shared<const Json>(parse_json(recipe))});
  asked.shard = shard;
  return asked;
}

GoldenWork work(const std::string& version = "1.2.3") {
  GoldenWork done_so;
  done_so.version = version;
  return done_so;
}

/// The folders of all shards.
std::vector<fs::path> shards(const TemporaryFolder& root, int count) {
  std::vector<fs::path> folders;
  for (int index = 1; index <= count; ++index) {
    folders.push_back(root / format("shard-{}", index));
    make_golden(request({index, count}), work(), folders.back());
  }
  return folders;
}

GoldenResult merge(const std::vector<fs::path>& folders, const fs::path& to) {
  return merge_golden(folders, work(), to, Replace::no, Empty::refused);
}

std::string refusal(const TemporaryFolder& root, const std::vector<fs::path>& folders) {
  try {
    merge(folders, root / "refused");
  } catch (const Error& error) {
    const std::string text = format("{}: {}", name(error.fault()), error.message()), place = root.path().string() + "/";
    std::string shortened = text;
    for (size_t at; (at = shortened.find(place)) != std::string::npos;) shortened.erase(at, place.size());
    return shortened;
  }
  return "no error";
}

std::map<std::string, std::string> tree(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory())
      files[entry.path().lexically_relative(folder).generic_string()] = content_of(entry.path());
  return files;
}

}  // namespace

TEST_CASE("golden: shards are disjoint and complete, and joined they are what one run makes", "[golden]") {
  const TemporaryFolder root;
  const GoldenResult whole = make_golden(request(), work(), root / "whole");
  std::vector<fs::path> folders = shards(root, 3);
  std::set<std::string> names;
  size_t cases = 0, rejected = 0;
  for (const fs::path& folder : folders) {
    const Manifest manifest = read_manifest(folder);
    for (const auto& [name, made] : manifest.made) names.insert(name);
    cases += manifest.cases(), rejected += manifest.made.size() - manifest.cases();
    CHECK(manifest.cases() > 0);
  }
  CHECK((cases == whole.cases && rejected == whole.rejected.size() && names.size() == cases + rejected));
  std::ranges::reverse(folders);
  const GoldenResult merged = merge(folders, root / "merged");
  CHECK(merged.cases == whole.cases);
  CHECK(tree(root / "merged") == tree(root / "whole"));
  CHECK(merge(folders, root / "merged").cases == whole.cases);  // once more
  CHECK(tree(root / "merged") == tree(root / "whole"));
  const TemporaryFolder scratch;
  CHECK(verify_golden(folders[0], Verify::recompute, work(), scratch.path()).problems.empty());
}

TEST_CASE("golden: a shard of what is refused, and one without cases", "[golden]") {
  const TemporaryFolder root;
  std::vector<fs::path> folders = shards(root, 40);
  CHECK(read_manifest(folders[39]).cases() == 0);
  make_golden(request(), work(), root / "whole");
  merge(folders, root / "merged");
  CHECK(tree(root / "merged") == tree(root / "whole"));
}

TEST_CASE("golden: what is no set of shards is not joined", "[golden]") {
  const TemporaryFolder root;
  const std::vector<fs::path> folders = shards(root, 3);
  CHECK(refusal(root, {}) == "usage: there is no folder to merge");
  CHECK(refusal(root, {folders[1]}) == "usage: of 3 shards, 2 are missing: 1, 3");
  CHECK(refusal(root, {folders[0], folders[2]}) == "usage: of 3 shards, 1 is missing: 2");
  CHECK(refusal(root, {folders[0], folders[1], folders[0]}) ==
        "usage: shard 1 of 3 is there twice: shard-1 and shard-1");
  make_golden(request({3, 4}), work(), root / "of-4");
  CHECK(refusal(root, {folders[0], folders[1], root / "of-4"}) == "usage: of-4 is shard 3/4, but shard-1 is 1/3");
  make_golden(request({3, 3}, R"({"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]},
    "inputs": {"X": {"dtype": "float32", "shape": [1, 2, 5], "fill": "normal"}}})"),
              work(), root / "other");
  CHECK(refusal(root, {folders[0], folders[1], root / "other"}) ==
        "usage: other is of another request than shard-1 (other recipes)");
  make_golden(request({3, 3}), work("1.2.4"), root / "newer");
  CHECK(refusal(root, {folders[0], folders[1], root / "newer"}) == "usage: opref 1.2.4 made newer, but 1.2.3 shard-1");
  const Manifest manifest = read_manifest(folders[1]);
  const std::string name =
      std::ranges::find_if(manifest.made, [](const auto& one) { return one.second.is_case(); })->first;
  std::ofstream(folders[1] / name / "model.onnx", std::ios::app) << "x";
  CHECK(refusal(root, folders) == "malformed: shard-2/" + name + " is not as its manifest says");
  CHECK(!fs::exists(root / "refused/manifest.json"));
}

}  // namespace golden_merge_test
