// SPDX-License-Identifier: Apache-2.0
// openvino EmbeddingBagOffsets, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/embeddings.h"
namespace opref::ops::openvino::file_embedding_bag_offsets {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_list("indices", call.type("indices").shape);
  require_list("offsets", call.type("offsets").shape);
  return bag_types(call, call.type("offsets").shape[0]);
}

// out[b, …] = Σ of per_sample_weights[k]·emb_table[indices[k], …] for k from offsets[b] to before offsets[b + 1], the
// last one for all k that are left; or the mean
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::int64_t n = call.type("indices").shape[0];
  std::vector<std::int64_t> first = ascending(call, "offsets", n);
  first.push_back(n);
  return bag_sums(call, outs, first);
}
}  // namespace
Operator embedding_bag_offsets() {
  return Operator("openvino", "EmbeddingBagOffsets")
      .summary("sums or means of bags of rows, which offsets into indices tell apart")
      .page("sparse/embedding-bag-offsets-15")
      .version(15,
               [](OpSchema& s) {
                 s.attribute(with_default("reduction", "sum", one_of({"sum", "mean"})));
                 add_default_and_weights(add_table(s).input("offsets", "T_IND")).output("out", "T");
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_embedding_bag_offsets
