// SPDX-License-Identifier: Apache-2.0
// openvino EmbeddingBagPackedSum, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/embeddings.h"
namespace opref::ops::openvino::file_embedding_bag_packed_sum {
Operator embedding_bag_packed_sum() {
  return Operator("openvino", "EmbeddingBagPackedSum")
      .summary("sums of bags of rows, of which each row of indices is one")
      .page("sparse/embedding-bag-packed-sum-3")
      .version(
          3, [](OpSchema& s) { add_table(s).input("per_sample_weights", "T", Arity::optional).output("output0", "T"); })
      .as("openvino", "EmbeddingBagPacked", 15, {{"output0", "out"}});
}
}  // namespace opref::ops::openvino::file_embedding_bag_packed_sum
