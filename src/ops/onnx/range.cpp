// SPDX-License-Identifier: Apache-2.0
// ai.onnx Range, versions 11, 27
// https://onnx.ai/onnx/operators/onnx__Range.html
#include "exact/convert.h"
#include "fast/fast.h"
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
namespace opref::ops::onnx::file_range {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  for (const std::string_view name : {"start", "limit", "delta"}) require_scalar_or_one(call, name);
  const Elements start(call.input("start")), limit(call.input("limit")), delta(call.input("delta"));
  if (call.has("stash_type")) floating_type_of(call, "stash_type");
  if (start.is_floating()) {
    for (const std::string_view name : {"start", "limit", "delta"})
      require(std::isfinite(call.number(name)), "{} is {}, but must be finite", call.name(name), call.number(name));
    require(delta.number(0) != 0, "{} is 0, but must not be", call.name("delta"));
    return {TensorType{call.type("start").dtype,
                       Dims{progression_length(start.number(0), limit.number(0), delta.number(0))}}};
  }
  require(delta.wide(0) != 0, "{} is 0, but must not be", call.name("delta"));
  const Elements::Wide n = progression_length(start.wide(0), limit.wide(0), delta.wide(0));
  require(n <= INT64_MAX, "start {}, limit {} and delta {} would make more than 2^63 elements", call.integer("start"),
          call.integer("limit"), call.integer("delta"));
  return {TensorType{call.type("start").dtype, Dims{static_cast<std::int64_t>(n)}}};
}

/// The type in which the function's body adds: T, or stash_type where T is narrower than it.
DType accumulator(const Call& call, DType dtype) {
  if (!call.has("stash_type") || (dtype != DType::float16 && dtype != DType::bfloat16)) return dtype;
  return floating_type_of(call, "stash_type");
}

// output[i] = start + i·delta
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const TensorType& output = outs[0].type();
  const Elements start(call.input("start")), delta(call.input("delta"));
  if (!start.is_floating())
    return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
      return static_cast<std::uint64_t>(x(start, 0)) +
             static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(x(delta, 0));
    })};
  if (call.reads("range.accumulate", "sum")) {  // each element is the one before, rounded, plus delta
    const DType stash = accumulator(call, output.dtype);
    double next = start.number(0);
    return {tensor_of_bits(output, [&](std::int64_t) {
      const std::uint64_t bits = converted(Number::of(next), output.dtype, {});
      next = floating_value(stash, converted(Number::of(next + delta.number(0)), stash, {}));
      return bits;
    })};
  }
  const auto element = [&]<class R>(std::int64_t i, const Reader<R>& x) {
    return x.sum(x(start, 0), R::whole(i) * x(delta, 0));
  };
  const Rows rows = [&](const RowTarget& y) { return fast::progression(y, start.number(0), delta.number(0)); };
  return {real(outs[0], element, {}, rows)};
}

bool may_accumulate(const Call& call) { return info(call.type("start").dtype).kind == Kind::floating; }

void version_11(OpSchema& s) {
  s.input("start", "T").input("limit", "T").input("delta", "T").output("output", "T");
  s.types("T", {DType::float32, DType::float64, DType::int16, DType::int32, DType::int64});
}

void version_27(OpSchema& s) {
  s.add_types("T", {DType::float16, DType::bfloat16});
  s.attribute(with_default("stash_type", 1, element_types()));
}
}  // namespace
Operator range() {
  return Operator("ai.onnx", "Range")
      .summary("the numbers from a start to below a limit, one step apart")
      .version(11, version_11)
      .version(27, version_27)
      .reading({.name = "range.accumulate",
                .alternatives = {"formula: start + i·delta, rounded once",
                                 "sum: the element before plus delta, rounded each time"},
                .defaults = {{11, "formula"}},
                .reason = "the page states the formula; the function's body and onnxruntime add again and again",
                .may_change_values = may_accumulate})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_range
