// SPDX-License-Identifier: Apache-2.0
// OpenVINO's files, from NODE to values.
#include <algorithm>
#include <catch2/catch.hpp>

#include "check/discover.h"
#include "check/judge.h"
#include "io/folder_testing.h"
#include "io/onnx/testing.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/version.h"
#include "run/write_outputs.h"

using namespace opref::run;
using namespace opref::check;

namespace {

namespace fs = std::filesystem;

/// The specification's layers, as it prints them.
const fs::path kSeeds = fs::path(OPREF_SOURCE_DIR) / "testdata/openvino/GroupConvolutionBackpropData";

/// A case, what is said of its node, and then of its tensors by `inputs`.
struct Prepared : Bound {
  NodeOptions said;
};

Prepared prepared(const fs::path& node, const NodeOptions& options = {}) {
  return {bind_case(read_case(node.string()), {}, options), options};
}

Environment inputs(Prepared& loaded, const std::vector<std::string>& arguments = {}) {
  static_cast<Bound&>(loaded) = bind_case(loaded.read, arguments, loaded.said);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(loaded, {}, warnings);
  CHECK(warnings.empty());
  return environment;
}

/// The type of what the first node gives.
TensorType inferred(Prepared loaded, const EvaluationOptions& options = {}) {
  Environment environment = inputs(loaded);
  const std::vector<Step> steps = infer(loaded.graph, environment, options);
  for (const auto& [name, known] : environment) CHECK_FALSE(known.value.has_value());
  return steps.at(0).types.at(0).tensor;
}

std::vector<float> floats(const Environment& environment, const std::string& name) {
  const auto values = environment.find(name)->second.tensor().values<float>();
  return {values.begin(), values.end()};
}

Tensor float32(const Dims& shape, const std::vector<float>& values) {
  return Tensor::of(DType::float32, shape, std::span<const float>(values));
}

/// Integers from -9 to 9 in an order without pattern.
std::vector<int> digits(std::int64_t count, std::uint32_t state) {
  std::vector<int> values;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values.push_back(static_cast<int>((state >> 16) % 19) - 9);
  }
  return values;
}

Tensor float32(const Dims& shape, const std::vector<int>& values) {
  return float32(shape, std::vector<float>(values.begin(), values.end()));
}

/// data [1, 20, L…] and kernel [4, 5, 2, 3…] with stride 2 and pads 1, in `axes` dimensions: every element of data is
/// multiplied with its kernels and added where that lands.
std::vector<int> scattered(const std::vector<int>& data, const std::vector<int>& kernel, int axes) {
  constexpr int kL = 224, kO = 447, kK = 3;
  const int rows = axes == 2 ? kL : 1, out_rows = axes == 2 ? kO : 1, kernel_rows = axes == 2 ? kK : 1;
  std::vector<int> output(static_cast<size_t>(8 * out_rows * kO));
  for (int channel = 0; channel < 20; ++channel)
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < kL; ++x) {
        const int value = data[static_cast<size_t>((channel * rows + y) * kL + x)];
        for (int m = 0; m < 2; ++m)
          for (int i = 0; i < kernel_rows; ++i)
            for (int j = 0; j < kK; ++j) {
              const int row = axes == 2 ? 2 * y + i - 1 : 0, column = 2 * x + j - 1;
              if (row < 0 || row >= out_rows || column < 0 || column >= kO) continue;
              // kernel[g, c, m, …] with channel = 5*g + c
              const int weight = kernel[static_cast<size_t>(((channel * 2 + m) * kernel_rows + i) * kK + j)];
              const int out_channel = channel / 5 * 2 + m;
              output[static_cast<size_t>((out_channel * out_rows + row) * kO + column)] += value * weight;
            }
      }
  return output;
}

/// Evaluates a seed's layer on digits and compares with `scattered`; all numbers are exact in float32.
void evaluate_seed(const std::string& file, const Dims& data_shape, const Dims& kernel_shape, int axes) {
  const std::vector<int> data = digits(element_count(data_shape), 1), kernel = digits(element_count(kernel_shape), 2);
  TemporaryFolder folder;
  write_value(folder / "data.npy", "", float32(data_shape, data));
  write_value(folder / "kernel.npy", "", float32(kernel_shape, kernel));
  Prepared loaded = prepared(kSeeds / file);
  Environment environment =
      inputs(loaded, {"data=" + (folder / "data.npy").string(), "kernel=" + (folder / "kernel.npy").string()});
  run_graph(loaded.graph, environment, {});
  const std::vector<int> expected = scattered(data, kernel, axes);
  CHECK(std::ranges::equal(floats(environment, "output"), expected));  // too many to be printed
}

std::string layer(std::string_view data, std::string_view ports, std::string_view output = "<port precision='FP32'/>") {
  return format(
      "<layer name='up' type='ConvolutionBackpropData' version='opset1'><data {}/><input>{}</input><output>{}</output>"
      "</layer>",
      data, ports, output);
}

constexpr std::string_view kTwoPorts =
    "<port id='0'><dim>1</dim><dim>1</dim><dim>3</dim></port><port id='1'><dim>1</dim><dim>1</dim><dim>3</dim></port>";
constexpr std::string_view kThreePorts =
    "<port id='0'><dim>1</dim><dim>1</dim><dim>3</dim></port><port id='1'><dim>1</dim><dim>1</dim><dim>3</dim></port>"
    "<port id='2'><dim>1</dim></port>";
const std::vector<std::string> kData = {"data=[[[1,2,3]]]", "kernel=[[[1,10,100]]]"};

/// x [?,1,3] -> first (kernel w = [1, 10]) -> second (stride 2, kernel v = [1]) -> Result.
constexpr std::string_view kNet =
    R"(<net name="two" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="?,1,3" element_type="f32"/>
  <output><port id="0"><dim>-1</dim><dim>1</dim><dim>3</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="1,1,2" offset="2" size="8"/>
  <output><port id="0"/></output></layer>
<layer id="2" name="v" type="Const" version="opset1"><data element_type="f32" shape="1,1,1" offset="10" size="4"/>
  <output><port id="0"/></output></layer>
<layer id="3" name="second" type="ConvolutionBackpropData" version="opset1"><data strides="2"/>
  <input><port id="0"/><port id="1"/></input><output><port id="2"><dim>-1</dim><dim>1</dim><dim>7</dim></port></output>
</layer>
<layer id="4" name="first" type="ConvolutionBackpropData" version="opset1"><data strides="1"/>
  <input><port id="0"/><port id="1"/></input><output><port id="2"><dim>-1</dim><dim>1</dim><dim>4</dim></port></output>
</layer>
<layer id="5" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="4" to-port="0"/><edge from-layer="1" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="3" to-port="0"/><edge from-layer="2" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="2" to-layer="5" to-port="0"/></edges></net>)";

/// Two bytes of something else, 1, 10, 1.
const std::string kWeights = from_hex("ffff0000803f000020410000803f");

std::string replaced(std::string_view text, std::string_view part, std::string_view by) {
  std::string result(text);
  REQUIRE(result.find(part) != std::string::npos);
  result.replace(result.find(part), part.size(), by);
  return result;
}

}  // namespace

TEST_CASE("the specification's layers need no tensors to be inferred", "[openvino]") {
  CHECK(inferred(prepared(kSeeds / "seed-1d.xml")) == TensorType{DType::float32, Dims{1, 8, 447}});
  CHECK(inferred(prepared(kSeeds / "seed-2d.xml")) == TensorType{DType::float32, Dims{1, 8, 447, 447}});
  // The 3-D output has 2.86 GB: that is no matter here.
  const EvaluationOptions tight{.readings = {}, .max_bytes = 1};
  CHECK(inferred(prepared(kSeeds / "seed-3d.xml"), tight) == TensorType{DType::float32, Dims{1, 8, 447, 447, 447}});
  const Prepared loaded = prepared(kSeeds / "seed-3d.xml");
  CHECK(loaded.graph.nodes[0].inputs == std::vector<std::string>{"data", "kernel"});
  CHECK(loaded.graph.nodes[0].outputs == std::vector<std::string>{"output"});
  CHECK(to_text(loaded.graph.inputs[1]) == "float32[4,5,2,3,3,3]");
}

TEST_CASE("the specification's 1-D layer, evaluated", "[openvino]") {
  evaluate_seed("seed-1d.xml", {1, 20, 224}, {4, 5, 2, 3}, 1);
}

TEST_CASE("the specification's 2-D layer, evaluated", "[openvino]") {
  evaluate_seed("seed-2d.xml", {1, 20, 224, 224}, {4, 5, 2, 3, 3}, 2);
}

TEST_CASE("a layer's ports take the operator's names and share types", "[openvino]") {
  TemporaryFolder folder;
  Prepared loaded = prepared(folder.write("a.xml", layer("strides='2'", kThreePorts)));
  CHECK(loaded.graph.nodes[0].inputs == std::vector<std::string>{"data", "kernel", "output_shape"});
  CHECK(loaded.graph.inputs[0].dtype == DType::float32);
  CHECK(loaded.graph.inputs[1].dtype == DType::float32);
  // output_shape has a type of its own: int64 for a literal, a file's otherwise.
  CHECK_FALSE(loaded.graph.inputs[2].dtype);
  Prepared with_file = loaded;
  std::vector<std::string> arguments = kData;
  arguments.push_back("output_shape=[6]");
  Environment environment = inputs(loaded, arguments);
  CHECK(environment.find("output_shape")->second.type.dtype() == DType::int64);
  run_graph(loaded.graph, environment, {});
  // operators.md: by hand from the full result 1 10 102 20 203 30 300
  CHECK(floats(environment, "output") == std::vector<float>{1, 10, 102, 20, 203, 30});
  const std::vector<std::int32_t> six = {6};
  write_value(folder / "o.npy", "", Tensor::of(DType::int32, Dims{1}, std::span(six)));
  arguments.back() = "output_shape=" + (folder / "o.npy").string();
  Environment own = inputs(with_file, arguments);
  CHECK(own.find("output_shape")->second.type.dtype() == DType::int32);
  run_graph(with_file.graph, own, {});
  CHECK(floats(own, "output") == floats(environment, "output"));
}

TEST_CASE("types of a layer's ports come from any port of the same type variable", "[openvino]") {
  TemporaryFolder folder;
  const auto types = [&](std::string_view first, std::string_view second, std::string_view output) {
    const std::string ports = format("<port{}/><port{}/>", first, second);
    const Graph graph = prepared(folder.write("a.xml", layer("", ports, format("<port{}/>", output)))).graph;
    return to_text(graph.inputs[0]) + " " + to_text(graph.inputs[1]);
  };
  CHECK(types("", "", " precision='FP16'") == "float16 float16");
  CHECK(types("", " precision='I8'", "") == "int8 int8");
  CHECK(types(" precision='FP64'", "", " precision='FP32'") == "float64 float64");
  CHECK(types("", "", "") == " ");
  // An operator that is not known keeps its ports' numbers; the error names it.
  const Prepared unknown = prepared(folder.write("b.xml", "<layer type='Frobnicate'><input><port/></input></layer>"));
  CHECK(unknown.graph.nodes[0].inputs == std::vector<std::string>{"input_0"});
  CHECK(error_of([&] {
          require_known_operators(unknown.graph);
        }).starts_with("unsupported: operator 'Frobnicate' of domain 'openvino' is not known"));
  // More ports than the operator has: its own error.
  Prepared many = prepared(folder.write("c.xml", layer("", "<port/><port/><port/><port/>")));
  CHECK(many.graph.nodes[0].inputs.back() == "input_3");
}

TEST_CASE("a layer without any precision says how to give it", "[openvino]") {
  TemporaryFolder folder;
  const fs::path file = folder.write(
      "a.xml", replaced(content_of(kSeeds / "seed-1d.xml"), "<port id=\"0\" precision=\"FP32\">", "<port id=\"0\">"));
  CHECK(error_of([&] { inferred(prepared(file)); }) ==
        "usage: input 'data' is declared as [1,20,224], without an element type");
  // One type is enough: the others have the same type variable.
  Prepared loaded = prepared(file);
  Environment environment = inputs(loaded, {"kernel=float16[4,5,2,3]"});
  CHECK(infer(loaded.graph, environment, {}).at(0).types.at(0) == TensorType{DType::float16, Dims{1, 8, 447}});
  // output_shape cannot be float32.
  CHECK(error_of([&] { inferred(prepared(folder.write("b.xml", layer("", kThreePorts)))); }) ==
        "usage: input 'output_shape' is declared as [1], without an element type");
}

TEST_CASE("what a layer declares is checked", "[openvino]") {
  TemporaryFolder folder;
  const auto declared = [&](std::string_view size, const NodeOptions& options = {}) {
    const std::string output = format("<port precision='FP32'><dim>1</dim><dim>1</dim><dim>{}</dim></port>", size);
    return prepared(folder.write("a.xml", layer("strides='2'", kTwoPorts, output)), options);
  };
  CHECK(inferred(declared("7")).shape == Dims{1, 1, 7});
  CHECK(inferred(declared("-1")).shape == Dims{1, 1, 7});
  CHECK(error_of([&] { inferred(declared("8")); }) ==
        "invalid: the output 'output' is declared as float32[1,1,8], but is float32[1,1,7]");
  // The user's own attributes: the file's output size was that of others.
  CHECK(inferred(declared("7", {.attributes = {"strides=3"}, .nodes = {}, .opset = {}})).shape == Dims{1, 1, 9});
  CHECK(error_of([&] {
          Prepared loaded = declared("7");
          inputs(loaded, {"data=[[[1,2,3,4]]]", "kernel=[[[1,10,100]]]"});
        }) == "invalid: input 'data' is float32[1,1,4], but the graph declares float32[1,1,3]");
  CHECK(error_of([&] {
          Prepared loaded = declared("7");
          inputs(loaded, {"data=[[[1,2,3]]]:float64", "kernel=[[[1,10,100]]]"});
        }) == "invalid: input 'data' is float64[1,1,3], but the graph declares float32[1,1,3]");
  const std::string other_type = layer("", kTwoPorts, "<port precision='FP16'/>");
  CHECK(error_of([&] {
          Prepared loaded =
              prepared(folder.write("b.xml", replaced(other_type, "<port id='0'", "<port id='0' precision='FP32'")));
          inferred(loaded);
        }) == "invalid: the output 'output' is declared as float16, but is float32[1,1,5]");
}

TEST_CASE("an attribute that the page does not have is refused, or left out by a reading", "[openvino]") {
  TemporaryFolder folder;
  const fs::path file = folder.write("a.xml", layer("strides='2' colour='red'", kTwoPorts));
  CHECK_THROWS_WITH(inferred(prepared(file)), "'colour' is not an attribute of ConvolutionBackpropData-1");
  EvaluationOptions options;
  options.readings["openvino.unknown_attribute"] = "ignore";
  CHECK(inferred(prepared(file), options) == TensorType{DType::float32, Dims{1, 1, 7}});
  options.readings["openvino.unknown_attribute"] = "ignored";
  CHECK_THROWS_WITH(inferred(prepared(file), options),
                    "'ignored' is not an alternative of the reading 'openvino.unknown_attribute' (refuse, ignore), did "
                    "you mean 'ignore'?");
}

TEST_CASE("opsets of OpenVINO are 1 to 17; of a node by its name it is the newest", "[openvino]") {
  TemporaryFolder folder;
  const fs::path file = folder.write("a.xml", replaced(layer("", kTwoPorts), "opset1", "opset8"));
  const auto opset = [](const fs::path& path, std::optional<std::int64_t> option) {
    const Prepared loaded = prepared(path, {.attributes = {}, .nodes = {}, .opset = option});
    return opset_in_force(loaded.graph.opset_import, loaded.graph.nodes[0]);
  };
  CHECK(opset(file, {}) == 8);
  CHECK(opset(file, 3) == 3);
  CHECK(opset(file, 17) == 17);
  CHECK(error_of([&] { opset(file, 18); }) == "unsupported: opset 18 is newer than this opref knows (17)");
  CHECK(opset("openvino:ConvolutionBackpropData", {}) == 17);
  // A file of a newer opset is read, named and evaluated as the user says.
  const fs::path newer = folder.write("b.xml", replaced(layer("", kTwoPorts), "opset1", "opset18"));
  const Prepared older = prepared(newer, {.attributes = {}, .nodes = {}, .opset = 16});
  CHECK(older.graph.nodes[0].inputs[0] == "data");
  CHECK(inferred(older).shape == Dims{1, 1, 5});
  CHECK(error_of([&] { inferred(prepared(newer)); }).starts_with("unsupported: opset 18 is newer"));
}

TEST_CASE("a net is evaluated with the .bin beside it; one node can be picked", "[openvino]") {
  TemporaryFolder folder;
  folder.write("two.bin", kWeights);
  Prepared loaded = prepared(folder.write("two.xml", kNet));
  Environment environment = inputs(loaded, {"x=[[[1,2,3]],[[4,5,6]]]"});
  run_graph(loaded.graph, environment, {});
  // By hand: [1,2,3] * [1,10] = 1 12 23 30, [4,5,6] * [1,10] = 4 45 56 60; then a zero between any two.
  CHECK(floats(environment, "first") == std::vector<float>{1, 12, 23, 30, 4, 45, 56, 60});
  CHECK(floats(environment, "second") == std::vector<float>{1, 0, 12, 0, 23, 0, 30, 4, 0, 45, 0, 56, 0, 60});

  Prepared unbound = prepared(folder / "two.xml");
  CHECK(error_of([&] { inputs(unbound); }) == "usage: input 'x' is declared as float32[?,1,3]");

  Prepared one = prepared(folder / "two.xml", {.attributes = {}, .nodes = {"second"}, .opset = {}});
  Environment own = inputs(one, {"data=[[[1,2,3,4]]]"});
  run_graph(one.graph, own, {});
  CHECK(floats(own, "second") == std::vector<float>{1, 0, 2, 0, 3, 0, 4});
}

TEST_CASE("a net's declared sizes are checked inside, too", "[openvino]") {
  TemporaryFolder folder;
  folder.write("two.bin", kWeights);
  Prepared loaded = prepared(folder.write("two.xml", replaced(kNet, "<dim>4</dim>", "<dim>5</dim>")));
  Environment environment = inputs(loaded, {"x=[[[1,2,3]]]"});
  CHECK(error_of([&] { run_graph(loaded.graph, environment, {}); }) ==
        "invalid: the output 'first' is declared as [?,1,5], but is float32[1,1,4]");
}

TEST_CASE("a net with an operator that is not known is unsupported, by name", "[openvino]") {
  TemporaryFolder folder;
  const Prepared loaded =
      prepared(folder.write("two.xml", replaced(kNet, "name=\"second\" type=\"ConvolutionBackpropData\"",
                                                "name=\"second\" type=\"Nonsense\"")));
  CHECK(error_of([&] { require_known_operators(loaded.graph); }) ==
        "unsupported: operator 'Nonsense' of domain 'openvino' is not known");
}

TEST_CASE("XML is known by its content", "[openvino]") {
  TemporaryFolder folder;
  CHECK(prepared(folder.write("layer", layer("", kTwoPorts))).read->format == CaseFormat::openvino_layer);
  CHECK(prepared(folder.write("net.txt", kNet)).read->format == CaseFormat::openvino_ir);
  CHECK(prepared(folder.write("a",
                              "<ir_version: 7, opset_import: [\"\" : 11]> g (float[1,1,2] X, int64[1,1,2] I) => "
                              "(float[1,1,4] Y) { Y = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I) }"))
            .read->format == CaseFormat::onnx_text);
  // In a .xml, anything else is malformed.
  CHECK(error_of([&] { prepared(folder.write("b.xml", "{}")); }) ==
        "malformed: line 1, column 1: text outside the root element");
}

TEST_CASE("a folder of layer.xml and tensors is a case", "[openvino]") {
  TemporaryFolder folder;
  const auto write_case = [&](const std::string& name, const std::vector<float>& output) {
    const fs::path place = folder / name;
    fs::create_directories(place);
    std::ofstream(place / "layer.xml") << layer("strides='2' auto_pad='same_upper'", kThreePorts);
    write_value(place / "data.npy", "", float32(Dims{1, 1, 3}, std::vector<float>{1, 2, 3}));
    write_value(place / "kernel.npy", "", float32(Dims{1, 1, 3}, std::vector<float>{1, 10, 100}));
    const std::vector<std::int64_t> size = {4};
    write_value(place / "output_shape.npy", "", Tensor::of(DType::int64, Dims{1}, std::span(size)));
    write_value(place / "output.npy", "", float32(Dims{1, 1, 4}, output));
    return place;
  };
  // operators.md: [4] with same_upper
  write_case("deep/right", {102, 20, 203, 30});
  write_case("wrong", {102, 20, 203, 31});
  const fs::path bad = write_case("bad", {0, 0, 0, 0});
  fs::remove(bad / "output.npy");
  std::ofstream(bad / "layer.xml") << layer("strides='0'", kThreePorts);
  const std::string path = folder.path().string();
  const std::vector<FoundCase> found = discover(std::span(&path, 1));
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "bad");
  CHECK(found[1].name == "deep/right");
  const auto verdict = [](const fs::path& place) { return judge({"", place}, {}).verdict; };
  CHECK(verdict(found[1].path) == Verdict::pass);
  CHECK(verdict(found[2].path) == Verdict::fail);
  CHECK(verdict(bad) == Verdict::error);  // nothing is expected of it
  const std::string message = judge({"", bad}, {}).reason;
  CHECK(message.starts_with("attribute 'strides' is [0]"));
  std::ofstream(bad / "expect_error.json") << R"({"fault": "invalid", "message": ")" << message << "\"}";
  CHECK(verdict(bad) == Verdict::pass);
  // The folder itself as the path.
  const std::string itself = found[1].path + "/";
  CHECK(discover(std::span(&itself, 1)).at(0).name == "right");
  CHECK(error_of([&] { read_case((folder / "deep").string()); }).ends_with("deep is no case, but holds 1 case"));
}
