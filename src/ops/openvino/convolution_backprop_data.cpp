// SPDX-License-Identifier: Apache-2.0
// openvino ConvolutionBackpropData, version 1 (opset1)
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-backprop-data-1.html
#include "ops/operator_file.h"
#include "ops/shared/openvino_windows.h"
namespace opref::ops::openvino::file_convolution_backprop_data {
// output[n, m, o] = sum over c in [0, C_IN) and all i, k with i*strides + k*dilations - pads_begin = o
//                   of data[n, c, i] * kernel[c, m, k]

Operator convolution_backprop_data() {
  return backprop_data(
      Operator("openvino", "ConvolutionBackpropData")
          .summary("transposed convolution: each element of data adds its multiple of the kernels to the output, "
                   "strides apart")
          .page("convolution/convolution-backprop-data-1")
          .version(1, [](OpSchema& s) {
            add_backprop_attributes(s);
            s.input("data", "T1", "the data, [N, C_IN, Z, Y, X], [… Y, X] or [… X]")
                .input("kernel", "T1", "the kernels, [C_IN, C_OUT, …] with the spatial axes of data")
                .input("output_shape", "T2", Arity::optional, "the output's spatial sizes")
                .output("output", "T1", "the result, [N, C_OUT, …]");
            add_backprop_types(s);
          }));
}
}  // namespace opref::ops::openvino::file_convolution_backprop_data
