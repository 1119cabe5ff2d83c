// SPDX-License-Identifier: Apache-2.0
// openvino IRDFT, version 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino_signals.h"
namespace opref::ops::openvino::file_irdft {
namespace {
/// Without a size of its own the last axis has 2(n - 1), n being the data's.
SignalAxes half_axes(const Call& call) {
  SignalAxes signals = signal_axes(call, true);
  std::int64_t& last = signals.sizes.back();
  if (!signals.is_stated.back()) last = checked_multiply(2, last - 1);
  return signals;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const SignalAxes signals = half_axes(call);
  require_lengths(signals);
  Dims y = data.first(data.size() - 1);
  for (size_t k = 0; k < signals.axes.size(); ++k) y[signals.axes[k]] = signals.sizes[k];
  return {TensorType{dtype, y}};
}

// output0[n] = Re(Σ X[k]·e^(2πi·Σ k[a]·n[a]/size[a]))/Π size[a] over all k of the axes a. Along the last one data has
// X to size/2, and conjugates at the mirrored places are beyond; data is cut or padded with zeros before.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  SignalAxes signals = half_axes(call);
  const bool is_own_size = signals.sizes.back() == 2 * (call.type("data").shape[signals.axes.back()] - 1);
  return {transform(outs[0], call.input("data"),
                    {.axes = std::move(signals.axes),
                     .sizes = std::move(signals.sizes),
                     .is_complex = true,
                     .inverse = true,
                     .is_half = true,
                     .mirrors_first = !is_own_size && call.reads("irdft.signal_size", "mirrored")})};
}
}  // namespace
Operator irdft() {
  return Operator("openvino", "IRDFT")
      .summary("the inverse Fourier transform of half a spectrum over some axes: real numbers")
      .page("signals/irdft-9")
      .category("category signal processing")
      .version(9, add_signal_inputs)
      .reading(
          {.name = "irdft.signal_size",
           .alternatives = {"half: the last size is that of the half spectrum: bins beyond size/2 do not count",
                            "mirrored: it is that of the whole spectrum, of 2(n - 1) bins, which is cut or padded"},
           .defaults = {{9, "half"}},
           .reason = "numpy and the CPU plugin; the page mirrors first",
           .may_change_values = [](const Call& call) { return call.has("signal_size"); }})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_irdft
