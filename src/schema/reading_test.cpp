// SPDX-License-Identifier: Apache-2.0
#include "schema/reading.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "schema/resolve.h"

namespace reading_test {

using namespace opref::schema;

namespace {

/// X (n): "shape" gives 2n elements instead of n, "refuse" refuses; "place" moves what is read; "value" looks at n.
Operator sample() {
  return Operator("", "Sample")
      .version(1, [](OpSchema& s) { s.input("X", "T").output("Y", "T").types("T", DType::float32); })
      .version(5, words("other words"))
      .reading({.name = "sample.shape",
                .alternatives = {"n", "2n", "refuse", "same"},
                .defaults = {{1, "n"}},
                .reason = "why"})
      .reading({.name = "sample.place", .alternatives = {"here", "there"}, .defaults = {{1, "here"}}, .reason = "why"})
      .reading({.name = "sample.value",
                .alternatives = {"copy", "other"},
                .defaults = {{1, "copy"}, {5, ""}},
                .reason = "why",
                .may_change_values = [](const Call& call) { return call.type("X").shape[0] > 2; }})
      .output_types([](const Call& call) {
        const TensorType& x = call.type("X");
        require(call.reading("sample.shape") != "refuse", "refused");
        const std::int64_t factor = call.reading("sample.shape") == "2n" ? 2 : 1;
        return std::vector<ValueType>{TensorType{x.dtype, Dims{factor * x.shape[0]}}};
      })
      .placement([](const Call& call) {
        return std::vector<Dims>{Dims{call.reading("sample.place") == "there" && call.type("X").shape[0] > 1 ? 1 : 0}};
      });
}

const Operator& op() {
  static const Operator built = sample();
  return built;
}

Call call(std::int64_t opset, std::int64_t n, const ReadingChoices& choices = {}) {
  return resolve(op().at(opset), {"Sample", "", "", {}, {"X"}, {"Y"}}, {{"X", {DType::float32, Dims{n}}, {}, {}}},
                 choices);
}

Effect effect_of(std::size_t reading, std::string_view alternative, const Call& call) {
  return effect(op().readings()[reading], call, alternative);
}

}  // namespace

TEST_CASE("the effect of an alternative: types and refusals are certain", "[schema]") {
  CHECK(effect_of(0, "n", call(1, 1)) == Effect::none);
  CHECK(effect_of(0, "2n", call(1, 1)) == Effect::certain);
  CHECK(effect_of(0, "refuse", call(1, 1)) == Effect::certain);
  CHECK(effect_of(0, "same", call(1, 1)) == Effect::none);
  CHECK(effect_of(0, "n", call(1, 1, {{"sample.shape", "2n"}})) == Effect::certain);
}

TEST_CASE("the effect of an alternative: placement and values are possible", "[schema]") {
  CHECK(effect_of(1, "there", call(1, 1)) == Effect::none);
  CHECK(effect_of(1, "there", call(1, 2)) == Effect::possible);
  CHECK(effect_of(2, "other", call(1, 2)) == Effect::none);
  CHECK(effect_of(2, "other", call(1, 3)) == Effect::possible);
  CHECK(effect_of(2, "copy", call(1, 3)) == Effect::none);
}

TEST_CASE("a version that leaves no choice has no reading", "[schema]") {
  const Reading& value = op().readings()[2];
  CHECK(default_of(value, 1) == "copy");
  CHECK(default_of(value, 4) == "copy");
  CHECK(default_of(value, 5).empty());
  CHECK(versions_text(value) == "versions 1 to 4");
  CHECK(versions_text(op().readings()[1]) == "versions 1 and later");
  CHECK(effect_of(2, "other", call(5, 3)) == Effect::none);
}

}  // namespace reading_test
