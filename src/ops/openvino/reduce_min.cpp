// SPDX-License-Identifier: Apache-2.0
// openvino ReduceMin, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_min {
Operator reduce_min() {
  return openvino_reduction("ReduceMin")
      .summary("the least element along some axes; without axes the elements themselves")
      .page("reduction/reduce-min-1")
      .as("ai.onnx", "ReduceMin", 20, {{"output0", "reduced"}, {"keep_dims", "keepdims"}},
          {{"noop_with_empty_axes", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_reduce_min
