// SPDX-License-Identifier: Apache-2.0
// Graphs inside nodes: what they see, what they give, and what is refused.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/error.h"
#include "io/folder_testing.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/write_case.h"
#include "run/write_outputs.h"

namespace subgraphs_test {

using namespace opref::run;

namespace {

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 16]> g ";

Bound prepared(const std::string& text, const std::vector<std::string>& arguments, const NodeOptions& options = {}) {
  return bind_case(read_case(text), arguments, options);
}

struct Result {
  Environment environment;
  std::vector<Step> steps;
};

Result evaluated(const Bound& loaded, const EvaluationOptions& options = {}, bool values = true) {
  std::vector<std::string> warnings;
  Result result{load_inputs(loaded, options, warnings), {}};
  result.steps = (values ? run_graph : infer)(loaded.graph, result.environment, options);
  return result;
}

std::vector<float> floats(const Result& result, const std::string& name) {
  const auto values = result.environment.find(name)->second.tensor().values<float>();
  return {values.begin(), values.end()};
}

/// The message and the places, innermost first.
std::string error(const auto& body) {
  try {
    body();
  } catch (const Error& e) {
    return format("{}: {} [{}]", name(e.fault()), e.message(), join_text(e.places(), "; "));
  }
  return "no error";
}

std::string error_of(const std::string& text, const std::vector<std::string>& arguments,
                     const EvaluationOptions& options = {}) {
  return error([&] { evaluated(prepared(text, arguments), options); });
}

/// Y = If (c) with these branches; it is named "n".
std::string choice(const std::string& then_branch, const std::string& else_branch) {
  return format("[n] Y = If <then_branch = t {}, else_branch = e {}> (c)", then_branch, else_branch);
}

constexpr const char* kOne = "() => (one) { one = Constant <value_float = 1.0> () }";

}  // namespace

TEST_CASE("subgraphs: the taken branch sees the names around it, through all levels", "[run]") {
  const std::string inner =
      "() => (b) { b = If <then_branch = t2 () => (p) <float[1] w = {3}> { q = SequenceConstruct (X, w, v) "
      "k = Constant <value_int = 0> () p = SequenceAt (q, k) }, else_branch = e2 () => (r) <float[1] r = {4}> "
      "{ unused = Constant <value_int = 0> () }> (d) }";
  const std::string text =
      "Y = If <then_branch = t () => (a) { v = Constant <value_floats = [2.0]> () a = If "
      "<then_branch = t1 " +
      inner +
      ", else_branch = e1 () => (z) { z = Constant <value_floats = "
      "[9.0]> () }> (c) }, else_branch = e () => (one) { one = Constant <value_floats = [1.0]> () "
      "}> (c)";
  const std::string x = "X=[7]:float32";
  CHECK(floats(evaluated(prepared(text, {x, "c=[true]:bool", "d=[true]:bool"})), "Y") == std::vector<float>{7});
  CHECK(floats(evaluated(prepared(text, {x, "c=[true]:bool", "d=[false]:bool"})), "Y") == std::vector<float>{4});
  CHECK(floats(evaluated(prepared(text, {x, "c=[false]:bool", "d=[false]:bool"})), "Y") == std::vector<float>{1});
}

TEST_CASE("subgraphs: shapes that values decide inside a branch do not hinder its evaluation", "[run]") {
  const std::string text = choice(
      "() => (y) { s = SequenceConstruct (A, B) k = Constant <value_int = 1> () x = SequenceAt (s, k) "
      "y = LpPool <kernel_shape = [2], p = 1> (x) }",
      "() => (z) { z = LpPool <kernel_shape = [1]> (A) }");
  const std::vector<std::string> tensors{"A=[[[1,1]]]:float32", "B=[[[1,2,3]]]:float32"};
  const auto with = [&](const std::string& c) {
    std::vector<std::string> all = tensors;
    all.push_back("c=" + c);
    return all;
  };
  const Result result = evaluated(prepared(text, with("[true]:bool")));
  CHECK(floats(result, "Y") == std::vector<float>{3, 5});
  CHECK(to_text(result.steps.at(0).types.at(0)) == "float32[1,1,2]");
  // How many elements each tier decided is said of the node itself, once per evaluation.
  CHECK(result.steps[0].all_decided().all() == 2);
  EvaluationOptions often;
  often.repeat = 3;
  const Result repeated = evaluated(prepared(text, with("[true]:bool")), often);
  CHECK(repeated.steps[0].all_decided().all() == 2);
  CHECK(floats(repeated, "Y") == std::vector<float>{3, 5});
  // Where the sequence is known and small, infer knows its element's shape; from types alone it does not.
  const auto inferred = [&](const std::vector<std::string>& arguments) {
    return to_text(evaluated(prepared(text, arguments), {}, false).steps.at(0).types.at(0));
  };
  CHECK(inferred(with("[true]:bool")) == "float32[1,1,2]");
  CHECK(inferred(with("bool[1]")) == "float32[1,1,2]");
  CHECK(
      error([&] {
        inferred({"A=float32[1,1,2]", "B=float32[1,1,3]", "c=[true]:bool"});
      }) ==
      "usage: LpPool-22 needs the shape of X, which values decide [in LpPool-22; in then_branch; in node 'n' (If-25)]");
  CHECK(error([&] {
          inferred({"A=float32[1,1,2]", "B=float32[1,1,3]", "c=bool[1]"});
        }) == "usage: If-25 needs the values of cond [in node 'n' (If-25)]");
}

TEST_CASE("subgraphs: types where the condition is not known", "[run]") {
  const auto type_of_y = [](const std::string& a, const std::string& b) {
    const Result result = evaluated(prepared(choice(a, b), {"c=bool[]"}), {}, false);
    return to_text(result.steps.at(0).types.at(0));
  };
  const std::string two = "() => (two) { two = Constant <value_floats = [1.0, 2.0]> () }";
  const std::string other = "() => (p) { p = Constant <value_float = 2.0> () }";
  const std::string integer = "() => (i) { i = Constant <value_int = 2> () }";
  const std::string list = "() => (l) { f = Constant <value_float = 2.0> () l = SequenceConstruct (f) }";
  CHECK(type_of_y(kOne, other) == "float32[]");
  CHECK(type_of_y(kOne, two) == "float32[decided by values]");
  CHECK(type_of_y(list, "() => (m) { m = SequenceEmpty () }") == "sequence of float32");
  const std::string place = " [in node 'n' (If-25)]";
  CHECK(error([&] { type_of_y(kOne, integer); }) ==
        "invalid: output 0 is float32 in then_branch, but int64 in else_branch" + place);
  CHECK(error([&] { type_of_y(kOne, list); }) ==
        "invalid: output 0 is float32 in then_branch, but sequence of float32 in else_branch" + place);
}

TEST_CASE("subgraphs: branches of different types are refused, whichever is taken", "[run]") {
  const std::string integer = "() => (i) { i = Constant <value_int = 2> () }";
  const std::string list = "() => (l) { f = Constant <value_float = 2.0> () l = SequenceConstruct (f) }";
  const auto refused = [](const std::string& a, const std::string& b) {
    const std::string taken = error_of(choice(a, b), {"c=true:bool"});
    CHECK(error_of(choice(a, b), {"c=false:bool"}) == taken);
    return taken;
  };
  const std::string place = " [in node 'n' (If-25)]";
  CHECK(refused(integer, kOne) == "invalid: output 0 is int64 in then_branch, but float32 in else_branch" + place);
  CHECK(refused(list, kOne) ==
        "invalid: output 0 is sequence of float32 in then_branch, but float32 in else_branch" + place);
  // What is not taken says nothing of its own.
  const std::string text = choice(
      kOne,
      "() => (y) { z = LpPool <kernel_shape = [2], auto_pad = \"SAME_UPPER\"> (X) y = ReduceSum <keepdims = 0> (z) }");
  const auto readings = [&](const std::string& c) {
    const Result result = evaluated(prepared(text, {c, "X=[[[3,4,12]]]:float32"}));
    return static_cast<std::int64_t>(result.steps.at(0).readings.size()) + result.steps[0].all_decided().all();
  };
  CHECK(readings("c=true:bool") == 0);
  CHECK(readings("c=false:bool") == 5);
  // Values may decide a type's shape in the branch that is not taken.
  CHECK(error_of(choice(kOne,
                        "() => (z) { s = SequenceConstruct (A) k = Constant <value_int = 0> () x = SequenceAt (s, k) "
                        "z = LpPool <kernel_shape = [2]> (x) }"),
                 {"c=true:bool", "A=[[[1,1]]]:float32"}) == "no error");
}

TEST_CASE("subgraphs: version 1 wants the same shapes too", "[run]") {
  const auto error_at = [](int opset) {
    return error_of(
        format("<ir_version: 8, opset_import: [\"\" : {}]> g (bool c, float[2] A, float[3] B) => (Y) {} {} {}", opset,
               "{", choice("() => (a) { a = Transpose (A) }", "() => (b) { b = Transpose (B) }"), "}"),
        {"c=true:bool", "A=[1,2]:float32", "B=[1,2,3]:float32"});
  };
  CHECK(error_at(11) == "no error");
  CHECK(error_at(10) ==
        "invalid: output 0 is float32[2] in then_branch, but float32[3] in else_branch [in node 'n' (If-1)]");
}

TEST_CASE("nodes that stand before what they read", "[run]") {
  CHECK(error_of(format("{}(float[1] A) => (Y) {} Y = Transpose (C) C = Add (A, A) {}", kHead, "{", "}"),
                 {"A=[1]:float32"}) ==
        "malformed: 'C' is read before node Add gives it: nodes stand in the order of evaluation []");
  CHECK(error_of(
            "Y = If <then_branch = t () => (y) { y = Add (y, x) }, else_branch = e () => (z) { z = Add (x, x) }> (c)",
            {"c=true:bool", "x=[1]:float32"}) ==
        "malformed: 'y' depends on itself: node Add gives it, and reads what follows from it [in then_branch; in If]");
  CHECK(
      error_of("Y = If <then_branch = t () => (y) { y = Add (u, x) u = Neg (x) }, else_branch = e () => (z) { z = Add "
               "(x, x) }> (c)",
               {"c=true:bool", "x=[1]:float32"}) ==
      "malformed: 'u' is read before node Neg gives it: nodes stand in the order of evaluation [in then_branch; in "
      "If]");
}

TEST_CASE("subgraphs: names that are unknown, given twice or hidden", "[run]") {
  const auto refused = [](const std::string& branch) {
    const std::string nodes =
        "x = Constant <value_float = 5.0> ()\n" + choice(branch, kOne) + "\nlater = Constant <value_float = 6.0> ()";
    return error_of(format("{}(bool c) => (Y) {} {} {}", kHead, "{", nodes, "}"), {"c=false:bool"});
  };
  const std::string in_branch = " [in then_branch; in node 'n' (If)]";
  const std::string in_node = " [in SequenceConstruct; in then_branch; in node 'n' (If)]";
  CHECK(refused("() => (s) { s = Add (x, x) }") == "no error");
  CHECK(refused("() => (s) { s = SequenceConstruct (later) }") ==
        "malformed: 'later' is given neither before this node nor around its graph" + in_node);
  CHECK(refused("() => (s) { s = SequenceConstruct (s) }") ==
        "malformed: 's' is given neither before this node nor around its graph" + in_node);
  CHECK(refused("() => (s) { s = SequenceConstruct (Y) }") ==
        "malformed: 'Y' is given neither before this node nor around its graph" + in_node);
  CHECK(refused("() => (s) { s = SequenceConstruct (one) }") ==
        "malformed: 'one' is given neither before this node nor around its graph" + in_node);
  CHECK(refused("() => (s) { s = SequenceConstruct (x) s = SequenceConstruct (x) }") ==
        "malformed: 's' is given twice, the second time by node SequenceConstruct" + in_branch);
  CHECK(refused("() => (s) <float s = {1}> { s = SequenceConstruct (x) }") ==
        "malformed: 's' is given twice, the second time by node SequenceConstruct" + in_branch);
  CHECK(refused("() => (x) { x = Constant <value_float = 1.0> () }") ==
        "malformed: 'x' is given by node Constant, but is a name around the subgraph already" + in_branch);
  CHECK(refused("() => (c) { c = Constant <value_float = 1.0> () }") ==
        "malformed: 'c' is given by node Constant, but is a name around the subgraph already" + in_branch);
  CHECK(refused("() => (s) <float x = {1}> { s = SequenceConstruct (x) }") ==
        "malformed: 'x' is given by an initializer, but is a name around the subgraph already" + in_branch);
  CHECK(refused("() => (x) { s = SequenceConstruct (x) }") ==
        "malformed: no node gives the graph's output 'x'" + in_branch);
  CHECK(refused("() => () { s = SequenceConstruct (x) }") == "malformed: the graph has no output" + in_branch);
}

TEST_CASE("subgraphs: what If refuses", "[If][run]") {
  const auto refused = [](const std::string& node) { return error_of(node, {"c=[true]:bool"}); };
  const std::string place = " [in node 'n' (If-25)]";
  CHECK(refused(choice("(float i) => (j) { j = SequenceConstruct (i) }", kOne)) ==
        "invalid: then_branch has 1 input, but must have none" + place);
  CHECK(refused(choice(kOne, "() => (a, b) { a = Constant <value_float = 1.0> () b = SequenceEmpty () }")) ==
        "invalid: else_branch gives 2 outputs, but must give 1" + place);
  CHECK(refused(choice("() => (float a) { a = Constant <value_float = 1.0> () }",
                       "() => (seq(float) b) { b = SequenceEmpty () }")) ==
        "invalid: output 0 is declared as float32[] in then_branch, but as sequence of float32 in else_branch" + place);
  CHECK(error_of(choice(kOne, kOne), {"c=[true,false]:bool"}) ==
        "invalid: cond has shape [2], but must have one element" + place);
  // Version 1 gives tensors alone, and so no sequence that a branch makes.
  CHECK(error_of("<ir_version: 8, opset_import: [\"\" : 11]> g (bool c) => (Y) { " +
                     choice("() => (s) { s = SequenceEmpty () }", "() => (r) { r = SequenceEmpty () }") + " }",
                 {"c=true:bool"}) ==
        "invalid: output 0 is sequence of float32, which If-11 does not give; opsets from 13 on do [in node 'n' "
        "(If-11)]");
}

TEST_CASE("subgraphs: unknown operators, readings and opsets hold inside too", "[run]") {
  CHECK(error_of(choice(kOne, "() => (s) { s = Nonsense () }"), {"c=[true]:bool"}) ==
        "unsupported: operator 'Nonsense' is not known [in Nonsense; in else_branch; in node 'n' (If)]");
  const std::string pool =
      "() => (y) { y = LpPool <kernel_shape = [2], strides = [2], auto_pad = \"SAME_UPPER\"> (X) }";
  const std::string model =
      "<ir_version: 8, opset_import: [\"\" : 11]> g (bool c, float[1,1,3] X) => (float[1,1,2] Y) { " +
      choice(pool, "() => (float[1,1,2] z) { z = LpPool <kernel_shape = [1], strides = [2]> (X) }") + " }";
  const std::vector<std::string> arguments{"c=true:bool", "X=[[[3,4,12]]]:float32"};
  // The model's opset: LpPool-11 has no dilations.
  const Result result = evaluated(prepared(model, arguments));
  CHECK(floats(result, "Y") == std::vector<float>{5, 12});
  REQUIRE(result.steps.at(0).readings.size() == 1);
  CHECK(result.steps[0].readings[0].name == "lp_pool.partial_window");
  CHECK(result.steps[0].readings[0].others == std::vector<std::string_view>{"rescaled"});
  EvaluationOptions options;
  options.readings = {{"lp_pool.partial_window", "rescaled"}};
  CHECK(floats(evaluated(prepared(model, arguments), options), "Y")[1] > 16.9F);  // 12·√2
  options.readings = {{"lp_pool.partial_windo", "rescaled"}};
  CHECK(error([&] {
          evaluated(prepared(model, arguments), options);
        }).starts_with("usage: 'lp_pool.partial_windo' is not a reading here, did you mean"));
  const Bound older = prepared(model, arguments, {.attributes = {}, .nodes = {}, .opset = 1});
  CHECK(error([&] { evaluated(older); }) == "no error");
  // What a large output leaves open is confirmed for the node, what is inside stays.
  EvaluationOptions unconfirmed;
  unconfirmed.confirm_readings_below = 0;
  const Bound loaded = prepared(model, arguments);
  Result open = evaluated(loaded, unconfirmed);
  CHECK(open.steps[0].readings[0].possible.size() == 1);
  confirm_readings(open.steps, open.environment);
  CHECK(open.steps[0].readings.size() == 1);
}

TEST_CASE("subgraphs: memory around them counts, shared tensors of sequences once", "[run]") {
  const std::string text =
      "s = SequenceConstruct (Z)\n" + choice("() => (y) { y = LpPool <kernel_shape = [1]> (X) }", kOne);
  const Bound loaded = prepared(text, {"c=[true]:bool", "X=[[[1,2,3,4]]]:float32", "Z=[1,2]:float32"});
  const auto limited = [&](std::int64_t bytes) {
    EvaluationOptions options;
    options.max_bytes = bytes;
    return error([&] { evaluated(loaded, options); });
  };
  // c 1 byte, X 16, Z 8, s 256 beside Z, y 16; scratch as much as they are.
  CHECK(limited(594) == "no error");
  CHECK(limited(593) ==
        "system: the output float32[1,1,4] needs 16 bytes, with the inputs and scratch memory 594 bytes, but the limit "
        "is 593 [in LpPool-22; in then_branch; in node 'n' (If-25)]");
  std::string nodes = "s0 = SequenceConstruct (X)\n";
  for (int i = 1; i < 10; ++i) nodes += format("s{} = SequenceInsert (s{}, X)\n", i, i - 1);
  // Before the last insertion, sequences of 1 to 9 tensors and X once; scratch as much as they are.
  EvaluationOptions options;
  options.max_bytes = 2 * (45 * kSequenceElementBytes + 16);
  CHECK(error_of(nodes, {"X=[1,2,3,4]:float32"}, options) == "no error");
  --options.max_bytes;
  CHECK(error_of(nodes, {"X=[1,2,3,4]:float32"}, options).starts_with("system: the output sequence of float32"));
}

TEST_CASE("subgraphs: one node, picked by its name, with what its branches read", "[run]") {
  const std::string text = "x = Constant <value_float = 5.0> ()\n" +
                           choice("() => (s) { s = SequenceConstruct (x) }", "() => (e) { e = SequenceEmpty () }");
  const Bound loaded =
      prepared(text, {"c=[true]:bool", "x=2:float32"}, {.attributes = {}, .nodes = {"n"}, .opset = {}});
  CHECK(loaded.graph.inputs.size() == 2);
  const Result result = evaluated(loaded);
  const auto& sequence = std::get<Sequence>(*result.environment.find("Y")->second.value);
  CHECK(sequence.elements.at(0).values<float>()[0] == 2);
}

TEST_CASE("subgraphs: a JSON case states them as ONNX text, and names around them as inputs", "[run]") {
  const TemporaryFolder folder;
  const std::string path = (folder / "case.json").string();
  folder.write("case.json", R"json({"op_type": "If", "opset": 16, "attributes": {
      "then_branch": "t () => (y) { y = LpPool <kernel_shape = [2], p = 1> (X) }",
      "else_branch": "e () => (z) { z = LpPool <kernel_shape = [1], p = 1> (X) }"},
      "inputs": {"cond": {"dtype": "bool", "data": true}, "X": {"dtype": "float32", "data": [[[1, 2, 3]]]}},
      "expect": {"outputs": [{"dtype": "float32", "data": [[[3, 5]]]}]}})json");
  const Bound loaded = prepared(path, {});
  CHECK(floats(evaluated(loaded), "outputs_0") == std::vector<float>{3, 5});
  // As a model for a backend, it is the same case.
  std::filesystem::create_directory(folder / "model");
  write_case(loaded, {}, folder / "model");
  const Bound written = prepared((folder / "model").string(), {});
  CHECK(written.graph.opset_import.at("") == 16);
  CHECK(floats(evaluated(written), "outputs_0") == std::vector<float>{3, 5});

  folder.write("case.json", R"json({"op_type": "If", "attributes": {"then_branch": "t () => (y)"}})json");
  CHECK(error([&] { prepared(path, {}); }) ==
        "malformed: ONNX text: '{' expected at the end [in attribute 'then_branch']");
}

TEST_CASE("If: an operator by name, with branches and what they read as arguments", "[If][run]") {
  const NodeOptions branches{.attributes = {"then_branch=t () => (y) { y = Add (a, b) }",
                                            "else_branch=e () => (z) { k = Constant <value_floats = [8, 9]> () "
                                            "z = Add (k, a) }"},
                             .nodes = {},
                             .opset = {}};
  const auto result = [&](const std::vector<std::string>& arguments) {
    return floats(evaluated(prepared("If", arguments, branches)), "outputs_0");
  };
  CHECK(result({"cond=true:bool", "a=[1,2]:float32", "b=[3]:float32"}) == std::vector<float>{4, 5});
  CHECK(result({"cond=false:bool", "a=[1,2]:float32"}) == std::vector<float>{9, 11});
  CHECK(error([&] {
          result({"cond=true:bool", "a=[1,2]:float32"});
        }) == "usage: input 'b' (B) has no value [in Add-14; in then_branch; in If-25]");
  CHECK(error([&] { result({"c=[1]:float32"}); }) ==
        "usage: 'c' is neither an input here nor read by a subgraph (cond, a, b) []");
  CHECK(error([&] { result({"k=[1]:float32"}); }) ==
        "usage: 'k' is neither an input here nor read by a subgraph (cond, a, b) []");
}

TEST_CASE("subgraphs: infer knows the shapes that Scan puts together, and warns of declared ones", "[run]") {
  const auto steps = [](const std::string& attributes, const std::string& x, const std::string& opset) {
    const std::string text = "<ir_version: 8, opset_import: [\"\" : " + opset +
                             "]> g (float[2] s, float[N, M] x) => (t, y) " + "{ t, y = Scan <num_scan_inputs = 1" +
                             attributes +
                             ", body = b (float[2] a, float v) => (c, d) { c = Identity (a) d = Neg (v) }> (s, x) }";
    return evaluated(prepared(text, {"s=float32[2]", "x=" + x}), {}, false).steps;
  };
  const auto five = steps("", "float32[5,1]", "16");
  CHECK(to_text(five.at(0).types.at(1)) == "float32[5,1]");
  REQUIRE(five[0].notes.size() == 1);
  CHECK(five[0].notes[0].text == "declares its input 'v' as float32[], but is given float32[1]");
  CHECK(to_text(steps(", scan_output_axes = [1]", "float32[5,3]", "16").at(0).types.at(1)) == "float32[3,5]");
  CHECK(to_text(steps("", "float32[0,1]", "16").at(0).types.at(1)) == "float32[decided by values]");
}

TEST_CASE("sequences and optionals: files of a data set, and missing ones", "[run]") {
  const TemporaryFolder folder;
  const std::string model =
      "<ir_version: 8, opset_import: [\"\" : 16]> g (seq(int8) s, optional(float) o, int64 p) => "
      "(int8[N] y, optional(float) o) { y = SequenceAt (s, p) }";
  const Bound text = prepared(model, {"p=0:int64"});
  const Result types = evaluated(text, {}, false);
  CHECK(to_text(types.steps.at(0).call.value_type("input_sequence")) == "sequence of int8");
  CHECK(to_text(types.steps[0].types.at(0)) == "int8[decided by values]");
  CHECK(to_text(types.environment.find("o")->second.type) == "optional float32");
  CHECK(error([&] { evaluated(text); }) ==
        "usage: SequenceAt-11 needs the values of input_sequence [in SequenceAt-11]");
  // A plain tensor is the element of an optional; another type than is declared is refused.
  const Bound plain = prepared(model, {"p=0:int64", "o=2.5:float32"});
  const auto o = evaluated(plain, {}, false).environment.find("o")->second;
  CHECK(std::get<Tensor>(std::get<Optional>(*o.value).element).values<float>()[0] == 2.5F);
  CHECK(error([&] {
          evaluated(prepared(model, {"p=0:int64", "s=[1]:int8"}));
        }) == "invalid: input 's' is int8[1], but the graph declares sequence of int8 [in input 's']");
}

TEST_CASE("sequences and optionals: written as .npz, .pb and folders", "[run]") {
  const TemporaryFolder folder;
  const std::string nodes = "s = SequenceConstruct (A, B)";
  const Bound loaded = prepared(nodes, {"A=[1,2]:float32", "B=[3]:float32"});
  const Result result = evaluated(loaded);
  const auto write = [&](const std::string& to) {
    const std::vector<std::string> arguments{(folder / to).string()};
    write_outputs(loaded, result.environment, parse_destinations(loaded, arguments));
  };
  write("s.npz");
  write("s.pb");
  write("out/");
  const auto read = [&](const std::string& file) {
    return load(TensorSource::of_file((folder.path() / file).string())).value;
  };
  CHECK(read("s.npz:1").tensor()->values<float>()[0] == 3);
  // They are inputs again: an .npz and a folder of numbered tensors.
  for (const char* file : {"s.npz", "s.pb", "out/s"}) {
    const std::string argument = "input_sequence=" + (folder / file).string();
    CHECK(floats(evaluated(prepared("SequenceAt", {argument, "position=-1:int64"})), "tensor") ==
          std::vector<float>{3});
  }
  CHECK(error([&] { read("out"); }) ==
        format("malformed: a folder stands for a sequence, of files 0.npy, 1.npy, … (or "
               ".pb), but in this one there is no 0.npy; for one tensor name a file [in {}]",
               (folder / "out").string()));
  CHECK(std::get<Sequence>(read("s.pb")).elements.at(0).values<float>()[1] == 2);
  CHECK(read("out/s/0.npy").tensor()->values<float>()[1] == 2);
  CHECK(error([&] { write("s.npy"); }) ==
        "usage: a .npy holds one tensor, but 's' is sequence of float32: give an .npz, .pb or a folder []");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "s.npy"));
  const std::string pb = (folder.path() / "none.pb").string();
  write_value(pb, "o", Optional{DType::int8, {}});
  // The file alone could be an empty sequence too; what declares an optional knows.
  const std::string used =
      kHead + std::string("(optional(int8) o, float x) => (y, optional(int8) o) { y = SequenceConstruct (x) }");
  CHECK(type_of(load(TensorSource::of_file(pb)).value).form == Form::sequence);
  const Result bound = evaluated(prepared(used, {"o=" + pb, "x=1:float32"}));
  CHECK(std::get<Optional>(*bound.environment.find("o")->second.value).element.index() == 0);
  write_value((folder.path() / "o.npy").string(), "o", Optional{DType::float32, *read("out/s/1.npy").tensor()});
  CHECK(read("o.npy").tensor()->values<float>()[0] == 3);
}

TEST_CASE("optionals without elements have the type that a body declares", "[run]") {
  const auto result = [&](const std::string& type) {
    const std::string of = "optional(" + type + ")";
    return evaluated(prepared(kHead + ("(int64 n, bool c) => (" + of + " y) { o = Optional <type = " + type + "> () " +
                                       "y = Loop <body = body (int64 i, bool d, " + of + " s) => (bool e, " + of +
                                       " t) { e = Identity (d) t = Identity (s) }> (n, c, o) }"),
                              {"n=2:int64", "c=true:bool"}));
  };
  for (const std::string type : {"seq(int8)", "int8"})
    CHECK(std::get<Optional>(*result(type).environment.find("y")->second.value).element.index() == 0);
}

TEST_CASE("sequences without elements keep their type through files", "[run]") {
  const TemporaryFolder folder;
  // What protobuf could read as the sizes of a tensor: "output".
  const auto written = [&](const std::string& file) {
    write_value((folder / file).string(), "output", Sequence{DType::int64});
    return (folder / file).string();
  };
  const auto inserted = [&](const std::string& argument) {
    const Result result = evaluated(
        prepared("SequenceInsert", {argument, "tensor=[1,2]:int64"}, {.attributes = {}, .nodes = {}, .opset = 11}));
    return to_text(result.environment.find("output_sequence")->second.type);
  };
  CHECK(inserted("input_sequence:int64=" + written("e.pb")) == "sequence of int64");
  CHECK(inserted("input_sequence:int64=" + written("e.npz")) == "sequence of int64");
}

TEST_CASE("infer knows constants, and says what only an evaluation knows", "[run]") {
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 13]> g ";
  const auto types = [&](const std::string& text) {
    const Result result = evaluated(bind_case(read_case(head + text)), {}, false);
    return to_text(result.environment.find("Y")->second.type);
  };
  CHECK(types("(float[2,3] X) => (Y) { c = Constant <value_ints = [1]> () Y = ReduceSum <keepdims = 0> (X, c) }") ==
        "float32[2]");
  const std::string message =
      error([&] { types("(float[2,3] X, int64[1] d) => (Y) { c = Add (d, d) Y = ReduceSum <keepdims = 0> (X, c) }"); });
  CHECK(message ==
        "usage: ReduceSum-13 needs the values of axes, which are known only once 'c' is computed [in ReduceSum-13]");
}

TEST_CASE("infer evaluates what is known, small and needed", "[run]") {
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 16]> g ";
  const auto inferred = [&](const std::string& text, const std::vector<std::string>& arguments = {}) {
    return evaluated(prepared(head + text, arguments), {}, false).environment;
  };
  const auto has_value = [](const Environment& environment, const std::string& name) {
    return environment.find(name)->second.value.has_value();
  };
  // axes = 0 + 1, from an input that is given; what nobody reads is not computed
  const std::string sum =
      "(float[2,3] X, int64[1] d) => (Y) { one = Constant <value_ints = [1]> () c = Add (d, one) "
      "Y = ReduceSum <keepdims = 0> (X, c) }";
  const Environment summed = inferred(sum, {"d=[0]:int64", "X=[[1,2,3],[4,5,6]]:float32"});
  CHECK(to_text(summed.find("Y")->second.type) == "float32[2]");
  CHECK((has_value(summed, "c") && !has_value(summed, "Y")));
  CHECK(error([&] { inferred(sum, {"d=[2]:int64"}); }).starts_with("invalid: axes is [3], but each must be from"));
  // up to 4,096 elements, inputs and outputs together
  const std::string chain = "(int64[N] d) => (Y) { c = Add (d, d) Y = Add (c, c) }";
  CHECK(has_value(inferred(chain, {"d=int64[1365]:integers"}), "c"));
  CHECK_FALSE(has_value(inferred(chain, {"d=int64[1366]:integers"}), "c"));
  CHECK_FALSE(has_value(inferred(chain, {"d=int64[1]"}), "c"));
  // sequences, and the branch of an If that is known
  CHECK(to_text(inferred("(float[2,3] X) => (Y) { p = Constant <value_int = 0> () a = Constant <value_ints = [0]> () "
                         "b = Constant <value_ints = [1]> () s = SequenceConstruct (a, b) c = SequenceAt (s, p) "
                         "Y = ReduceSum <keepdims = 0> (X, c) }")
                    .find("Y")
                    ->second.type) == "float32[3]");
  const std::string branches =
      "(bool f, float[2,3] X) => (Y) { c = If (f) <then_branch = t () => (int64[1] a) { a = Constant <value_ints = "
      "[0]> "
      "() }, else_branch = e () => (int64[1] b) { b = Constant <value_ints = [1]> () }> "
      "Y = ReduceSum <keepdims = 0> (X, c) }";
  CHECK(to_text(inferred(branches, {"f=true:bool"}).find("Y")->second.type) == "float32[3]");
  CHECK(to_text(inferred(branches, {"f=false:bool"}).find("Y")->second.type) == "float32[2]");
  CHECK(error([&] { inferred(branches, {"f=bool[]"}); }) ==
        "usage: ReduceSum-13 needs the values of axes, which are known only once 'c' is computed [in ReduceSum-13]");
}

TEST_CASE("infer: a symbol has the size that a given tensor or type says", "[run]") {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 16]> g (float[N,1] a, float[N,M] b, float[K] c) => (y) { y = Add (a, b) }";
  const auto type = [&](const std::vector<std::string>& arguments, const std::string& declared = "") {
    std::string model = text;
    if (!declared.empty()) model.replace(model.find("float[N,M]"), 10, declared);
    return to_text(evaluated(prepared(model, arguments), {}, false).environment.find("y")->second.type);
  };
  CHECK(type({"a=float32[2,1]"}, "float[N,3]") == "float32[2,3]");
  CHECK(type({"a=[[1],[2]]:float32"}, "float[N,3]") == "float32[2,3]");
  CHECK(type({"b=float32[2,5]"}, "float[N,M]") == "float32[2,5]");
  CHECK(error([&] { type({"a=float32[2,1]"}); }) == "usage: input 'b' is declared as float32[N,M] []");
  // two sizes for one symbol: none is meant
  CHECK(error([&] { type({"a=float32[2,1]", "c=float32[3]"}, "float[N,3]"); }) == "no error");
  const std::string three =
      "<ir_version: 8, opset_import: [\"\" : 16]> g (float[N] a, float[N] b, float[N] c) => (y) { t = Add (a, b) "
      "y = Add (t, c) }";
  CHECK(error([&] {
          evaluated(prepared(three, {"a=float32[1]", "b=float32[2]"}), {}, false);
        }) == "usage: input 'c' is declared as float32[N] []");
}

TEST_CASE("If: without cond, a branch that does not fit may be the one that is not taken", "[If][run]") {
  const std::string text =
      std::string(kHead) + "(bool c, float[1,1,3] X) => (float[N,M,K] Y) { " +
      choice("() => (a) { a = LpPool <kernel_shape = [2]> (X) }", "() => (b) { b = LpPool <kernel_shape = [9]> (X) }") +
      " }";
  CHECK(error([&] { evaluated(bind_case(read_case(text)), {}, false); }).starts_with("usage: If-16 needs the values"));
  CHECK(error([&] { evaluated(prepared(text, {"c=true:bool"}), {}, false); }) == "no error");
  CHECK(error([&] { evaluated(prepared(text, {"c=false:bool"}), {}, false); }).starts_with("invalid: "));
}

}  // namespace subgraphs_test
