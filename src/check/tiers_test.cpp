// SPDX-License-Identifier: Apache-2.0
#include "check/tiers.h"

#include <catch2/catch.hpp>

#include "check/judge.h"
#include "io/folder_testing.h"

namespace tiers_test {

using namespace opref::check;

namespace {

constexpr const char* kSum =
    "<ir_version: 8, opset_import: [\"\" : 14]> g (float[3] x) => (float[3] y) { y = Add (x, x) }";

Evaluated evaluated() {
  Bound bound = bind_case(read_case(kSum), std::vector<std::string>{"x=[1,1.5,NaN]"});
  return evaluate(std::make_shared<const ReadyCase>(ReadyCase{std::move(bound)}), 60);
}

/// As if the exact tier gave these bits.
Evaluated giving(const std::vector<std::uint32_t>& bits) {
  Evaluated other = evaluated();
  TensorBuilder y({DType::float32, Dims{3}});
  std::ranges::copy(bits, reinterpret_cast<std::uint32_t*>(y.bytes().data()));
  other.environment.find("y")->second.value = std::move(y).finish();
  return other;
}

}  // namespace

TEST_CASE("other bytes of the exact tier are told with output, element and both values", "[check]") {
  CHECK(other_bytes(evaluated(), evaluated()).empty());
  const std::vector<OutputReport> third = other_bytes(evaluated(), giving({0x40000000, 0x40800000, 0x7fc00000}));
  REQUIRE(third.size() == 1);
  CHECK(third[0].name == "y");
  CHECK(difference_text(third[0].comparison) == "differs in 1 of 3 elements: [1] is 3 instead of 4");
  const std::vector<OutputReport> nan = other_bytes(evaluated(), giving({0x40000000, 0x40400000, 0xffc00000}));
  REQUIRE(nan.size() == 1);
  CHECK(difference_text(nan[0].comparison) == "differs in 1 of 3 elements: [2] is NaN instead of 0xffc00000");
}

TEST_CASE("a case is evaluated once more by the exact tier alone where that is asked for", "[check][judge]") {
  const TemporaryFolder folder;
  const std::string node = R"({"op_type": "Neg", "opset": 13, "inputs": {"X": {"dtype": "float32", "data": [1]}})";
  const auto judged = [&](const std::string& expect, bool exact_tier, const std::function<void()>& after_node) {
    JudgeOptions options;
    options.exact_tier = exact_tier;
    options.evaluation.after_node = after_node;
    return judge({"case", folder.write("case.json", node + expect + "}")}, options);
  };
  int evaluations = 0;
  const auto count = [&] { ++evaluations; };
  const std::string right = R"(, "expect": {"Y": {"dtype": "float32", "data": [-1]}})",
                    wrong = R"(, "expect": {"Y": {"dtype": "float32", "data": [1]}})";
  CHECK(judged(right, false, count).verdict == Verdict::pass);
  CHECK(evaluations == 1);
  CHECK(judged(right, true, count).verdict == Verdict::pass);
  CHECK(evaluations == 3);
  CHECK(judged("", false, count).verdict == Verdict::skip);
  const CaseRecord open = judged("", true, count);
  CHECK((open.verdict == Verdict::pass && open.reason.empty()));
  CHECK(judged(wrong, true, {}).reason == "output 'Y' differs in 1 of 1 element: [0] is -1 instead of 1");
  const auto second = [&](Fault fault) {
    return [fault, n = std::make_shared<int>(0)] {
      if (++*n == 2) fail(fault, "no");
    };
  };
  const CaseRecord refused = judged(right, true, second(Fault::unsupported));
  CHECK((refused.verdict == Verdict::fail && refused.reason == "the exact tier alone gives nothing: no"));
  CHECK(judged(right, true, second(Fault::system)).verdict == Verdict::error);
}

TEST_CASE("a failure of the exact tier is the record's", "[check]") {
  CaseRecord record;
  record.verdict = Verdict::pass;
  record_tiers(record, evaluated(), giving({0x40000000, 0x40800000, 0x7fc00000}));
  CHECK(record.verdict == Verdict::fail);
  CHECK(record.reason == "output 'y' differs in 1 of 3 elements: [1] is 3 instead of 4, by the exact tier");
  REQUIRE(record.outputs.size() == 1);
  CHECK(record.outputs[0].rule == "exact, strict NaN");
}

}  // namespace tiers_test
