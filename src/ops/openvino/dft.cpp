// SPDX-License-Identifier: Apache-2.0
// openvino DFT, version 7 (opset7)
#include "ops/operator_file.h"
#include "ops/shared/openvino_signals.h"
namespace opref::ops::openvino::file_dft {
namespace {
// output0[k] = Σ data[n]·e^(-2πi·Σ k[a]·n[a]/size[a]) over all n of the axes a; data is cut or padded with zeros
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return complex_transform(call, outs, false);
}
}  // namespace
Operator dft() {
  return Operator("openvino", "DFT")
      .summary("the discrete Fourier transform over some axes")
      .page("signals/dft-7")
      .category("category signal processing")
      .version(7, add_signal_inputs)
      .output_types(complex_transform_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_dft
