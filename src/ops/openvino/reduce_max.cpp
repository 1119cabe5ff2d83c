// SPDX-License-Identifier: Apache-2.0
// openvino ReduceMax, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_max {
Operator reduce_max() {
  return openvino_reduction("ReduceMax")
      .summary("the greatest element along some axes; without axes the elements themselves")
      .page("reduction/reduce-max-1")
      .as("ai.onnx", "ReduceMax", 20, {{"output0", "reduced"}, {"keep_dims", "keepdims"}},
          {{"noop_with_empty_axes", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_reduce_max
