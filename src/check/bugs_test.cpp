// SPDX-License-Identifier: Apache-2.0
// A bug in opref is the error of what it is met at: other cases and nodes keep their verdicts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <stdexcept>

#include "check/bisect.h"
#include "check/judge.h"
#include "core/error.h"
#include "io/folder_testing.h"
#include "run/load_case.h"
#include "run/write_outputs.h"
#include "system/machine_error.h"

namespace bugs_test {

using namespace opref::check;

namespace {

/// Two nodes, each of which gives -1 and 1 in turn; what stands for a bug is met after the n-th evaluated node.
constexpr const char* kChain =
    "<ir_version: 8, opset_import: [\"\" : 13]> g (float[1] x) => (float[1] z) { y = Neg (x) z = Neg (y) }";

std::function<void()> after(int nodes, const std::function<void()>& act) {
  return [left = std::make_shared<int>(nodes), act] {
    if (--*left == 0) act();
  };
}

Bisection bisected(const TemporaryFolder& folder, const std::function<void()>& after_node, float y = -1) {
  Bound bound = bind_case(read_case(kChain), std::vector<std::string>{"x=[1]"});
  bound.options.after_node = after_node;
  const auto write = [&](const std::string& name, float value) {
    write_value((folder / (name + ".npy")).string(), name,
                Tensor::of<float>(DType::float32, Dims{1}, std::vector{value}), Link::replaced);
  };
  write("y", y);
  write("z", -y);
  const auto whole = std::make_shared<const ReadyCase>(ReadyCase{bound});
  const ModelValues values =
      ModelValues::in_folder(folder.path(), whole->bound.graph, computed_names(whole->bound.graph));
  return Bisector(whole, values, nullptr, {}).judge();
}

Verdict verdict_of(const Bisection& bisection, const std::string& node) {
  return std::ranges::find(bisection.nodes, node, [](const JudgedNode& judged) { return judged.record.name; })
      ->record.verdict;
}

}  // namespace

TEST_CASE("a bug in opref is the case's own error, also where it must be refused or a backend is judged", "[check]") {
  const TemporaryFolder folder;
  const std::string node = R"({"op_type": "Neg", "opset": 13, "inputs": {"X": {"dtype": "float32", "data": [1]}}, )";
  const std::string expected[] = {R"("expect": {"Y": {"dtype": "float32", "data": [-1]}}})",
                                  R"("expect_error": {"fault": "invalid", "message": "no"}})"};
  for (const std::string& expect : expected) {
    JudgeOptions options;
    const FoundCase found{"case", folder.write("case.json", node + expect)};
    options.evaluation.after_node = [] { throw std::length_error("too long"); };
    CaseRecord record = judge(found, options);
    CHECK((record.verdict == Verdict::error && record.internal && record.transient));
    CHECK(record.reason == "a bug in opref, please report it: too long");
    options.evaluation.after_node = [] { fail(Fault::internal, "no such thing"); };
    record = judge(found, options);
    CHECK((record.verdict == Verdict::error && record.internal));
    CHECK(record.reason == "a bug in opref, please report it: no such thing");
    options.evaluation.after_node = [] { fail_machine("no descriptors"); };
    CHECK_THROWS_AS(judge(found, options), MachineError);
  }
}

TEST_CASE("a bug in opref is a node's own error: the others are judged", "[check]") {
  const TemporaryFolder folder;
  const auto bug = [] { throw std::length_error("too long"); };
  // The model as a whole takes the first two evaluations, then come the nodes.
  const Bisection sound = bisected(folder, {});
  CHECK((sound.exit_code() == 0 && verdict_of(sound, "y") == Verdict::pass && verdict_of(sound, "z") == Verdict::pass));
  const Bisection first = bisected(folder, after(3, bug));
  CHECK((first.exit_code() == 70 && first.bugs.empty()));
  CHECK((verdict_of(first, "y") == Verdict::error && verdict_of(first, "z") == Verdict::pass));
  CHECK(first.nodes.front().record.reason == "a bug in opref, please report it: too long");
  const Bisection second = bisected(folder, after(4, bug));
  CHECK((second.exit_code() == 70 && verdict_of(second, "y") == Verdict::pass));
  CHECK(verdict_of(second, "z") == Verdict::error);
  const Bisection whole = bisected(folder, after(1, bug));
  CHECK((whole.exit_code() == 70 && whole.bugs == std::vector<std::string>{"too long"}));
  CHECK((verdict_of(whole, "y") == Verdict::pass && verdict_of(whole, "z") == Verdict::pass));
  // y is wrong: its causes are looked for after four evaluations.
  const Bisection causes = bisected(folder, after(5, bug), 3);
  CHECK((causes.exit_code() == 70 && verdict_of(causes, "y") == Verdict::error));
  CHECK(verdict_of(causes, "z") == Verdict::pass);
  CHECK_THROWS_AS(bisected(folder, after(3, [] { fail_machine("no descriptors"); })), MachineError);
}

}  // namespace bugs_test
