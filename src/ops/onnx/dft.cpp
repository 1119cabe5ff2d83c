// SPDX-License-Identifier: Apache-2.0
// ai.onnx DFT, versions 17, 20
// https://onnx.ai/onnx/operators/onnx__DFT.html
#include "ops/operator_file.h"
#include "ops/shared/signals.h"
namespace opref::ops::onnx::file_dft {
namespace {
struct Transform {
  std::int64_t N;      ///< its length
  std::int64_t bins;   ///< elements that it gives
  std::int64_t parts;  ///< of each: 2, or 1 where they are real
  size_t axis;
  bool inverse, onesided;
};

Transform transform(const Call& call) {
  const Dims& x = call.type("input").shape;
  const std::int64_t rank = std::ssize(x), least = call.version() >= 20 ? 2 : 3;
  require(rank >= least, "input has rank {}, but must have at least {}", rank, least);
  if (call.version() >= 20) require_scalar(call, "axis");
  require_scalar(call, "dft_length");
  const std::int64_t stated = call.has("axis") ? call.integer("axis") : -2, axis = stated < 0 ? stated + rank : stated;
  require(axis >= 0 && axis < rank - 1, "axis is {}, but must be one of {} before the last", stated, rank);
  Transform t{};
  t.axis = static_cast<size_t>(axis), t.inverse = call.flag("inverse");
  t.onesided = call.flag("onesided");
  const std::int64_t last = x[x.size() - 1], L = x[t.axis];
  require(last == 1 || last == 2, "the last axis of input has {} elements, but must have 1, real, or 2, complex", last);
  require(!t.onesided || last == (t.inverse ? 2 : 1), "input is {}, but a onesided {} takes {} numbers",
          last == 1 ? "real" : "complex", t.inverse ? "inverse" : "transform", t.inverse ? "complex" : "real");
  t.N = call.has("dft_length") ? call.integer("dft_length") : t.inverse && t.onesided ? checked_multiply(2, L - 1) : L;
  require(t.N >= 1, "{} is {}, but must be >= 1", call.has("dft_length") ? "dft_length" : "the transform's length",
          t.N);
  t.bins = t.onesided && !t.inverse ? t.N / 2 + 1 : t.N;
  t.parts = t.onesided && t.inverse ? 1 : 2;
  return t;
}

std::vector<ValueType> output_types(const Call& call) {
  auto [dtype, y] = call.type("input");
  const Transform t = transform(call);
  y[t.axis] = t.bins, y[y.size() - 1] = t.parts;
  return {TensorType{dtype, y}};
}

AxesTransform axes_transform(const Call& call) {
  const Dims& x = call.type("input").shape;
  const Transform t = transform(call);
  return {.axes = {t.axis},
          .sizes = {t.N},
          .is_complex = x[x.size() - 1] == 2,
          .inverse = t.inverse,
          .is_half = t.parts == 1};
}

// X[k] = Σ x[n]·e^(∓2πi·kn/N), of an inverse +, divided by N; x is cut or padded with zeros
// onesided inverse: x[n] = (Σ c·Re(X[k]·e^(2πi·kn/N)))/N, c = 1 of X[0] and X[N/2], whose imaginary parts are ignored,
// else 2
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {opref::ops::transform(outs[0], call.input("input"), axes_transform(call))};
}

void version_17(OpSchema& s) {
  s.attribute(with_default("axis", 1))
      .attribute(with_default("inverse", 0, flag()))
      .attribute(with_default("onesided", 0, flag()))
      .input("input", "T1", "the signals, along an axis; the last one has real and imaginary parts, or real ones alone")
      .input("dft_length", "T2", Arity::optional, "to which signals are cut or padded")
      .output("output", "T1", "their spectra")
      .types("T1", types::floats | DType::bfloat16, "Constrain input and output types to float tensors.")
      .types("T2", types::signed_wide, "Constrain scalar length types to int64_t.");
}

void version_20(OpSchema& s) {
  s.becomes_input("axis");
  s.wording("axis is -2 by default");
}
}  // namespace
fast::Spectra dft_lines(const Call& call, const Output& out) {
  return lines_of(out, call.input("input"), axes_transform(call));
}

Operator dft() {
  return Operator("ai.onnx", "DFT")
      .summary("the discrete Fourier transform along an axis, and its inverse")
      .version(17, version_17)
      .version(20, version_20)
      .reading(scalar_shape_reading(17))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_dft
