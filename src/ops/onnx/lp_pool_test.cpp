// SPDX-License-Identifier: Apache-2.0
// What cases in testdata cannot say of LpPool: attribute types, bits of NaN, notes, when readings can matter, history.
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "ops/operators.h"
#include "schema/changes.h"
#include "schema/resolve.h"

namespace lp_pool_test {

using namespace opref::ops;

namespace {

const Operator& lp_pool() { return *find_operator("", "LpPool"); }

using Attributes = std::vector<Attribute>;

Attribute ints(std::string name, std::vector<std::int64_t> values) {
  return {std::move(name), AttributeValue::of(std::move(values))};
}
Attribute integer(std::string name, std::int64_t value) { return {std::move(name), AttributeValue::of(value)}; }
Attribute auto_pad(std::string mode) { return {"auto_pad", AttributeValue::of(std::move(mode))}; }

Call call_of(int opset, const Attributes& attributes, const Tensor& x, const ReadingChoices& readings = {}) {
  return resolve(lp_pool().at(opset), {"LpPool", "", "", attributes, {"X"}, {"Y"}}, {{"X", x.type(), x, {}}}, readings);
}

/// Only the type of X is known.
Call call_of(int opset, const Attributes& attributes, const Dims& x) {
  return resolve(lp_pool().at(opset), {"LpPool", "", "", attributes, {"X"}, {"Y"}},
                 {{"X", {DType::float32, x}, {}, {}}}, {});
}

Tensor floats(const std::vector<float>& values) {
  return Tensor::of<float>(DType::float32, Dims{1, 1, static_cast<std::int64_t>(values.size())}, values);
}

Tensor run(const Call& call) { return std::get<Tensor>(call.op().kernel(call, call.op().output_types(call)).front()); }

/// Whether some alternative of the reading may have, or has, another result.
bool may_matter(std::string_view name, const Call& call) {
  const auto& all = call.op().readings();
  const Reading& reading = *std::ranges::find(all, name, &Reading::name);
  return std::ranges::any_of(reading.alternatives,
                             [&](std::string_view other) { return effect(reading, call, other) != Effect::none; });
}

std::string message(int opset, const Attributes& attributes) {
  try {
    const Call call = call_of(opset, attributes, Dims{1, 1, 4});
    lp_pool().output_types(call);
    return "";
  } catch (const Error& error) {
    return error.message();
  }
}

template <class Bits>
Bits norm_of_one(DType dtype, Bits element) {
  const Tensor x = Tensor::of<Bits>(dtype, Dims{1, 1, 1}, std::span(&element, 1));
  return run(call_of(22, {ints("kernel_shape", {1})}, x)).values<Bits>()[0];
}

std::string note_on(const Call& call, std::string_view subject) {
  lp_pool().output_types(call);
  for (const Note& note : lp_pool().notes(call))
    if (note.subject == subject) return note.text;
  return "";
}

}  // namespace

TEST_CASE("LpPool: p is FLOAT in version 1 and INT since 2, within limits", "[LpPool]") {
  const Attribute kernel = ints("kernel_shape", {2});
  CHECK(message(1, {kernel, {"p", AttributeValue::of(3.0F)}}).empty());
  CHECK(message(1, {kernel, integer("p", 3)}) == "attribute 'p' has type INT, but LpPool-1 takes FLOAT");
  CHECK(message(2, {kernel, integer("p", 3)}).empty());
  CHECK(message(2, {kernel, {"p", AttributeValue::of(3.0F)}}) ==
        "attribute 'p' has type FLOAT, but LpPool-2 takes INT");
  // The limit holds before any value is known.
  CHECK(message(22, {kernel, integer("p", 1048576)}).empty());
  CHECK(message(22, {kernel, integer("p", 1048577)}).starts_with("p = 1048577 is not supported"));
}

TEST_CASE("LpPool: a computed NaN is positive and quiet, an all-zero window +0", "[LpPool]") {
  CHECK(norm_of_one<std::uint16_t>(DType::float16, 0xfc01) == 0x7e00);
  CHECK(norm_of_one<std::uint16_t>(DType::bfloat16, 0xffff) == 0x7fc0);
  CHECK(norm_of_one<std::uint32_t>(DType::float32, 0xff800001) == 0x7fc00000);
  CHECK(norm_of_one<std::uint64_t>(DType::float64, 0xfff0000000000001) == 0x7ff8000000000000);
  CHECK(norm_of_one<std::uint16_t>(DType::float16, 0x8000) == 0);
  CHECK(norm_of_one<std::uint16_t>(DType::bfloat16, 0x8000) == 0);
  CHECK(norm_of_one<std::uint32_t>(DType::float32, 0x80000000) == 0);
  CHECK(norm_of_one<std::uint64_t>(DType::float64, 0x8000000000000000) == 0);
}

TEST_CASE("LpPool: infer tells the values of what a node leaves out", "[LpPool]") {
  const Attribute kernel = ints("kernel_shape", {2, 3});
  const Dims x{1, 1, 4, 5};
  const Call plain = call_of(22, {kernel}, x);
  CHECK(note_on(plain, "strides") == "[1,1]");
  CHECK(note_on(plain, "dilations") == "[1,1]");
  CHECK(note_on(plain, "pads") == "[0,0,0,0]");
  // Heights: 3 + 2 - 4 = 1, the odd one at the end; widths: 4 + 3 - 5 = 2.
  CHECK(note_on(call_of(11, {kernel, auto_pad("SAME_UPPER")}, x), "pads") == "[0,1,1,1]");
  CHECK(note_on(call_of(11, {kernel, auto_pad("SAME_LOWER")}, x), "pads") == "[1,1,0,1]");
  CHECK(note_on(call_of(11, {kernel}, x), "dilations").empty());
  const Call stated = call_of(22, {kernel, ints("strides", {1, 2}), ints("pads", {0, 0, 0, 0})}, x);
  CHECK(note_on(stated, "strides").empty());
  CHECK(note_on(stated, "pads").empty());
  CHECK(note_on(call_of(2, {kernel, ints("pads", {0, 0, 0, 0}), auto_pad("VALID")}, x), "pads") ==
        "zeros agree with auto_pad VALID, but the text allows no pads beside it");
  CHECK(note_on(call_of(1, {kernel}, x), "kernel_shape") ==
        "ONNX has no shape inference for LpPool-1: the output's shape follows the rules of version 2");
  CHECK(note_on(call_of(2, {kernel}, x), "kernel_shape").empty());
}

TEST_CASE("LpPool: an alternative gives another result only where its reading says that it may", "[LpPool]") {
  // Powers of two: no two different windows have the same sum. The last one holds a NaN.
  const Tensor numbers = floats({1, 2, 4, 8, 16}), with_nan = floats({1, 2, 4, 8, NAN});
  std::map<std::string_view, int> mattered;
  int cases = 0;
  for (const Tensor& x : {numbers, with_nan})
    for (const int opset : {1, 2, 11, 18, 22})
      for (const std::int64_t k : {1, 2, 3})
        for (const std::int64_t s : {1, 2, 3})
          for (const std::int64_t d : {1, 2})
            for (const std::int64_t ceil : {0, 1})
              for (const char* mode : {"", "pads", "VALID", "SAME_UPPER", "SAME_LOWER"}) {
                if (opset < 18 && (d > 1 || ceil > 0)) continue;
                Attributes attributes{ints("kernel_shape", {k}), ints("strides", {s})};
                if (opset == 1) attributes.push_back({"p", AttributeValue::of(1.0F)});
                if (opset > 1) attributes.push_back(integer("p", 1));
                if (opset >= 18) attributes.push_back(ints("dilations", {d}));
                if (opset >= 18) attributes.push_back(integer("ceil_mode", ceil));
                if (mode == std::string("pads")) attributes.push_back(ints("pads", {1, 2}));
                if (mode[0] == 'V' || mode[0] == 'S') attributes.push_back(auto_pad(mode));
                const Call call = call_of(opset, attributes, x);
                const Tensor y = run(call);
                ++cases;
                for (const Reading& reading : lp_pool().readings())
                  for (const std::string_view alternative : reading.alternatives) {
                    if (default_of(reading, call.version()).empty()) continue;
                    const Tensor other = run(call.with_reading(reading.name, alternative));
                    const bool same = other.type() == y.type() && std::ranges::equal(other.bytes(), y.bytes());
                    INFO(reading.name << " = " << alternative << ", opset " << opset << " k " << k << " s " << s
                                      << " d " << d << " ceil " << ceil << " " << mode);
                    const Effect foreseen = effect(reading, call, alternative);
                    CHECK((same ? foreseen != Effect::certain : foreseen != Effect::none));
                    mattered[reading.name] += same ? 0 : 1;
                  }
              }
  CHECK(cases == 2 * (3 * 3 * 3 * 5 + 2 * 3 * 3 * 2 * 2 * 5));
  for (const Reading& reading : lp_pool().readings()) {
    if (reading.name == "lp_pool.pads_with_auto_pad") continue;  // it decides only what is refused
    INFO(reading.name);
    CHECK(mattered[reading.name] > 5);
  }
}

TEST_CASE("LpPool: readings stay silent where nothing is open", "[LpPool]") {
  const Attribute kernel = ints("kernel_shape", {2});
  const Tensor x = floats({1, 2, 3, 4});
  const Attributes ceil{kernel, ints("strides", {2}), integer("ceil_mode", 1)};
  // Without padding or a remainder the windows are whole, and nothing else is in question.
  for (const Reading& reading : lp_pool().readings()) {
    INFO(reading.name);
    CHECK_FALSE(may_matter(reading.name, call_of(22, ceil, x)));
    CHECK_FALSE(may_matter(reading.name, call_of(22, ceil, x.shape())));
  }
  CHECK(may_matter("lp_pool.nan", call_of(22, {kernel}, floats({1, 2, NAN}))));
  CHECK_FALSE(may_matter("lp_pool.nan", call_of(22, {kernel}, floats({1, 2, INFINITY}))));
  std::vector<float> many(5000, 1);
  CHECK_FALSE(may_matter("lp_pool.nan", call_of(22, {kernel}, floats(many))));
  many.back() = NAN;
  CHECK(may_matter("lp_pool.nan", call_of(22, {kernel}, floats(many))));
  CHECK(may_matter("lp_pool.partial_window", call_of(22, {kernel, ints("pads", {0, 1})}, x)));
  // Skipped elements make windows partial as well.
  CHECK(may_matter("lp_pool.partial_window", call_of(22, {kernel}, floats({1, 2, NAN}), {{"lp_pool.nan", "skip"}})));
  // From version 11 on the text itself says ceil(L/strides).
  const Attributes same{kernel, ints("strides", {2}), auto_pad("SAME_UPPER")};
  CHECK(may_matter("lp_pool.same_size", call_of(2, same, x)));
  CHECK_FALSE(may_matter("lp_pool.same_size", call_of(11, same, x)));
  // An alternative that cannot be evaluated is another result, not an error of the call: 3 * 2^62 leaves 64 bits.
  const Call wide = call_of(2, {kernel, ints("strides", {std::int64_t{1} << 62}), auto_pad("SAME_UPPER")}, x);
  CHECK(lp_pool().output_types(wide).front().tensor.shape == Dims{1, 1, 1});
  CHECK(may_matter("lp_pool.same_size", wide));
}

TEST_CASE("LpPool's history", "[LpPool]") {
  std::vector<std::string> texts;
  for (const VersionChanges& version : changes_of(lp_pool()))
    for (const Change& change : version.changes)
      texts.push_back(format("{} {}: {}", version.since_version, name(change.kind), change.text));
  CHECK(texts ==
        std::vector<std::string>{
            "2 rule: attribute kernel_shape is required",
            "2 wording: the page now states the default of pads (0 along start and end of each spatial axis)",
            "2 rule: attribute p is INT, was FLOAT",
            "2 rule: ONNX infers the shapes",
            "11 wording: the page now states the default of strides (1 along each spatial axis)",
            "11 rule: SAME_* of auto_pad gives ceil(input / strides); before, the output \"matches the input\"",
            "11 reading: lp_pool.same_size no longer applies",
            "18 rule: attribute ceil_mode is new (INT, default 0)",
            "18 rule: attribute dilations is new (INTS, default 1 along each spatial axis)",
            "18 wording: the page has formulas for the output's size; auto_pad is \"deprecated\"",
            "18 reading: lp_pool.ceil_drop is new: keep",
            "18 reading: lp_pool.same_dilation is new: effective",
            "18 reading: lp_pool.valid_ceil is new: honoured",
            "22 type: T takes bfloat16 too",
            "22 reading: lp_pool.ceil_drop is drop, was keep",
        });
}

}  // namespace lp_pool_test
