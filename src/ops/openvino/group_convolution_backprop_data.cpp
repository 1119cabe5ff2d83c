// SPDX-License-Identifier: Apache-2.0
// openvino GroupConvolutionBackpropData, version 1 (opset1)
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/group-convolution-backprop-data-1.html
#include "ops/operator_file.h"
#include "ops/shared/openvino_windows.h"
namespace opref::ops::openvino::file_group_convolution_backprop_data {
// output[n, g*C_OUT+m, o] = sum over c in [0, C_IN) and all i, k with i*strides + k*dilations - pads_begin = o
//                           of data[n, g*C_IN+c, i] * kernel[g, c, m, k]

Operator group_convolution_backprop_data() {
  return backprop_data(
      Operator("openvino", "GroupConvolutionBackpropData")
          .summary("transposed convolution of each group of channels: each element of data adds its multiple of the "
                   "kernels to the output, strides apart")
          .page("convolution/group-convolution-backprop-data-1")
          .version(1, [](OpSchema& s) {
            add_backprop_attributes(s);
            s.input("data", "T1", "the data, [N, GROUPS * C_IN, Z, Y, X], [… Y, X] or [… X]")
                .input("kernel", "T1", "the kernels, [GROUPS, C_IN, C_OUT, …] with the spatial axes of data")
                .input("output_shape", "T2", Arity::optional, "the output's spatial sizes")
                .output("output", "T1", "the result, [N, GROUPS * C_OUT, …]");
            add_backprop_types(s);
          }));
}
}  // namespace opref::ops::openvino::file_group_convolution_backprop_data
