// SPDX-License-Identifier: Apache-2.0
// ai.onnx STFT, version 17
// https://onnx.ai/onnx/operators/onnx__STFT.html
#include "ops/operator_file.h"
#include "ops/shared/signals.h"
namespace opref::ops::onnx::file_stft {
namespace {
std::int64_t scalar(const Call& call, std::string_view input) {
  require_scalar(call, input);
  return call.integer(input);
}

/// 2 of complex numbers, whose last axis holds their parts.
std::int64_t parts_of(const Dims& signal) { return signal.size() == 3 ? signal[2] : 1; }

/// A frame's length.
std::int64_t length(const Call& call) {
  const Dims& signal = call.type("signal").shape;
  if (call.has("window"))
    require(call.type("window").rank() == 1, "window has shape {}, but must be a list", call.type("window").shape);
  const std::int64_t window = call.has("window") ? call.type("window").shape[0] : signal[1];
  const std::int64_t length = call.has("frame_length") ? scalar(call, "frame_length") : window;
  require(!call.has("window") || window == length, "window has {} elements, but frame_length is {}", window, length);
  require(length >= 1 && length <= signal[1], "a frame has {} elements, but must have from 1 to {}, those of signal",
          length, signal[1]);
  return length;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, signal] = call.type("signal");
  if (signal.size() == 2)
    require(call.reads("stft.signal_rank", "or_2"),
            "signal has shape {}, but must be (batches, length, 1 or 2) by the reading stft.signal_rank=3", signal);
  else
    require(signal.size() == 3 && (signal[2] == 1 || signal[2] == 2),
            "signal has shape {}, but must be (batches, length, 1 or 2)", signal);
  const bool onesided = call.flag("onesided");
  require(!onesided || parts_of(signal) == 1, "signal is complex, but onesided takes real numbers");
  const std::int64_t step = scalar(call, "frame_step"), N = length(call);
  require(step >= 1, "frame_step is {}, but must be >= 1", step);
  return {TensorType{dtype, Dims{signal[0], (signal[1] - N) / step + 1, onesided ? N / 2 + 1 : N, 2}}};
}

// output[b, f, k] = Σ signal[b, f·frame_step + n]·window[n]·e^(-2πi·kn/N), n < N, the length of a frame
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (call.input("signal").count() == 0 && ask_for_nothing(outs)) return nothing(outs);  // without a table of its turns
  return {spectra(outs[0], stft_lines(call, outs[0]))};
}

void version_17(OpSchema& s) {
  s.attribute(with_default("onesided", 1, flag()))
      .input("signal", "T1", "(batches, length, 1 or 2)")
      .input("frame_step", "T2", "how far frames lie apart")
      .input("window", "T1", Arity::optional, "what a frame is multiplied by")
      .input("frame_length", "T2", Arity::optional, "else the window's, else the signal's")
      .output("output", "T1", "(batches, frames, bins, 2)")
      .types("T1", types::floats | DType::bfloat16, "Constrain signal and output to float tensors.")
      .types("T2", types::signed_wide, "Constrain scalar length types to int64_t.");
}
}  // namespace
fast::Spectra stft_lines(const Call& call, const Output& out) {
  const Tensor& signal = call.input("signal");
  const Dims &shape = signal.shape(), &output = out.type().shape;
  const std::int64_t N = length(call), parts = parts_of(shape);
  return {.x = signal,
          .lines = Strided({shape[0], output[1]}, {shape[1] * parts, call.integer("frame_step") * parts}),
          .step = parts,
          .used = N,
          .is_complex = parts == 2,
          .window = call.has("window") ? std::optional(call.input("window")) : std::nullopt,
          .N = N,
          .bins = output[2]};
}

Operator stft() {
  return Operator("ai.onnx", "STFT")
      .summary("the discrete Fourier transforms of frames of signals")
      .version(17, version_17)
      .reading({.name = "stft.signal_rank",
                .alternatives = {"or_2: (batches, length) are real numbers too", "3: (batches, length, 1 or 2)"},
                .defaults = {{17, "or_2"}},
                .reason = "the text says which shape \"is expected\"; exported models have (batches, length), and "
                          "onnxruntime takes it"})
      .reading(scalar_shape_reading(17))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_stft
