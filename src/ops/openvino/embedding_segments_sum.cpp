// SPDX-License-Identifier: Apache-2.0
// openvino EmbeddingSegmentsSum, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/embeddings.h"
namespace opref::ops::openvino::file_embedding_segments_sum {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims &indices = call.type("indices").shape, &ids = call.type("segment_ids").shape;
  require_list("indices", indices);
  require(ids == indices, "segment_ids has shape {}, but indices has {}: there is one for each", ids, indices);
  require_scalar(call, "num_segments");
  const std::int64_t count = call.integer("num_segments");
  require(count >= 0, "num_segments is {}, but must not be negative", count);
  return bag_types(call, count);
}

// output0[s, …] = Σ over k with segment_ids[k] = s of per_sample_weights[k]·emb_table[indices[k], …]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::int64_t count = outs[0].type().shape[0];
  return bag_sums(call, outs, begins_of(ascending(call, "segment_ids", count - 1), count));
}
}  // namespace
Operator embedding_segments_sum() {
  return Operator("openvino", "EmbeddingSegmentsSum")
      .summary("sums of segments of rows, whose numbers are given")
      .page("sparse/embedding-segments-sum-3")
      .version(3,
               [](OpSchema& s) {
                 add_default_and_weights(add_table(s).input("segment_ids", "T_IND").input("num_segments", "T_IND"))
                     .output("output0", "T");
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_embedding_segments_sum
