// SPDX-License-Identifier: Apache-2.0
// ai.onnx RandomUniform, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__RandomUniform.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx::file_random_uniform {
Operator random_uniform() {
  return distribution("RandomUniform", "numbers of a uniform distribution", uniform_parameters, uniform_types,
                      uniform_drawn);
}
}  // namespace opref::ops::onnx::file_random_uniform
