// SPDX-License-Identifier: Apache-2.0
#include "run/memory.h"
#include "run/survey.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "io/onnx/onnx.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "system/deadline.h"
#include "system/memory_testing.h"

namespace memory_test {

using namespace opref::run;

namespace {

std::string error_of(const std::string& node, const std::string& input, std::int64_t most, int threads = 1) {
  const std::vector<std::string> inputs{input};
  const Bound bound = bind_case(read_case(node), inputs);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  try {
    run_graph(bound.graph, environment, {.readings = {}, .max_bytes = most, .threads = threads});
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("memory: outputs that the node does not name at its end are not counted", "[run]") {
  const auto error = [](const std::string& outputs, std::int64_t most) {
    return error_of(outputs + " = MaxPool <kernel_shape = [1]> (X)", "X=uint8[1,1,1000]:integers", most);
  };
  // X 1000 bytes, Y 1000, Indices 8000; scratch as much as they are.
  CHECK(error("Y", 4000).empty());
  CHECK(error("Y", 3999) ==
        "the output uint8[1,1,1000] needs 1000 bytes, with the inputs and scratch memory 4000 bytes, but the limit is "
        "3999");
  CHECK(error("Y, I", 20000).empty());
  CHECK(error("Y, I", 19999) ==
        "the output uint8[1,1,1000], int64[1,1,1000] needs 9000 bytes, with the inputs and scratch memory 20000 bytes, "
        "but the limit is 19999");
  CHECK(error("Y, \"\"", 4000).empty());
}

TEST_CASE("memory: scratch counts for threads that have an element to compute", "[run]") {
  const auto error = [](std::int64_t most, int threads) {
    return error_of("Y = MaxPool <kernel_shape = [1]> (X)", "X=uint8[1,1,3]:integers", most, threads);
  };
  CHECK(error(6 + 2 * 6, 2).empty());
  CHECK(error(6 + 2 * 6 - 1, 2).find("scratch memory 18 bytes") != std::string::npos);
  CHECK(error(6 + 3 * 6, 1024).empty());
  CHECK(error(6 + 3 * 6 - 1, 1024).find("scratch memory 24 bytes") != std::string::npos);
}

TEST_CASE("memory: a long chain of nodes takes time in proportion to its length", "[run]") {
  constexpr int kNodes = 100'000;  // adding up all values before each would take minutes
  std::string text = "<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x0) => (float[2] x100000) {\n";
  for (int i = 0; i < kNodes; ++i) text += format("x{} = Transpose (x{})\n", i + 1, i);
  const std::vector<std::string> inputs{"x0=[1,2]:float32"};
  const Bound bound = bind_case(read_onnx_text(text + "}"), inputs);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  run_graph(bound.graph, environment, {.readings = {}, .max_bytes = 8 * (kNodes + 1) * 2});
  CHECK(HeldBytes(environment).total() == 8 * (kNodes + 1));
  CHECK_THROWS_AS(run_graph(bound.graph, environment, {.readings = {}, .max_bytes = 8 * (kNodes + 1) * 2 - 1}), Error);
  environment = load_inputs(bound, {}, warnings);
  CHECK(survey(bound.graph, environment, {}).size() == kNodes);
}

namespace {

/// A chain of nodes, each of a value of its own of 800 bytes: x0 … xN.
Bound chain(int nodes, std::string_view outputs) {
  std::string text = format("<ir_version: 8, opset_import: [\"\" : 13]> g (float[200] x0) => ({}) {{\n", outputs);
  for (int i = 0; i < nodes; ++i) text += format("x{} = Neg (x{})\n", i + 1, i);
  const std::vector<std::string> inputs{"x0=float32[200]:integers"};
  return bind_case(read_onnx_text(text + "}"), inputs);
}

Environment evaluated(const Bound& bound, const EvaluationOptions& options) {
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  run_graph(bound.graph, environment, options);
  return environment;
}

}  // namespace

TEST_CASE("memory: a value is forgotten after its last reader, unless it is kept", "[run]") {
  const Bound bound = chain(50, "float[200] x50");
  // What a node reads and gives, the graph's input, and scratch as much.
  constexpr std::int64_t kFew = 3 * 800 * 2;
  const Environment results = evaluated(bound, {.readings = {}, .max_bytes = kFew, .keep = Keep::results});
  CHECK(HeldBytes(results).total() == 2 * 800);
  CHECK(results.at("x50").value.has_value());
  CHECK_FALSE(results.at("x49").value.has_value());
  CHECK(results.at("x49").type == ValueType(DType::float32, Dims{200}));
  CHECK_THROWS_AS(evaluated(bound, {.readings = {}, .max_bytes = kFew - 1, .keep = Keep::results}), Error);
  CHECK_THROWS_AS(evaluated(bound, {.readings = {}, .max_bytes = kFew}), Error);
  CHECK(HeldBytes(evaluated(bound, {})).total() == 51 * 800);
  const Environment named =
      evaluated(bound, {.readings = {}, .max_bytes = 2 * kFew, .keep = Keep::results, .also_kept = {"x7"}});
  CHECK(named.at("x7").value.has_value());
  CHECK(HeldBytes(named).total() == 3 * 800);
  // Who judges an output reads what its node has read.
  const Environment judged = evaluated(bound, {.readings = {}, .max_bytes = kFew, .keep = Keep::judged});
  CHECK(judged.at("x49").value.has_value());
  CHECK_FALSE(judged.at("x48").value.has_value());
}

TEST_CASE("memory: what nodes and subgraphs read later is not forgotten", "[run]") {
  const std::vector<std::string> inputs{"x=[1,2]:float32", "c=true:bool"};
  const Bound bound = bind_case(read_onnx_text("<ir_version: 8, opset_import: [\"\" : 16]>"
                                               "g (float[2] x, bool c) => (float[2] y) {"
                                               "a = Neg (x) b = Exp (a) d = Abs (b) unused = Neg (d)"
                                               "y = If <then_branch = t () => (float[2] o) { o = Add (a, d) },"
                                               "        else_branch = e () => (float[2] p) { p = Neg (b) }> (c) }"),
                                inputs);
  const Environment environment = evaluated(bound, {.readings = {}, .keep = Keep::results});
  CHECK(value_of(environment, "y").tensor()->values<float>()[0] == -1 + std::exp(-1.0F));
  for (const char* name : {"a", "b", "d", "unused"}) CHECK_FALSE(environment.at(name).value.has_value());
}

TEST_CASE("memory: what values share counts once, and a sequence counts its tensors' own weight", "[run]") {
  const Tensor tensor = Tensor::of<float>(DType::float32, Dims{2}, std::vector<float>{1, 2});
  std::vector<Tensor> many(1000, tensor);
  const Value sequence = Sequence{DType::float32, std::move(many)};
  Sequence longer = std::get<Sequence>(sequence);
  longer.elements.push_back(tensor);
  HeldBytes held;
  held.add(tensor);
  CHECK(held.total() == 8);
  held.add(sequence);
  const std::int64_t one = held.total();
  CHECK(one == 8 + 1000 * kSequenceElementBytes);
  held.add(sequence);
  CHECK(held.total() == one);
  held.add(longer);
  CHECK(held.total() > one);
  CHECK(held.total() <= one + 300 * kSequenceElementBytes);
  held.remove(longer);
  held.remove(tensor);
  held.remove(sequence);
  CHECK(held.total() == one);
  held.remove(sequence);
  CHECK(held.total() == 0);
  HeldBytes empty;
  empty.add(Sequence{DType::float32, {Tensor(), Tensor()}});
  CHECK(empty.total() == 2 * kSequenceElementBytes);
  const auto around = std::make_shared<HeldBytes>();
  around->add(tensor);
  HeldBytes inside(around);
  inside.add(tensor);
  CHECK(inside.total() == 8);
  inside.add(Value(Optional{DType::float32, tensor}));
  inside.remove(tensor);
  CHECK(inside.total() == 8);
}

TEST_CASE("memory: sequences of a chain and of a loop are counted as they grow", "[run]") {
  const auto error = [](const std::string& text, std::int64_t most) {
    const std::vector<std::string> inputs{"x=[1]:float32"};
    const Bound bound = bind_case(read_onnx_text("<ir_version: 8, opset_import: [\"\" : 16]> " + text), inputs);
    try {
      evaluated(bound, {.readings = {}, .max_bytes = most, .keep = Keep::results});
    } catch (const Error& caught) {
      return caught.message();
    }
    return std::string();
  };
  const std::string loop =
      "g (float[1] x) => (seq(float[1]) s) { n = Constant <value_int = 1000> () e = SequenceEmpty ()"
      "s = Loop <body = b (int64 i, bool c, seq(float[1]) v) => (bool d, seq(float[1]) w)"
      "  { d = Identity (c) w = SequenceInsert (v, x) }> (n, , e) }";
  CHECK(error(loop, 1 << 20).empty());
  CHECK(error(loop, 100'000).find("but the limit is 100000") != std::string::npos);
  const std::string split =
      "g (float[1] x) => (seq(float[1]) s) { n = Constant <value_ints = [1000]> () f = ConstantOfShape (n)"
      "s = SplitToSequence (f) }";
  CHECK(error(split, 1 << 20).empty());
  CHECK(error(split, 100'000).find("SplitToSequence-11 needs 256000 bytes for a list of tensors") == 0);
}

TEST_CASE("a limit of time ends a loop and says in which iteration", "[run]") {
  const std::vector<std::string> inputs{"x=[1]:float32"};
  const Bound bound =
      bind_case(read_onnx_text("<ir_version: 8, opset_import: [\"\" : 16]> g (float[1] x) => (float[1] y) {"
                               "n = Constant <value_int = 1000000000> ()"
                               "y = Loop <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w)"
                               "  { d = Identity (c) w = Neg (v) }> (n, , x) }"),
                inputs);
  try {
    const Deadline deadline(0.05);
    evaluated(bound, {});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::system);
    CHECK(error.remedy() == kMoreTime);
    CHECK(error.message() == "it is not evaluated within 0.05 s");
    CHECK(error.text().find("\n  in iteration ") != std::string::npos);
    CHECK(error.text().find("\n  in body\n") != std::string::npos);
  }
}

namespace {

/// What is said of nodes of which the first reads s0, one text of 100,000 characters.
std::string error_of_strings(const std::string& text, std::int64_t most) {
  const std::vector<std::string> inputs{format("s0=[\"{}\"]:string", std::string(100'000, 'a'))};
  const Bound bound = bind_case(read_onnx_text("<ir_version: 9, opset_import: [\"\" : 20]> " + text), inputs);
  try {
    evaluated(bound, {.readings = {}, .max_bytes = most, .keep = Keep::results});
  } catch (const Error& error) {
    CHECK(error.remedy() == kMoreMemory);
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("memory: the characters of strings count, in results before they are there", "[run]") {
  constexpr std::int64_t kMost = 20'000'000;
  const std::string one = "g (string[1] s0) => (string[N] y) {{ n = Constant <value_ints = [{}]> () ";
  const auto nodes = [&](int n, const std::string& rest) { return format(one, n) + rest + " }"; };
  const std::string zeros = "z = ConstantOfShape <value = int64[1] {0}> (n) ",
                    truth = "c = ConstantOfShape <value = bool[1] {1}> (n) ";
  const std::vector<std::string> all{"y = Expand (s0, n)", "y = Tile (s0, n)", zeros + "y = Gather (s0, z)",
                                     truth + "y = Where (c, s0, s0)", "a = Expand (s0, n) y = StringConcat (a, a)"};
  for (const std::string& node : all) {
    CAPTURE(node);
    CHECK(error_of_strings(nodes(50, node), kMost).empty());
    std::string error;
    const std::int64_t taken = memory_of([&] { error = error_of_strings(nodes(2000, node), kMost); });
    CHECK(error.find("its results and scratch memory take more than the") == 0);
    CHECK(taken < 2 * kMost);
  }
  // Between nodes: 200 texts of 100,000 characters, of which each fits.
  std::string chain = "g (string[1] s0) => (string[1] y) {";
  for (int i = 0; i < 10; ++i) chain += format("s{} = StringConcat (s{}, s{}) ", i + 1, i, i);
  CHECK(error_of_strings(chain + "y = Identity (s10) }", kMost) != "");
  CHECK(error_of_strings(chain + "y = Identity (s10) }", 20 * kMost).empty());
  const std::string loop =
      "g (string[1] s0) => (string[N] y) {{ n = Constant <value_int = {}> ()"
      "y = Loop <body = b (int64 i, bool c) => (bool d, string[1] w)"
      "  {{ d = Identity (c) w = StringConcat (s0, s0) }}> (n, \"\") }}";
  CHECK(error_of_strings(format(loop, 20), kMost).empty());
  CHECK(error_of_strings(format(loop, 200), kMost) != "");
  const std::string inserts =
      "g (string[1] s0) => (seq(string[1]) y) {{ n = Constant <value_int = {}> () e = SequenceEmpty <dtype = 8> ()"
      "y = Loop <body = b (int64 i, bool c, seq(string[1]) v) => (bool d, seq(string[1]) w)"
      "  {{ d = Identity (c) t = StringConcat (s0, s0) w = SequenceInsert (v, t) }}> (n, , e) }}";
  CHECK(error_of_strings(format(inserts, 20), kMost).empty());
  CHECK(error_of_strings(format(inserts, 200), kMost) != "");
}

TEST_CASE("memory: what kernels work in counts", "[run]") {
  constexpr std::int64_t kMost = 20'000'000;
  const auto error = [](const std::string& node, const std::string& input, std::int64_t most) {
    std::string said;
    const std::int64_t taken = memory_of([&] { said = error_of(node, input, most, 2); });
    CHECK(taken < 2 * kMost);
    return said;
  };
  struct Work {
    std::string node, input;
    int count;
  };
  for (const auto& [node, input, count] :
       std::vector<Work>{{"y = Unique (x)", "x=uint8[{}]:bits", 2'000'000},
                         {"y = Attention (x, x, x)", "x=float32[1,1,{},1]:normal", 500'000},
                         {"y = ConvInteger (x, x)", "x=uint8[1,1,{}]:bits", 2'000'000}}) {
    CAPTURE(node);
    CHECK(error(node, format(input, 100), kMost).empty());
    CHECK(error(node, format(input, count), kMost).find("its results and scratch memory take more") == 0);
  }
}

}  // namespace memory_test
