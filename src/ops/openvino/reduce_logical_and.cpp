// SPDX-License-Identifier: Apache-2.0
// openvino ReduceLogicalAnd, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_logical_and {
Operator reduce_logical_and() {
  return openvino_reduction("ReduceLogicalAnd", 1, DType::boolean, "T_BOOL")
      .summary("whether all elements along some axes are true; without axes the elements themselves")
      .page("reduction/reduce-logical-and-1")
      .as("ai.onnx", "ReduceMin", 20, {{"output0", "reduced"}, {"keep_dims", "keepdims"}},
          {{"noop_with_empty_axes", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_reduce_logical_and
