// SPDX-License-Identifier: Apache-2.0
// openvino SegmentMax, version 16 (opset16)
#include "ops/operator_file.h"
#include "ops/shared/embeddings.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_segment_max {
namespace {
/// The number of each row's segment.
std::vector<std::int64_t> segments_of(const Call& call) { return ascending(call, "segment_ids"); }

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const Dims& ids = call.type("segment_ids").shape;
  require(!data.empty(), "data is a scalar, but must have rows");
  require(ids == Dims{data[0]}, "segment_ids has shape {}, but must have {}, one for each row of data {}", ids,
          Dims{data[0]}, data);
  std::int64_t count = 0;
  if (call.has("num_segments")) {
    require_scalar(call, "num_segments");
    count = call.integer("num_segments");
    require(count >= 0, "num_segments is {}, but must not be negative", count);
  } else if (call.has_value("segment_ids")) {
    const std::vector<std::int64_t> segments = segments_of(call);
    count = segments.empty() ? 0 : segments.back() + 1;
  } else {
    return {ValueType::of_unknown_shape(dtype)};
  }
  return {TensorType{dtype, join(Dims{count}, data.without_first(1))}};
}

// out[s, …] = the greatest of data[k, …] for all k with segment_ids[k] = s; of none 0, or the least number of the type
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const std::int64_t size = element_count(data.shape().without_first(1));
  const std::vector<std::int64_t> first = begins_of(segments_of(call), outs[0].type().shape[0]);
  const Selection greatest(outs[0], data, Zeros::ordered, Extreme::greatest, Tie::first,
                           [&](std::int64_t i, Best& best) {
                             const auto s = static_cast<size_t>(i / size);
                             best.consider({first[s] * size + i % size, first[s + 1] - first[s], size});
                           });
  if (call.string("fill_mode") == "zero") return {greatest.values(outs[0])};
  return {greatest.values(outs[0], neutral(data.dtype(), Extreme::greatest, Ends::finite))};
}
}  // namespace
Operator segment_max() {
  return Operator("openvino", "SegmentMax")
      .summary("the greatest element of each segment of rows")
      .page("arithmetic/segment-max-16")
      .version(16,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "fill_mode", one_of({"zero", "lowest"})))
                     .input("data", "T")
                     .input("segment_ids", "T_IDX1")
                     .input("num_segments", "T_IDX2", Arity::optional)
                     .output("out", "T");
                 s.types("T", computed_numbers).types("T_IDX1", types::signed_wide).types("T_IDX2", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_segment_max
