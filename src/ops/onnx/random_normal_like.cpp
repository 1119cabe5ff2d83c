// SPDX-License-Identifier: Apache-2.0
// ai.onnx RandomNormalLike, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__RandomNormalLike.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx::file_random_normal_like {
Operator random_normal_like() {
  return distribution_like("RandomNormalLike", "numbers of a normal distribution, in the shape of the input",
                           normal_parameters, distribution_types, normal_drawn);
}
}  // namespace opref::ops::onnx::file_random_normal_like
