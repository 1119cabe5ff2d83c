// SPDX-License-Identifier: Apache-2.0
// From NODE and NAME=… to evaluated graphs.
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/version.h"
#include "run/write_outputs.h"

namespace run_test {

using namespace opref::run;

namespace {

constexpr const char* kUnpool = "Y = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I)";

/// A case, what is said of its node, and then of its tensors by `inputs`.
struct Prepared : Bound {
  NodeOptions said;
};

Prepared prepared(const std::string& node, const NodeOptions& options = {}) {
  return {bind_case(read_case(node), {}, options), options};
}

Environment inputs(Prepared& loaded, const std::vector<std::string>& arguments) {
  static_cast<Bound&>(loaded) = bind_case(loaded.read, arguments, loaded.said);
  std::vector<std::string> warnings;
  return load_inputs(loaded, {}, warnings);
}

std::vector<float> floats(const Environment& environment, const std::string& name) {
  const auto values = environment.find(name)->second.tensor().values<float>();
  return {values.begin(), values.end()};
}

std::string message(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a bare operator takes the specification's names; unbound optional inputs are left out", "[run]") {
  Prepared loaded = prepared("MaxUnpool", {.attributes = {"kernel_shape=2", "strides=[2]"}, .nodes = {}, .opset = 11});
  Environment environment = inputs(loaded, {"X=[[[5,6]]]:float32", "I=[[[1,2]]]"});
  CHECK(loaded.graph.nodes[0].inputs == std::vector<std::string>{"X", "I"});
  const std::vector<Step> steps = run_graph(loaded.graph, environment, {});
  CHECK(steps[0].call.version() == 11);
  CHECK(floats(environment, "output") == std::vector<float>{0, 5, 6, 0});
}

TEST_CASE("inputs together take at most what is allowed, literals too", "[run]") {
  const Bound loaded = bind_case(read_case(kUnpool), std::vector<std::string>{"X=[[[5,6]]]:float32", "I=[[[1,2]]]"});
  std::vector<std::string> warnings;
  const auto limited = [&](std::int64_t bytes) {
    return message([&] { load_inputs(loaded, {.readings = {}, .max_bytes = bytes}, warnings); });
  };
  CHECK(limited(24) == "no error");
  CHECK(limited(23) == "int64[1,1,2] takes 16 bytes, but the limit leaves 15");
  CHECK(limited(7) == "float32[1,1,2] takes 8 bytes, but the limit leaves 7");
}

TEST_CASE("a picked node: the operator's names do not stand for other tensors of the graph", "[run]") {
  const char* text =
      "<ir_version: 8, opset_import: [\"\" : 11]> g (float[1,1,2] X, float[1,1,2] Z) => (float[1,1,2] Y)"
      "{ T = LpPool <kernel_shape = [1]> (Z) U = LpPool <kernel_shape = [2]> (T) Y = LpPool <kernel_shape = [1]> (X) }";
  const NodeOptions node{.attributes = {}, .nodes = {"T"}, .opset = {}};
  Prepared by_name = prepared(text, node);
  CHECK(floats(inputs(by_name, {"Z=[[[3,4]]]"}), "Z") == std::vector<float>{3, 4});
  CHECK(message([&] {
          bind_case(read_case(text), std::vector<std::string>{"X=[[[3,4]]]", "Z=[[[3,4]]]"}, node);
        }) ==
        "'X' has two meanings: the operator's name of 'Z', and another tensor of the graph, which is not one of this "
        "node: write Z=FILE for the first");
  CHECK(message([&] { known_tensor(prepared(text, node), "Y", Names::outputs); }).starts_with("'Y' has two meanings"));
  // Without --node the graph's names are the graph's; in the last node the two agree.
  CHECK(known_tensor(prepared(text), "X", Names::inputs) == "X");
  CHECK(known_tensor(prepared(text, {.attributes = {}, .nodes = {"Y"}, .opset = {}}), "X", Names::inputs) == "X");
  CHECK(message([&] { parse_binding(prepared(text, node), "T=[1]", Names::inputs); }) ==
        "'T' is not an input here (Z)");
}

TEST_CASE("an opset is the option, the file's, or the newest", "[run]") {
  const auto opset = [](const std::string& text, std::optional<std::int64_t> option) {
    const Prepared loaded = prepared(text, {.attributes = {}, .nodes = {}, .opset = option});
    return opset_in_force(loaded.graph.opset_import, loaded.graph.nodes[0]);
  };
  CHECK(opset(kUnpool, {}) == kNewestOpset);
  CHECK(opset(kUnpool, 9) == 9);
  const std::string model =
      "<ir_version: 7, opset_import: [\"\" : 11]> g (float[1,1,2] X, int64[1,1,2] I) => (float[1,1,4] Y)"
      " { Y = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I) }";
  CHECK(opset(model, {}) == 11);
  CHECK(opset(model, 12) == 12);
  CHECK(message([&] { opset(model, 29); }) == "opset 29 is newer than this opref knows (28)");
  // The option is of ai.onnx where nodes of several domains are: the others keep theirs.
  const std::string two =
      "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.preview\" : 1]> g (float[1,1,2,2] Q) => (float[1,1,2,2] Z)"
      " { Y = ai.onnx.preview.FlexAttention (Q, Q, Q) Z = Abs (Y) }";
  const Prepared both = prepared(two, {.attributes = {}, .nodes = {}, .opset = 19});
  CHECK(both.graph.opset_import == decltype(both.graph.opset_import){{"", 19}, {"ai.onnx.preview", 1}});
  CHECK(message([&] { opset("Y = ai.onnx.preview.FlexAttention (Q, Q, Q)", 2); }) ==
        "opset 2 is newer than this opref knows (1)");
}

TEST_CASE("several nodes are evaluated in order; one can be picked by name or output", "[run]") {
  const std::string nodes =
      "A = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I)\nB = MaxUnpool <kernel_shape = [1]> (A, J)";
  Prepared both = prepared(nodes);
  Environment environment = inputs(both, {"X=[[[5,6]]]:float32", "I=[[[1,2]]]", "J=[[[3,2,1,0]]]"});
  run_graph(both.graph, environment, {});
  CHECK(floats(environment, "B") == std::vector<float>{0, 6, 5, 0});
  CHECK(both.graph.outputs.size() == 1);

  Prepared one = prepared(nodes, {.attributes = {}, .nodes = {"B"}, .opset = {}});
  Environment own = inputs(one, {"A=[[[1,2]]]:float32", "J=[[[1,0]]]"});
  run_graph(one.graph, own, {});
  CHECK(floats(own, "B") == std::vector<float>{2, 1});
  CHECK(message([&] { prepared(nodes, {.attributes = {}, .nodes = {"C"}, .opset = {}}); }) ==
        "no node has the name or an output 'C'");
  const auto ambiguous = [](const std::string& text) {
    return message([&] { prepared(text, {.attributes = {}, .nodes = {"n"}, .opset = {}}); });
  };
  const std::string both_named = "'n' is both the Neg that gives 'a' and the Exp that gives 'b'";
  CHECK(ambiguous("[n] a = Neg (x) [n] b = Exp (a)").starts_with(both_named));
  CHECK(ambiguous("[n] a = Neg (x) m, n = TopK (a, k)").starts_with("'n' is both the Neg that gives 'a' and the TopK"));
  CHECK(ambiguous("n = Neg (x) n = Exp (x)").starts_with("'n' is both the Neg that gives 'n' and the Exp"));
  CHECK(message([&] { prepared(nodes, {.attributes = {"kernel_shape=1"}, .nodes = {}, .opset = {}}); }) ==
        "attributes are set in one node, but there are 2");
}

TEST_CASE("the longest known name before = or :DTYPE wins; names may hold colons and slashes", "[run]") {
  Prepared loaded = prepared("Y = MaxUnpool <kernel_shape = [2]> (X, I)");
  loaded.graph.nodes[0].inputs = {"a:0", "a"};
  loaded.graph.inputs = {{"a:0", "", {}, {}}, {"a", "", {}, {}}};
  CHECK(parse_binding(loaded, "a:0=x.npy", Names::inputs).name == "a:0");
  CHECK(parse_binding(loaded, "a=x.npy", Names::inputs).name == "a");
  CHECK(parse_binding(loaded, "a:0:bfloat16=x.npy", Names::inputs).source.dtype == DType::bfloat16);
  CHECK(parse_binding(loaded, "X=x.npy", Names::inputs).name == "a:0");  // the operator's own name
  CHECK(parse_binding(loaded, "output=y.npy", Names::outputs).name == "Y");
}

TEST_CASE("a name that ends like a type wins over the shorter name with that type", "[run]") {
  Prepared loaded = prepared(kUnpool);
  loaded.graph.nodes[0].inputs = {"a", "a:int8"};
  loaded.graph.inputs = {{"a", "", {}, {}}, {"a:int8", "", {}, {}}};
  CHECK(parse_binding(loaded, "a:int8=x.npy", Names::inputs).name == "a:int8");
  CHECK(parse_binding(loaded, "a:int16=x.npy", Names::inputs).name == "a");
}

TEST_CASE("infer tells readings that decide a shape from those that may change values", "[run]") {
  // Size 3 * 2 = 6 under natural, text and inference; 3 under input.
  Prepared loaded = prepared("Y = ConvTranspose <strides = [2], auto_pad = \"SAME_UPPER\"> (X, W)");
  Environment environment = inputs(loaded, {"X=float32[1,1,3]", "W=float32[1,1,3]"});
  const auto reports = infer(loaded.graph, environment, {})[0].readings;
  const auto same_size = std::ranges::find(reports, "conv_transpose.same_size", &ReadingReport::name);
  REQUIRE(same_size != reports.end());
  CHECK(same_size->others == std::vector<std::string_view>{"input"});
  CHECK(same_size->possible.empty());
  CHECK(std::ranges::find(reports, "conv_transpose.split", &ReadingReport::name) == reports.end());
  // 1 of the 7 is cropped, at the begin or at the end: the same size, perhaps other values.
  loaded = prepared("Y = ConvTranspose <strides = [2], output_shape = [6]> (X, W)");
  environment = inputs(loaded, {"X=float32[1,1,3]", "W=float32[1,1,3]"});
  const auto split = infer(loaded.graph, environment, {})[0].readings;
  REQUIRE(split.size() == 1);
  CHECK(split[0].name == "conv_transpose.split");
  CHECK(split[0].others.empty());
  CHECK(split[0].possible == std::vector<std::string_view>{"rule-1"});
}

TEST_CASE("every form of a value", "[run]") {
  const Prepared loaded = prepared(kUnpool);
  const auto source = [&](const std::string& argument) {
    return parse_binding(loaded, argument, Names::inputs).source;
  };
  CHECK(source("X=dir/x.npy").file()->path == "dir/x.npy");
  CHECK(source("X=a.npz:b").file()->path == "a.npz");
  CHECK(source("X=a.npz:b").file()->member == "b");
  CHECK(source("X:float16[1,3]=x.bin").shape == Dims{1, 3});
  CHECK(source("X=[[1,2],[3,4]]:float32").literal()->shape == Dims{2, 2});
  CHECK(source("X=5:float32").literal()->shape == Dims{});
  CHECK(source("X=-1.5:float32").literal()->elements == std::vector<std::string>{"-1.5"});
  CHECK(source("X=nan:float32").literal()->elements == std::vector<std::string>{"nan"});
  CHECK(source("X=inf:float32").literal()->elements == std::vector<std::string>{"inf"});
  CHECK(source("X=\"a b\":string").literal()->elements == std::vector<std::string>{"a b"});
  CHECK(source("X=float32[1,3,32,32]").shape == Dims{1, 3, 32, 32});
  CHECK_FALSE(source("X=float32[1,3,32,32]").has_values());
  CHECK(source("X=float32[]").shape == Dims{});
  CHECK(source("X=float32[1,3]:normal:7").fill()->seed == 7);
  CHECK(source("X=float32[1,3]:special").fill()->seed == 1);
  CHECK(source("X=float32[1,3]:special").fill()->generator == "special");
  CHECK(message([&] { source("X=float32[1,3]:normal:-7"); }) ==
        "the seed '-7' is no whole number from 0 to 18446744073709551615");
  CHECK(message([&] { source("X=int8[1,3]:normal"); }) == "the generator 'normal' has no values of type int8");
  CHECK(message([&] { source("X=float32[1,3]normal"); }) ==
        "'normal' stands after the type: a generator is written as in float32[1,3]:normal:7");
  CHECK(message([&] { source("X=[1,2]:flaot32"); }) == "'flaot32' is not a dtype, did you mean 'float32'?");
  CHECK(message([&] { source("X=float33[1,3]"); }) == "'float33' is not a dtype, did you mean 'float32'?");
  CHECK(message([&] { source("X=  ["); }).starts_with("'  ' is not a dtype"));
  for (const char* shape : {"[1,-3]", "[99999999999999999999]"})
    for (const char* fill : {"", ":normal"})
      CHECK(message([&] { source(format("X=float32{}{}", shape, fill)); }) ==
            format("'{}' is not a shape such as [1,3]: sizes are numbers from 0 to 9223372036854775807; infer also "
                   "takes symbols, as [N,3]",
                   shape));
  CHECK_FALSE(source("X=float32[N,3]").has_values());
  CHECK(message([&] { source("X=float32[N,3]:normal"); }) ==
        "'float32[N,3]:normal': sizes that are symbols have types alone, no values");
  CHECK(message([&] { source("Z=x.npy"); }) == "'Z' is not an input here (X, I)");
  CHECK(message([&] { source("x.npy"); }) == "'x.npy' is neither an option nor NAME=FILE");
  CHECK(message([&] { source("X="); }) ==
        "nothing stands after '=': a file, values or a type, without a space before it");
}

TEST_CASE(
    "a literal without a type takes the graph's, the operator's only one, or another input's of the same variable",
    "[run]") {
  Prepared loaded = prepared(kUnpool);
  const Environment environment = inputs(loaded, {"X=[[[5,6]]]:float16", "I=[[[1,2]]]"});
  CHECK(environment.find("I")->second.type.dtype() == DType::int64);
  Prepared model = prepared(
      "<ir_version: 7, opset_import: [\"\" : 11]> g (double[1,1,2] X, int64[1,1,2] I) => (double[1,1,4] Y)"
      " { Y = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I) }");
  CHECK(inputs(model, {"X=[[[5,6]]]", "I=[[[1,2]]]"}).find("X")->second.type.dtype() == DType::float64);
  CHECK(message([&] {
          inputs(model, {"X=[[[5,6,7]]]", "I=[[[1,2]]]"});
        }) == "input 'X' is float64[1,1,3], but the graph declares float64[1,1,2]");
}

TEST_CASE("types alone are enough to infer, not to run", "[run]") {
  Prepared loaded = prepared(kUnpool);
  Environment environment = inputs(loaded, {"X=float32[1,3,8]", "I=int64[1,3,8]"});
  Environment types = environment;
  CHECK(infer(loaded.graph, types, {})[0].types[0] == TensorType{DType::float32, Dims{1, 3, 16}});
  CHECK(message([&] { run_graph(loaded.graph, environment, {}); }) == "MaxUnpool-22 needs the values of I");
}

TEST_CASE("memory is checked before it is taken", "[run]") {
  Prepared loaded = prepared("Y = MaxUnpool <kernel_shape = [2]> (X, I, output_shape)");
  Environment environment = inputs(loaded, {"X=[[[5]]]:float32", "I=[[[1]]]", "output_shape=[1,1,1000000000000]"});
  CHECK(message([&] { run_graph(loaded.graph, environment, {.readings = {}, .max_bytes = 1000}); }) ==
        "the output float32[1,1,1000000000000] needs 4000000000000 bytes, with the inputs and scratch memory "
        "4000033554468 bytes, but the limit is 1000");
  // What takes 2000 bytes may take as many again.
  Environment small = inputs(loaded, {"X=[[[5]]]:float32", "I=[[[1]]]", "output_shape=[1,1,491]"});
  const auto limited = [&](std::int64_t limit) {
    Environment given = small;
    return message([&] { run_graph(loaded.graph, given, {.readings = {}, .max_bytes = limit}); });
  };
  CHECK(limited(4000) == "no error");
  CHECK(limited(3999).ends_with("the limit is 3999"));
}

TEST_CASE("a reading is reported only where another choice gives another result", "[run]") {
  const std::string node = "Y = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I, output_shape)";
  const auto reports = [&](const std::string& indices, const std::string& shape, const ReadingChoices& choices) {
    Prepared loaded = prepared(node);
    Environment environment = inputs(loaded, {"X=[[[2,4],[7,9]]]:float32", "I=" + indices, "output_shape=" + shape});
    return run_graph(loaded.graph, environment, {.readings = choices})[0].readings;
  };
  // Both spaces fit: positions 5 and 7 are 1 and 3 of the second plane of 4, or 0 and 2 of the second plane of 5.
  const auto fitting = reports("[[[1,3],[5,7]]]", "[1,2,5]", {});
  REQUIRE(fitting.size() == 1);
  CHECK(to_text(fitting[0]) ==
        "reading max_unpool.index_space = auto (here: output) decides this result; inferred gives another result");
  // 6 is 1 of the second plane of 5, outside the window [2, 4) of its element.
  const auto inferred = reports("[[[1,3],[5,6]]]", "[1,2,5]", {});
  REQUIRE(inferred.size() == 1);
  CHECK(inferred[0].stands_for == "inferred");
  CHECK(inferred[0].others == std::vector<std::string_view>{"output"});
  // The inferred size itself: no choice changes anything.
  CHECK(reports("[[[1,3],[5,6]]]", "[1,2,4]", {}).empty());
  // Selected explicitly.
  const auto selected = reports("[[[1,3],[5,7]]]", "[1,2,5]", {{"max_unpool.index_space", "inferred"}});
  REQUIRE(selected.size() == 1);
  CHECK(selected[0].selected);
  CHECK(selected[0].others == std::vector<std::string_view>{"auto", "output"});
}

TEST_CASE("dimension denotations that contradict the page are warnings", "[run]") {
  Prepared loaded = prepared(kUnpool);
  Environment environment = inputs(loaded, {"X=[[[5,6]]]:float32", "I=[[[1,2]]]"});
  environment.find("X")->second.denotation = {"DATA_BATCH", "DATA_FEATURE", "DATA_FEATURE"};
  const std::vector<Step> steps = run_graph(loaded.graph, environment, {});
  std::vector<std::string> warnings;
  for (const Note& note : steps[0].notes)
    if (note.level == Note::Level::warning) warnings.push_back(note.text);
  CHECK(warnings == std::vector<std::string>{"axis 1 is denoted DATA_FEATURE, but MaxUnpool-22 expects DATA_CHANNEL"});
}

TEST_CASE("names of files are made of plain characters", "[run]") {
  CHECK(file_name_of("a/b:0 ü.x-Y_1") == "a%2Fb%3A0%20%C3%BC.x-Y_1");
  CHECK(file_name_of(".") == "%2E");
  CHECK(file_name_of("..") == "%2E%2E");
  CHECK(file_name_of("...") == "...");
}

TEST_CASE("an argument that is no file", "[run]") {
  CHECK(message([] { read_case("missing.onnx"); }) == "no such file: missing.onnx");
  CHECK(message([] { read_case("some/where"); }) == "no such file: some/where");
  CHECK(message([] { read_case("MaxUnpol"); }) ==
        "no such file, and operator 'MaxUnpol' is not known, did you mean 'MaxUnpool'?");
  CHECK(message([] { read_case("openvino:MaxUnpool"); }) ==
        "no such file, and operator 'MaxUnpool' of domain 'openvino' is not known; domain 'ai.onnx' has one of that "
        "name, which is another operator");
}

TEST_CASE("a scalar without a type is no file", "[run]") {
  const auto problem = [](const std::string& argument) {
    return message([&] { bind_case(read_case("Add"), std::vector<std::string>{argument}); });
  };
  CHECK(problem("B=float32") == "'float32' has no shape: a type without values is written float32[1,3]");
  CHECK(problem("B=") == "nothing stands after '=': a file, values or a type, without a space before it");
  CHECK(problem("B=float32(1,3)") == "no such file: float32(1,3); a type without values is written float32[1,3]");
  CHECK(problem("B=1x3") == "no such file: 1x3; a shape without values is written with its type, as in float32[1,3]");
  // Scalars, whose type the other operand states.
  for (const char* scalar : {"B=2", "B=-1e3", "B=NaN", "B=true", "B=\"a\""}) CHECK(problem(scalar) == "no error");
  // Files, which are looked for later.
  for (const char* file : {"B=1.npy", "B=2x", "B=x2", "B=-", "B=1/2"}) CHECK(problem(file) == "no error");
}

TEST_CASE("one of several cases in a file, by its name or by its opset", "[run]") {
  const TemporaryFolder folder;
  const std::string file = folder
                               .write("a.json", R"([{"op_type": "LpPool", "opset": 1},
                                                      {"op_type": "MaxUnpool", "opset": [9, 11]}])")
                               .string();
  const auto read = [](const std::string& argument, std::optional<std::int64_t> opset = {}) {
    const Case loaded = read_case(argument, opset);
    return format("{} {}", loaded.graph.nodes.at(0).op_type, loaded.graph.opset_import.begin()->second);
  };
  CHECK(read(file + "#1") == "LpPool 1");
  CHECK(read(file + "#2#opset=11") == "MaxUnpool 11");
  CHECK(read(file, 9) == "MaxUnpool 9");
  CHECK(read(file + "#2", 9) == "MaxUnpool 9");
  CHECK(read_case(file + "#1").origin == file + "#1");
  CHECK(message([&] { read(file); }) == "the file has 3 cases: name one, as in FILE#1 (#1, #2#opset=9, #2#opset=11)");
  CHECK(message([&] { read(file + "#3"); }) == "there is no case #3 in it, only #1, #2#opset=9, #2#opset=11");
  const std::string text = folder.write("text", kUnpool).string();
  CHECK(message([&] { read(text + "#1"); }) ==
        text + "#1 names one of several JSON cases, but this is no file of them");
  CHECK(read(folder.write("without extension", R"(  [ {"op_type": "LpPool", "opset": 2}])").string()) == "LpPool 2");
}

TEST_CASE("a file of several cases is parsed once, while it is among the last that were read", "[run]") {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, int opset) {
    return folder
        .write(name, format(R"([{{"op_type": "LpPool", "opset": {}}}, {{"op_type": "LpPool", "opset": 1}}])", opset))
        .string();
  };
  const std::string a = write("a.json", 2), b = write("b.json", 11), broken = folder.write("c.json", "[{").string();
  CaseReader reader(1);
  const auto opset_in = [&](const std::string& case_name) { return reader.read(case_name).graph.opset_import.at(""); };
  CHECK(opset_in(a + "#1") == 2);
  write("a.json", 18);
  CHECK(opset_in(a + "#1") == 2);
  CHECK(opset_in(a + "#2") == 1);
  CHECK(opset_in(b + "#1") == 11);
  CHECK(opset_in(a + "#1") == 18);
  CHECK(reader.read(a + "#1").origin == a + "#1");
  CHECK(message([&] { opset_in(a + "#3"); }) == "there is no case #3 in it, only #1, #2");
  for (int i = 0; i < 2; ++i) CHECK(message([&] { opset_in(broken + "#1"); }).find("line 1") != std::string::npos);
  CHECK(message([&] { opset_in(a); }) == "the file has 2 cases: name one, as in FILE#1 (#1, #2)");
}

TEST_CASE("the memory of a JSON case's sequences is limited too", "[run]") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& input, std::int64_t max_bytes) {
    const std::string json =
        R"({"op_type": "SequenceAt", "opset": 11, "inputs": {"position": {"dtype": "int64", "data": 0},
      "input_sequence": )" +
        input + "}}";
    const Bound bound = bind_case(read_case(folder.write("case.json", json).string()));
    EvaluationOptions options;
    options.max_bytes = max_bytes;
    std::vector<std::string> warnings;
    load_inputs(bound, options, warnings);
  };
  const std::string sequence =
      R"({"sequence": [{"dtype": "float32", "data": [1, 2]}, {"dtype": "float32", "data": [3, 4]}]})";
  // position takes 8 bytes, and each tensor 8 and its own weight.
  constexpr std::int64_t kBefore = 8 + 8 + kSequenceElementBytes;
  read(sequence, kBefore + 8);
  CHECK(message([&] { read(sequence, kBefore + 7); }) == "float32[2] takes 8 bytes, but the limit leaves 7");
  CHECK(message([&] { read(sequence, kBefore - 1); }) == "the limit leaves nothing for float32[2]");
  const std::string large = R"({"sequence": [{"dtype": "float32", "shape": [1000000000000], "fill": "normal"}]})";
  CHECK(message([&] { read(large, 1000); }) ==
        "float32[1000000000000] takes 4000000000000 bytes, but the limit leaves 992");
  write_value((folder / "s.pb").string(), "s",
              Sequence{DType::float32, {Tensor::of<float>(DType::float32, Dims{2}, std::vector<float>{1, 2})}});
  const Bound bound =
      bind_case(read_case("SequenceAt"),
                std::vector<std::string>{"position=0:int64", "input_sequence=" + (folder / "s.pb").string()});
  EvaluationOptions options;
  options.max_bytes = 15;
  std::vector<std::string> warnings;
  CHECK(message([&] { load_inputs(bound, options, warnings); }) == "float32[2] takes 8 bytes, but the limit leaves 7");
}

TEST_CASE("-a overrides what the node states", "[run]") {
  const Prepared loaded =
      prepared(kUnpool, {.attributes = {"kernel_shape=3", "pads = 1, 0"}, .nodes = {}, .opset = {}});
  CHECK(loaded.graph.nodes[0].attributes.size() == 3);
  CHECK(message([] { prepared(kUnpool, {.attributes = {"kernel_shape"}, .nodes = {}, .opset = {}}); }) ==
        "'kernel_shape': an attribute is written NAME=VALUE, a list as NAME=1,2");
}

TEST_CASE("-a takes strings as they stand, and lists with quotes", "[run]") {
  const auto strings = [](const std::string& attribute) {
    const Bound bound = prepared("Constant", {.attributes = {attribute}, .nodes = {}, .opset = 22});
    Environment environment;
    run_graph(bound.graph, environment, {});
    return join_text(environment.find("output")->second.tensor().strings(), "|");
  };
  CHECK(strings("value_string= a, [b] ") == " a, [b] ");
  CHECK(strings("value_strings=a, b") == "a|b");
  CHECK(strings("value_strings=[a]") == "a");
  CHECK(strings(R"(value_strings=["a, b", c, "\"]"])") == "a, b|c|\"]");
  CHECK(message([&] { strings(R"(value_strings=[["a"]])"); }) == "a list of lists, but an attribute has one list");
  CHECK(message([&] { strings(R"(value_strings=["a])"); }) == "expected '\"' at character 5 of '[\"a]'");
}

TEST_CASE("-a takes a tensor as an input is bound", "[run]") {
  const auto value = [](const std::string& attribute) {
    const Bound bound = prepared("Constant", {.attributes = {attribute}, .nodes = {}, .opset = 22});
    Environment environment;
    run_graph(bound.graph, environment, {});
    const auto values = environment.find("output")->second.tensor().values<std::int64_t>();
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  const TemporaryFolder folder;
  const std::vector<std::int64_t> expected{1, -2};
  write_value((folder / "x.npy").string(), "", Tensor::of<std::int64_t>(DType::int64, Dims{2}, expected));
  for (const std::string& text : {std::string("[1,-2]:int64"), (folder / "x.npy").string()})
    CHECK(value("value=" + text) == expected);
  CHECK(message([&] { value("value=[1,-2]"); }).starts_with("values without a type: "));
}

TEST_CASE("a variadic parameter: its name repeats", "[run]") {
  const auto joined = [](const std::string& node, const std::vector<std::string>& arguments) {
    const Bound bound = bind_case(read_case(node), arguments);
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, {}, warnings);
    run_graph(bound.graph, environment, {});
    return join_text(bound.graph.nodes[0].inputs, ",") + ": " +
           join_text(floats(environment, bound.graph.outputs.at(0).name), " ");
  };
  const std::string text = "c = Concat <axis = 0> (a, b, d)";
  CHECK(joined(text, {"inputs=[1]:float32", "d=[4]", "inputs=[2,3]"}) == "a,b,d: 1 2 3 4");
  CHECK(message([&] {
          joined(text, {"inputs=[1]", "inputs=[1]", "inputs=[1]", "inputs=[1]"});
        }) == "'inputs' is given more than 3 times: the node takes no more (a, b, d)");
  CHECK(message([&] { joined(text, {"a=[1]", "inputs=[1]"}); }) == "input 'a' is given twice");

  const TemporaryFolder folder;
  const auto file = [&](const std::string& inputs) {
    return folder
        .write("c.json", R"({"op_type": "Concat", "opset": 13, "attributes": {"axis": 0}, "inputs": {)" + inputs + "}}")
        .string();
  };
  const std::string two = file(R"("inputs": [{"dtype": "float32", "data": [1, 2]}, {"data": [3]}])");
  CHECK(joined(two, {}) == "inputs_0,inputs_1: 1 2 3");
  CHECK(joined(two, {"inputs_1=[7,8]"}) == "inputs_0,inputs_1: 1 2 7 8");
  CHECK(joined(two, {"inputs=[9]:float32"}) == "inputs_0: 9");
  CHECK(joined(two, {"inputs=[9]:float32", "inputs=[8]", "inputs=[7]"}) == "inputs_0,inputs_1,inputs_2: 9 8 7");
  CHECK(message([&] { joined(two, {"inputs_2=[9]:float32"}); }).starts_with("'inputs_2' is not an input here"));
  CHECK(message([&] { joined(file(R"("inputs": {"dtype": "float32", "data": [1]})"), {}); }) ==
        "the input 'inputs' of Concat-13 takes any number of tensors: give a list of them");
  CHECK(message([&] { joined(file(R"("imputs": [{"dtype": "float32", "data": [1]}])"), {}); }) ==
        "'imputs' is not an input of Concat-13, did you mean 'inputs'?");
  CHECK(message([&] { joined(file(""), {}); }) == "Concat-13 takes at least 1 input, but the node has 0");
  const NodeOptions axis{.attributes = {"axis=0"}, .nodes = {}, .opset = {}};
  Prepared bare = prepared("Concat", axis);
  CHECK(floats(inputs(bare, {"inputs=[1]:float32", "inputs=[2]"}), "inputs_1") == std::vector<float>{2});
  Environment nothing = inputs(bare, {});
  CHECK(message([&] { run_graph(bare.graph, nothing, {}); }) == "input 'inputs' has no value");
}

TEST_CASE("a tensor by its place has the name that stands there", "[run]") {
  const auto given = [](const std::string& node, const std::vector<std::string>& arguments) {
    const NodeOptions options{.attributes = {"axis=0"}, .nodes = {}, .opset = {}};
    Prepared loaded = prepared(node, node == "Concat" ? options : NodeOptions());
    const Environment environment = inputs(loaded, arguments);
    std::string text;
    for (const NamedSource& input : loaded.inputs)
      text += format("{}={} ", input.name, floats(environment, input.name).at(0));
    return text;
  };
  const std::string graph =
      "<ir_version: 8, opset_import: [\"\" : 11]> g (float[1] Z, float[1] A) => (float[1] Y) <float[1] w = {9}>"
      "{ T = Sub (Z, A) Y = Mul (T, w) }";
  const std::vector<std::string> both = {"@2=[1]:float32", "@1:float32=[2]"};
  CHECK(given(graph, both) == "w=9 A=1 Z=2 ");
  CHECK(given("y = Sub (q, p)", both) == "p=1 q=2 ");
  CHECK(given("Sub", both) == "B=1 A=2 ");
  CHECK(given("Clip-11", {"@1=[3]:float32", "@3=7:float32"}) == "input=3 max=7 ");
  CHECK(given("Concat", {"@1=[3]:float32", "@2=[4]"}) == "inputs_0=3 inputs_1=4 ");
  CHECK(message([&] { given(graph, {"@3=[1]"}); }) == "no input has the place 3");
  CHECK(message([&] { given("Relu", {"@0=[1]"}); }) == "no input has the place 0");
  CHECK(message([&] { given("Relu", {"@1"}); }) == "'@1' is no file, and has no input's name");
  CHECK(given("Sub", {"[1]:float32", "[2]"}) == "A=1 B=2 ");
  CHECK(given("Sub", {"[1]:float32", "A=[2]:float32"}) == "A=2 B=1 ");
  CHECK(given(graph, {"[1]:float32", "[2]:float32"}) == "w=9 Z=1 A=2 ");
  CHECK(message([&] { given("Relu", {"@x=[1]"}); }) == "'@x' is not an input here (X), did you mean 'X'?");
  const Prepared pool = prepared("y, i = MaxPool <kernel_shape = [1]> (x)");
  CHECK(parse_binding(pool, "@2=[1]", Names::outputs).name == "i");
  CHECK(message([&] { parse_binding(pool, "@3=[1]", Names::outputs); }) == "no output has the place 3");
  Case named = read_case("y = Sub (q, p)");
  named.graph.nodes[0].inputs[0] = "@2";
  CHECK(bind_case(named, std::vector<std::string>{"@2=[5]:float32"}).inputs.at(0).name == "@2");
}

TEST_CASE("a case's node gives the outputs that it states, else those that it expects and must give, else all",
          "[run]") {
  const auto outputs = [](const std::string& op_type, const std::string& more) {
    const TemporaryFolder folder;
    const std::string file = folder.write("c.json", format(R"({{"op_type": "{}"{}}})", op_type, more)).string();
    return join_text(bind_case(read_case(file)).graph.nodes[0].outputs, ",");
  };
  const std::string pool = "MaxPool", value = R"({"dtype": "int64", "data": [1]})";
  CHECK(outputs(pool, "") == "Y,Indices");
  CHECK(outputs(pool, R"(, "expect": {"Y": )" + value + "}") == "Y");
  CHECK(outputs(pool, R"(, "expect": {"Indices": )" + value + "}") == "Y,Indices");
  CHECK(outputs(pool, R"(, "outputs": ["Y"])") == "Y");
  CHECK(outputs(pool, R"(, "outputs": ["Indices"])") == ",Indices");
  CHECK(outputs("If", "") == "outputs_0");
  CHECK(outputs("If", R"(, "outputs": ["outputs", "outputs"])") == "outputs_0,outputs_1");
  CHECK(outputs("If", R"(, "expect": {"outputs": [)" + value + ", " + value + "]}") == "outputs_0,outputs_1");
  CHECK(message([&] { outputs(pool, R"(, "outputs": ["Y", "Y"])"); }) ==
        "the output 'Y' of MaxPool-22 is one, but is stated 2 times");
  CHECK(message([&] { outputs(pool, R"(, "outputs": ["Z"])"); }).starts_with("'Z' is not an output of MaxPool-22"));
  CHECK(message([&] { outputs(pool, R"(, "expect": {"Y": [)" + value + "]}"); }) ==
        "the output 'Y' of MaxPool-22 is one tensor, but a list is given");
  const Bound two =
      bind_case(read_case("a, b = If <then_branch = x () => (float p) {}, else_branch = y () => (float q) {}> (c)"));
  CHECK(message([&] { parse_binding(two, "outputs=y.npy", Names::outputs); }) ==
        "'outputs' stands for 2 tensors here (a, b): name one of them");
}

TEST_CASE("of a node that nothing is expected of, optional outputs may be left out", "[run]") {
  const TemporaryFolder folder;
  const auto outputs = [&](const std::string& argument, const std::vector<std::string>& wanted) {
    Bound bound = bind_case(read_case(argument));
    want_only(bound, wanted);
    std::vector<std::string> names;
    for (const ValueInfo& info : bound.graph.outputs) names.push_back(info.name);
    return format("{}; {}", join_text(bound.graph.nodes[0].outputs, ","), join_text(names, ","));
  };
  CHECK(outputs("MaxPool", {"Y"}) == "Y; Y");
  CHECK(outputs("MaxPool", {"Indices"}) == "Y,Indices; Y,Indices");
  CHECK(outputs("MaxPool", {}) == "Y; Y");
  CHECK(outputs("LSTM", {}) == "Y,Y_h,Y_c; Y,Y_h,Y_c");  // none of them is more than optional
  CHECK(outputs("LSTM", {"Y"}) == "Y; Y");
  CHECK(outputs("Y, I = MaxPool <kernel_shape = [1]> (X)", {"Y"}) == "Y,I; Y,I");
  const auto json = [&](const std::string& more) {
    return folder.write("c.json", format(R"({{"op_type": "MaxPool"{}}})", more)).string();
  };
  CHECK(outputs(json(""), {"Y"}) == "Y; Y");
  CHECK(outputs(json(R"(, "outputs": ["Y", "Indices"])"), {"Y"}) == "Y,Indices; Y,Indices");
}

TEST_CASE("a bare operator has the outputs that its rules accept", "[run]") {
  const TemporaryFolder folder;
  const auto outputs = [](const std::string& op, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& attributes) {
    Bound bound = bind_case(read_case(op), arguments, {.attributes = attributes, .nodes = {}, .opset = {}});
    std::vector<std::string> warnings;
    take_accepted_outputs(bound, load_inputs(bound, bound.options, warnings), nullptr);
    return join_text(bound.graph.nodes[0].outputs, ",");
  };
  const std::vector<std::string> batch{"X=[[1,2]]:float32", "scale=[1,1]:float32", "B=[0,0]:float32",
                                       "input_mean=[0,0]:float32", "input_var=[1,1]:float32"};
  CHECK(outputs("BatchNormalization", batch, {}) == "Y");
  CHECK(outputs("BatchNormalization", batch, {"training_mode=1"}) == "Y,running_mean,running_var");
  CHECK(outputs("MaxPool", {"X=[[[1,2]]]:float32"}, {"kernel_shape=2"}) == "Y,Indices");
  CHECK(outputs("MaxPool", {"X=[1,2]:float32"}, {"kernel_shape=2"}) == "Y,Indices");  // refused in any case
  const std::string x = "input=[1,2,3,4,5]:float32";
  CHECK(outputs("Split", {x}, {"num_outputs=3"}) == "outputs_0,outputs_1,outputs_2");
  CHECK(outputs("Split", {x, "split=[2,3]"}, {}) == "outputs_0,outputs_1");
  const std::string file = folder.write("two", std::string("\x04\x01", 2)).string();
  CHECK(outputs("Split", {x, "split:int8[2]=" + file}, {}) == "outputs_0,outputs_1");
  CHECK(outputs("Split-11", {x}, {"split=4,1"}) == "outputs_0,outputs_1");
  CHECK(outputs("Split-11", {x}, {}) == "outputs_0");
  CHECK(outputs("Split", {x}, {"num_outputs=-1"}) == "outputs_0");
}

TEST_CASE("a bare operator with a graph has as many outputs as the graph gives", "[run]") {
  const auto outputs = [](const std::string& op, const std::vector<std::string>& attributes) {
    const Bound bound = bind_case(read_case(op), {}, {.attributes = attributes, .nodes = {}, .opset = {}});
    return join_text(bound.graph.nodes[0].outputs, ",");
  };
  CHECK(outputs("Loop", {"body=b (int64 i, bool c, float v) => (bool d, float w, float z) {}"}) ==
        "v_final_and_scan_outputs_0,v_final_and_scan_outputs_1");  // but for the condition
  CHECK(outputs("Loop", {"body=b (int64 i, bool c) => (bool d) {}"}) == "v_final_and_scan_outputs_0");
  CHECK(outputs("Scan", {"body=b (float s, float x) => (float t, float y) {}", "num_scan_inputs=1"}) ==
        "final_state_and_scan_outputs_0,final_state_and_scan_outputs_1");
  CHECK(outputs("SequenceMap", {"body=b (float x) => (float y, float z) {}"}) == "out_sequence_0,out_sequence_1");
  CHECK(outputs("If", {"then_branch=t () => (a, b, c) {}", "else_branch=e () => (a) {}"}) ==
        "outputs_0,outputs_1,outputs_2");
}

TEST_CASE("the parameters' names are those of the version in force", "[run]") {
  // Version 8 of MaxPool brought Indices.
  const auto bind_pool = [](std::int64_t opset) {
    return bind_case(read_case("MaxPool"), {}, {.attributes = {}, .nodes = {}, .opset = opset});
  };
  CHECK(known_tensor(bind_pool(8), "Indices", Names::outputs) == "Indices");
  CHECK(message([&] { parse_binding(bind_pool(7), "Indices=[1]", Names::outputs); }) ==
        "'Indices' is not an output here (Y)");
}

}  // namespace run_test
