// SPDX-License-Identifier: Apache-2.0
// openvino ReduceMean, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_mean {
Operator reduce_mean() {
  return openvino_reduction("ReduceMean")
      .summary("the mean of the elements along some axes; without axes the elements themselves")
      .page("reduction/reduce-mean-1")
      .as("ai.onnx", "ReduceMean", 18, {{"output0", "reduced"}, {"keep_dims", "keepdims"}},
          {{"noop_with_empty_axes", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_reduce_mean
