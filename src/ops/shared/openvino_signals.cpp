// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/openvino_signals.h"
#include "core/error.h"
#include "ops/shared/axes.h"
#include "ops/shared/openvino.h"
namespace opref::ops {
SignalAxes signal_axes(const Call& call, bool is_complex) {
  const Dims& data = call.type("data").shape;
  require(
      !is_complex || (data.size() >= 2 && data[data.size() - 1] == 2),
      "data has shape {}, but must have at least 2 axes, of which the last one has 2 elements: the parts of complex "
      "numbers",
      data);
  require_list("axes", call.type("axes").shape);
  if (call.has("signal_size"))
    require(call.type("signal_size").shape == call.type("axes").shape,
            "signal_size has shape {}, but must have that of axes, {}", call.type("signal_size").shape,
            call.type("axes").shape);
  SignalAxes signals{axes_among("axes", call.integers("axes"), data.size() - (is_complex ? 1 : 0)), {}, {}};
  require(!signals.axes.empty(), "axes is empty, but must name an axis");
  for (const size_t axis : signals.axes) signals.sizes.push_back(data[axis]);
  signals.is_stated.resize(signals.axes.size());
  if (!call.has("signal_size")) return signals;
  const std::vector<std::int64_t> stated = call.integers("signal_size");
  for (size_t k = 0; k < stated.size(); ++k) {
    require(stated[k] == -1 || stated[k] >= 1, "signal_size[{}] is {}, but must be -1 or >= 1", k, stated[k]);
    if (stated[k] != -1) signals.sizes[k] = stated[k], signals.is_stated[k] = true;
  }
  return signals;
}

void require_lengths(const SignalAxes& signals) {
  for (size_t k = 0; k < signals.axes.size(); ++k)
    require(signals.sizes[k] >= 1, "the transform along axis {} has length {}, but must have at least 1",
            signals.axes[k], signals.sizes[k]);
}

void add_signal_inputs(OpSchema& s) {
  s.input("data", "T").input("axes", "T_IND").input("signal_size", "T_SIZE", Arity::optional);
  s.output("output0", "T").types("T", computed_floats);
  s.types("T_IND", types::signed_wide).types("T_SIZE", types::signed_wide);
}

std::vector<ValueType> complex_transform_types(const Call& call) {
  auto [dtype, y] = call.type("data");
  const SignalAxes signals = signal_axes(call, true);
  require_lengths(signals);
  for (size_t k = 0; k < signals.axes.size(); ++k) y[signals.axes[k]] = signals.sizes[k];
  return {TensorType{dtype, y}};
}

std::vector<Value> complex_transform(const Call& call, std::span<const Output> outs, bool inverse) {
  SignalAxes signals = signal_axes(call, true);
  return {transform(
      outs[0], call.input("data"),
      {.axes = std::move(signals.axes), .sizes = std::move(signals.sizes), .is_complex = true, .inverse = inverse})};
}
}  // namespace opref::ops
