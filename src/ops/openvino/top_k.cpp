// SPDX-License-Identifier: Apache-2.0
// openvino TopK, versions 1 (opset1), 3 (opset3), 11 (opset11)
#include "evaluators/select.h"
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_top_k {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  auto [dtype, shape] = call.type("data");
  require_scalar(call, "k");
  require(!call.flag("stable") || call.string("sort") != "none",
          "attribute 'stable' is true, but 'sort' is none: only sorted elements have an order");
  const size_t axis = call.axis("axis", shape.size());
  const std::int64_t k = call.integer("k");
  require(k >= 1 && k <= shape[axis], "k is {}, but must be from 1 to {}, the size of axis {} of data {}", k,
          shape[axis], axis, call.type("data").shape);
  shape[axis] = k;
  return {TensorType{dtype, shape},
          TensorType{call.string("index_element_type") == "i32" ? DType::int32 : DType::int64, shape}};
}

// The k greatest (or least) elements along the axis, and their places there: the best first, or in the order of data;
// of equals the lower index comes first, -0 is 0. NaN is above every number.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const Dims& values = outs[0].type().shape;
  const size_t axis = call.axis("axis", values.size());
  const std::int64_t k = values[axis], inner = element_count(values.without_first(axis + 1));
  const Lines lines(data.shape(), {axis});
  const Ranking ranking(first_wanted(outs), data, lines, k,
                        call.string("mode") == "max" ? Extreme::greatest : Extreme::least);
  std::vector<std::int64_t> order(static_cast<size_t>(outs[0].type().shape.size() == 0 ? 1 : element_count(values)));
  for (std::int64_t i = 0; i < element_count(values); ++i) {
    const auto [outer, j, in] = split(i, k, inner);
    order[static_cast<size_t>((outer * inner + in) * k + j)] = ranking(outer * inner + in, j);
  }
  if (call.string("sort") == "index")
    for (auto line = order.begin(); line != order.end(); line += k) std::sort(line, line + k);
  const auto place = [&](std::int64_t i) {
    const auto [outer, j, in] = split(i, k, inner);
    return order[static_cast<size_t>((outer * inner + in) * k + j)];
  };
  std::vector<Value> results{move(outs[0], data, [&](std::int64_t i) { return Run{place(i)}; })};
  results.emplace_back(places(outs[1], data, place, [&](std::int64_t at) { return lines.place_of(at); }));
  return results;
}

std::vector<Note> notes(const Call& call) {
  if (call.string("sort") != "none") return {};
  return {remark("sort", "none: any order would do; here the best come first")};
}

void version_1(OpSchema& s) {
  s.attribute(required(INT, "axis"))
      .attribute(required(STRING, "mode", one_of({"max", "min"})))
      .attribute(required(STRING, "sort", one_of({"value", "index", "none"})))
      .attribute(with_default("index_element_type", "i32", index_types()));
  s.input("data", "T")
      .input("k", "T_K")
      .output("output0", "T")
      .output("output1", "T_IND")
      .types("T", computed_numbers)
      .types("T_K", types::integers)
      .types("T_IND", types::signed_wide);
}
}  // namespace
Operator top_k() {
  return Operator("openvino", "TopK")
      .summary("the k greatest or least elements along an axis, and where they are")
      .page("sort/top-k-11")
      .category("category sorting and maximization")
      .version(1, version_1)
      .version(3, [](OpSchema&) {})
      .version(
          11,
          [](OpSchema& s) {
            s.rename("output0", "values").rename("output1", "indices").attribute(with_default("stable", 0, flag()));
          })
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes);
}
}  // namespace opref::ops::openvino::file_top_k
