// SPDX-License-Identifier: Apache-2.0
// openvino Convolution, version 1 (opset1)
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-1.html
#include "ops/operator_file.h"
#include "ops/shared/openvino_windows.h"
namespace opref::ops::openvino::file_convolution {
namespace {
// output[n, m, o] = Σ over c in [0, C_IN) and the taps k inside data
//                   of data[n, c, o*s + k*d - pb]·kernel[m, c, k]

void version_1(OpSchema& s) {
  openvino_convolution_attributes(s);
  s.input("data", "T", "the data, [N, C_IN, Z, Y, X], [… Y, X] or [… X]")
      .input("kernel", "T", "the kernels, [C_OUT, C_IN, …] with the spatial axes of data")
      .output("output", "T", "the result, [N, C_OUT, …]")
      .types("T", openvino_numbers(), "Any numeric type.");
}
}  // namespace
Operator convolution() {
  return openvino_convolution("Convolution")
      .summary("convolution: the sums of products of the kernels and the windows of the data")
      .page("convolution/convolution-1")
      .version(1, version_1);
}
}  // namespace opref::ops::openvino::file_convolution
