// SPDX-License-Identifier: Apache-2.0
// openvino EmbeddingBagPacked, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/embeddings.h"
namespace opref::ops::openvino::file_embedding_bag_packed {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims& indices = call.type("indices").shape;
  require(indices.size() == 2, "indices has shape {}, but must be [batch,indices_per_bag]", indices);
  return bag_types(call, indices[0]);
}

// out[b, …] = Σ over k of per_sample_weights[b, k]·emb_table[indices[b, k], …], or the mean
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& indices = call.type("indices").shape;
  std::vector<std::int64_t> first;
  for (std::int64_t b = 0; b <= indices[0]; ++b) first.push_back(b * indices[1]);
  return bag_sums(call, outs, first);
}
}  // namespace
Operator embedding_bag_packed() {
  return Operator("openvino", "EmbeddingBagPacked")
      .summary("sums or means of bags of rows, of which each row of indices is one")
      .page("sparse/embedding-bag-packed-15")
      .version(15,
               [](OpSchema& s) {
                 s.attribute(with_default("reduction", "sum", one_of({"sum", "mean"})));
                 add_table(s).input("per_sample_weights", "T", Arity::optional).output("out", "T");
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_embedding_bag_packed
