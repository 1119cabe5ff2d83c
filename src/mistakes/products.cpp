// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of matrices. Of convolutions the data are the first input, the kernels W, w or the second,
// the bias, where there is one, B.
#include <algorithm>

#include "core/index.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "exact/storage.h"
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

// Terms at the end of the sum, beyond a multiple of a block's size, are left out.

std::optional<Call> with_zeros_beyond(const Call& call, std::string_view name, size_t axis, std::int64_t of_each,
                                      std::int64_t block) {
  const std::int64_t kept = of_each / block * block;
  if (kept == 0 || kept == of_each || !call.has_value(name)) return std::nullopt;
  const Tensor& x = call.input(name);
  return call.with_input(name, tensor_of_bits(x.type(), [&](std::int64_t i) {
                           const bool is_kept = coordinates(i, x.shape())[axis] % of_each < kept;
                           return is_kept ? element_bits(x, i) : 0;
                         }));
}
template <std::int64_t block>
std::optional<Call> channels_beyond(const Call& call) {
  return with_zeros_beyond(call, "X", 1, call.type("W").shape[1], block);
}
template <std::int64_t block>
std::optional<Call> columns_beyond(const Call& call) {
  const Dims& a = call.type("A").shape;
  const bool is_transposed = call.has_here("transA") && call.flag("transA");
  if (a.empty()) return std::nullopt;
  const size_t axis = is_transposed ? 0 : a.size() - 1;
  return with_zeros_beyond(call, "A", axis, a[axis], block);
}

// The bias along another axis, the k-th from the end, of the same size.
template <size_t k>
std::optional<Call> with_bias_of_axis(const Call& call) {
  if (!call.has_here("B") || !call.has_value("B")) return std::nullopt;
  const Dims y = right_types(call)[0].tensor.shape;
  const bool fits = y.size() > k + 1 && y[y.size() - k] == call.type("B").shape[0];
  return fits ? std::optional(call) : std::nullopt;
}
template <size_t k>
std::vector<Value> bias_along(const Call& call, std::span<const Output> outs) {
  if (!call.has_here("B")) return computed_rightly(call, outs);  // another mistake besides left it out
  const Tensor y = *computed_rightly(call.without_input("B"))[0].tensor();
  const Tensor& bias = call.input("B");
  const size_t axis = y.shape().size() - k;
  return {tensor_of_bits(y.type(), [&](std::int64_t i) {
    const double sum = floating_element(y, i) + floating_element(bias, coordinates(i, y.shape())[axis]);
    return converted(Number::of(sum), y.dtype(), {});
  })};
}

// B's matrices are fewer than A's: each is taken for as many of A's in a row, not one after the other.
std::optional<Call> matrices_in_a_row(const Call& call) {
  const Dims &a = call.type("A").shape, &b = call.type("B").shape;
  if (a.size() < 3 || b.size() < 3 || !call.has_value("B")) return std::nullopt;
  const std::int64_t all = element_count(a.first(a.size() - 2)), some = element_count(b.first(b.size() - 2));
  if (some < 2 || some >= all || all % some != 0) return std::nullopt;
  TensorType type = call.type("B");
  type.shape = a.first(a.size() - 2);
  type.shape.push_back(b[b.size() - 2]), type.shape.push_back(b[b.size() - 1]);
  const std::int64_t matrix = b[b.size() - 2] * b[b.size() - 1];
  return call.with_input("B", read_as(type, call.input("B"), [&](const Dims& at) {
                           const std::int64_t i = position(at, type.shape);
                           return coordinates(i / matrix / (all / some) * matrix + i % matrix, b);
                         }));
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
      {{"Conv"}, "channels beyond a multiple of 4 left out", channels_beyond<4>},
      {{"Conv"}, "channels beyond a multiple of 8 left out", channels_beyond<8>},
      {{"Conv"}, "channels beyond a multiple of 16 left out", channels_beyond<16>},
      {{"Gemm", "MatMul"}, "terms beyond a multiple of 4 left out", columns_beyond<4>},
      {{"Gemm", "MatMul"}, "terms beyond a multiple of 8 left out", columns_beyond<8>},
      {{"Gemm", "MatMul"}, "terms beyond a multiple of 16 left out", columns_beyond<16>},
      {{"Conv", "ConvTranspose"}, "B along the last axis", computed_by(with_bias_of_axis<1>, bias_along<1>)},
      {{"Conv", "ConvTranspose"}, "B along the axis before the last", computed_by(with_bias_of_axis<2>, bias_along<2>)},
      {{"MatMul"}, "each of B's matrices for several of A's in a row", matrices_in_a_row},
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
