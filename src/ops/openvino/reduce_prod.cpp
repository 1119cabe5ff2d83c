// SPDX-License-Identifier: Apache-2.0
// openvino ReduceProd, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reduce_prod {
Operator reduce_prod() {
  return openvino_reduction("ReduceProd")
      .summary("the product of the elements along some axes; without axes the elements themselves")
      .page("reduction/reduce-prod-1")
      .as("ai.onnx", "ReduceProd", 18, {{"output0", "reduced"}, {"keep_dims", "keepdims"}},
          {{"noop_with_empty_axes", AttributeValue::of(std::int64_t{1})}});
}
}  // namespace opref::ops::openvino::file_reduce_prod
