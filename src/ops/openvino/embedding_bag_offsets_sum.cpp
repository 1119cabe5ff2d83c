// SPDX-License-Identifier: Apache-2.0
// openvino EmbeddingBagOffsetsSum, version 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/embeddings.h"
namespace opref::ops::openvino::file_embedding_bag_offsets_sum {
Operator embedding_bag_offsets_sum() {
  return Operator("openvino", "EmbeddingBagOffsetsSum")
      .summary("sums of bags of rows, which offsets into indices tell apart")
      .page("sparse/embedding-bag-offsets-sum-3")
      .version(
          3,
          [](OpSchema& s) { add_default_and_weights(add_table(s).input("offsets", "T_IND")).output("output0", "T"); })
      .as("openvino", "EmbeddingBagOffsets", 15, {{"output0", "out"}});
}
}  // namespace opref::ops::openvino::file_embedding_bag_offsets_sum
