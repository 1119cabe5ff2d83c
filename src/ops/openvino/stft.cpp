// SPDX-License-Identifier: Apache-2.0
// openvino STFT, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/signals.h"
namespace opref::ops::openvino::file_stft {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, signal] = call.type("signal");
  const Dims& window = call.type("window").shape;
  require(signal.size() == 1 || signal.size() == 2, "signal has shape {}, but must have 1 or 2 axes", signal);
  require(window.size() == 1, "window has shape {}, but must be a list", window);
  const std::int64_t size = rank_0(call, "frame_size"), step = rank_0(call, "frame_step"),
                     length = signal[signal.size() - 1];
  require(size >= 1 && size <= length, "frame_size is {}, but must be from 1 to {}, the length of signal", size,
          length);
  require(step >= 1, "frame_step is {}, but must be >= 1", step);
  require(window[0] >= 1 && window[0] <= size, "window has {}, but must have from 1 to {}, frame_size",
          counted(window[0], "element"), size);
  const std::int64_t frames = (length - size) / step + 1, bins = size / 2 + 1;
  Dims y = signal.first(signal.size() - 1);
  for (const std::int64_t n : call.flag("transpose_frames") ? Dims{bins, frames, 2} : Dims{frames, bins, 2})
    y.push_back(n);
  return {TensorType{dtype, y}};
}

/// In the middle of a frame, between zeros.
Tensor window_of(const Call& call, const Output& out, std::int64_t size) {
  const Tensor& window = call.input("window");
  const std::int64_t before = (size - window.count()) / 2;
  std::vector<std::int64_t> from;
  for (std::int64_t n = 0; n < size; ++n) from.push_back(n - before < window.count() ? n - before : -1);
  for (std::int64_t& n : from) n = std::max<std::int64_t>(n, -1);
  const Coordinates along = from;
  return move_by_axis(out.inner(TensorType{window.dtype(), {size}}), window, std::span(&along, 1),
                      fill_of(0, window.dtype()));
}

// out[b, f, k] = Σ signal[b, f·frame_step + n]·window[n]·e^(-2πi·kn/frame_size), n < frame_size, k <= frame_size/2; or
// out[b, k, f]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& signal = call.input("signal");
  if (signal.count() == 0 && ask_for_nothing(outs)) return nothing(outs);  // without a table of its turns
  const std::int64_t size = call.integer("frame_size"), step = call.integer("frame_step"),
                     length = signal.shape()[signal.shape().size() - 1], frames = (length - size) / step + 1;
  return {spectra(outs[0], {.x = signal,
                            .lines = Strided({signal.count() / length, frames}, {length, step}),
                            .step = 1,
                            .used = size,
                            .is_complex = false,
                            .window = window_of(call, outs[0], size),
                            .N = size,
                            .bins = size / 2 + 1,
                            .inner = call.flag("transpose_frames") ? frames : 1})};
}
}  // namespace
Operator stft() {
  return Operator("openvino", "STFT")
      .summary("the discrete Fourier transforms of frames of real signals")
      .page("signals/stft-15")
      .category("category signal processing")
      .version(15,
               [](OpSchema& s) {
                 s.attribute(required(INT, "transpose_frames", flag()))
                     .input("signal", "T")
                     .input("window", "T")
                     .input("frame_size", "T_INT")
                     .input("frame_step", "T_STEP")
                     .output("out", "T")
                     .types("T", computed_floats)
                     .types("T_INT", types::signed_wide)
                     .types("T_STEP", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_stft
