// SPDX-License-Identifier: Apache-2.0
// ai.onnx RandomUniformLike, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__RandomUniformLike.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx::file_random_uniform_like {
Operator random_uniform_like() {
  return distribution_like("RandomUniformLike", "numbers of a uniform distribution, in the shape of the input",
                           uniform_parameters, uniform_types, uniform_drawn);
}
}  // namespace opref::ops::onnx::file_random_uniform_like
