// SPDX-License-Identifier: Apache-2.0
// What cases cannot say of OpenVINO's transposed convolutions: types alone, notes, which readings may matter.
#include "ops/shared/openvino_windows.h"

#include <catch2/catch.hpp>
#include <set>

#include "core/error.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace backprop_data_test {

using namespace opref::ops;

namespace {

using Texts = std::set<std::string>;

struct Sample {
  std::string op_type = "GroupConvolutionBackpropData";
  Dims data{1, 1, 3}, kernel{1, 1, 1, 3};
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<std::int64_t> output_shape = {};
  DType dtype = DType::float32;
};

Call call_of(const Sample& sample) {
  Node node{sample.op_type, "openvino", "", {}, {"data", "kernel"}, {"output"}};
  for (const auto& [name, text] : sample.attributes) node.attributes.push_back({name, Untyped{{{text, true}}}});
  std::vector<Input> inputs{{"data", {sample.dtype, sample.data}, {}, {}},
                            {"kernel", {sample.dtype, sample.kernel}, {}, {}}};
  if (!sample.output_shape.empty()) {
    node.inputs.push_back("output_shape");
    const Dims shape{static_cast<std::int64_t>(sample.output_shape.size())};
    inputs.push_back({"output_shape",
                      {DType::int64, shape},
                      Tensor::of<std::int64_t>(DType::int64, shape, sample.output_shape),
                      {}});
  }
  return resolve(find_operator("openvino", sample.op_type)->at(1), node, std::move(inputs), {});
}

TensorType output_of(const Sample& sample) {
  const Call call = call_of(sample);
  return call.op().output_types(call)[0].tensor;
}

Texts readings_that_may_matter(const Sample& sample) {
  const Call call = call_of(sample);
  call.op().output_types(call);
  Texts names;
  for (const Reading& reading : call.op().readings())
    for (const std::string_view alternative : reading.alternatives)
      if (effect(reading, call, alternative) != Effect::none) names.emplace(reading.name);
  return names;
}

Texts notes_of(const Sample& sample) {
  const Call call = call_of(sample);
  call.op().output_types(call);
  Texts texts;
  for (const Note& note : call.op().notes(call))
    texts.insert(format("{}{}: {}", note.level == Note::Level::resolved ? "" : "note ", note.subject, note.text));
  return texts;
}

}  // namespace

TEST_CASE("GroupConvolutionBackpropData: the page's examples, by formula", "[GroupConvolutionBackpropData]") {
  // Layers as the specification prints them: 2*(224-1) + 3 - 1 - 1 = 447, 4 groups of 2 output channels.
  const auto attributes = [](const std::string& ones, const std::string& twos) {
    return std::vector<std::pair<std::string, std::string>>{
        {"dilations", ones}, {"pads_begin", ones}, {"pads_end", ones}, {"strides", twos}};
  };
  const std::string op_type = "GroupConvolutionBackpropData";
  CHECK(output_of({op_type, {1, 20, 224}, {4, 5, 2, 3}, attributes("1", "2")}).shape == Dims{1, 8, 447});
  CHECK(output_of({op_type, {1, 20, 224, 224}, {4, 5, 2, 3, 3}, attributes("1,1", "2,2")}).shape ==
        Dims{1, 8, 447, 447});
  CHECK(output_of({op_type, {1, 20, 224, 224, 224}, {4, 5, 2, 3, 3, 3}, attributes("1,1,1", "2,2,2")}).shape ==
        Dims{1, 8, 447, 447, 447});
}

TEST_CASE("rules that need no values come before the values of output_shape", "[ConvolutionBackpropData]") {
  for (const std::string op_type : {"GroupConvolutionBackpropData", "ConvolutionBackpropData"}) {
    const Dims kernel = op_type.starts_with("Group") ? Dims{1, 1, 1, 3} : Dims{1, 1, 3};
    const auto types_without_values = [&](const std::string& attribute, const std::string& value) {
      const Node node{
          op_type,   "openvino", "", {{attribute, Untyped{{{value, true}}}}}, {"data", "kernel", "output_shape"},
          {"output"}};
      const Operator& op = *find_operator("openvino", op_type);
      const Call call = resolve(op.at(1), node,
                                {{"data", {DType::float32, {1, 1, 3}}, {}, {}},
                                 {"kernel", {DType::float32, kernel}, {}, {}},
                                 {"output_shape", {DType::int32, {1}}, {}, {}}},
                                {});
      op.output_types(call);
    };
    CHECK_THROWS_WITH(types_without_values("strides", "2"), op_type + "-1 needs the values of output_shape");
    CHECK_THROWS_WITH(types_without_values("strides", "0"), "attribute 'strides' is [0], but its values must be > 0");
    CHECK_THROWS_WITH(types_without_values("pads_end", "-1"),
                      "attribute 'pads_end' is [-1], but its values must be >= 0");
    CHECK_THROWS_WITH(types_without_values("auto_pad", "same"),
                      "attribute 'auto_pad' is 'same', but must be explicit, same_upper, same_lower, valid, did you "
                      "mean 'same_upper' or 'same_lower'?");
  }
}

TEST_CASE("OpenVINO's readings may matter where an alternative would act", "[ConvolutionBackpropData]") {
  const auto with = [](std::vector<std::pair<std::string, std::string>> attributes, std::vector<std::int64_t> size) {
    Sample sample;
    sample.attributes = std::move(attributes);
    sample.attributes.push_back({"strides", "2"});
    sample.output_shape = std::move(size);
    return sample;
  };
  CHECK(readings_that_may_matter(with({}, {})).empty());
  CHECK(readings_that_may_matter(with({}, {7})).empty());
  CHECK(readings_that_may_matter(with({}, {6})).empty());  // total 1: 0 at the begin both ways
  CHECK(readings_that_may_matter(with({}, {5})) == Texts{"openvino.output_shape_pads"});
  CHECK(readings_that_may_matter(with({{"pads_begin", "1"}}, {5})).empty());
  CHECK(readings_that_may_matter(with({{"auto_pad", "valid"}, {"pads_begin", "1"}}, {5})) ==
        Texts{"openvino.output_shape_pads"});
  CHECK(readings_that_may_matter(with({{"auto_pad", "same_upper"}}, {6})) == Texts{"openvino.same_split"});
  CHECK(readings_that_may_matter(with({{"auto_pad", "same_lower"}}, {5})).empty());
  CHECK(readings_that_may_matter(with({{"auto_pad", "same_lower"}}, {9})).empty());
  Sample integers;
  integers.dtype = DType::uint8;
  CHECK(readings_that_may_matter(integers) == Texts{"openvino.integer_overflow"});
}

TEST_CASE("OpenVINO's transposed convolutions: notes say what is in force", "[ConvolutionBackpropData]") {
  Sample sample;
  CHECK(notes_of(sample) ==
        Texts{"strides: [1]", "dilations: [1]", "output_padding: [0]", "pads_begin: [0]", "pads_end: [0]"});
  sample.attributes = {
      {"strides", "2"}, {"dilations", "1"}, {"output_padding", "0"}, {"pads_begin", "1"}, {"pads_end", "2"}};
  CHECK(notes_of(sample) == Texts{});
  sample.output_shape = {6};
  CHECK(notes_of(sample) == Texts{"pads_end: [0]", "note pads_end: the node's [2] is ignored: output_shape"});
  sample.attributes.push_back({"auto_pad", "same_lower"});
  CHECK(notes_of(sample) == Texts{"pads_begin: [0]", "pads_end: [1]",
                                  "note pads_begin: the node's [1] is ignored: output_shape",
                                  "note pads_end: the node's [2] is ignored: output_shape"});
  sample.output_shape.clear();
  CHECK(notes_of(sample) == Texts{"pads_begin: [0]", "pads_end: [0]",
                                  "note pads_begin: the node's [1] is ignored: auto_pad",
                                  "note pads_end: the node's [2] is ignored: auto_pad"});
}

}  // namespace backprop_data_test
