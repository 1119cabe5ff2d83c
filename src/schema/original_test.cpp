// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/error.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace original_test {

using namespace opref::schema;

namespace {

Tensor scalar(std::int64_t value) { return Tensor::of<std::int64_t>(DType::int64, {}, std::span(&value, 1)); }

/// Y = X + axis + step, of each element, by a reading X + step; K is the number of elements.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& x = call.input("X");
  std::vector<std::int64_t> y;
  for (const std::int64_t element : x.values<std::int64_t>())
    y.push_back(element +
                static_cast<std::int64_t>(call.axis("axis", 2)) * std::int64_t{call.reads("original.axis", "yes")} +
                call.integer("step"));
  std::vector<Value> values{Tensor::of<std::int64_t>(DType::int64, x.shape(), y)};
  if (outs.size() > 1 && outs[1].wanted()) values.emplace_back(scalar(x.count()));
  return values;
}

std::vector<ValueType> output_types(const Call& call) {
  require(call.type("X").rank() == 1, "{} has shape {}, but must have one axis", call.name("X"), call.type("X").shape);
  return {call.type("X"), TensorType{DType::int64, Dims{}}};
}

Operator original() {
  return Operator("ai.onnx", "Original")
      .version(5,
               [](OpSchema& s) {
                 s.input("X", "T").input("W", "T", Arity::optional).output("Y", "T");
                 s.output("K", "int64", Arity::optional).types("T", DType::int64);
                 s.attribute(with_default("axis", 0)).attribute(required(INT, "step", at_least(1)));
               })
      .reading({.name = "original.axis",
                .alternatives = {"yes: is added", "no: is not", "auto: where it is 1"},
                .defaults = {{5, "yes"}, {7, "no"}},
                .reason = "why",
                .may_change_values = [](const Call& call) { return call.integer("axis") != 0; },
                .stands_for = [](const Call& call) -> std::string_view {
                  return call.reading("original.axis") == "auto" && call.type("X").rank() == 1 ? "yes" : "";
                }})
      .reading({.name = "original.newer", .alternatives = {"a: a", "b: b"}, .defaults = {{7, "a"}}, .reason = "why"})
      .output_types(output_types)
      .notes([](const Call&) { return std::vector<Note>{remark("X", "read")}; })
      .kernel(kernel);
}

/// The axis is an input, the step is always 100, `unused` means nothing; the count is dropped.
VersionChange twin_version(const Types& types = DType::int64) {
  return [=](OpSchema& s) {
    s.input("data", "T").input("axis", "int64").output("result", "T").types("T", types);
    s.attribute(with_default("unused", 1));
  };
}
Operator twin(const Operator& original, const Types& types = DType::int64) {
  Operator op = Operator("openvino", "Twin")
                    .version(2, twin_version(types))
                    .as("ai.onnx", "Original", 6, {{"data", "X"}, {"result", "Y"}, {"unused", ""}},
                        {{"step", AttributeValue::of(std::int64_t{100})}});
  op.set_original(original);
  return op;
}

Tensor list(const std::vector<std::int64_t>& values) {
  return Tensor::of<std::int64_t>(DType::int64, Dims{std::ssize(values)}, values);
}

Call call_of(const Operator& op, const Tensor& data, std::int64_t axis, const ReadingChoices& choices = {}) {
  const Tensor b = scalar(axis);
  return resolve(op.at(3), Node{"Twin", "openvino", "", {}, {"a", "b"}, {"c"}},
                 {{"a", data.type(), data}, {"b", b.type(), b}}, choices);
}

}  // namespace

TEST_CASE("as: an operator takes another one's rules under its own names", "[schema]") {
  const Operator its = original(), op = twin(its);
  CHECK(op.has_kernel());
  const Call call = call_of(op, list({1, 2, 3}), -1);
  const std::vector<ValueType> types = op.output_types(call);
  REQUIRE(types.size() == 1);
  CHECK(types[0].tensor == TensorType{DType::int64, Dims{3}});
  const std::vector<Value> values = op.kernel(call, types);
  REQUIRE(values.size() == 1);
  CHECK(same_bits(*values[0].tensor(), list({102, 103, 104})));
  CHECK(op.notes(call).at(0).subject == "data");
}

TEST_CASE("as: readings of the original are the operator's, as that version has them by default", "[schema]") {
  const Operator its = original(), op = twin(its);
  REQUIRE(op.readings().size() == 1);
  const Reading& reading = op.readings()[0];
  CHECK((reading.name == "original.axis" && reading.meanings.at(1) == "is not"));
  CHECK(reading.defaults == std::vector<std::pair<std::int64_t, std::string_view>>{{2, "yes"}});
  CHECK(link_of(reading, op) == its.link());
  const Call chosen = call_of(op, list({1}), 1, {{"original.axis", "no"}});
  CHECK(same_bits(*op.kernel(chosen, op.output_types(chosen))[0].tensor(), list({101})));
  CHECK(effect(reading, call_of(op, list({1}), 1), "no") == Effect::possible);
  CHECK(effect(reading, call_of(op, list({1}), 0), "no") == Effect::none);
  CHECK(alternative_here(reading, call_of(op, list({1}), 1, {{"original.axis", "auto"}})) == "yes");
  CHECK(alternative_here(reading, chosen).empty());
}

TEST_CASE("as: messages say the operator's own names, of the schema's rules and of the original's", "[schema]") {
  const Operator its = original(), op = twin(its);
  const Call flat = call_of(op, scalar(7), 0);
  CHECK_THROWS_WITH(op.output_types(flat), "data has shape [], but must have one axis");
  const Call beyond = call_of(op, list({1}), 2);
  CHECK_THROWS_WITH(op.kernel(beyond, op.output_types(beyond)), "axis is 2, but must be from -2 to 1: the rank is 2");
}

TEST_CASE("as: messages say the operator's own names and ranges", "[schema]") {
  const Operator its = original();
  const auto built = [&](const VersionChange& version) {
    Operator op = Operator("openvino", "Twin")
                      .version(1, version)
                      .as("ai.onnx", "Original", 5, {{"data", "X"}, {"stride", "step"}});
    op.set_original(its);
    return op;
  };
  const Operator by_input =
      built([](OpSchema& s) { s.input("data", "int64").input("stride", "int64").output("Y", "int64"); });
  CHECK_THROWS_WITH(by_input.output_types(call_of(by_input, list({1}), 0)), "input 'stride' is 0, but must be > 0");
  const Operator from_0 = built([](OpSchema& s) {
    s.input("data", "int64")
        .input("stride", "int64")
        .output("Y", "int64")
        .attribute(with_default("axis", 2, at_least(0)));
  });
  const Call beyond = call_of(from_0, list({1}), 1);
  CHECK_THROWS_WITH(from_0.kernel(beyond, from_0.output_types(beyond)),
                    "axis is 2, its default, but must be from 0 to 1: the rank is 2");
}

TEST_CASE("as: what does not fit is a bug", "[schema]") {
  const Operator its = original();
  CHECK_THROWS_WITH(twin(twin(its)), "Twin is built as Twin, but that one takes another one's rules");
  CHECK_THROWS_WITH(twin(its, types::wide), "Twin is built as Original, but the input 'X' of that has fewer types");
  const auto refused = [&](Operator op) {
    try {
      op.set_original(its);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto built = [](const VersionChange& version) {
    return Operator("openvino", "Twin").version(1, version).as("ai.onnx", "Original", 5, {{"data", "X"}, {"step", ""}});
  };
  CHECK(refused(built(twin_version())) == "Twin is built as Original, but gives it no attribute 'step'");
  CHECK(refused(built([](OpSchema& s) { s.output("Y", "int64"); })) ==
        "Twin is built as Original, but gives it no input 'X'");
  const auto with_step = [](OpSchema& s) { s.input("data", "int64").attribute(required(INT, "step", at_least(2))); };
  const auto twin_with = [&](const VersionChange& more) {
    return Operator("openvino", "Twin").version(1, with_step, more).as("ai.onnx", "Original", 5, {{"data", "X"}});
  };
  CHECK(refused(twin_with([](OpSchema& s) { s.output("Y", "int64"); })).empty());
  CHECK(refused(twin_with([](OpSchema& s) { s.output("Z", "int64"); })) ==
        "Twin is built as Original, but that has no output 'Z'");
  CHECK(refused(twin_with([](OpSchema& s) { s.output("K", "int64"); })) ==
        "Twin is built as Original, but the output 'K' of that has another place");
  CHECK(refused(twin_with([](OpSchema& s) { s.attribute(with_default("mode", 0)); })) ==
        "Twin is built as Original, but that has no attribute 'mode'");
  CHECK(refused(twin_with([](OpSchema& s) { s.attribute(with_default("axis", 0.5F)); })) ==
        "Twin is built as Original, but the attribute 'axis' of that has another type");
  CHECK(refused(twin_with([](OpSchema& s) { s.change("step") = required(INT, "step", at_least(0)); })) ==
        "Twin is built as Original, but the attribute 'step' of that has fewer values");
  const auto nothing = [](OpSchema&) {};
  CHECK(refused(twin_with(nothing).kernel(kernel)) == "Twin is built as Original, but has rules of its own");
  CHECK(refused(twin_with(nothing).reading(
            {.name = "twin.own", .alternatives = {"a: a"}, .defaults = {{1, "a"}}, .reason = "why"})) ==
        "Twin is built as Original, but has rules of its own");
}

}  // namespace original_test
