// SPDX-License-Identifier: Apache-2.0
// ai.onnx RandomNormal, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__RandomNormal.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx::file_random_normal {
Operator random_normal() {
  return distribution("RandomNormal", "numbers of a normal distribution", normal_parameters, distribution_types,
                      normal_drawn);
}
}  // namespace opref::ops::onnx::file_random_normal
