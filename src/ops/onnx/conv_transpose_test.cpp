// SPDX-License-Identifier: Apache-2.0
// What cases cannot say of ConvTranspose: notes, which readings may matter, its history, the bits of NaN.
#include <catch2/catch.hpp>
#include <set>

#include "core/error.h"
#include "ops/operators.h"
#include "schema/changes.h"
#include "schema/resolve.h"

namespace onnx_conv_transpose_test {

using namespace opref::ops;

namespace {

using Texts = std::set<std::string>;

const Operator& op() { return *find_operator("", "ConvTranspose"); }

/// X [1,1,3] and W [1,1,3] without values; attributes as `-a` would give them.
Call call_with(std::int64_t opset, const std::vector<std::pair<std::string, std::string>>& attributes,
               const ReadingChoices& readings = {}) {
  Node node{"ConvTranspose", "", "", {}, {"X", "W"}, {"Y"}};
  for (const auto& [name, text] : attributes) {
    Untyped value{{}, text.find(',') != std::string::npos};
    for (size_t from = 0; from <= text.size(); from = text.find(',', from) + 1) {
      value.items.push_back({text.substr(from, text.find(',', from) - from)});
      if (text.find(',', from) == std::string::npos) break;
    }
    node.attributes.push_back({name, value});
  }
  const TensorType type{DType::float32, {1, 1, 3}};
  return resolve(op().at(opset), node, {{"X", type, {}, {}}, {"W", type, {}, {}}}, readings);
}

Texts readings_that_may_matter(const Call& call) {
  op().output_types(call);
  Texts names;
  for (const Reading& reading : op().readings())
    for (const std::string_view alternative : reading.alternatives)
      if (effect(reading, call, alternative) != Effect::none)
        names.emplace(reading.name.substr(reading.name.find('.') + 1));
  return names;
}

Texts notes_of(const Call& call) {
  op().output_types(call);
  Texts texts;
  for (const Note& note : op().notes(call)) {
    const char* level = note.level == Note::Level::resolved ? ""
                        : note.level == Note::Level::note   ? "note "
                                                            : "warning ";
    texts.insert(format("{}{}: {}", level, note.subject, note.text));
  }
  return texts;
}

}  // namespace

TEST_CASE("ConvTranspose: a reading may matter where an alternative would act", "[ConvTranspose]") {
  CHECK(readings_that_may_matter(call_with(22, {{"strides", "2"}})).empty());
  CHECK(readings_that_may_matter(call_with(22, {{"strides", "2"}, {"output_shape", "5"}})).empty());
  CHECK(readings_that_may_matter(call_with(22, {{"strides", "2"}, {"output_shape", "6"}})) == Texts{"split"});
  CHECK(readings_that_may_matter(call_with(1, {{"strides", "2"}, {"output_shape", "1,1,6"}})) == Texts{"split"});
  CHECK(readings_that_may_matter(call_with(22, {{"strides", "2"}, {"output_shape", "7"}})).empty());
  // Total -1: the equation of 11 leaves it at the end for NOTSET, not for SAME_UPPER; version 1's the other way round.
  CHECK(readings_that_may_matter(call_with(22, {{"strides", "2"}, {"output_shape", "8"}})).empty());
  CHECK(readings_that_may_matter(call_with(1, {{"strides", "2"}, {"output_shape", "8"}})) == Texts{"surplus"});
  CHECK(readings_that_may_matter(
            call_with(22, {{"strides", "2"}, {"output_shape", "8"}, {"auto_pad", "SAME_UPPER"}})) == Texts{"surplus"});
  CHECK(readings_that_may_matter(call_with(22, {{"strides", "2"}, {"output_padding", "1"}})) ==
        Texts{"output_padding_values"});
  CHECK(readings_that_may_matter(call_with(1, {{"output_padding", "1"}})) ==
        Texts{"output_padding_values", "output_padding_limit"});
  CHECK(readings_that_may_matter(call_with(11, {{"dilations", "2"}, {"output_padding", "1"}})) ==
        Texts{"output_padding_values", "output_padding_limit"});
  CHECK(readings_that_may_matter(call_with(11, {{"strides", "2"}, {"auto_pad", "SAME_UPPER"}})) == Texts{"same_size"});
  CHECK(readings_that_may_matter(call_with(11, {{"auto_pad", "SAME_UPPER"}})).empty());
  CHECK(readings_that_may_matter(call_with(11, {{"strides", "2"}, {"auto_pad", "VALID"}})).empty());
  CHECK(readings_that_may_matter(call_with(11, {{"pads", "1,1"}, {"auto_pad", "VALID"}},
                                           {{"conv_transpose.pads_with_auto_pad", "pads-win"}})) ==
        Texts{"pads_with_auto_pad"});
}

TEST_CASE("ConvTranspose: notes say what is in force", "[ConvTranspose]") {
  CHECK(notes_of(call_with(22, {})) ==
        Texts{"strides: [1]", "dilations: [1]", "output_padding: [0]", "kernel_shape: [3]", "pads: [0,0]"});
  const std::vector<std::pair<std::string, std::string>> stated = {
      {"strides", "2"}, {"dilations", "1"}, {"output_padding", "0"}, {"kernel_shape", "3"}};
  const auto with = [&stated](std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.end(), stated.begin(), stated.end());
    return more;
  };
  CHECK(notes_of(call_with(22, with({{"pads", "1,2"}}))).empty());
  CHECK(notes_of(call_with(22, with({{"auto_pad", "SAME_LOWER"}}))) ==
        Texts{"pads: [1,0]", "note pads: from auto_pad"});
  CHECK(notes_of(call_with(22, with({{"output_shape", "4"}}))) == Texts{"pads: [2,1]", "note pads: from output_shape"});
  CHECK(notes_of(call_with(22, with({{"output_shape", "4"}, {"pads", "5,5"}}))) ==
        Texts{"pads: [2,1]", "note pads: from output_shape; the node's are ignored"});
  CHECK(notes_of(call_with(22, with({{"output_shape", "8"}}))) == Texts{"pads: [0,0]", "note pads: from output_shape"});
  CHECK(notes_of(call_with(22, with({{"output_shape", "9"}}))) ==
        Texts{"pads: [0,0]", "note pads: from output_shape",
              "warning output_shape: [9] exceeds the full size [7] by a stride or more, which onnxruntime refuses"});
  CHECK(notes_of(call_with(1, with({{"output_shape", "1,1,7"}}))) ==
        Texts{"pads: [0,0]", "note pads: from output_shape",
              "warning output_shape: states N and C, which from version 11 on is refused"});
  CHECK(notes_of(call_with(11, with({{"pads", "1,2"}, {"auto_pad", "SAME_UPPER"}}),
                           {{"conv_transpose.pads_with_auto_pad", "pads-win"}})) ==
        Texts{"note auto_pad: ignored (pads)"});
  CHECK(notes_of(call_with(11, with({{"pads", "1,2"}, {"auto_pad", "SAME_UPPER"}}),
                           {{"conv_transpose.pads_with_auto_pad", "auto_pad-wins"}})) ==
        Texts{"pads: [0,1]", "note pads: from auto_pad; the node's are ignored"});
}

TEST_CASE("ConvTranspose's history", "[ConvTranspose]") {
  const auto changes = changes_of(op());
  REQUIRE(changes.size() == 2);
  std::vector<std::string> texts;
  for (const VersionChanges& version : changes)
    for (const Change& change : version.changes)
      texts.push_back(format("{} {}: {}", version.since_version, name(change.kind), change.text));
  CHECK(texts == std::vector<std::string>{
                     "11 wording: the page now states the default of dilations (1 along each spatial axis)",
                     "11 wording: the page now states the default of strides (1 along each spatial axis)",
                     "11 wording: the page now states the default of output_padding (0 along each spatial axis)",
                     "11 rule: attribute output_shape must be > 0, was >= 0",
                     "11 rule: output_shape states spatial sizes only; before, also N and C before them",
                     "11 rule: output_padding \"adds or removes output elements\"; before, it is \"zero-padding\"",
                     "11 rule: SAME_* of auto_pad gives input * strides; before, the output \"matches the input\"",
                     "11 reading: conv_transpose.split is rule-11, was rule-1",
                     "11 reading: conv_transpose.output_padding_limit is max, was none",
                     "22 type: T takes bfloat16 too"});
}

TEST_CASE("ConvTranspose: a computed NaN is the positive quiet one", "[ConvTranspose]") {
  const TensorType type{DType::float32, {1, 1, 1}};
  const std::uint32_t payload[] = {0xffc12345}, one[] = {0x3f800000};
  const Node node{"ConvTranspose", "", "", {}, {"X", "W"}, {"Y"}};
  const Call call = resolve(op().at(22), node,
                            {{"X", type, Tensor::of<std::uint32_t>(DType::float32, type.shape, payload), {}},
                             {"W", type, Tensor::of<std::uint32_t>(DType::float32, type.shape, one), {}}},
                            {});
  CHECK(std::get<Tensor>(op().kernel(call, op().output_types(call))[0]).values<std::uint32_t>()[0] == 0x7fc00000);
}

}  // namespace onnx_conv_transpose_test
