// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of matrices. Of convolutions the data are the first input, the kernels W, w or the second,
// the bias, where there is one, B.
#include <algorithm>

#include "core/index.h"
#include "mistakes/tools.h"
#include "ops/shared/windows.h"

namespace opref::mistakes {
namespace {

size_t spatial_axes(const Call& call) { return call.inputs().front().type.tensor.rank() - 2; }

/// The name of the kernels, if they are there with their values.
std::string_view kernels(const Call& call) {
  const auto& formal = call.schema().inputs();
  const auto found =
      std::ranges::find_if(formal, [](const auto& input) { return input.name == "W" || input.name == "w"; });
  return name_of(call, found == formal.end() ? 1 : static_cast<size_t>(found - formal.begin()));
}

// Along all spatial axes.
std::optional<Call> kernel_flipped(const Call& call) {
  const std::string_view name = kernels(call);
  if (name.empty()) return std::nullopt;
  std::vector<size_t> axes;
  for (size_t rank = call.type(name).rank(), axis = rank - spatial_axes(call); axis < rank; ++axis)
    axes.push_back(axis);
  return with_flipped(call, name, axes);
}

/// The kernels as if stored with two axes exchanged, counted from the first spatial one.
std::optional<Call> with_axes_exchanged(const Call& call, std::ptrdiff_t a, std::ptrdiff_t b) {
  const std::string_view name = kernels(call);
  if (name.empty()) return std::nullopt;
  const Dims& w = call.type(name).shape;
  const auto exchanged = [first = static_cast<std::ptrdiff_t>(w.size() - spatial_axes(call)), a, b](Dims dims) {
    std::swap(dims[static_cast<size_t>(first + a)], dims[static_cast<size_t>(first + b)]);
    return dims;
  };
  return with_moved(call, name, [&](const Dims& at) { return coordinates(position(exchanged(at), exchanged(w)), w); });
}
// The last two spatial ones.
std::optional<Call> kernel_axes_exchanged(const Call& call) {
  const auto axes = static_cast<std::ptrdiff_t>(spatial_axes(call));
  return axes < 2 ? std::nullopt : with_axes_exchanged(call, axes - 2, axes - 1);
}
// The two before the spatial ones.
std::optional<Call> kernel_channels_exchanged(const Call& call) { return with_axes_exchanged(call, -2, -1); }

/// The bias whose element m is the original's element `source(m, outputs of a group)`.
Made biased(std::int64_t (*source)(std::int64_t m, std::int64_t outputs)) {
  return [source](const Call& call) -> std::optional<Call> {
    const std::int64_t groups = call.has_here("group") ? call.integer("group") : 1;
    if (groups < 2 || !call.has_here("B") || !call.has_value("B") || call.type("B").shape[0] % groups != 0)
      return std::nullopt;
    const std::int64_t outputs = call.type("B").shape[0] / groups;
    return with_moved(call, "B", [&](const Dims& at) { return Dims{source(at[0], outputs)}; });
  };
}

// ConvTranspose: all that pads crop is cropped at the end.
std::optional<Call> cropped_at_the_end(const Call& call) {
  const size_t axes = spatial_axes(call);
  const Dims O = spatial(right_types(call)[0].tensor.shape);
  const Call whole = call.without_attribute("auto_pad").without_attribute("output_shape").without_attribute("pads");
  const Dims cropped = spatial(right_types(whole)[0].tensor.shape) - O;
  std::vector<std::int64_t> pads(axes, 0);
  pads.insert(pads.end(), cropped.begin(), cropped.end());
  return whole.with_attribute("pads", AttributeValue::of(pads));
}

// Groups of channels, interleaved: input channel c belongs to group c mod groups, or filter m does.

std::optional<Call> with_groups(const Call& call) {
  const bool known = call.has_here("group") && call.integer("group") > 1 && call.has_value("X") && call.has_value("W");
  return known ? std::optional(call) : std::nullopt;
}
/// The place, among groups one after the other, of what stands at c where they are interleaved; and the way back.
std::int64_t apart(std::int64_t c, std::int64_t groups, std::int64_t all) {
  return c % groups * (all / groups) + c / groups;
}
std::int64_t interleaved(std::int64_t c, std::int64_t groups, std::int64_t all) { return apart(c, all / groups, all); }

std::optional<Call> inputs_interleaved(const Call& call) {
  if (!with_groups(call)) return std::nullopt;
  return with_moved(call, "X", [C = call.type("X").shape[1], groups = call.integer("group")](Dims at) {
    at[1] = interleaved(at[1], groups, C);
    return at;
  });
}
std::vector<Value> filters_interleaved(const Call& call, std::span<const Output>) {
  const std::int64_t M = call.type("W").shape[0], groups = call.integer("group");
  const auto first = [=](Dims at) {
    at[0] = interleaved(at[0], groups, M);
    return at;
  };
  Call grouped = with_moved(call, "W", first);
  if (call.has("B")) grouped = with_moved(grouped, "B", first);
  return {moved(*computed_rightly(grouped)[0].tensor(), [=](Dims at) {
    at[1] = apart(at[1], groups, M);
    return at;
  })};
}
std::optional<Call> filters_reversed(const Call& call) {
  const std::string_view name = kernels(call);
  return name.empty() ? std::nullopt : std::optional(with_flipped(call, name, {0}));
}

std::optional<Call> alpha_on_c_too(const Call& call) {
  if (!call.has("C")) return std::nullopt;
  const auto both = static_cast<float>(call.number("alpha") * call.number("beta"));
  return call.with_attribute("beta", AttributeValue::of(both));
}

// DeformConv's offsets.

std::optional<Call> offsets_exchanged(const Call& call) {
  if (call.type("offset").rank() != 4 || !call.has_value("offset")) return std::nullopt;
  return with_moved(call, "offset", [](Dims at) {
    at[1] ^= 1;
    return at;
  });
}
// Of each group, the offsets of all taps along the first axis, then those along the next.
std::optional<Call> offsets_by_axis(const Call& call) {
  if (!call.has_value("offset")) return std::nullopt;
  const auto axes = static_cast<std::int64_t>(spatial_axes(call));
  const std::int64_t taps = element_count(spatial(call.type("W").shape));
  return with_moved(call, "offset", [axes, taps](Dims at) {
    const std::int64_t group = at[1] / (taps * axes), rest = at[1] % (taps * axes);
    at[1] = (group * axes + rest % axes) * taps + rest / axes;
    return at;
  });
}

std::optional<Call> b_transposed(const Call& call) {
  const Dims& b = call.type("B").shape;
  const size_t r = b.size();
  if (r < 2 || b[r - 1] != b[r - 2]) return std::nullopt;
  return with_moved(call, "B", [r](Dims at) {
    std::swap(at[r - 1], at[r - 2]);
    return at;
  });
}

}  // namespace

const Table& products() {
  static const std::vector<std::string_view> kernels{"Conv",
                                                     "ConvInteger",
                                                     "ConvTranspose",
                                                     "DeformConv",
                                                     "QLinearConv",
                                                     "openvino.Convolution",
                                                     "openvino.ConvolutionBackpropData",
                                                     "openvino.GroupConvolution",
                                                     "openvino.GroupConvolutionBackpropData"},
      biases{"Conv", "ConvTranspose", "DeformConv", "QLinearConv"};
  static const Table table{
      {kernels, "kernel flipped", kernel_flipped},
      {kernels, "kernel's axes exchanged", kernel_axes_exchanged},
      {kernels, "kernel's input and output channels exchanged", kernel_channels_exchanged},
      {biases, "bias per group", biased([](std::int64_t m, std::int64_t outputs) { return m / outputs; })},
      {biases, "bias of the first group for all",
       biased([](std::int64_t m, std::int64_t outputs) { return m % outputs; })},
      {{"Conv"}, "input channels of groups interleaved", inputs_interleaved},
      {{"Conv"}, "filters of groups interleaved", computed_by(with_groups, filters_interleaved)},
      {{"Conv"}, "filters in reverse order", filters_reversed},
      {{"Gemm"}, "alpha on C too", alpha_on_c_too},
      {{"ConvTranspose"}, "begin pads 0, everything cropped at the end", cropped_at_the_end},
      {{"DeformConv"}, "offsets of rows and columns exchanged", offsets_exchanged},
      {{"DeformConv"}, "offsets of all rows before those of columns", offsets_by_axis},
      {{"Gemm"}, "A transposed", taken_as("transA", 1)},
      {{"Gemm"}, "B transposed", taken_as("transB", 1)},
      {{"MatMul"}, "B transposed", b_transposed},
  };
  return table;
}

}  // namespace opref::mistakes
