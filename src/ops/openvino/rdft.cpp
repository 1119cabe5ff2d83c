// SPDX-License-Identifier: Apache-2.0
// openvino RDFT, version 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino_signals.h"
namespace opref::ops::openvino::file_rdft {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  auto [dtype, y] = call.type("data");
  const SignalAxes signals = signal_axes(call, false);
  require_lengths(signals);
  for (size_t k = 0; k < signals.axes.size(); ++k) y[signals.axes[k]] = signals.sizes[k];
  y[signals.axes.back()] = signals.sizes.back() / 2 + 1;
  y.push_back(2);
  return {TensorType{dtype, y}};
}

// output0[k] = Σ data[n]·e^(-2πi·Σ k[a]·n[a]/size[a]) over all n of the axes a; data is cut or padded with zeros. Along
// the last one of the axes k goes to size/2 alone.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  SignalAxes signals = signal_axes(call, false);
  return {transform(outs[0], call.input("data"),
                    {.axes = std::move(signals.axes), .sizes = std::move(signals.sizes), .is_complex = false})};
}
}  // namespace
Operator rdft() {
  return Operator("openvino", "RDFT")
      .summary("the discrete Fourier transform of real numbers over some axes: half the spectrum")
      .page("signals/rdft-9")
      .category("category signal processing")
      .version(9, add_signal_inputs)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_rdft
