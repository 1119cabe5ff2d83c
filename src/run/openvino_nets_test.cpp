// SPDX-License-Identifier: Apache-2.0
// OpenVINO's nets: bodies inside layers, variables, other names, parts of a net as files of their own.
#include <array>
#include <catch2/catch.hpp>

#include "check/discover.h"
#include "check/judge.h"
#include "io/folder_testing.h"
#include "io/onnx/testing.h"
#include "run/bind.h"
#include "run/copy_case.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/node_case.h"
#include "run/part_of_graph.h"
#include "run/version.h"
#include "run/write_case.h"

namespace openvino_nets_test {

using namespace opref::run;

namespace {

namespace fs = std::filesystem;

/// "<layer …>" with what stands inside it.
std::string layer(int id, std::string_view name, std::string_view type, std::string_view inside, int opset = 1) {
  return format(R"(<layer id="{}" name="{}" type="{}" version="opset{}">{}</layer>)", id, name, type, opset, inside);
}

std::string ports(std::initializer_list<int> inputs, std::initializer_list<int> outputs, std::string_view names = "") {
  std::string text = "<input>";
  for (const int id : inputs) text += format(R"(<port id="{}"/>)", id);
  text += "</input><output>";
  for (const int id : outputs) text += format(R"(<port id="{}" names="{}"/>)", id, names);
  return text + "</output>";
}

std::string parameter(int id, std::string_view name, std::string_view shape, std::string_view type = "f32") {
  return layer(
      id, name, "Parameter",
      format(R"(<data shape="{}" element_type="{}"/>)", shape, type) + ports({}, {0}, format("{}_port", name)));
}

std::string constant(int id, std::string_view name, std::string_view type, std::string_view shape, int offset,
                     int size) {
  return layer(id, name, "Const",
               format(R"(<data element_type="{}" shape="{}" offset="{}" size="{}"/>)", type, shape, offset, size) +
                   ports({}, {0}));
}

std::string result(int id) { return layer(id, format("result{}", id), "Result", R"(<input><port id="0"/></input>)"); }

/// FROM, its port, TO, its port; of each edge.
std::string edges(std::initializer_list<std::array<int, 4>> list) {
  std::string text = "<edges>";
  for (const auto& [from, from_port, to, to_port] : list)
    text +=
        format(R"(<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>)", from, from_port, to, to_port);
  return text + "</edges>";
}

std::string net(const std::string& layers, const std::string& connections) {
  return R"(<net name="n" version="11"><layers>)" + layers + "</layers>" + connections +
         "<rt_info><a b='1'/></rt_info></net>";
}

/// 2.5 and 10 in float32, "ab", "" and "c", and true.
const std::string kBin =
    from_hex("0000204000002041") + from_hex("03000000000000000200000002000000030000006162") + "c\x01";

/// c [], x [2] and y [2] into an If: then x + y, else 2.5 · y; then ReLU.
std::string if_net() {
  const std::string then = "<layers>" + parameter(0, "a", "2") + parameter(1, "x", "2") +
                           layer(2, "sum", "Add", ports({0, 1}, {2})) + result(3) + "</layers>" +
                           edges({{0, 0, 2, 0}, {1, 0, 2, 1}, {2, 2, 3, 0}});
  const std::string otherwise = "<layers>" + parameter(5, "a", "2") + constant(6, "w", "f32", "1", 0, 4) +
                                layer(7, "product", "Multiply", ports({0, 1}, {2})) + result(8) + "</layers>" +
                                edges({{5, 0, 7, 0}, {6, 0, 7, 1}, {7, 2, 8, 0}});
  const std::string maps = R"(<then_port_map><input external_port_id="2" internal_layer_id="0"/>
<input external_port_id="1" internal_layer_id="1"/><output external_port_id="3" internal_layer_id="3"/></then_port_map>
<else_port_map><input external_port_id="2" internal_layer_id="5"/>
<output external_port_id="3" internal_layer_id="8"/></else_port_map>)";
  return net(parameter(0, "c", "", "boolean") + parameter(1, "x", "2") + parameter(2, "y", "2") +
                 layer(3, "a", "If",
                       maps + ports({0, 1, 2}, {3}, "branch,out\\,put") + "<then_body>" + then +
                           "</then_body><else_body>" + otherwise + "</else_body>",
                       8) +
                 layer(4, "relu", "ReLU", ports({0}, {1})) + result(5),
             edges({{0, 0, 3, 0}, {1, 0, 3, 1}, {2, 0, 3, 2}, {3, 3, 4, 0}, {4, 1, 5, 0}}));
}

/// A variable v that begins with 2.5: s = v + x is a result, and assigned.
std::string state_net() {
  return net(parameter(0, "x", "1") + constant(1, "first", "f32", "1", 0, 4) + constant(2, "unread", "f32", "1", 4, 4) +
                 layer(3, "read", "ReadValue",
                       R"(<data variable_id="v" variable_type="f32" variable_shape="?"/>)" + ports({0}, {1}), 6) +
                 layer(4, "s", "Add", ports({0, 1}, {2})) + result(5) +
                 layer(6, "write", "Assign", R"(<data variable_id="v"/>)" + ports({0}, {1}), 6) +
                 layer(7, "other", "Negative", ports({0}, {1})) + result(8),
             edges({{1, 0, 3, 0}, {3, 1, 4, 0}, {0, 0, 4, 1}, {4, 2, 5, 0}, {4, 2, 6, 0}, {2, 0, 7, 0}, {7, 1, 8, 0}}));
}

std::string with(std::string text, std::string_view part, std::string_view by) {
  REQUIRE(text.find(part) != std::string::npos);
  return text.replace(text.find(part), part.size(), by);
}

/// x [3,2], a row in each iteration, into a Loop or TensorIterator whose body adds it to a variable v, which begins
/// with 2.5 in both columns, and is assigned the sum: the sums, put together as `output` says.
std::string loop_of_a_variable(std::string_view type, std::string_view output = R"( axis="0")") {
  const bool is_loop = type == "Loop";
  const std::string body =
      "<body><layers>" + parameter(0, "row", "1,2") + constant(1, "first", "f32", "1,1", 0, 4) +
      layer(2, "read", "ReadValue",
            R"(<data variable_id="v" variable_type="f32" variable_shape="?,?"/>)" + ports({0}, {1}), 6) +
      layer(3, "sum", "Add", ports({0, 1}, {2})) + result(4) +
      layer(5, "write", "Assign", R"(<data variable_id="v"/>)" + ports({0}, {1}), 6) +
      (is_loop ? constant(6, "go", "boolean", "1", 31, 1) + result(7) : "") + "</layers>" +
      edges({{1, 0, 2, 0}, {2, 1, 3, 0}, {0, 0, 3, 1}, {3, 2, 4, 0}, {3, 2, 5, 0}});
  const std::string goes_on = R"(<edge from-layer="6" from-port="0" to-layer="7" to-port="0"/></edges>)";
  const std::string maps = format(
      R"(<port_map><input external_port_id="0" internal_layer_id="0" axis="0"/><output external_port_id="3" internal_layer_id="4"{}/>{}</port_map>)",
      output, is_loop ? R"(<output external_port_id="-1" internal_layer_id="7" purpose="execution_condition"/>)" : "");
  const std::string loop = layer(4, "again", type,
                                 maps + (is_loop ? ports({1, 2, 0}, {3}) : ports({0}, {3})) +
                                     (is_loop ? with(body, "</edges>", goes_on) : body) + "</body>",
                                 is_loop ? 5 : 1);
  const std::string inputs = parameter(0, "x", "3,2") +
                             (is_loop ? parameter(1, "count", "", "i64") + parameter(2, "begin", "", "boolean") : "");
  return net(inputs + loop + result(5), is_loop ? edges({{1, 0, 4, 1}, {2, 0, 4, 2}, {0, 0, 4, 0}, {4, 3, 5, 0}})
                                                : edges({{0, 0, 4, 0}, {4, 3, 5, 0}}));
}

struct Files : TemporaryFolder {
  fs::path write_net(const std::string& text) {
    write("model.bin", kBin);
    return write("model.xml", text);
  }
};

Environment evaluated(const fs::path& file, const std::vector<std::string>& arguments) {
  Bound bound = bind_case(read_case(file.string()), arguments);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  run_graph(bound.graph, environment, {});
  return environment;
}

std::vector<float> floats(const Environment& environment, const std::string& name) {
  const auto values = environment.at(name).tensor().values<float>();
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("an If of a net takes one of its bodies, whose names hide none around them", "[openvino]") {
  Files files;
  const fs::path file = files.write_net(if_net());
  const auto out = [&](std::string_view condition) {
    return floats(evaluated(file, {format("c={}:bool", condition), "x=[1,-2]:float32", "y=[10,20]:float32"}), "relu");
  };
  CHECK(out("true") == std::vector<float>{11, 18});
  CHECK(out("false") == std::vector<float>{25, 50});
  const Graph graph = read_case(file.string()).graph;
  CHECK(subgraph(graph.nodes[0].attributes[1])->nodes[0].outputs[0] == "a:then_body:sum");
  const auto error_with = [&](std::string_view part, std::string_view by) {
    return error_of([&] { read_case(files.write_net(with(if_net(), part, by)).string()); });
  };
  CHECK(error_with("external_port_id=\"1\"", "external_port_id=\"7\"")
            .ends_with("external_port_id is 7, but the layer has no such input port"));
  constexpr std::string_view kInput = R"(<input external_port_id="1" internal_layer_id="1"/>)";
  CHECK(error_with(kInput, "")
            .ends_with("no <input> of <then_port_map> names the Parameter 'a:then_body:x' of <then_body>"));
  CHECK(error_with("internal_layer_id=\"1\"", "internal_layer_id=\"0\"")
            .ends_with("a second <input> for the Parameter 'a:then_body:a'"));
  constexpr std::string_view kOutput = R"(<output external_port_id="3" internal_layer_id="3"/>)";
  CHECK(error_with(kOutput, format("{}{}", kOutput, kOutput))
            .ends_with("a second <output> for the output number 0 of the layer"));
  CHECK(error_with("internal_layer_id=\"8\"", "internal_layer_id=\"7\"")
            .ends_with("internal_layer_id is 7, but <else_body> has no Result with this id"));
  CHECK(
      error_with(format("<then_port_map><input external_port_id=\"2\" internal_layer_id=\"0\"/>\n{}{}</then_port_map>",
                        kInput, kOutput),
                 "")
          .ends_with("<layer> has no <then_port_map>"));
}

TEST_CASE("a tensor is found by its layer and by the names of its port", "[openvino]") {
  Files files;
  const Bound bound = bind_case(read_case(files.write_net(if_net()).string()));
  for (const char* name : {"a", "branch", "out,put"}) CHECK(known_tensor(bound, name, Names::outputs) == "a");
  CHECK(known_tensor(bound, "x_port", Names::inputs) == "x");
  CHECK_FALSE(known_tensor(bound, "put", Names::outputs));
  CHECK(place_of_node(bound.graph, "branch") == 0);
}

TEST_CASE("each layer has the version that it states", "[openvino]") {
  Files files;
  const std::string text = net(parameter(0, "x", "2,2") + layer(1, "old", "SoftMax", ports({0}, {1})) +
                                   layer(2, "new", "SoftMax", ports({0}, {1}), 8) + result(3),
                               edges({{0, 0, 1, 0}, {1, 1, 2, 0}, {2, 1, 3, 0}}));
  Graph graph = read_case(files.write_net(text).string()).graph;
  const auto version = [&](size_t place) {
    return find_version(graph.opset_import, graph.nodes[place])->schema.since_version();
  };
  CHECK(version(0) == 1);
  CHECK(version(1) == 8);
  override_opset(graph, 5);  // as the user says
  CHECK(version(1) == 1);
}

TEST_CASE("a variable has its first value, or the one that is given; what is assigned is an output", "[openvino]") {
  Files files;
  const fs::path file = files.write_net(state_net());
  CHECK(floats(evaluated(file, {"x=[1]:float32"}), "v") == std::vector<float>{3.5F});
  CHECK(floats(evaluated(file, {"x=[1]:float32", "v=[7]:float32"}), "s") == std::vector<float>{8});
  const std::string twice =
      with(state_net(), "</layers>",
           layer(9, "again", "Assign", R"(<data variable_id="v"/>)" + ports({0}, {1}), 6) + "</layers>");
  CHECK(error_of([&] { read_case(files.write_net(twice).string()); }).ends_with("two Assigns write the variable 'v'"));
}

TEST_CASE("a variable of a loop's body has in each iteration what was assigned in the one before", "[openvino]") {
  Files files;
  const std::vector<std::string> x = {"x=[[0,1],[2,3],[4,5]]:float32"};
  const auto sums = [&](const fs::path& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(), x.begin(), x.end());
    return floats(evaluated(file, more), "again");
  };
  const std::vector<float> expected = {2.5, 3.5, 4.5, 6.5, 8.5, 11.5};
  CHECK(sums(files.write_net(loop_of_a_variable("TensorIterator"))) == expected);
  const fs::path loop = files.write_net(loop_of_a_variable("Loop"));
  CHECK(sums(loop, {"count=3:int64", "begin=true:bool"}) == expected);
  CHECK(sums(loop, {"count=1:int64", "begin=true:bool", "v=[[-1,1]]:float32"}) == std::vector<float>{-1, 2});
  const fs::path declared = files.write_net(with(
      loop_of_a_variable("Loop"), R"(<port id="2" names=""/></output></layer><layer id="4" name="result4")",
      R"(<port id="2" precision="FP32"><dim>1</dim><dim>2</dim></port></output></layer><layer id="4" name="result4")"));
  CHECK(sums(declared, {"count=0:int64", "begin=true:bool"}).empty());
  // Alone the layer has the first value too, for which it has no port.
  const std::string net_text = loop_of_a_variable("TensorIterator");
  const size_t begin = net_text.find("<layer id=\"4\" name=\"again\""), end = net_text.find("</body></layer>") + 15;
  const fs::path alone = files.write("layer.xml", net_text.substr(begin, end - begin));
  files.write("layer.bin", kBin);
  const std::vector<std::string> values = {"values_0=[[0,1],[2,3],[4,5]]:float32"};
  CHECK(floats(evaluated(alone, values), "out_0") == expected);
  TemporaryFolder out;
  CHECK(error_of([&] { write_case(bind_case(read_case(alone.string()), values), {}, out.path()); }) ==
        "unsupported: 'again:body:read:first' cannot be written as an input of a layer, which has no port for it");
  const std::string computed = with(loop_of_a_variable("TensorIterator"), R"(from-layer="1")", R"(from-layer="0")");
  CHECK(error_of([&] { read_case(files.write_net(computed).string()); })
            .ends_with("the first value of a variable that a loop carries must be a Const of the body, but "
                       "'again:body:row' is not"));
  const std::string of_two_nets =
      with(loop_of_a_variable("TensorIterator"), "</body></layer>",
           "</body></layer>" +
               layer(9, "other", "ReadValue",
                     R"(<data variable_id="v" variable_type="f32" variable_shape="1"/>)" + ports({}, {0}), 6));
  CHECK(error_of([&] {
          read_case(files.write_net(of_two_nets).string());
        }).ends_with("the variable 'v' is in two nets: which of them is first to read or write it is not known"));
}

TEST_CASE("a variable inside two loops is refused, one in the body of an If has its first value", "[openvino]") {
  Files files;
  const std::string inner =
      "<layers>" + constant(0, "first", "f32", "1", 0, 4) +
      layer(1, "read", "ReadValue",
            R"(<data variable_id="v" variable_type="f32" variable_shape="1"/>)" + ports({0}, {1}), 6) +
      result(2) + "</layers>" + edges({{0, 0, 1, 0}, {1, 1, 2, 0}});
  const auto branches = [&](std::string_view output) {
    return format(
        R"(<then_port_map><output external_port_id="1" internal_layer_id="2"/></then_port_map><else_port_map><output external_port_id="1" internal_layer_id="2"/></else_port_map>{}<then_body>{}</then_body><else_body>{}</else_body>)",
        output, inner, inner);
  };
  const fs::path file = files.write_net(
      net(parameter(0, "c", "", "boolean") + layer(1, "if", "If", branches(ports({0}, {1})), 8) + result(2),
          edges({{0, 0, 1, 0}, {1, 1, 2, 0}})));
  CHECK(floats(evaluated(file, {"c=true:bool"}), "if") == std::vector<float>{2.5F});
  const std::string body = "<layers>" + parameter(0, "c", "1", "boolean") +
                           layer(1, "if", "If", branches(ports({0}, {1})), 8) + result(2) + "</layers>" +
                           edges({{0, 0, 1, 0}, {1, 1, 2, 0}});
  const std::string loop = net(
      parameter(0, "c", "2", "boolean") +
          layer(
              1, "again", "TensorIterator",
              R"(<port_map><input external_port_id="0" internal_layer_id="0" axis="0"/><output external_port_id="1" internal_layer_id="2"/></port_map>)" +
                  ports({0}, {1}) + "<body>" + body + "</body>") +
          result(2),
      edges({{0, 0, 1, 0}, {1, 1, 2, 0}}));
  CHECK(error_of([&] {
          read_case(files.write_net(loop).string());
        }).ends_with("the variable 'v' is in a body inside the body of a loop, which would have to carry it"));
}

TEST_CASE("an output of a loop's port map is put together whole, of parts of the size that it states", "[openvino]") {
  Files files;
  const auto gives = [&](std::string_view output) {
    const fs::path file = files.write_net(loop_of_a_variable("TensorIterator", output));
    return floats(evaluated(file, {"x=[[0,1],[2,3],[4,5]]:float32"}), "again");
  };
  CHECK(gives(R"( axis="0" start="0" end="-1" stride="1" part_size="1")").front() == 2.5F);
  CHECK(gives(R"( axis="0" start="-1" end="0" stride="-1")") == std::vector<float>{8.5, 11.5, 4.5, 6.5, 2.5, 3.5});
  CHECK(gives(R"( axis="1" stride="2" part_size="2")") == std::vector<float>{2.5, 3.5, 4.5, 6.5, 8.5, 11.5});
  CHECK_THROWS_WITH(gives(R"( axis="1")"),
                    Catch::EndsWith("output 0 of body has shape [1,2], but output_part_size is 1 along axis 1"));
  CHECK_THROWS_WITH(
      gives(R"( axis="0" start="1")"),
      Catch::EndsWith("output_start is 1, and output_stride 1: what the elements beyond have, the page leaves open"));
  CHECK_THROWS_WITH(
      gives(R"( axis="0" end="0")"),
      Catch::EndsWith("output_end is 0, and output_stride 1: what the elements beyond have, the page leaves open"));
  CHECK_THROWS_WITH(gives(R"( axis="0" stride="2")"), Catch::Contains("output_stride is 2, and output_part_size 1"));
}

TEST_CASE("a Const of strings has their number, where each begins, and their bytes", "[openvino]") {
  Files files;
  const auto strings = [&](int size) {
    const std::string text =
        net(constant(0, "k", "string", "3", 8, size) + layer(1, "same", "Identity", ports({0}, {1}), 16) + result(2),
            edges({{0, 0, 1, 0}, {1, 1, 2, 0}}));
    const Environment environment = evaluated(files.write_net(text), {});
    const auto values = environment.at("same").tensor().strings();
    return std::vector<std::string>(values.begin(), values.end());
  };
  CHECK(strings(23) == std::vector<std::string>{"ab", "", "c"});
  CHECK(error_of([&] { strings(22); }).find("the Const 'k' has no 3 strings") != std::string::npos);
}

TEST_CASE("a part of a net is a file with a Result at each tensor that is asked for", "[openvino]") {
  Files files;
  TemporaryFolder out;
  Bound bound = bind_case(read_case(files.write_net(state_net()).string()), std::vector<std::string>{"x=[1]:float32"});
  bound.graph.outputs.clear();
  for (const char* name : {"read", "v", "s"}) bound.graph.outputs.push_back({name, "", {}, {}});
  const CaseFiles written = write_case(bound, {}, out.path());
  CHECK(written.model == out / "model.xml");
  CHECK(content_of(out / "model.bin").size() == 64);  // the one Const that is needed
  const Bound again = bind_case(read_case(out.path().string()));
  CHECK(again.graph.nodes.size() == 3);
  // An Assign passes on what it takes; it stays, since OpenVINO gives a variable no value that nothing assigns.
  CHECK(again.graph.outputs.size() == 3);
  CHECK(again.graph.outputs[1].name == "s");
  std::vector<std::string> warnings;
  Environment values = load_inputs(again, {}, warnings);
  run_graph(again.graph, values, {});
  CHECK(floats(values, "v") == std::vector<float>{3.5F});
}

TEST_CASE("a layer of a net of which one output is given keeps no name of it", "[openvino]") {
  Files files;
  TemporaryFolder out;
  const std::string text = net(parameter(0, "x", "4") + parameter(1, "axis", "", "i64") +
                                   layer(2, "sp", "Split", R"(<data num_splits="2"/>)" + ports({0, 1}, {2, 3})) +
                                   layer(3, "y", "Add", ports({0, 1}, {2})) + result(4),
                               edges({{0, 0, 2, 0}, {1, 0, 2, 1}, {2, 2, 3, 0}, {2, 3, 3, 1}, {3, 2, 4, 0}}));
  const Bound bound =
      bind_case(read_case(files.write_net(text).string()),
                std::vector<std::string>{"x=[1,2,3,4]:float32", "axis=0:int64", "sp:0=[10,20]:float32"});
  write_case(bound, {}, out.path());
  CHECK(floats(evaluated(out.path(), {}), "y") == std::vector<float>{13, 24});
}

TEST_CASE("a layer of a net is a case of its own, with the Consts that it reads", "[openvino]") {
  Files files;
  TemporaryFolder out;
  const Bound bound = bind_case(read_case(files.write_net(if_net()).string()),
                                std::vector<std::string>{"c=false:bool", "x=[1,-2]:float32", "y=[10,20]:float32"});
  const size_t place = place_of_node(bound.graph, "a");
  const Bound alone = NodeCases(bound).at(place, values_before(bound, place));
  std::vector<std::string> warnings;
  Environment values = load_inputs(alone, {}, warnings);
  run_graph(alone.graph, values, {});
  write_node_case(alone, values, out / "case");
  CHECK(floats(evaluated(out / "case", {}), "a") == std::vector<float>{25, 50});
  // It is found and judged, and handed on without what it expects.
  const std::string path = out.path().string();
  REQUIRE(opref::check::discover(std::span(&path, 1)).size() == 1);
  CHECK(opref::check::judge({"", out / "case"}, {}).verdict == opref::check::Verdict::pass);
  fs::create_directory(out / "handed");
  const Case read = read_case((out / "case").string());
  const auto copied = copy_case(read, out / "case", out / "handed");
  REQUIRE(copied);
  CHECK(copied->model == out / "handed/model.xml");
  for (const char* file : {"model.xml", "model.bin", "c.npy", "x.npy", "y.npy"})
    CHECK(fs::exists(out / "handed" / file));
  CHECK_FALSE(fs::exists(out / "handed/a.npy"));
}

TEST_CASE("bodies inside bodies have a deepest one", "[openvino]") {
  Files files;
  std::string text = "<layers>" + constant(0, "k", "f32", "1", 0, 4) + result(1) + "</layers>" + edges({{0, 0, 1, 0}});
  for (int level = 0; level < 60; ++level)
    text = "<layers>" + parameter(0, "c", "", "boolean") +
           layer(1, "if", "If", ports({0}, {1}) + "<then_body>" + text + "</then_body>", 8) + result(2) + "</layers>" +
           edges({{0, 0, 1, 0}, {1, 1, 2, 0}});
  CHECK(error_of([&] {
          read_case(files.write_net(R"(<net name="n" version="11">)" + text + "</net>").string());
        }).ends_with("subgraphs are nested more than 50 deep"));
}

}  // namespace openvino_nets_test
