// SPDX-License-Identifier: Apache-2.0
// openvino GatherND, versions 5 (opset5), 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/indices.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_gather_nd {
namespace {
// 5 makes one axis of the batches' axes.
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const Dims& indices = call.type("indices").shape;
  const std::int64_t b = call.integer("batch_dims");
  require(b >= 0 && b < std::min(std::ssize(data), std::ssize(indices)),
          "attribute 'batch_dims' is {}, but must be less than the ranks of data {} and indices {}", b, data, indices);
  const NamedSlices slices = named_slices(call, static_cast<size_t>(b));
  require(slices.depth >= 1, "indices has shape {}, but its last axis must name a place", indices);
  require(data.first(slices.batch) == indices.first(slices.batch),
          "indices has shape {}, but data has {}: the first {} must agree", indices, data, counted(b, "size"));
  const Dims places = indices.first(indices.size() - 1), rest = data.without_first(slices.batch + slices.depth);
  if (call.version() >= 8 || b < 2) return {TensorType{dtype, join(places, rest)}};
  return {TensorType{
      dtype, join(Dims{element_count(places.first(slices.batch))}, join(places.without_first(slices.batch), rest))}};
}

void require_no_negative(const Call& call) {
  const std::vector<std::int64_t> indices = call.integers("indices");
  for (size_t k = 0; k < indices.size(); ++k)
    require(indices[k] >= 0, "indices{} is {}, but the reading gather_nd.negative=refuse takes none below 0",
            coordinates(static_cast<std::int64_t>(k), call.type("indices").shape), indices[k]);
}

// output0[b…, i…, …] = data[b…, indices[b…, i…]…, …]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (call.reads("gather_nd.negative", "refuse")) require_no_negative(call);
  return {move(outs[0], call.input("data"),
               named_slices(call, static_cast<size_t>(call.integer("batch_dims"))).places(call))};
}
}  // namespace
Operator gather_nd() {
  return Operator("openvino", "GatherND")
      .summary("slices of data, by the places that the last axis of the indices names")
      .page("movement/gather-nd-8")
      .category("category data movement")
      .version(5,
               [](OpSchema& s) {
                 s.attribute(with_default("batch_dims", 0))
                     .input("data", "T")
                     .input("indices", "T_IND")
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_IND", types::integers);
               })
      .version(8, rules("the batches' axes stay apart; before, they are one"))
      .reading(
          {.name = "gather_nd.negative",
           .alternatives = {"wrap: negative indices count from the end", "refuse: they are invalid"},
           .defaults = {{5, "wrap"}, {8, ""}},
           .reason = "the page of version 5 is silent; both programs count from the end",
           .may_change_values =
               [](const Call& call) { return any_of(call, "indices", true, [](double index) { return index < 0; }); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_gather_nd
