// SPDX-License-Identifier: Apache-2.0
// openvino ReduceSum, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_sum {
Operator reduce_sum() {
  return openvino_reduction("ReduceSum")
      .summary("the sum of the elements along some axes; without axes the elements themselves")
      .page("reduction/reduce-sum-1")
      .as("ai.onnx", "ReduceSum", 13, {{"output0", "reduced"}, {"keep_dims", "keepdims"}},
          {{"noop_with_empty_axes", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_reduce_sum
