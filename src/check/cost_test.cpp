// SPDX-License-Identifier: Apache-2.0
#include "check/cost.h"

#include <catch2/catch.hpp>

#include "io/folder_testing.h"
#include "run/cost.h"

namespace cost_test {

using namespace opref::check;

namespace {

std::uint64_t cost(const TemporaryFolder& folder, const std::string& name) {
  return Costs().of({name, (folder.path() / name).string()});
}
std::string pool(const std::string& input) {
  return R"({"op_type": "LpPool", "opset": 18, "attributes": {"kernel_shape": [3, 5]}, "inputs": {"X": )" + input +
         "}}";
}

}  // namespace

TEST_CASE("a case costs something, and so do the bytes of its files", "[check]") {
  const TemporaryFolder folder;
  const std::string small = pool(R"({"dtype": "float32", "data": [[[[1]]]]})");
  folder.write("small.json", small);
  CHECK(cost(folder, "small.json") == kCostOfCase + kCostOfByte * small.size());
  folder.write("x.npy", std::string(1000, 'x'));
  const std::string named = pool(R"("x.npy")");
  folder.write("named.json", named);
  CHECK(cost(folder, "named.json") == kCostOfCase + kCostOfByte * (named.size() + 1000));
  std::filesystem::create_directories(folder / "case/test_data_set_0");
  folder.write("case/model.onnx", std::string(100, 'x'));
  folder.write("case/test_data_set_0/input_0.pb", std::string(200, 'x'));
  CHECK(cost(folder, "case") == kCostOfCase + kCostOfByte * 300);
  CHECK(cost(folder, "missing.json") == kCostOfCase);
}

TEST_CASE("where bytes do not tell it, or are many, terms are counted", "[check]") {
  const TemporaryFolder folder;
  const std::string large = pool(R"({"dtype": "float32", "shape": [2, 3, 102, 104], "fill": "normal"})");
  folder.write("large.json", large);
  CHECK(cost(folder, "large.json") ==
        kCostOfCase + kCostOfByte * large.size() + kCostOfTerm * (2 * 3 * 100 * 100 * 15));
  const std::string sum = R"({"op_type": "ReduceSum", "opset": 11, "inputs": {"data":
    {"dtype": "float32", "shape": [100, 100], "fill": "normal"}}})";
  folder.write("sum.json", sum);  // of more elements than it gives
  CHECK(cost(folder, "sum.json") == kCostOfCase + kCostOfByte * sum.size() + kCostOfTerm * 100 * 100);
  const std::string refused = pool(R"({"dtype": "float32", "shape": [100, 100], "fill": "normal"})");
  folder.write("refused.json", refused);
  CHECK(cost(folder, "refused.json") == kCostOfCase + kCostOfByte * refused.size());
}

TEST_CASE("elements that a JSON text states by shapes", "[check]") {
  CHECK(stated_elements(R"({"a": {"shape": [2, 3]}, "b": [{"shape": []}, {"shape": [0, 5]}, {"shape": [ 7 ]}]})") ==
        14);
  CHECK(stated_elements(R"({"shape": 5, "other": [9]})") == 0);
  CHECK(stated_elements(R"({"shape": [-1, "x", 4]})") == 0);
  CHECK(stated_elements(R"({"shape": [4611686018427387904, 4611686018427387904]})") == std::uint64_t{1} << 60);
  CHECK(stated_elements(R"({"shape": [12)") == 12);
}

}  // namespace cost_test
