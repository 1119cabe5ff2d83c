// SPDX-License-Identifier: Apache-2.0
#include "schema/resolve.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace resolve_test {

using namespace opref::schema;

namespace {

/// An operator of the test's own: version 3 takes p as FLOAT; 7 takes it as INT and adds `mode`.
Operator sample() {
  return Operator("ai.onnx", "Sample")
      .version(3,
               [](OpSchema& s) {
                 s.attribute(with_default("p", 2.0F, above(0))).attribute(required(INTS, "axes", at_least(0)));
                 s.input("X", "T").input("W", "T").input("B", "T", Arity::optional);
                 s.input("L", "int64", Arity::optional).output("Y", "T").types("T", DType::float32);
               })
      .version(7,
               [](OpSchema& s) {
                 s.change("p") = with_default("p", 2, at_least(1));
                 s.attribute(with_default("mode", "a", one_of({"a", "b", "c"})));
                 s.attribute(optional(INT, "keep", flag())).attribute(optional(FLOAT, "ratio", between(0, 1)));
                 s.attribute(optional(INT, "kind", one_of({"FLOAT", "UINT8"})));
                 s.add_types("T", DType::float16);
               })
      .reading({.name = "sample.choice",
                .alternatives = {"one", "two"},
                .defaults = {{3, "one"}, {7, "two"}},
                .reason = "why",
                .link = "link"})
      .reading({.name = "sample.early", .alternatives = {"a", "b"}, .defaults = {{3, "a"}, {7, ""}}, .reason = "why"})
      .reading({.name = "sample.late", .alternatives = {"a", "b"}, .defaults = {{7, "a"}}, .reason = "why"});
}

const Operator& op() {
  static const Operator built = sample();
  return built;
}

Untyped number(std::string text) { return {{{std::move(text)}}, false}; }

Node node(std::vector<Attribute> attributes) {
  attributes.push_back({"axes", Untyped{{{"1"}, {"2"}}, true}});
  return {"Sample", "", "", std::move(attributes), {"x", "w"}, {"y"}};
}

Input tensor(const std::string& name, DType dtype) { return {name, {dtype, Dims{1}}, {}, {}}; }

Call resolved(std::int64_t opset, std::vector<Attribute> attributes, DType x = DType::float32,
              DType w = DType::float32) {
  return resolve(op().at(opset), node(std::move(attributes)), {tensor("x", x), tensor("w", w)}, {});
}

}  // namespace

TEST_CASE("the newest version at or below the opset is in force", "[schema]") {
  CHECK(resolved(3, {}).version() == 3);
  CHECK(resolved(6, {}).version() == 3);
  CHECK(resolved(7, {}).version() == 7);
  CHECK(resolved(28, {}).version() == 7);
  CHECK_THROWS_WITH(resolved(2, {}), "Sample came with opset 3, but the opset is 2");
}

TEST_CASE("untyped attributes take the schema's type, defaults fill in", "[schema]") {
  CHECK(resolved(3, {{"p", number("1.7")}}).number("p") == 1.7F);
  CHECK(resolved(3, {}).number("p") == 2.0F);
  CHECK(resolved(7, {{"p", number("3")}}).integer("p") == 3);
  CHECK(resolved(7, {{"p", number("3.0")}}).integer("p") == 3);
  CHECK(resolved(7, {}).string("mode") == "a");
  CHECK_FALSE(resolved(7, {}).stated("mode"));
  CHECK(resolved(7, {{"mode", number("b")}}).stated("mode"));
  CHECK(resolved(3, {}).integers("axes") == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("a FLOAT is the nearest float32 of the decimal, printed in full", "[schema]") {
  CHECK(to_text(coerce("p", number("1.7"), AttributeType::FLOAT)) == "1.7000000476837158");
  CHECK(std::get<float>(coerce("p", number("1e-400"), AttributeType::FLOAT).value) == 0);
  CHECK(std::get<float>(coerce("p", number("-1.5"), AttributeType::FLOAT).value) == -1.5F);
  CHECK(std::isinf(std::get<float>(coerce("p", number("inf"), AttributeType::FLOAT).value)));
  CHECK_THROWS_WITH(coerce("p", number("+-2"), AttributeType::FLOAT), "attribute 'p': '+-2' is not a number");
  CHECK_THROWS_WITH(coerce("p", number("+-2"), AttributeType::INT), "attribute 'p': '+-2' is not an integer");
  CHECK_THROWS_WITH(coerce("p", number("1e39"), AttributeType::FLOAT),
                    "attribute 'p': 1e39 is outside the range of float32");
  CHECK_THROWS_WITH(coerce("p", number("two"), AttributeType::FLOAT), "attribute 'p': 'two' is not a number");
}

TEST_CASE("what is not an INT is refused", "[schema]") {
  CHECK_THROWS_WITH(resolved(7, {{"p", number("2.5")}}), "attribute 'p': '2.5' is not an integer");
  CHECK_THROWS_WITH(resolved(7, {{"p", number("")}}), "attribute 'p': '' is not an integer");
  CHECK_THROWS_WITH(resolved(7, {{"p", Untyped{{{"2", true}}, false}}}),
                    "attribute 'p': '2' is not an integer, but a text: write it without quotes");
  CHECK_THROWS_WITH(resolved(7, {{"p", number("9223372036854775808")}}),
                    "attribute 'p': 9223372036854775808 does not fit into 64 bits");
  CHECK_THROWS_WITH(resolved(7, {{"p", Untyped{{{"1"}, {"2"}}, true}}}),
                    "attribute 'p' takes one INT, but has a list of 2 values");
  CHECK(std::get<std::int64_t>(coerce("n", number("-9223372036854775808"), AttributeType::INT).value) == INT64_MIN);
}

TEST_CASE("an INT whose range has words is one of them, or its number", "[schema]") {
  for (const char* text : {"2", "UINT8", "uint8"}) CHECK(resolved(7, {{"kind", number(text)}}).integer("kind") == 2);
  for (const char* text : {"FLOAT", "float", "float32", "f32"})
    CHECK(resolved(7, {{"kind", number(text)}}).integer("kind") == 1);
  for (const char* text : {"INT64", "kind"})
    CHECK_THROWS_WITH(resolved(7, {{"kind", number(text)}}),
                      format("attribute 'kind' is '{}', but must be an integer or its name: FLOAT, UINT8", text));
  CHECK_THROWS_WITH(resolved(7, {{"kind", number("Float")}}),
                    "attribute 'kind' is 'Float', but must be an integer or its name, did you mean 'float'?");
  CHECK_THROWS_WITH(resolved(7, {{"kind", number("+-2")}}), "attribute 'kind': '+-2' is not an integer");
  CHECK_THROWS_WITH(resolved(7, {{"kind", Untyped{{{"UINT8", true}}, false}}}),
                    "attribute 'kind': 'UINT8' is not an integer");  // a STRING
  CHECK_THROWS_WITH(resolved(7, {{"p", number("UINT8")}}), "attribute 'p': 'UINT8' is not an integer");
  CHECK(to_text(op().versions().back().find_attribute("kind")->range, AttributeType::INT) == "1=FLOAT, 2=UINT8");
}

TEST_CASE("typed attributes are strict", "[schema]") {
  CHECK_THROWS_WITH(resolved(3, {{"p", AttributeValue::of(std::int64_t{2})}}),
                    "attribute 'p' has type INT, but Sample-3 takes FLOAT");
  CHECK(resolved(7, {{"p", AttributeValue::of(std::int64_t{4})}}).integer("p") == 4);
}

TEST_CASE("an attribute of another version says so", "[schema]") {
  CHECK_THROWS_WITH(resolved(3, {{"mode", number("b")}}), "'mode' is not an attribute of Sample-3; it was added in 7");
  CHECK_THROWS_WITH(resolved(3, {{"axis", number("1")}}),
                    "'axis' is not an attribute of Sample-3, did you mean 'axes'?");
  CHECK_THROWS_WITH(resolved(3, {{"axes", number("1")}}), "attribute 'axes' is given twice");
  Node without = node({});
  without.attributes.clear();
  CHECK_THROWS_WITH(resolve(op().at(7), without, {tensor("x", DType::float32), tensor("w", DType::float32)}, {}),
                    "attribute 'axes' is missing; Sample-7 requires it");
}

TEST_CASE("an attribute that is an input, or was one, says so", "[schema]") {
  const Operator moved =
      Operator("ai.onnx", "Moved")
          .version(1,
                   [](OpSchema& s) {
                     s.attribute(optional(FLOAT, "ratio", between(0, 1))).attribute(optional(INT, "seed"));
                     s.input("X", "T").output("Y", "T").types("T", DType::float32);
                   })
          .version(2, [](OpSchema& s) {
            s.remove("ratio").input("ratio", "T", Arity::optional).input("weights", "T", Arity::optional);
          });
  const auto tried = [&](const std::string& attribute) -> std::pair<std::string, std::string> {
    const Node node{"Moved", "", "", {{attribute, number("1")}}, {"x"}, {"y"}};
    try {
      resolve(moved.at(2), node, {tensor("x", DType::float32)}, {});
    } catch (const Error& error) {
      return {error.message(), error.way_out().argument};
    }
    return {};
  };
  CHECK(tried("p").second == "seed; ratio is an input");
  CHECK(tried("weight").first == "'weight' is not an attribute of Moved-2, did you mean 'weights'? That is an input");
}

TEST_CASE("number of inputs and outputs", "[schema]") {
  Node one = node({});
  one.inputs = {"x"};
  CHECK_THROWS_WITH(resolve(op().at(7), one, {tensor("x", DType::float32)}, {}),
                    "Sample-7 takes 2 to 4 inputs, but the node has 1");
  Node omitted = node({});
  omitted.inputs = {"x", ""};
  CHECK_THROWS_WITH(resolve(op().at(7), omitted, {tensor("x", DType::float32), {}}, {}),
                    "input 'W' is omitted, but Sample-7 requires it");
  Node skipped = node({});
  skipped.inputs = {"x", "w", "", "l"};
  const Call call =
      resolve(op().at(7), skipped,
              {tensor("x", DType::float32), tensor("w", DType::float32), {}, tensor("l", DType::int64)}, {});
  CHECK_FALSE(call.has("B"));
  CHECK(call.has("L"));
  Node outputs = node({});
  outputs.outputs = {"y", "z"};
  CHECK_THROWS_WITH(resolve(op().at(7), outputs, {tensor("x", DType::float32), tensor("w", DType::float32)}, {}),
                    "Sample-7 gives 1 output, but the node has 2");
}

TEST_CASE("types: the version's constraint, and one type per variable", "[schema]") {
  CHECK_THROWS_WITH(resolved(3, {}, DType::float16, DType::float16),
                    "X has type float16, but Sample-3 takes float32; Sample allows it from opset 7");
  CHECK_THROWS_WITH(resolved(7, {}, DType::float16, DType::float32),
                    "W has type float32, but X has type float16; both must have one type, T");
  CHECK_THROWS_WITH(resolved(7, {}, DType::int8), "X has type int8, but Sample-7 takes float32, float16");
}

TEST_CASE("ranges of attributes: the rule and the value", "[schema]") {
  const auto p = [](std::int64_t opset, const char* value) { return resolved(opset, {{"p", number(value)}}); };
  CHECK_THROWS_WITH(p(3, "0"), "attribute 'p' is 0, but must be finite and > 0");
  CHECK_THROWS_WITH(p(3, "nan"), "attribute 'p' is nan, but must be finite and > 0");
  CHECK_THROWS_WITH(p(3, "inf"), "attribute 'p' is inf, but must be finite and > 0");
  CHECK(p(3, "1e-40").number("p") > 0);
  CHECK_THROWS_WITH(p(7, "0"), "attribute 'p' is 0, but must be > 0");
  CHECK(p(7, "1").integer("p") == 1);
  Node negative = node({});
  negative.attributes = {{"axes", Untyped{{{"0"}, {"-1"}}, true}}};
  CHECK_THROWS_WITH(resolve(op().at(7), negative, {tensor("x", DType::float32), tensor("w", DType::float32)}, {}),
                    "attribute 'axes' is [0,-1], but its values must be >= 0");
  CHECK_THROWS_WITH(resolved(7, {{"mode", number("bb")}}),
                    "attribute 'mode' is 'bb', but must be a, b, c, did you mean 'b'?");
  CHECK_THROWS_WITH(resolved(7, {{"keep", number("2")}}), "attribute 'keep' is 2, but must be 0 or 1");
  CHECK_THROWS_WITH(resolved(7, {{"keep", number("-1")}}), "attribute 'keep' is -1, but must be 0 or 1");
  CHECK(resolved(7, {{"keep", number("1")}}).integer("keep") == 1);
  CHECK_THROWS_WITH(resolved(7, {{"ratio", number("1.5")}}), "attribute 'ratio' is 1.5, but must be from 0 to 1");
  CHECK_THROWS_WITH(resolved(7, {{"ratio", number("nan")}}), "attribute 'ratio' is nan, but must be from 0 to 1");
  CHECK(resolved(7, {{"ratio", number("1")}}).number("ratio") == 1);
  enum class Mode : std::uint8_t { a, b, c };
  CHECK(resolved(7, {}).choice<Mode>("mode") == Mode::a);
  CHECK(resolved(7, {{"mode", number("c")}}).choice<Mode>("mode") == Mode::c);
}

TEST_CASE("readings: default by version, chosen, unknown alternative", "[schema]") {
  CHECK(resolved(3, {}).reading("sample.choice") == "one");
  CHECK(resolved(7, {}).reading("sample.choice") == "two");
  const std::vector<Input> inputs{tensor("x", DType::float32), tensor("w", DType::float32)};
  const Call chosen = resolve(op().at(7), node({}), inputs, {{"sample.choice", "one"}, {"other.reading", "x"}});
  CHECK(chosen.reading("sample.choice") == "one");
  CHECK(chosen.reading_selected("sample.choice"));
  CHECK(chosen.with_reading("sample.choice", "two").reading("sample.choice") == "two");
  CHECK_THROWS_WITH(resolve(op().at(7), node({}), inputs, {{"sample.choice", "tow"}}),
                    "'tow' is not an alternative of the reading 'sample.choice' (one, two), did you mean 'two'?");
  // A version that leaves no choice has no such reading.
  CHECK(resolved(3, {}).reading("sample.early") == "a");
  CHECK(resolved(7, {}).reading("sample.early").empty());
  CHECK(resolved(3, {}).reading("sample.late").empty());
  CHECK_THROWS_WITH(resolve(op().at(7), node({}), inputs, {{"sample.early", "b"}}),
                    "the reading 'sample.early' is of versions 3 to 6 of Sample; Sample-7 leaves no choice");
  CHECK_THROWS_WITH(resolve(op().at(3), node({}), inputs, {{"sample.late", "b"}}),
                    "the reading 'sample.late' is of versions 7 and later of Sample; Sample-3 leaves no choice");
}

}  // namespace resolve_test
