// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/openvino.h"

#include <catch2/catch.hpp>

#include "io/folder_testing.h"
#include "io/onnx/testing.h"

namespace openvino_test {

using namespace opref::io;

namespace {

namespace fs = std::filesystem;

/// As the specification prints it (GroupConvolutionBackpropData-1, 1D).
constexpr std::string_view kLayer =
    R"(<layer id="5" name="upsampling_node" type="GroupConvolutionBackpropData">
    <data dilations="1" pads_begin="1" pads_end="1" strides="2"/>
    <input>
        <port id="0">
            <dim>1</dim>
            <dim>20</dim>
            <dim>224</dim>
        </port>
        <port id="1">
            <dim>4</dim>
            <dim>5</dim>
            <dim>2</dim>
            <dim>3</dim>
        </port>
    </input>
    <output>
        <port id="0" precision="FP32">
            <dim>1</dim>
            <dim>8</dim>
            <dim>447</dim>
        </port>
    </output>
</layer>
)";

Case read(std::string_view text, const fs::path& weights = "") {
  return read_openvino(file_of(std::string(text)), weights);
}

std::string error_of_text(std::string_view text) {
  return error_of([&] { read(text); });
}

std::string replaced(std::string_view text, std::string_view part, std::string_view by) {
  std::string result(text);
  REQUIRE(result.find(part) != std::string::npos);
  result.replace(result.find(part), part.size(), by);
  return result;
}

/// The error of `text` with the first `part` replaced.
std::string error_with(std::string_view text, std::string_view part, std::string_view by) {
  return error_of_text(replaced(text, part, by));
}

std::vector<std::string> texts(const std::vector<ValueInfo>& infos) {
  std::vector<std::string> texts;
  for (const ValueInfo& info : infos) texts.push_back(info.name + " " + to_text(info));
  return texts;
}

std::string attribute_text(const Node& node, std::string_view name) {
  for (const Attribute& attribute : node.attributes)
    if (attribute.name == name) {
      const auto& untyped = std::get<Untyped>(attribute.value);
      return untyped.items.size() == 1 && untyped.items[0].quoted && !untyped.is_list ? untyped.items[0].text : "typed";
    }
  return "absent";
}

/// Two transposed convolutions, the second one first in the file: x -> first -> second -> Result, each with a Const.
/// The form of OpenVINO's serializer, IR version 11.
constexpr std::string_view kNet =
    R"(<?xml version="1.0"?>
<net name="two" version="11">
  <layers>
    <layer id="9" name="second" type="ConvolutionBackpropData" version="opset1">
      <data strides="2" dilations="1" pads_begin="0" pads_end="0" auto_pad="explicit" output_padding="0"/>
      <input>
        <port id="0" precision="FP32"><dim>-1</dim><dim>1</dim><dim>4</dim></port>
        <port id="1" precision="FP32"><dim>1</dim><dim>1</dim><dim>1</dim></port>
      </input>
      <output><port id="2" precision="FP32"><dim>-1</dim><dim>1</dim><dim>7</dim></port></output>
    </layer>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="?,1,3" element_type="f32"/>
      <output><port id="0" precision="FP32" names="x,x:0"><dim>-1</dim><dim>1</dim><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="w" type="Const" version="opset1">
      <data element_type="f32" shape="1, 1, 2" offset="2" size="8"/>
      <output><port id="0" precision="FP32"><dim>1</dim><dim>1</dim><dim>2</dim></port></output>
    </layer>
    <layer id="2" name="v" type="Const" version="opset1">
      <data element_type="f32" shape="1,1,1" offset="10" size="4"/>
      <output><port id="0" precision="FP32"><dim>1</dim><dim>1</dim><dim>1</dim></port></output>
    </layer>
    <layer id="3" name="first" type="ConvolutionBackpropData" version="opset1">
      <data strides="1" auto_pad="valid"/>
      <input>
        <port id="0" precision="FP32"><dim>-1</dim><dim>1</dim><dim>3</dim></port>
        <port id="1" precision="FP32"><dim>1</dim><dim>1</dim><dim>2</dim></port>
      </input>
      <output><port id="2" precision="FP32"><dim>-1</dim><dim>1</dim><dim>4</dim></port></output>
    </layer>
    <layer id="4" name="y" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>-1</dim><dim>1</dim><dim>7</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
    <edge from-layer="2" from-port="0" to-layer="9" to-port="1"/>
    <edge from-layer="3" from-port="2" to-layer="9" to-port="0"/>
    <edge from-layer="9" from-port="2" to-layer="4" to-port="0"/>
  </edges>
  <rt_info/>
</net>
)";

/// Of kNet: two bytes of something else, w = [1, 10], v = [1].
const std::string kWeights = from_hex("ffff0000803f000020410000803f");

}  // namespace

TEST_CASE("XML is told from ONNX text", "[openvino]") {
  for (const char* text : {"<?xml version=\"1.0\"?><net/>", "<!-- a layer --><layer/>", "\n <layer type=\"A\"/>",
                           "<layer>", "<net\nname=\"a\">", "\xef\xbb\xbf<net>"})
    CHECK(is_xml(text));
  for (const char* text : {"<ir_version: 8> g", "<layers: 1>", "<network>", "Y = A (X)", "<", "", "<net"})
    CHECK_FALSE(is_xml(text));
}

TEST_CASE("a layer: attributes as text, ports in order, their types", "[openvino]") {
  const Case loaded = read(kLayer);
  CHECK(loaded.format == CaseFormat::openvino_layer);
  REQUIRE(loaded.graph.nodes.size() == 1);
  const Node& node = loaded.graph.nodes[0];
  CHECK(node.domain == "openvino");
  CHECK(node.op_type == "GroupConvolutionBackpropData");
  CHECK(node.name == "upsampling_node");
  CHECK(node.attributes.size() == 4);
  CHECK(attribute_text(node, "strides") == "2");
  CHECK(attribute_text(read(replaced(kLayer, "strides=\"2\"", "strides=\"2, 3\"")).graph.nodes[0], "strides") ==
        "2, 3");
  CHECK(node.inputs == std::vector<std::string>{"input_0", "input_1"});
  CHECK(node.outputs == std::vector<std::string>{"output_0"});
  CHECK(texts(loaded.graph.inputs) == std::vector<std::string>{"input_0 [1,20,224]", "input_1 [4,5,2,3]"});
  CHECK(texts(loaded.graph.outputs) == std::vector<std::string>{"output_0 float32[1,8,447]"});
  CHECK(loaded.graph.opset_import.at("openvino") == 1);
  CHECK(loaded.inputs.empty());
}

TEST_CASE("a layer's version is an opset", "[openvino]") {
  const auto opset = [](std::string_view version) {
    return read(replaced(kLayer, "name=", format("version=\"{}\" name=", version))).graph.opset_import.at("openvino");
  };
  CHECK(opset("opset1") == 1);
  CHECK(opset("opset16") == 16);
  CHECK(error_with(kLayer, "name=", "version=\"extension\" name=") ==
        "unsupported: line 1, column 2: version 'extension': the layer is of no opset");
  for (const char* garbage :
       {"1", "opset", "opset0", "opset-1", "opset 1", "opset1x", "opset99999999999999999999", "Opset1"})
    CHECK(error_with(kLayer, "name=", format("version=\"{}\" name=", garbage)) ==
          format("malformed: line 1, column 2: version is '{}', but must be opset1, opset2, … or extension", garbage));
}

TEST_CASE("ports: precisions, sizes that are not known, no sizes", "[openvino]") {
  const auto input = [](std::string_view port) {
    return to_text(read(format("<layer type='A'><input>{}</input></layer>", port)).graph.inputs.at(0));
  };
  CHECK(input("<port precision='FP16'><dim>1</dim></port>") == "float16[1]");
  CHECK(input("<port precision='BF16'><dim> 12\n</dim></port>") == "bfloat16[12]");
  CHECK(input("<port precision='I64'/>") == "int64");
  CHECK(input("<port precision='BOOL'><dim>0</dim></port>") == "bool[0]");
  CHECK(input("<port precision='UNSPECIFIED'><dim>-1</dim><dim>?</dim><dim>1..8</dim></port>") == "[?,?,1..8]");
  CHECK(error_with(kLayer, "FP32", "FP23") ==
        "unsupported: line 17, column 10: precision 'FP23' is not known, did you mean 'FP32'?");
  for (const char* size : {"", " ", "x", "-2", "1.5", "1 2", "9223372036854775808", "<b/>"})
    CHECK(error_of_text(format("<layer type='A'><input><port><dim>{}</dim></port></input></layer>", size))
              .starts_with("malformed: line 1, column 31: <dim> is '"));
  // Neither a comment nor CDATA cuts a number in two.
  CHECK(input("<port><dim>2<!-- -->2<![CDATA[4]]></dim></port>") == "[224]");
}

TEST_CASE("malformed XML, with line and column", "[openvino]") {
  // The quote after pads_begin="1 is missing: the next one, which opens pads_end, ends the value.
  CHECK(error_with(kLayer, "pads_begin=\"1\"", "pads_begin=\"1") ==
        "malformed: line 2, column 49: this is no XML: error parsing start element tag");
  CHECK(error_with(kLayer, "name=\"", "name=\"a\" name=\"").find("<layer> has the attribute 'name' twice") !=
        std::string::npos);
  CHECK(error_with(kLayer, "</layer>", "") == "malformed: line 23, column 1: this is no XML: start-end tags mismatch");
  CHECK(error_with(kLayer, "</input>", "</inputs>").starts_with("malformed: line 15, column "));
  CHECK(error_of_text("") == "malformed: the XML has no element");
  CHECK(error_of_text("<!-- nothing -->") == "malformed: the XML has no element");
  CHECK(error_of_text(std::string("<layer/>\0", 9)) == "malformed: line 1, column 9: a byte 0 in XML");
  CHECK(error_of_text("<layer type='A'/>\n more").starts_with("malformed: line 1, column 18: text outside the root"));
  CHECK(error_of_text("<layer type='A'/>\n<layer type='B'/>") ==
        "malformed: line 2, column 2: a second element at the top, <layer>: each layer is a file of its own");
  CHECK(error_of_text("<model/>") ==
        "malformed: line 1, column 2: the XML is a <model>, not a <layer> or a <net> of OpenVINO");
}

TEST_CASE("every cut of a file and every changed byte is an error or a case, no more", "[openvino]") {
  size_t read_well = 0;
  for (const std::string_view text : {kLayer, kNet}) {
    for (size_t size = 0; size < text.size() - 1; size += 3)
      read_well += error_of_text(text.substr(0, size)) == "no error";
    CHECK(read_well == 0);
    for (size_t i = 0; i < text.size(); i += 5) {
      for (const char byte : {'<', '"', '9', '\xff'}) {
        std::string changed(text);
        changed[i] = byte;
        error_of_text(changed);  // any other exception ends the test
      }
    }
  }
}

TEST_CASE("deep and hostile XML ends", "[openvino]") {
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "<a>";
  CHECK(error_of_text(deep).starts_with("malformed: line 1, column 6"));
  for (int i = 0; i < 200000; ++i) deep += "</a>";
  CHECK(error_of_text(deep) == "malformed: line 1, column 3002: elements are nested more than 1000 deep");
  // Entities are not expanded, files are not included.
  CHECK(error_of_text("<!DOCTYPE a [<!ENTITY x 'xxxxxxxx'><!ENTITY f SYSTEM '/etc/hostname'>]>\n"
                      "<layer type='A' name='&x;&f;'/>") ==
        "malformed: line 2, column 23: the reference '&x;' is not known");
}

TEST_CASE("references that XML knows, and others", "[openvino]") {
  const auto named = [](std::string_view name) { return format("<layer type='A' name='{}'/>", name); };
  CHECK(read(named("&lt;&gt;&amp;&apos;&quot;&#65;&#x42;&#xe4;")).graph.nodes[0].name == "<>&'\"AB\xc3\xa4");
  for (const char* reference : {"&two;", "&LT;", "&;", "&#;", "&#x;", "&#0;", "&#x0;", "&#00;", "&#8;", "&#xd800;",
                                "&#xffff;", "&#1114112;", "&#99999999999;", "&#-1;", "&#x-1;"})
    CHECK(error_of_text(named(reference)) ==
          format("malformed: line 1, column 23: the reference '{}' is not known", reference));
  for (const char* text : {"a & b", "&", "&lt"})
    CHECK(error_of_text(named(text)).find("'&' that begins no reference; it is written &amp;") != std::string::npos);
  // Where nothing is a reference.
  CHECK(read("<?xml version='1.0'?><!-- &a; --><layer type='A'><rt_info><a><![CDATA[&b;]]></a></rt_info></layer>")
            .graph.nodes.size() == 1);
}

TEST_CASE("what is misspelt in a layer", "[openvino]") {
  CHECK(error_with(kLayer, " name=", " nam=") ==
        "malformed: line 1, column 2: <layer> has no attribute 'nam', did you mean 'name'?");
  CHECK(error_with(replaced(kLayer, "<input>", "<inputs>"), "</input>", "</inputs>") ==
        "malformed: line 3, column 6: <layer> has no element <inputs>, did you mean 'input'?");
  CHECK(error_with(kLayer, "precision", "precison") ==
        "malformed: line 17, column 10: <port> has no attribute 'precison', did you mean 'precision'?");
  CHECK(error_with(kLayer, "<data", "text <data") ==
        "malformed: line 1, column 74: text in <layer>, which has elements only");
  CHECK(error_with(kLayer, "<input>", "<data/><input>") == "malformed: line 3, column 6: a second <data> in one layer");
  CHECK(error_with(kLayer, "<output>", "<input/><output>") ==
        "malformed: line 16, column 6: a second <input> in one layer");
  CHECK(error_of_text("<layer/>") == "malformed: line 1, column 2: <layer> has no attribute 'type'");
}

TEST_CASE("a net: inputs, constants, outputs, nodes along the edges", "[openvino]") {
  TemporaryFolder folder;
  const Case loaded = read(kNet, folder.write("two.bin", kWeights));
  CHECK(loaded.format == CaseFormat::openvino_ir);
  const Graph& graph = loaded.graph;
  CHECK(graph.name == "two");
  CHECK(graph.opset_import.at("openvino") == 1);
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[0].name == "first");
  CHECK(graph.nodes[0].inputs == std::vector<std::string>{"x", "w"});
  CHECK(graph.nodes[0].outputs == std::vector<std::string>{"first"});
  CHECK(attribute_text(graph.nodes[0], "auto_pad") == "valid");
  CHECK(graph.nodes[1].name == "second");
  CHECK(graph.nodes[1].inputs == std::vector<std::string>{"first", "v"});
  CHECK(texts(graph.inputs) == std::vector<std::string>{"x float32[?,1,3]"});
  CHECK(texts(graph.outputs) == std::vector<std::string>{"second float32[?,1,7]"});
  CHECK(texts(graph.declared) == std::vector<std::string>{"first float32[?,1,4]", "second float32[?,1,7]"});
  REQUIRE(loaded.inputs.size() == 2);
  CHECK(loaded.inputs[0].name == "w");
  const Value w = loaded.inputs[0].source.loaded()->decode();
  CHECK(w.tensor()->type() == TensorType{DType::float32, Dims{1, 1, 2}});
  CHECK(w.tensor()->values<float>()[0] == 1);
  CHECK(w.tensor()->values<float>()[1] == 10);
}

TEST_CASE("a net: the opset is the newest of its nodes'; several outputs are numbered", "[openvino]") {
  std::string net = replaced(kNet, "name=\"first\" type=\"ConvolutionBackpropData\" version=\"opset1\"",
                             "name=\"first\" type=\"A\" version=\"opset8\"");
  net = replaced(net, "type=\"Result\" version=\"opset1\"", "type=\"Result\" version=\"opset9\"");
  net = replaced(net, "<dim>7</dim></port></output>", "<dim>7</dim></port><port id=\"3\"/></output>");
  const Graph graph = read(net).graph;
  CHECK(graph.opset_import.at("openvino") == 8);
  CHECK(graph.nodes[1].outputs == std::vector<std::string>{"second:0", "second:1"});
  CHECK(texts(graph.outputs) == std::vector<std::string>{"second:0 float32[?,1,7]"});
}

TEST_CASE("the shape of a Parameter", "[openvino]") {
  const auto shape = [](std::string_view text) {
    std::string net = replaced(kNet, "shape=\"?,1,3\"", format("shape=\"{}\"", text));
    return to_text(read(replaced(net, "<dim>-1</dim><dim>1</dim><dim>3</dim></port></output>", "</port></output>"))
                       .graph.inputs.at(0));
  };
  CHECK(shape("2,1,3") == "float32[2,1,3]");
  CHECK(shape(" -1 , 1..4 , ?") == "float32[?,1..4,?]");
  CHECK(shape("...") == "float32");
  CHECK(shape("") == "float32[]");
  for (const char* bad : {",", "1,", "1,,2", "a", "-2"})
    CHECK(error_with(kNet, "shape=\"?,1,3\"", format("shape=\"{}\"", bad)) ==
          format("malformed: line 13, column 8: shape is '{}', but must be a list of sizes", bad));
}

TEST_CASE("constants are read when they are asked for, and checked against the file", "[openvino]") {
  TemporaryFolder folder;
  const auto value_error = [&](const std::string& net, const fs::path& weights) {
    const Case loaded = read(net, weights);
    return error_of([&] { loaded.inputs.at(0).source.loaded()->decode(); });
  };
  const fs::path whole = folder.write("whole.bin", kWeights), cut = folder.write("cut.bin", kWeights.substr(0, 9));
  CHECK(value_error(std::string(kNet), whole) == "no error");
  CHECK(value_error(std::string(kNet), cut) ==
        "malformed: the Const 'w' takes 8 bytes from 2 of " + cut.string() + ", but the file has 9 bytes");
  CHECK(value_error(replaced(kNet, "offset=\"2\"", "offset=\"9223372036854775807\""), whole)
            .starts_with("malformed: the Const 'w' takes 8 bytes from 9223372036854775807 of "));
  CHECK(value_error(std::string(kNet), folder / "none.bin").starts_with("system: no such file: "));
  CHECK(value_error(std::string(kNet), "") ==
        "usage: the Const 'w' lies in a .bin beside the .xml, but there is none beside standard input: give w=FILE");
  CHECK(error_with(kNet, "size=\"8\"", "size=\"12\"") ==
        "malformed: line 17, column 8: float32[1,1,2] takes 8 bytes, but size is 12");
  CHECK(error_with(kNet, "size=\"8\"", "size=\"-8\"") ==
        "malformed: line 17, column 8: attribute 'size' is '-8', but must be a number of at least 0");
  CHECK(error_with(kNet, "offset=\"2\"", "") == "malformed: line 17, column 8: <data> has no attribute 'offset'");
  CHECK(error_with(kNet, "element_type=\"f32\" shape=\"1, 1, 2\"", "element_type=\"f33\" shape=\"1, 1, 2\"") ==
        "unsupported: line 17, column 8: element_type 'f33' is not known, did you mean 'f32'?");
  const std::string no_ports =
      replaced(kNet, "<dim>1</dim><dim>1</dim><dim>2</dim></port></output>", "</port></output>");
  CHECK(error_with(no_ports, "1, 1, 2", "1, ?, 2") ==
        "malformed: line 17, column 8: the type of a Const must be known, but it is 'f32', shape '1, ?, 2'");
  CHECK(error_with(no_ports, "1, 1, 2", "4294967296,4294967296,4294967296")
            .starts_with("malformed: line 17, column 8: "));
}

namespace {

/// kNet, whose w is float16 behind a Convert, as nets are stored by default.
std::string compressed(std::string_view from = "f16", std::string_view to = "f32") {
  std::string net = replaced(kNet, R"(<data element_type="f32" shape="1, 1, 2" offset="2" size="8"/>
      <output><port id="0" precision="FP32">)",
                             format(R"(<data element_type="{}" shape="1, 1, 2" offset="2" size="4"/>
      <output><port id="0">)",
                                    from));
  net = replaced(net, "</layers>",
                 format(R"(<layer id="5" name="wide" type="Convert" version="opset1">
      <data destination_type="{}"/>
      <rt_info><attribute name="decompression" version="0"/></rt_info>
      <input><port id="0"/></input>
      <output><port id="1"/></output>
    </layer></layers>)",
                        to));
  return replaced(net, R"(<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>)",
                  R"(<edge from-layer="1" from-port="0" to-layer="5" to-port="0"/>
                     <edge from-layer="5" from-port="1" to-layer="3" to-port="1"/>)");
}

std::vector<std::string> input_names(const Case& read) {
  std::vector<std::string> names;
  for (const NamedSource& input : read.inputs) names.push_back(input.name);
  return names;
}

}  // namespace

TEST_CASE("a constant that is compressed to float16 is read as what its Convert makes of it", "[openvino]") {
  const TemporaryFolder folder;
  const fs::path weights = folder.write("net.bin", from_hex("ffff663e01800000803f"));  // 1.599609375, -2^-24
  const Case loaded = read(compressed(), weights);
  CHECK(input_names(loaded) == std::vector<std::string>{"v", "wide"});
  CHECK(loaded.graph.nodes.size() == 2);
  CHECK(loaded.graph.nodes[0].inputs == std::vector<std::string>{"x", "wide"});
  const Value value = loaded.inputs[1].source.loaded()->decode();
  REQUIRE(value.tensor() != nullptr);
  CHECK(value.tensor()->type() == TensorType{DType::float32, Dims{1, 1, 2}});
  CHECK(value.tensor()->values<float>()[0] == 1.599609375F);
  CHECK(value.tensor()->values<float>()[1] == -0x1p-24F);
  CHECK(error_of([&] { loaded.inputs[1].source.loaded()->decode(7); }).starts_with("system: "));

  const Case wider = read(compressed("bf16", "f64"), weights);
  CHECK(wider.inputs[1].source.loaded()->decode().tensor()->values<double>()[1] == -0x1p-133);
}

TEST_CASE("a Convert that loses numbers, or of what is computed, is a node", "[openvino]") {
  const Case narrow = read(compressed("f16", "bf16"));
  CHECK(input_names(narrow) == std::vector<std::string>{"w", "v"});
  CHECK(narrow.graph.nodes.size() == 3);
  const Case computed = read(replaced(compressed(), R"(<edge from-layer="1" from-port="0" to-layer="5" to-port="0"/>)",
                                      R"(<edge from-layer="0" from-port="0" to-layer="5" to-port="0"/>)"));
  CHECK(input_names(computed) == std::vector<std::string>{"w", "v"});
  CHECK(computed.graph.nodes.size() == 3);
}

TEST_CASE("a net that does not hold together", "[openvino]") {
  const auto error = [](std::string_view part, std::string_view by) { return error_with(kNet, part, by); };
  CHECK(error("to-layer=\"3\" to-port=\"0\"", "to-layer=\"7\" to-port=\"0\"") ==
        "malformed: line 37, column 6: the edge has to-layer 7, but there is no such layer");
  CHECK(error("from-layer=\"0\" from-port=\"0\"", "from-layer=\"0\" from-port=\"1\"") ==
        "malformed: line 37, column 6: the edge has from-port 1, but layer 'x' has no such output port");
  CHECK(error("to-layer=\"3\" to-port=\"1\"", "to-layer=\"1\" to-port=\"0\"") ==
        "malformed: line 38, column 6: the edge has to-port 0, but layer 'w' has no such input port");
  CHECK(error("to-layer=\"3\" to-port=\"1\"", "to-layer=\"3\" to-port=\"0\"") ==
        "malformed: line 38, column 6: two edges end at input port 0 of layer 'first'");
  CHECK(error("<edge from-layer=\"1\" from-port=\"0\" to-layer=\"3\" to-port=\"1\"/>", "") ==
        "malformed: line 28, column 10: no edge ends at input port 1 of layer 'first'");
  CHECK(error("to-port=\"0\"/>", "/>") == "malformed: line 37, column 6: <edge> has no attribute 'to-port'");
  CHECK(error("<layer id=\"1\"", "<layer id=\"0\"") == "malformed: line 16, column 6: two layers have the id 0");
  CHECK(error("name=\"w\"", "name=\"x\"") == "malformed: line 16, column 6: two tensors have the name 'x'");
  CHECK(error("name=\"w\"", "name=\"\"") == "malformed: line 16, column 6: the layer's name is empty");
  CHECK(error("name=\"w\" ", "") == "malformed: line 16, column 6: <layer> has no attribute 'name'");
  CHECK(error("<port id=\"1\"", "<port id=\"0\"") ==
        "malformed: line 8, column 10: two ports of one <input> have the id 0");
  CHECK(error("<dim>1</dim><dim>3</dim></port>\n        <port", "<dim>1</dim><dim>5</dim></port>\n        <port") ==
        "malformed: line 37, column 6: the tensor 'x' is declared as float32[?,1,3] and as float32[?,1,5]");
  CHECK(error("element_type=\"f32\"/>", "element_type=\"f16\"/>") ==
        "malformed: line 13, column 8: the tensor 'x' is declared as float16[?,1,3] and as float32[?,1,3]");
  CHECK(error("<data shape=\"?,1,3\" element_type=\"f32\"/>", "") ==
        "malformed: line 12, column 6: layer 'x' has no <data>");
  CHECK(error("type=\"Const\"", "type=\"Result\"") ==
        "malformed: line 16, column 6: a Result has one input port, but layer 'w' has 0 inputs and 1 output");
  CHECK(error("<net name=\"two\" version=\"11\"", "<net name=\"two\" version=\"7\"") ==
        "unsupported: IR version 7 is not known; OpenVINO has written 10 and 11 since 2020");
  CHECK(error_of_text("<net/>") == "malformed: line 1, column 2: <net> has no <layers>");
  CHECK(error_of_text("<net><layers/></net>") == "malformed: line 1, column 2: the net has no operators");
  CHECK(error_of_text("<net><layers><layer id='0' name='a' type='A'/></layers></net>") ==
        "malformed: line 1, column 2: the net has no Result: nothing says what it gives");
  CHECK(error("from-layer=\"9\" from-port=\"2\" to-layer=\"4\"", "from-layer=\"2\" from-port=\"0\" to-layer=\"4\"")
            .starts_with("malformed: line 41, column 6: the tensor 'v' is declared as"));
}

TEST_CASE("what several Results take is one output; a Result may take a Parameter", "[openvino]") {
  constexpr std::string_view kResult =
      "<layer id='8' name='z' type='Result'><input><port id='0'/></input></layer></layers><edges>"
      "<edge from-layer='{}' from-port='{}' to-layer='8' to-port='0'/>";
  const auto outputs = [&](int layer, int port) {
    return texts(read(replaced(kNet, "</layers>\n  <edges>", format(kResult, layer, port))).graph.outputs);
  };
  CHECK(outputs(9, 2) == std::vector<std::string>{"second float32[?,1,7]"});
  CHECK(outputs(3, 2) == std::vector<std::string>{"second float32[?,1,7]", "first float32[?,1,4]"});
  CHECK(outputs(0, 0) == std::vector<std::string>{"second float32[?,1,7]", "x float32[?,1,3]"});
}

TEST_CASE("cycles are named", "[openvino]") {
  const auto layer = [](int id) {
    return format(
        "<layer id='{}' name='n{}' type='A'><input><port id='0'/></input><output><port id='1'/></output></layer>\n", id,
        id);
  };
  const auto edge = [](int from, int to) {
    return format("<edge from-layer='{}' from-port='1' to-layer='{}' to-port='0'/>", from, to);
  };
  const auto net = [&](const std::string& edges) {
    return error_of_text("<net><layers>\n" + layer(0) + layer(1) + layer(2) + "</layers><edges>" + edges +
                         "</edges></net>");
  };
  CHECK(net(edge(0, 0) + edge(0, 1) + edge(1, 2)) ==
        "malformed: line 2, column 2: layer 'n0' depends on itself: the edges form a cycle");
  // n0 hangs behind the cycle of n1 and n2, and is no part of it.
  const std::string two = net(edge(2, 1) + edge(1, 2) + edge(2, 0));
  CHECK((two == "malformed: line 3, column 2: layer 'n1' depends on itself: the edges form a cycle" ||
         two == "malformed: line 4, column 2: layer 'n2' depends on itself: the edges form a cycle"));
}

}  // namespace openvino_test
