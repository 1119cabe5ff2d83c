// SPDX-License-Identifier: Apache-2.0
// openvino ReduceLogicalOr, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_logical_or {
Operator reduce_logical_or() {
  return openvino_reduction("ReduceLogicalOr", 1, DType::boolean, "T_BOOL")
      .summary("whether an element along some axes is true; without axes the elements themselves")
      .page("reduction/reduce-logical-or-1")
      .as("ai.onnx", "ReduceMax", 20, {{"output0", "reduced"}, {"keep_dims", "keepdims"}},
          {{"noop_with_empty_axes", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_reduce_logical_or
