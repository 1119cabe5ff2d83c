// SPDX-License-Identifier: Apache-2.0
#include "check/select.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "report/name_filter.h"

namespace check_select_test {

using namespace opref::check;

namespace {

std::vector<std::string> names(const TemporaryFolder& folder, const std::string& filter, const Shard& shard = {}) {
  const std::string path = folder.path().string();
  std::vector<std::string> found;
  for (const FoundCase& one : select(std::span(&path, 1), filter, shard).cases) found.push_back(one.name);
  return found;
}

}  // namespace

TEST_CASE("a filter matches anywhere in a name; the filter for a name matches that one only", "[check]") {
  const TemporaryFolder folder;
  const std::vector<std::string> all = {"a", "a#1", "a+b", "aab", "b.c", "bxc", R"(x(y)[z]{1,2}^$|*?\n)"};
  for (const std::string& name : all) folder.write(name + ".json", R"({"op_type": "LpPool"})");
  CHECK(names(folder, "") == all);
  CHECK(names(folder, "^a") == std::vector<std::string>{"a", "a#1", "a+b", "aab"});
  CHECK(names(folder, "b.c|#[0-9]") == std::vector<std::string>{"a#1", "b.c", "bxc"});
  for (const std::string& name : all) CHECK(names(folder, NameFilter::only(name)) == std::vector<std::string>{name});
  CHECK_THROWS_AS(names(folder, "("), Error);
  const std::string path = folder.path().string();
  // A report states all names, whatever the shard.
  for (const int index : {1, 3, 1000}) {
    std::string known;
    select(std::span(&path, 1), "^a", {index, 1000}).each_name([&](const std::string& name) { known += name + " "; });
    CHECK(known == "a a#1 a+b aab ");
  }
  CHECK(names(folder, "", {1, 1}) == all);
}

TEST_CASE("shares are of about one cost: what takes long is alone in its own", "[check]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) folder.write(format("small{}.json", i), R"({"op_type": "LpPool"})");
  folder.write("large.json", R"({"op_type": "LpPool", "opset": 18, "attributes": {"kernel_shape": [9, 9]},
    "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 300, 300], "fill": "normal"}}})");
  CHECK(names(folder, "", {1, 3}) == std::vector<std::string>{"large"});
  std::vector<std::string> all = names(folder, "", {2, 3});
  CHECK(all.size() == 10);
  for (const std::string& name : names(folder, "", {3, 3})) all.push_back(name);
  std::ranges::sort(all);
  CHECK(std::ranges::unique(all).empty());
  CHECK(all.size() == 20);
}

}  // namespace check_select_test
