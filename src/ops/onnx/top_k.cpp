// SPDX-License-Identifier: Apache-2.0
// ai.onnx TopK, versions 1, 10, 11, 24
// https://onnx.ai/onnx/operators/onnx__TopK.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_top_k {
namespace {
/// "A 1-D tensor containing a single positive value".
std::int64_t k_of(const Call& call) {
  if (call.version() == 1) return call.integer("k");
  require_list("K", call.type("K").shape);
  require(call.type("K").shape == Dims{1}, "K has shape {}, but must be [1]", call.type("K").shape);
  return call.integer("K");
}

std::vector<ValueType> output_types(const Call& call) {
  auto [dtype, shape] = call.type("X");
  const size_t axis = axis_of(call, shape.size());
  const std::int64_t k = k_of(call);
  require(k >= 0 && k <= shape[axis], "{} is {}, but must be from 0 to {}, the size of axis {} of X",
          call.version() == 1 ? "k" : "K", k, shape[axis], axis);
  require(k > 0 || call.reads("top_k.zero", "accept"), "{} is 0, which the reading top_k.zero=reject refuses",
          call.version() == 1 ? "k" : "K");
  shape[axis] = k;
  return {TensorType{dtype, shape}, TensorType{DType::int64, shape}};
}

void require_no_nan(const Call& call) {
  if (!call.reads("top_k.nan", "invalid")) return;
  const Order order(call.input("X"), Zeros::equal);
  for (std::int64_t i = 0; order.may_be_nan() && i < call.input("X").count(); ++i)
    if (order(i) == Order::kNan)
      fail(Fault::invalid, "X{} is NaN, which the reading top_k.nan=invalid refuses",
           coordinates(i, call.type("X").shape));
}

// Values = the k greatest (or least) elements along the axis, the best first, Indices their places there: of equals the
// lower index comes first, -0 is 0. NaN is above every number.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& X = call.input("X");
  const Dims& values = outs[0].type().shape;
  const size_t axis = axis_of(call, values.size());
  const std::int64_t k = values[axis], inner = element_count(values.without_first(axis + 1));
  const bool largest = !call.has("largest") || call.flag("largest");
  require_no_nan(call);
  const Lines lines(X.shape(), {axis});
  const Ranking ranking(first_wanted(outs), X, lines, k, largest ? Extreme::greatest : Extreme::least);
  const auto place = [&](std::int64_t i) {
    const auto [outer, j, in] = split(i, k, inner);
    return ranking(outer * inner + in, j);
  };
  std::vector<Value> results{move(outs[0], X, [&](std::int64_t i) { return Run{place(i)}; })};
  if (outs.size() > 1)
    results.emplace_back(places(outs[1], X, place, [&](std::int64_t at) { return lines.place_of(at); }));
  return results;
}

std::vector<Note> notes(const Call& call) {
  if (!call.has("sorted") || call.flag("sorted")) return {};
  return {remark("sorted", "0: any order would do; here the best come first")};
}

void version_1(OpSchema& s) {
  s.input("X", "T").output("Values", "T").output("Indices", "I").types("T", types::floats).types("I", DType::int64);
  s.attribute(with_default("axis", -1)).attribute(required(INT, "k", at_least(0)));
}

void version_11(OpSchema& s) {
  s.attribute(with_default("largest", 1)).attribute(with_default("sorted", 1)).types("T", types::numbers);
  s.wording("axis may be negative: it then counts from the last axis back");
}
}  // namespace
Operator top_k() {
  return Operator("ai.onnx", "TopK")
      .summary("the k greatest or least elements along an axis, and where they are")
      .version(1, version_1)
      .version(10, [](OpSchema& s) { s.remove("k").input("K", "int64"); })
      .version(11, version_11)
      .version(24, adds("T", DType::bfloat16))
      .reading(negative_axis_reading(1, 11))
      .reading(
          {.name = "top_k.nan",
           .alternatives = {"largest: NaN is above every number", "invalid: X must have none"},
           .defaults = {{1, "largest"}},
           .reason = "the page does not say; numpy, ONNX's reference and onnxruntime take it as the greatest",
           .may_change_values = [](const Call& call) { return info(call.type("X").dtype).kind == Kind::floating; }})
      .reading({.name = "top_k.zero",
                .alternatives = {"accept: of 0 elements there are none", "reject: K must be positive"},
                .defaults = {{1, "accept"}},
                .reason = "\"a single positive value\"; onnxruntime and ONNX's inference take 0 from version 10 on"})
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes);
}
}  // namespace opref::ops::onnx::file_top_k
